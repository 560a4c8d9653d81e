package scenarios

import (
	"slices"
	"testing"

	"chordsim/core/base"
)

// TestMixedLook shows a call that was parked and is as it may be, and in each way in which it may not.
func TestMixedLook(t *testing.T) {
	const lost, back, limit = 1000, 2000, 100
	for why, c := range map[string]struct {
		change func(*mixedCall)
		wrong  string
	}{
		"good":            {func(*mixedCall) {}, ""},
		"at the limit":    {func(c *mixedCall) { c.when = back + limit }, ""},
		"late":            {func(c *mixedCall) { c.when = back + limit + 1 }, "call 0, made at 1.5us, settled at 2.101us, want at most 2.1us"},
		"twice":           {func(c *mixedCall) { c.settled = 2 }, "call 0 settled 2 times"},
		"ran twice":       {func(c *mixedCall) { c.ran = 2 }, "call 0 ran 2 times"},
		"did not run":     {func(c *mixedCall) { c.ran = 0 }, "call 0 has a result and did not run"},
		"unknown":         {func(c *mixedCall) { c.code = base.CodeUnknown }, "call 0, made at 1.5us with forever and forever to go, is unknown-outcome"},
		"before, unknown": {func(c *mixedCall) { c.made, c.code = lost, base.CodeUnknown }, ""},
		"timed out":       {func(c *mixedCall) { c.within, c.when, c.code, c.ran = 100, 1600, base.CodeTimeout, 0 }, ""},
		"timed out late":  {func(c *mixedCall) { c.within, c.when, c.code, c.ran = 100, 1601, base.CodeTimeout, 0 }, "call 0, made at 1.5us, settled at 1.601us, want at most 1.6us"},
		"expired and ran": {func(c *mixedCall) { c.within, c.when, c.code = 100, 1600, base.CodeTimeout }, "call 0 settled at 1.6us, before the way was back at 2us, and ran"},
		"cancelled":       {func(c *mixedCall) { c.cancel, c.code, c.ran = 5, base.CodeCancelled, 0 }, ""},
	} {
		call := &mixedCall{made: 1500, within: base.Forever, cancel: base.Forever, settled: 1, when: 2050, ran: 1}
		c.change(call)
		w := &parkedWorld{
			plan: parkedPlan{mixed: &mixedPlan{loss: lossCold}}, found: &parkedFound{codes: map[base.Code]int{}},
			mixed: mixedPart{calls: []*mixedCall{call}, ran: [][]int{{0}}, lost: lost, back: back, limit: limit},
		}
		w.look(false)
		var want []string
		if c.wrong != "" {
			want = []string{c.wrong}
		}
		if !slices.Equal(w.found.wrong, want) {
			t.Errorf("%s: %q, want %q", why, w.found.wrong, want)
		}
	}
	w := &parkedWorld{
		plan: parkedPlan{mixed: &mixedPlan{loss: lossCold}}, found: &parkedFound{codes: map[base.Code]int{}},
		mixed: mixedPart{ran: [][]int{{0, 1}, {3, 2}}},
	}
	if w.look(true); !slices.Equal(w.found.wrong, []string{"the session went on: true", "calls of reference 1 ran in the order [3 2]"}) {
		t.Errorf("%q", w.found.wrong)
	}
}
