package main

import (
	"strings"
	"testing"

	"chordsim/sim/trace"
)

// A verdict fits a width, but for the command, which is to be copied; what a terminal would obey is taken out.
func TestVerdictFitsItsWidth(t *testing.T) {
	v := trace.Verdict{Findings: []trace.Finding{
		{Kind: "violated", Count: 3, Texts: []string{"C1 \x1b[2J of words that take more room than there is", strings.Repeat("x", 100)}},
		{Kind: "panic", Count: 1, Texts: []string{"short"}, Place: "canary@1 at here", Stack: []string{"core.turn turn.go:1"}},
	}}
	var out strings.Builder
	printVerdict(&out, &v, "go run ./cmd/simrun run canary --seed 1", 30)
	want := `violated: C1 [2J of words
    that take more room than
    there is
violated:
    xxxxxxxxxxxxxxxxxxxxxxxxxx
    xxxxxxxxxxxxxxxxxxxxxxxxxx
    xxxxxxxxxxxxxxxxxxxxxxxxxx
    xxxxxxxxxxxxxxxxxxxxxx
violated: and 1 more
panic: canary@1 at here: short
    core.turn turn.go:1
reproduce: go run ./cmd/simrun run canary --seed 1
`
	if got := out.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
