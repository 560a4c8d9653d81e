package sim_test

import (
	"testing"

	"chordsim/core/base"
	"chordsim/sim"
)

// TestAClockThatIsFastMayStandStill when it is set back by less than it is fast.
func TestAClockThatIsFastMayStandStill(t *testing.T) {
	w := sim.New(sim.Config{})
	h := w.Host("h")
	want := func(why string, still base.Duration) {
		t.Helper()
		if got := h.StandsStill(); got != still {
			t.Errorf("%s: stands still for %v, want %v", why, got, still)
		}
	}
	want("right", 0)
	h.Skew(100 * base.Second)
	want("fast", 0)
	h.Skew(-30 * base.Second)
	want("set back", 30*base.Second)
	mustRun(t, w, 10*base.Second)
	want("a while later", 20*base.Second)
	h.Skew(20 * base.Second)
	want("set forward", 0)
}
