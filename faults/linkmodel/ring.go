package linkmodel

import "chordsim/core/base"

// message is what a direction knows of a message. Its instants are in link time: see [Direction].
type message struct {
	size   int64
	extra  base.Duration // its jitter
	arrive base.Time     // set when it departs; the message ahead may hold it up further
}

// ring holds the messages that have not arrived, in order. Those in [first, queued) have departed, those in [queued, end)
// have not. Invariant: first ≤ queued ≤ end ≤ first+len(buf), and len(buf) is a power of two or 0.
type ring struct {
	buf                []message
	first, queued, end uint64
}

func (r *ring) at(i uint64) *message { return &r.buf[i&uint64(len(r.buf)-1)] }

// push adds a message at the end, in the place of one that has arrived or in twice the room.
func (r *ring) push(m message) {
	if r.end-r.first == uint64(len(r.buf)) {
		grown := make([]message, max(16, 2*len(r.buf)))
		for i := r.first; i != r.end; i++ {
			grown[i&uint64(len(grown)-1)] = *r.at(i)
		}
		r.buf = grown
	}
	r.end++
	*r.at(r.end - 1) = m
}

// hasQueued tells whether a message waits for its departure.
func (r *ring) hasQueued() bool { return r.queued != r.end }

// hasUnderWay tells whether a message has departed and not arrived.
func (r *ring) hasUnderWay() bool { return r.first != r.queued }

func (r *ring) empty() bool { return r.first == r.end }

func (r *ring) clear() { r.first, r.queued = r.end, r.end }
