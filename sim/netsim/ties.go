package netsim

import "chordsim/sim/events"

var _ events.Origin = (*direction)(nil)

// Origin returns a number that stands for the direction: of the link's name, and with the highest bit set, so that it is no
// host's.
func (d *direction) Origin() uint64 {
	const offset, prime = 14695981039346656037, 1099511628211
	h := uint64(offset)
	for i := 0; i < len(d.link.name); i++ {
		h = (h ^ uint64(d.link.name[i])) * prime
	}
	if d.to == &d.link.dialer {
		h = (h ^ 1) * prime
	}
	return h | 1<<63
}
