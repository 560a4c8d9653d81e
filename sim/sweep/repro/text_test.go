package repro

import (
	"slices"
	"testing"
)

func TestText(t *testing.T) {
	for _, c := range []struct {
		text string
		want Text
	}{
		{"", nil},
		{"a\nb\n", Text{"a", "b"}},
		{"a\n\n", Text{"a", ""}},
		{"\n", Text{""}},
	} {
		got := TextOf(c.text)
		if !slices.Equal(got, c.want) || got.String() != c.text {
			t.Errorf("%q: %q, which is %q", c.text, got, got.String())
		}
	}
	if got := TextOf("a\nb").String(); got != "a\nb\n" {
		t.Errorf("%q", got)
	}
}
