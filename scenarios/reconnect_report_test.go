package scenarios

import (
	"slices"
	"strings"
	"testing"

	"chordsim/sim"
)

// TestReconnectReport shows cases that keep what they are held to, and that miss it by one.
func TestReconnectReport(t *testing.T) {
	values, err := sim.ParseValues(Reconnect().Parameters(), nil)
	if err != nil {
		t.Fatal(err)
	}
	plan := planReconnect(&sim.Run{Values: values})
	for why, c := range map[string]struct {
		loss   string
		change func(*reconnectFound)
		missed string
	}{
		"resumed":        {lossResumed, func(*reconnectFound) {}, ""},
		"at the bound":   {lossResumed, func(f *reconnectFound) { f.down = f.missed + 200 }, ""},
		"too many bytes": {lossResumed, func(f *reconnectFound) { f.down = f.missed + 201 }, "direct resumed 1: reconnect1.direct.resumed.down is 251 B, want at most 250"},
		"a snapshot":     {lossResumed, func(f *reconnectFound) { f.snapshots = 1 }, "direct resumed 1: reconnect1.direct.resumed.snapshots is 1, want at most 0"},
		"unknown":        {lossResumed, func(f *reconnectFound) { f.unknown, f.results = 1, 2 }, "direct resumed 1: reconnect1.direct.resumed.unknown is 1, want at most 0"},
		"cold":           {lossCold, func(f *reconnectFound) { f.snapshots, f.unknown, f.results, f.down = 1, 3, 0, 136909 }, ""},
		"known":          {lossKnown, func(f *reconnectFound) { f.deltas, f.unknown, f.results, f.down = 1, 3, 0, 300 }, ""},
		"known in vain": {lossKnown, func(f *reconnectFound) { f.snapshots, f.unknown, f.results = 1, 3, 0 },
			"direct known 1: reconnect1.direct.known.snapshots is 1, want at most 0"},
		"two deltas": {lossKnown, func(f *reconnectFound) { f.deltas, f.unknown, f.results = 2, 3, 0 },
			"direct known 1: reconnect1.direct.known.deltas is 2, want at most 1"},
		"known for much": {lossKnown, func(f *reconnectFound) { f.deltas, f.unknown, f.results, f.down = 1, 3, 0, 301 },
			"direct known 1: reconnect1.direct.known.down is 301 B, want at most 300"},
		"two snapshots": {lossCold, func(f *reconnectFound) { f.snapshots, f.unknown, f.results = 2, 3, 0 }, "direct cold 1: reconnect1.direct.cold.snapshots is 2, want at most 1"},
		"over the figure": {lossCold, func(f *reconnectFound) { f.snapshots, f.unknown, f.results, f.down = 1, 3, 0, 136910 },
			"direct cold 1: reconnect1.direct.cold.down is 136910 B, want at most 136909"},
		"a result of nothing": {lossCold, func(f *reconnectFound) { f.unknown, f.results = 2, 1 }, "direct cold 1: 3 calls were sent, 1 have a result"},
		"too late":            {lossCold, func(f *reconnectFound) { f.unknown, f.results, f.took = 3, 0, 1021 }, "direct cold 1: reconnect1.direct.cold.live is 0.000001021 s, want at most 0.00000102"},
	} {
		report := &sim.Report{}
		f := &reconnectFound{
			reconnectCase: reconnectCase{form: formDirect, loss: c.loss, references: 1, shared: true}, plan: plan, down: 54, missed: 50, took: 1000, limit: 1000, goal: 1020,
			results: 3, sent: 3, settled: 3,
		}
		c.change(f)
		reportReconnect([]*reconnectFound{f}, report)
		if c.missed == "" && len(report.Failures) > 0 || c.missed != "" &&
			!slices.ContainsFunc(report.Failures, func(s string) bool { return strings.HasPrefix(s, c.missed) }) {
			t.Errorf("%s: failures %q, want %q", why, report.Failures, c.missed)
		}
	}
}
