package scenarios_test

import (
	"strings"
	"testing"

	"chordsim/scenarios"
)

// TestParkedCalls holds all cases in little to their goals and pins what it finds.
func TestParkedCalls(t *testing.T) {
	s := scenarios.ParkedCalls()
	report := lasting(t, s, lastingRun(t, s, 1, "size=cases"))
	wantWithin(t, report, 6, 12, 12)
	rows := values(t, report)
	for id, want := range map[string]string{
		"direct.resumed.order.arrived": "300", "relayed.cold.order.arrived": "300", "dialed.cold.order.timers": "0",
		"direct.cold.expired.arrived": "3", "direct.cold.listener.arrived": "5", "direct.resumed.listener.arrived": "4",
		"direct.resumed.flood.kept": "1024", "direct.resumed.flood.refused": "1976", "direct.cold.heap.kept": "65",
		"direct.cold.heap.kept.bytes": "260455", "direct.cold.heap.arrived": "65",
	} {
		if rows["parked300."+id] != want {
			t.Errorf("parked300.%s is %s, want %s", id, rows["parked300."+id], want)
		}
	}
	for _, c := range report.Invariants {
		if c.Checks == 0 && !strings.Contains("C2 C15", c.ID) { // nobody commits
			t.Errorf("%s was not looked at", c.ID)
		}
	}
}

// TestParkedCallsFigure plays the figure's thousand calls, in order.
func TestParkedCallsFigure(t *testing.T) {
	s := scenarios.ParkedCalls()
	report := lasting(t, s, lastingRun(t, s, 1, "part=order"))
	wantWithin(t, report, 6)
	last := report.Rows[len(report.Rows)-1]
	if last.ID != "parked1000.order" || last.Value != "1" || last.Reference != "1" || last.Missed {
		t.Errorf("row %+v", last)
	}
	for _, id := range []string{"direct.resumed", "direct.cold", "relayed.resumed", "dialed.cold"} {
		took := values(t, report)["parked1000."+id+".order.last"]
		if !strings.HasPrefix(took, "0.1386") {
			t.Errorf("%s took %s s, want 0.1386", id, took)
		}
	}
}

func TestParkedCallsCorners(t *testing.T) {
	s := scenarios.ParkedCalls()
	for _, set := range []string{"codec=text latency=200ms", "rate=9223372036854775807 latency=0s", "strategy=random"} {
		lasting(t, s, lastingRun(t, s, 2, append(strings.Fields(set), "size=cases")...))
	}
	wantRepeats(t, s, "rate=70KiB/s")
}

func TestParkedCallsRefuses(t *testing.T) {
	s := scenarios.ParkedCalls()
	want := "the link of 1KiB/s needs over 600s for the 16384 calls that may wait"
	if err := s.Check(lastingRun(t, s, 1, "rate=1KiB/s")); err == nil || err.Error() != want {
		t.Errorf("Check says %v, want %s", err, want)
	}
}
