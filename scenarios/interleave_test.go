package scenarios_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"chordsim/faults/linkmodel"
	"chordsim/scenarios"
	"chordsim/sim"
	"chordsim/sim/check"
)

// callsOf puts a run of interleave together.
func callsOf(t testing.TB, seed uint64, settings ...string) *sim.Run {
	t.Helper()
	values, err := sim.ParseValues(scenarios.Interleave().Parameters(), settings)
	if err != nil {
		t.Fatal(err)
	}
	return &sim.Run{Seed: seed, Values: values}
}

// interleave plays a run in which nothing may go wrong.
func interleave(t testing.TB, r *sim.Run) *sim.Report {
	t.Helper()
	report, err := scenarios.Interleave().Run(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range slices.Concat(report.Violations, report.Failures, report.Stuck) {
		t.Errorf("seed %d, %s: %s", r.Seed, strings.Join(r.Values.Changed(), " "), text)
	}
	if t.Failed() {
		t.FailNow()
	}
	return report
}

// wantEachLookedAt wants every invariant that is watched to have been put to the test.
func wantEachLookedAt(t *testing.T, report *sim.Report) {
	t.Helper()
	for _, c := range report.Invariants {
		if c.Checks == 0 || c.Violations != 0 {
			t.Errorf("%s: %d looks, %d violations; want some, 0", c.ID, c.Checks, c.Violations)
		}
	}
	if len(report.Invariants) != len(check.IDs) {
		t.Errorf("%d invariants, want %d", len(report.Invariants), len(check.IDs))
	}
}

// verdicts are the last cells of the table.
func verdicts(report *sim.Report) (list []string) {
	for _, row := range report.Tables[0].Rows {
		list = append(list, row[len(row)-1])
	}
	return list
}

// TestInterleaveFigures holds the run to its goals and pins what it finds. The times and bytes hold for one wire format:
// who changes it changes them, knowingly.
func TestInterleaveFigures(t *testing.T) {
	report := interleave(t, callsOf(t, 1))
	rows := values(t, report)
	for id, want := range map[string]string{
		"direct.calls": "75", "direct.late": "0", "direct.unread": "0", "direct.alone": "7.471771291", "direct.call.bytes": "11",
		"relayed.calls": "74", "relayed.late": "0", "relayed.unread": "0", "relayed.alone": "7.471771291", "relayed.call.bytes": "11",
		"direct.burst.unread": "0", "direct.burst.waited": "76", "relayed.burst.unread": "0", "relayed.burst.waited": "76",
	} {
		if rows["interleave."+id] != want {
			t.Errorf("interleave.%s is %s, want %s", id, rows["interleave."+id], want)
		}
	}
	for _, row := range report.Rows {
		goal := ""
		switch {
		case strings.HasSuffix(row.ID, ".longest"):
			goal = "0.125091553" // two chunks of 4,096 bytes and a header of three, at 65,536 bytes a second
		case strings.HasSuffix(row.ID, ".snapshot"):
			goal = "7.621206716" // 2 % over the 7.471771291 s alone
		case strings.HasSuffix(row.ID, ".late"), strings.HasSuffix(row.ID, ".unread"):
			goal = "0"
		}
		if row.Goal != goal || row.Missed || row.Reference != "" || row.Measured {
			t.Errorf("row %+v, want the goal %q, kept, and no reference", row, goal)
		}
	}
	if got := verdicts(report); !slices.Equal(got, []string{"within", "within"}) {
		t.Errorf("verdicts %q", got)
	}
	if want := "a document of 508391 bytes of JSON"; !strings.Contains(report.Headline, want) {
		t.Errorf("headline %q, want %q in it", report.Headline, want)
	}
	wantEachLookedAt(t, report)
}

// TestInterleaveCorners plays the small size with parameters at their ends.
func TestInterleaveCorners(t *testing.T) {
	for set, want := range map[string]string{
		"latency=50ms":                         "within",
		"latency=120ms":                        "within",
		"latency=250ms":                        "within", // the calls are not held to anything, the snapshot is
		"every=50ms":                           "within", // the other way round
		"every=10ms latency=1s":                "no goal",
		"every=10s":                            "no call",
		"rate=16KiB/s":                         "within",
		"rate=2KiB/s every=1s":                 "within",
		"rate=1GB/s":                           "no call",
		"rate=9223372036854775807":             "no call",
		"rate=9223372036854775807 latency=10s": "within",
		"rate=100 every=10s":                   "no goal",
		"codec=text":                           "within",
		"codec=text every=20ms":                "within",
	} {
		t.Run(set, func(t *testing.T) {
			report := interleave(t, callsOf(t, 2, append(strings.Fields(set), "size=small")...))
			if got := verdicts(report); got[0] != want {
				t.Errorf("verdicts %q, want %q", got, want)
			}
		})
	}
}

// TestInterleaveSeeds sweeps seeds with everything in random order.
func TestInterleaveSeeds(t *testing.T) {
	seeds := uint64(60)
	if testing.Short() {
		seeds = 10
	}
	hashes := map[uint64]uint64{}
	for seed := range seeds {
		report := interleave(t, callsOf(t, seed, "size=small", "strategy=random"))
		wantEachLookedAt(t, report)
		if other, ok := hashes[report.Hash]; ok {
			t.Errorf("seeds %d and %d have one hash", seed, other)
		}
		hashes[report.Hash] = seed
	}
}

func TestInterleaveRepeats(t *testing.T) {
	settings := []string{"size=small", "latency=3ms", "strategy=random"}
	want := interleave(t, callsOf(t, 7, settings...))
	var told []string
	r := callsOf(t, 7, settings...)
	events := counter(0)
	r.Sink, r.Wall = &events, fakeWall()
	r.Progress = func(done, total int, what string) {
		if done != len(told) || total != 6 {
			t.Errorf("progress %d of %d, want %d of 6", done, total, len(told))
		}
		told = append(told, what)
	}
	if got := interleave(t, r); got.Hash != want.Hash || !slices.Equal(got.Rows, want.Rows) || events == 0 {
		t.Errorf("hash %016x, traced and measured; before %016x; %d events traced", got.Hash, want.Hash, events)
	}
	if want := []string{
		"direct alone", "direct with calls", "direct with bursts", "relayed alone", "relayed with calls", "relayed with bursts",
	}; !slices.Equal(told, want) {
		t.Errorf("progress %q, want %q", told, want)
	}
	for _, other := range [][]string{{"size=small"}, {"size=small", "every=90ms"}, {"size=small", "rate=65KiB/s"}} {
		if interleave(t, callsOf(t, 7, other...)).Hash == want.Hash {
			t.Errorf("%q has the hash of %q", other, settings)
		}
	}
}

// TestInterleaveRefuses wants runs that could not end, or would say nothing, to be refused before they begin.
func TestInterleaveRefuses(t *testing.T) {
	for set, want := range map[string]string{
		"rate=700":               "the link of 700B/s needs over 600s for a document of 508391 bytes",
		"rate=6KiB/s every=10ms": "with a call every 10ms, the link of 6KiB/s carries 61 bytes for each: it takes up to 64",
		"every=10ms latency=2s":  "with a call every 10ms and a round trip of 4s, 400 calls are under way: the tab keeps at most 256 unanswered",
	} {
		r := callsOf(t, 1, strings.Fields(set)...)
		s := scenarios.Interleave()
		if err := s.Check(r); err == nil || err.Error() != want {
			t.Errorf("%s: Check says %v\n  want %s", set, err, want)
		}
		if report, err := s.Run(r); err == nil || err.Error() != want || report != nil {
			t.Errorf("%s: Run says %v, want the same", set, err)
		}
	}
	r := callsOf(t, 1, "size=small")
	r.Link = traceOf(t, "slow", "30000\n")
	want := "the trace slow, on average 50B/s, needs over 600s for a document of 50791 bytes"
	if err := scenarios.Interleave().Check(r); err == nil || err.Error() != want {
		t.Errorf("Check says %v\nwant %s", err, want)
	}
}

// TestInterleaveOverTraces plays over a steady trace and over one that is gone for two seconds in three.
func TestInterleaveOverTraces(t *testing.T) {
	var outages strings.Builder
	for ms := 10; ms <= 1000; ms += 10 {
		outages.WriteString(itoa(ms) + "\n")
	}
	outages.WriteString("3000\n")
	for name, marks := range map[string]string{"steady": "23\n", "outages": outages.String()} {
		for _, set := range []string{"latency=0s", "latency=30ms", "every=20ms", "strategy=random"} {
			r := callsOf(t, 1, set)
			r.Link = traceOf(t, name, marks)
			report := interleave(t, r)
			if got := verdicts(report); !slices.Equal(got, []string{"within", "within"}) {
				t.Errorf("%s, %s: verdicts %q", name, set, got)
			}
			wantEachLookedAt(t, report)
		}
	}
}

// TestInterleaveOverRecordedTraces plays over the recorded traces, where they are.
func TestInterleaveOverRecordedTraces(t *testing.T) {
	files, err := filepath.Glob("../../shared/data/traces/*")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skip("no recorded traces beside the module")
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			f, err := os.Open(file)
			if err != nil {
				t.Skip(err)
			}
			defer f.Close()
			trace, err := linkmodel.ParseTrace(filepath.Base(file), f)
			if err != nil {
				t.Fatal(err)
			}
			for _, set := range []string{"latency=0s", "latency=1s", "every=20ms"} {
				r := callsOf(t, 1, set)
				r.Link = trace
				interleave(t, r)
			}
		})
	}
}
