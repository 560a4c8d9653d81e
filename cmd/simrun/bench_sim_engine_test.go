package main

import (
	"testing"

	"chordsim/sim/events"
)

// TestSimEngine wants the engine's links to have as many messages under way as the plan says, always, and each message to
// take two events and no allocation.
func TestSimEngine(t *testing.T) {
	for _, strategy := range []events.Strategy{events.FIFO, events.Random} {
		const links, perLink = 20, 1000
		g, err := newSimEngine(strategy, links)
		if err != nil {
			t.Fatal(err)
		}
		before, arrived := g.count()
		const want = 2 * links * perLink
		if allocs := testing.AllocsPerRun(1, func() {
			if err := g.run(want / 2); err != nil { // which AllocsPerRun does twice
				t.Error(err)
			}
		}); allocs != 0 {
			t.Errorf("%v: %v allocations", strategy, allocs)
		}
		after, now := g.count()
		if n := after - before; n != want || now-arrived < want/2-links || now-arrived > want/2+links {
			t.Errorf("%v: %d events and %d messages, want %d and some %d", strategy, n, now-arrived, want, want/2)
		}
		if n := g.inFlight(); n < links*simUnderWay || n > links*(simUnderWay+1) {
			t.Errorf("%v: %d messages under way, want some %d", strategy, n, links*simUnderWay)
		}
	}
}
