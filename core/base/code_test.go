package base

import (
	"errors"
	"fmt"
	"testing"
)

func TestCodeOf(t *testing.T) {
	for _, c := range []struct {
		err  error
		want Code
	}{
		{nil, CodeNone},
		{Errorf(CodeLimit, "x"), CodeLimit},
		{fmt.Errorf("wrapped: %w", Errorf(CodeDown, "x")), CodeDown},
		{&PeerError{Code: CodeRefused}, CodeRefused},
		{errors.New("of a handler"), CodeApp},
	} {
		if got := CodeOf(c.err); got != c.want {
			t.Errorf("the code of %v is %v, want %v", c.err, got, c.want)
		}
	}
	if got := Code(999).String(); got != "code-999" {
		t.Errorf("a code of a later version prints as %q", got)
	}
	if got := CodeUnresolved.String(); got != "unresolved" {
		t.Errorf("the last code prints as %q", got)
	}
}

func TestLimitsHaveDefaults(t *testing.T) {
	l := Limits{WindowMessages: 1, Holds: -3}.WithDefaults()
	if l.WindowMessages != 1 || l.Holds != 4096 || l.ChunkBytes != 4096 {
		t.Errorf("limits: %+v", l)
	}
	if l != l.WithDefaults() {
		t.Error("filled limits change when they are filled again")
	}
}
