package sim

import "chordsim/sim/events"

// Whose events those of a world are, for the strategy pct: each host's turns and timers are one origin, each direction of a
// link is one, and whatever the scenario and the faults do is one, the origin 0.

var (
	_ events.Origin = (*Host)(nil)
	_ events.Origin = (*timer)(nil)
	_ events.Origin = (*offloaded)(nil)
)

// Origin returns the number of the host among the origins of its world's events.
func (h *Host) Origin() uint64 { return 1 + h.index }

// Origin returns that of the timer's host.
func (t *timer) Origin() uint64 { return t.life.host.Origin() }

// Origin returns that of the host whose work is done elsewhere.
func (o *offloaded) Origin() uint64 { return o.life.host.Origin() }
