package netsim

import (
	"fmt"
	"testing"

	"chordsim/core/base"
	"chordsim/sim/events"
)

// Each direction of each link is an origin of its own, the same in each world, and no host's.
func TestOriginsOfDirections(t *testing.T) {
	seen := map[uint64]string{}
	for range 2 {
		queue := events.New(events.FIFO, nil)
		for _, name := range []string{"a-b", "a-b#2", "b-a"} {
			l, err := New(queue, base.NewRand(0), Config{Name: name}, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range []*End{&l.dialer, &l.acceptor} {
				of := fmt.Sprint(name, " of the dialer: ", e.dialer)
				origin := e.out.Origin()
				if other, ok := seen[origin]; ok && other != of || origin < 1<<63 {
					t.Errorf("%s has the origin %x, %q has that", of, origin, other)
				}
				seen[origin] = of
			}
		}
	}
	if len(seen) != 6 {
		t.Errorf("%d origins, want 6: %v", len(seen), seen)
	}
}
