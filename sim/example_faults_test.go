package sim_test

import (
	"testing"

	"chordsim/core/base"
	"chordsim/faults"
	"chordsim/sim"
	"chordsim/sim/simtest"

	"pgregory.net/rapid"
)

// TestFollow is a property over seeds: whatever a drawn plan does to the link, the tab has all once it is healed.
func TestFollow(t *testing.T) {
	simtest.Run(t, func(w *sim.World) {
		playFollow(w, simtest.Plan(w, followSwarm))
	})
}

// followSwarm draws plans for the world of follow, of kinds that end neither its connection nor a host: nobody would dial
// again. It draws no knobs, since the world is there already.
var followSwarm = faults.Swarm{
	Hosts: []faults.SwarmHost{{Name: "worker", Role: "provider"}, {Name: "tab"}},
	Links: []faults.SwarmLink{{Name: "tab-worker", From: "tab", To: "worker"}},
	Span:  3 * base.Second,
	Kinds: []faults.Kind{faults.Stall, faults.Latency, faults.Jitter, faults.Rate, faults.Squeeze, faults.Partition, faults.Swizzle, faults.Slow},
	Knobs: []string{},
}

// playFollow plays the world of follow under a plan. The checkers look at the whole once nothing is under way.
func playFollow(w *sim.World, plan faults.Plan) {
	_, err := follow(w, 200)
	if err == nil {
		err = w.Inject(plan)
	}
	if err == nil {
		err = w.Settle(base.Hour)
	}
	if err != nil {
		w.Fail(err)
	}
}

// followStalls is the same with a workload from rapid: stalls of any number and length.
func followStalls(t *rapid.T, w *sim.World) {
	var plan faults.Plan
	for range rapid.IntRange(0, 5).Draw(t, "stalls") {
		at := base.Duration(rapid.Int64Range(1, 2000).Draw(t, "at, in ms")) * base.Millisecond
		span := base.Duration(rapid.Int64Range(1, 5000).Draw(t, "for, in ms")) * base.Millisecond
		plan.Faults = append(plan.Faults, faults.Fault{
			When: faults.Trigger{Kind: faults.At, Time: base.Time(at)}, Kind: faults.Stall,
			Link: faults.Link{Name: "tab", Direction: faults.Down}, For: span,
		})
	}
	playFollow(w, plan)
}

func TestFollowStalls(t *testing.T) { simtest.Rapid(t, followStalls) }

func FuzzFollowStalls(f *testing.F) { simtest.Fuzz(f, followStalls) }

// FuzzFollow has fuzzing shape the plan that TestFollow draws from the seed, and the order of ties.
func FuzzFollow(f *testing.F) {
	simtest.Fuzz(f, func(_ *rapid.T, w *sim.World) { playFollow(w, simtest.Plan(w, followSwarm)) })
}
