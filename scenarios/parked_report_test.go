package scenarios

import (
	"slices"
	"strings"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/sim"
)

// TestParkedReport shows cases that keep what they are held to, and that miss it by one.
func TestParkedReport(t *testing.T) {
	values, err := sim.ParseValues(ParkedCalls().Parameters(), nil)
	if err != nil {
		t.Fatal(err)
	}
	plan := planParked(&sim.Run{Values: values})
	good := func() *parkedFound {
		return &parkedFound{
			label: "case", plan: plan, form: "direct", kind: "cold", what: "order", made: 3, settled: 3, arrived: 3, seen: []string{"a", "b", "c"},
			want: []string{"a", "b", "c"}, codes: map[base.Code]int{base.CodeNone: 3}, last: base.Second, limit: base.Second,
		}
	}
	for why, c := range map[string]struct {
		change func(*parkedFound)
		missed string
	}{
		"good":      {func(*parkedFound) {}, ""},
		"order":     {func(f *parkedFound) { f.seen = []string{"a", "c", "b"} }, "case: the provider ran a, c, b, want a, b, c"},
		"unsettled": {func(f *parkedFound) { f.settled = 2 }, "case: 2 results of 3 calls"},
		"sent late": {func(f *parkedFound) { f.arrived = 4 }, "case: 4 calls arrived and 3 have a result, want 3 of each"},
		"a timer":   {func(f *parkedFound) { f.timers = 1 }, "case: parked1000.direct.cold.order.timers is 1, want at most 0"},
		"too slow": {func(f *parkedFound) { f.last += base.Microsecond + 1 },
			"case: parked1000.direct.cold.order.last is 1.000001001 s, want at most 1.000001"},
		"too many": {func(f *parkedFound) {
			f.what, f.want, f.made, f.settled, f.refused = "flood", nil, 5, 5, 2
			f.codes[base.CodeLimit], f.keptWant, f.bytesWant, f.kept = 2, 2, 20, core.Asked{Parked: 3, ParkedBytes: 30}
		}, "case: parked1000.direct.cold.flood.kept is 3, want at most 2"},
		"left": {func(f *parkedFound) {
			f.what, f.want, f.made, f.settled, f.refused = "heap", nil, 5, 5, 2
			f.codes[base.CodeLimit], f.keptWant, f.bytesWant, f.kept = 2, 3, 30, core.Asked{Parked: 3, ParkedBytes: 30}
			f.left.ParkedBytes = 1
		}, "case: {Holds:0 Unanswered:0 Parked:0 ParkedBytes:1} is left at the tab once all have settled"},
	} {
		f, report := good(), &sim.Report{}
		c.change(f)
		reportParked(plan, []*parkedFound{f}, report)
		verdict := report.Tables[0].Rows[0][len(report.Tables[0].Columns)-1]
		if c.missed == "" && (len(report.Failures) > 0 || verdict != "within") ||
			c.missed != "" && (!slices.ContainsFunc(report.Failures, func(s string) bool { return strings.HasPrefix(s, c.missed) }) ||
				!strings.HasPrefix(verdict, "MISSED ")) {
			t.Errorf("%s: verdict %q, failures %q, want %q", why, verdict, report.Failures, c.missed)
		}
	}
}
