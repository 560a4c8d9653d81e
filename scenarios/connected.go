package scenarios

import (
	"fmt"

	"chordsim/core/base"
	"chordsim/sim"
)

// connectWithin is how long connecting may take in virtual time.
const connectWithin = 10 * base.Minute

// connected runs a world, at least for a while and then step by step, until its connections are there and have shaken
// hands: both take their place in a link like any message, and a recorded link may have an outage right at the beginning.
func connected(w *sim.World, atLeast, step base.Duration, conns ...*sim.Connection) error {
	deadline := w.Now().Add(connectWithin)
	for next := atLeast; ; next = step {
		if err := w.RunFor(next); err != nil {
			return err
		}
		up := true
		for _, c := range conns {
			up = up && c.Dialed() != nil && c.Dialed().Link().Up()
		}
		switch {
		case up:
			return nil
		case w.Now() >= deadline:
			return fmt.Errorf("C13: a link did not connect within %v", connectWithin)
		}
	}
}
