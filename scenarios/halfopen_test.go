package scenarios_test

import (
	"strings"
	"testing"

	"chordsim/scenarios"
)

// TestHalfOpen plays every message of the session, and some of its bytes.
func TestHalfOpen(t *testing.T) {
	s := scenarios.HalfOpen()
	for _, set := range []string{"", "codec=text latency=1ms strategy=random"} {
		report := lasting(t, s, lastingRun(t, s, 1, append(strings.Fields(set), "size=cases")...))
		wantWithin(t, report, 28)
		rows := values(t, report)
		for _, label := range []string{"direct.link", "direct.worker", "relayed.server", "dialed.route", "relayed.tab"} {
			if n := number(t, rows, "halfopen."+label+".places"); n < 40 {
				t.Errorf("%s: %d places", label, n)
			}
		}
		for label, some := range map[string]bool{"direct.link": true, "relayed.link.cut.down": true, "direct.worker": false, "relayed.server": false} {
			if n := number(t, rows, "halfopen."+label+".resumed"); n > 0 != some {
				t.Errorf("%s: %d sessions went on", label, n)
			}
		}
		if n := number(t, rows, "halfopen.direct.worker.unknown"); n == 0 {
			t.Error("no call has an unknown outcome")
		}
		wantEachLookedAt(t, report)
	}
}

// TestHalfOpenPlaces plays one place alone, which is what it is among the others.
func TestHalfOpenPlaces(t *testing.T) {
	s := scenarios.HalfOpen()
	report := lasting(t, s, lastingRun(t, s, 1, "case=direct link cut down", "cut=100"))
	if row := report.Tables[0].Rows; len(row) != 1 || row[0][1] != "1" {
		t.Errorf("rows %q", row)
	}
	if err := s.Check(lastingRun(t, s, 1, "case=direct moon")); err == nil || !strings.Contains(err.Error(), `there is no case "direct moon"; there are direct link, direct tab`) {
		t.Errorf("Check says %v", err)
	}
}
