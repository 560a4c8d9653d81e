package repro

import (
	"strings"
	"testing"
)

// TestEdited wants what somebody changed in a file to be named, and a file that was written anew not to be taken for edited.
func TestEdited(t *testing.T) {
	text, err := sample().Append(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, now, want string }{
		{"", "", ""},
		{"at 2s stall", "at 3s stall", "plan"},
		{`    "workload churn",` + "\n", "", "workload"},
		{`"tab1 1s st 1 2"`, `"tab1 1s st 1 3"`, "workload"},
		{`"seed": 18446744073709551615`, `"seed": 7`, "scenario, settings or seed"},
		{`"size=small"`, `"size=large"`, "scenario, settings or seed"},
		{`"scenario": "churn"`, `"scenario": "canary"`, "scenario, settings or seed"},
		{`"headline": "churn`, `"headline": "charn`, ""},
		{`"run": "`, `"run": "0`, "scenario, settings or seed"},
	} {
		f, err := Parse([]byte(strings.Replace(string(text), c.old, c.now, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(f.Edited(), "; "); got != c.want {
			t.Errorf("%q: edited %q, want %q", c.now, got, c.want)
		}
		again, err := f.Append(nil)
		if err != nil {
			t.Fatal(err)
		}
		if f, err = Parse(again); err != nil || len(f.Edited()) > 0 {
			t.Errorf("%q, written anew: %v, edited %q", c.now, err, f.Edited())
		}
	}
	if f := sample(); len(f.Edited()) > 0 {
		t.Errorf("without a seal: %q", f.Edited())
	}
}
