package scenarios

import (
	"slices"
	"testing"

	"chordsim/core/base"
	"chordsim/sim"
)

// wayOf is a way whose calls took so long, and its snapshot, which took ten seconds alone.
func wayOf(snapshot base.Duration, unread int, took ...base.Duration) []interleaved {
	w := interleaved{id: "interleave.direct", label: "direct"}
	w.alone.snapshot, w.alone.bytes = 10*base.Second, 600_000
	w.with.snapshot, w.with.bytes, w.with.unread = snapshot, 600_000+int64(10*len(took)), unread
	for i, d := range took {
		w.with.calls = append(w.with.calls, callMade{at: base.Time(i) * base.Time(100*base.Millisecond), took: d})
	}
	return []interleaved{w}
}

// TestInterleaveReport shows ways that keep what they are held to by a nanosecond, and that miss it by one.
func TestInterleaveReport(t *testing.T) {
	values, err := sim.ParseValues(Interleave().Parameters(), nil)
	if err != nil {
		t.Fatal(err)
	}
	r := &sim.Run{Values: values}
	const bound = 125_091_553 // ns: two chunks of 4,099 bytes at 64 KiB/s
	for _, c := range []struct {
		why     string
		ways    []interleaved
		verdict string
		missed  []string
	}{
		{"at the bounds", wayOf(10_200_000_000, 0, 1, bound, 2), "within", nil},
		{"a call too long", wayOf(10_200_000_000, 0, 1, bound+1, 2), "MISSED .longest", []string{
			"direct: interleave.direct.longest is 0.125091554 s, want at most 0.125091553",
			"direct: interleave.direct.late is 1, want at most 0",
		}},
		{"a change unseen", wayOf(10*base.Second, 1, 1), "MISSED .unread", []string{
			"direct: interleave.direct.unread is 1, want at most 0",
		}},
		{"a snapshot too long", wayOf(10_200_000_001, 0, 1), "MISSED .snapshot", []string{
			"direct: interleave.direct.snapshot is 10.200000001 s, want at most 10.2",
		}},
		{"no call", wayOf(10*base.Second, 0), "no call", nil},
	} {
		report := &sim.Report{}
		reportInterleave(r, planInterleave(r), c.ways, report)
		row := report.Tables[0].Rows[0]
		if got := row[len(row)-1]; got != c.verdict || !slices.Equal(report.Failures, c.missed) {
			t.Errorf("%s: verdict %q, failures %q; want %q, %q", c.why, got, report.Failures, c.verdict, c.missed)
		}
		missed := 0
		for _, row := range report.Rows {
			if row.Missed {
				missed++
			}
		}
		if missed != len(c.missed) {
			t.Errorf("%s: %d rows missed, want %d", c.why, missed, len(c.missed))
		}
	}
}

// TestInterleaveReportOfCalls wants the median of the calls, the lower of two, and the longest.
func TestInterleaveReportOfCalls(t *testing.T) {
	values, err := sim.ParseValues(Interleave().Parameters(), nil)
	if err != nil {
		t.Fatal(err)
	}
	r := &sim.Run{Values: values}
	report := &sim.Report{}
	reportInterleave(r, planInterleave(r), wayOf(10_012_345_678, 0, 4_000, 1_000, 3_000, 2_000), report)
	want := []string{"direct", "4", "0.000002", "0.000004", "0.125091", "0", "10", "10.012345", "10", "0.12", "within"}
	if got := report.Tables[0].Rows[0]; !slices.Equal(got, want) {
		t.Errorf("row %q, want %q", got, want)
	}
	stuck := wayOf(1, 0)
	stuck[0].alone.stuck = "it stopped"
	report = &sim.Report{}
	reportInterleave(r, planInterleave(r), stuck, report)
	if row := report.Tables[0].Rows[0]; row[0] != "direct" || row[len(row)-1] != "stuck" || len(report.Rows) != 0 {
		t.Errorf("row %q and %d figures of a case that is stuck", row, len(report.Rows))
	}
}
