package sweep

import "testing"

// TestWatchForgetsTheRunBefore: one that is given up before it has told its plan and workload has none.
func TestWatchForgetsTheRunBefore(t *testing.T) {
	w := newWatch(Budget{}, nil)
	w.begin(Job{Seed: 1})
	w.told("a plan", "a workload")
	if plan, work := w.end(); plan != "a plan" || work != "a workload" {
		t.Errorf("the plan is %q, the workload %q", plan, work)
	}
	w.begin(Job{Seed: 2})
	if plan, work := w.end(); plan != "" || work != "" {
		t.Errorf("the next run has the plan %q and the workload %q", plan, work)
	}
}
