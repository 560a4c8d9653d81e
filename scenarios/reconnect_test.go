package scenarios_test

import (
	"slices"
	"strings"
	"testing"

	"chordsim/scenarios"
	"chordsim/sim"
)

// lastingRun puts a run of a scenario of lasting ways together.
func lastingRun(t testing.TB, s *sim.Scenario, seed uint64, settings ...string) *sim.Run {
	t.Helper()
	values, err := sim.ParseValues(s.Parameters(), settings)
	if err != nil {
		t.Fatal(err)
	}
	return &sim.Run{Seed: seed, Values: values}
}

// lasting plays a run in which nothing may go wrong.
func lasting(t testing.TB, s *sim.Scenario, r *sim.Run) *sim.Report {
	t.Helper()
	report, err := s.Run(r)
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

// wantWithin wants the last cell of every row of every table to say that all is well, and some rows.
func wantWithin(t *testing.T, report *sim.Report, rows ...int) {
	t.Helper()
	for i, table := range report.Tables {
		if len(table.Rows) != rows[i] {
			t.Errorf("%s: %d rows, want %d", table.Title, len(table.Rows), rows[i])
		}
		for _, row := range table.Rows {
			if row[len(row)-1] != "within" {
				t.Errorf("%s: %q", table.Title, row)
			}
		}
	}
}

// wantRepeats plays a run again, and others, which have other hashes.
func wantRepeats(t *testing.T, s *sim.Scenario, others ...string) {
	t.Helper()
	first := lasting(t, s, lastingRun(t, s, 3, "size=cases"))
	if again := lasting(t, s, lastingRun(t, s, 3, "size=cases")); again.Hash != first.Hash || !slices.Equal(again.Rows, first.Rows) {
		t.Errorf("hashes %016x and %016x", first.Hash, again.Hash)
	}
	for _, set := range others {
		if other := lasting(t, s, lastingRun(t, s, 3, append(strings.Fields(set), "size=cases")...)); other.Hash == first.Hash {
			t.Errorf("%s has the hash of the defaults", set)
		}
	}
}

// TestReconnectFigures pins what the figures' size finds. The bytes hold for one wire format.
func TestReconnectFigures(t *testing.T) {
	s := scenarios.Reconnect()
	report := lasting(t, s, lastingRun(t, s, 1))
	wantWithin(t, report, 42)
	rows := values(t, report)
	for id, want := range map[string]string{
		"1.direct.resumed.down": "54", "1.direct.resumed.snapshots": "0", "1.direct.resumed.unknown": "0", "1.direct.resumed.up": "26",
		"100.direct.resumed.down": "54", "100.direct.resumed.unshared.snapshots": "0",
		"1.direct.cold.snapshots": "1", "100.direct.cold.snapshots": "1", "100.direct.cold.unshared.snapshots": "100",
		"1.direct.known.snapshots": "0", "1.direct.known.deltas": "1", "1.direct.known.down": "52", "100.direct.known.down": "52",
		"100.dialed.known.unshared.deltas": "100", "100.relayed.known.unshared.snapshots": "0", "1.relayed.known.unknown": "3",
		"1.direct.cold.unknown": "3", "100.relayed.restarted.snapshots": "1", "100.dialed.restarted.snapshots": "1",
		"100.relayed.route.snapshots": "0", "100.dialed.route.unknown": "0",
	} {
		if rows["reconnect"+id] != want {
			t.Errorf("reconnect%s is %s, want %s", id, rows["reconnect"+id], want)
		}
	}
	for _, row := range report.Rows {
		want := ""
		switch {
		case strings.HasPrefix(row.ID, "reconnect100.") && strings.HasSuffix(row.ID, ".down"):
			want = "13691392"
		case strings.HasPrefix(row.ID, "reconnect1.") && strings.HasSuffix(row.ID, ".down"):
			want = "136909"
		case strings.HasPrefix(row.ID, "reconnect100.") && strings.HasSuffix(row.ID, ".up"):
			want = "4718"
		case strings.HasPrefix(row.ID, "reconnect1.") && strings.HasSuffix(row.ID, ".up"):
			want = "63"
		}
		if strings.HasSuffix(row.ID, ".up") && row.Goal != want {
			t.Errorf("%s: the goal is %q, want %q", row.ID, row.Goal, want)
		}
		if row.Reference != want || row.Missed || row.Measured {
			t.Errorf("row %+v, want the reference %q", row, want)
		}
	}
	for _, c := range report.Invariants {
		if c.Checks == 0 && c.ID != "C15" || c.Violations != 0 { // what is called changes nothing
			t.Errorf("%s: %d looks, %d violations", c.ID, c.Checks, c.Violations)
		}
	}
}

// TestReconnectCorners plays all cases in little with other links, codecs and orders.
func TestReconnectCorners(t *testing.T) {
	s := scenarios.Reconnect()
	for _, set := range []string{
		"codec=text", "latency=0s", "latency=80ms", "rate=64KiB/s", "rate=9223372036854775807", "strategy=random latency=7ms", "strategy=pct",
	} {
		wantWithin(t, lasting(t, s, lastingRun(t, s, 2, append(strings.Fields(set), "size=cases")...)), 42)
	}
}

func TestReconnectSeeds(t *testing.T) {
	s := scenarios.Reconnect()
	for seed := range uint64(6) {
		wantWithin(t, lasting(t, s, lastingRun(t, s, seed, "size=cases", "strategy=random")), 42)
	}
	wantRepeats(t, s, "rate=1MB/s", "latency=2ms")
}

func TestReconnectRefuses(t *testing.T) {
	s := scenarios.Reconnect()
	r := lastingRun(t, s, 1, "rate=10KiB/s")
	want := "the link of 10KiB/s needs over 600s for 100 snapshots"
	if err := s.Check(r); err == nil || err.Error() != want {
		t.Errorf("Check says %v, want %s", err, want)
	}
	if report, err := s.Run(r); err == nil || report != nil {
		t.Errorf("Run says %v", err)
	}
}
