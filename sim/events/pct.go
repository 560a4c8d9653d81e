package events

import (
	"slices"

	"chordsim/core/base"
)

const (
	// PCTChanges is how many change points a queue of [PCT] has: d - 1, for bugs of depth d. A bug that needs two events of
	// two origins in the order that is not theirs has depth 1, and needs none.
	PCTChanges = 3
	// PCTTies is the most choices among ties that lie before a change point. Each order of magnitude below is as likely as
	// the others, since nobody knows how many choices a run will have.
	PCTTies = 1 << 16
)

// Origin is a [Handler] that says whose event it is: a host, a direction of a link. Handlers that are no Origin have the
// origin 0. Events of one origin at one instant run in the order in which they were scheduled under [PCT].
type Origin interface{ Origin() uint64 }

// pct is the strategy of Burckhardt, Kothari, Musuvathi and Nagarakatte, "A randomized scheduler with probabilistic
// guarantees of finding bugs" (2010), for ties. Each origin has a priority that is drawn; of the events at an instant that of
// the highest priority runs. At each of a few choices, drawn before the run, whoever would run is put behind all others, and
// stays there. So one order of two origins is kept up over a whole run, which an order drawn for each event is not.
//
// Time comes first: priorities decide among the events of one instant, so that nobody waits for ever.
type pct struct {
	origins *base.Stream // the tie key of each
	changes [PCTChanges]int64
	lowered [PCTChanges]uint64 // the origins that were put behind, of which the last is the last of all
	passed  int                // change points
}

// lowest is less than the keys of origins that were put behind, and more than those of the others.
const lowest = 1 << 63

func newPCT(ties *base.Stream) *pct {
	p := &pct{origins: base.NewRand(ties.Next()).Stream("origin")}
	for i := range p.changes {
		low := int64(1) << ties.Below(16)
		p.changes[i] = low + int64(ties.Below(uint64(low)))
	}
	slices.Sort(p.changes[:])
	return p
}

func originOf(h Handler) uint64 {
	if o, ok := h.(Origin); ok {
		return o.Origin()
	}
	return 0
}

// key returns the tie key of an origin.
func (p *pct) key(origin uint64) uint64 {
	for i := p.passed - 1; i >= 0; i-- {
		if p.lowered[i] == origin {
			return lowest + uint64(i)
		}
	}
	return p.origins.At(origin) >> 1
}

// due reports whether the choice of this number, from 1 on, is a change point.
func (p *pct) due(choice int64) bool {
	return p.passed < len(p.changes) && p.changes[p.passed] <= choice
}

// change puts the origin of the event that would run next behind all others.
func (q *Queue) change() {
	origin := originOf(q.heap[0].handler)
	q.pct.lowered[q.pct.passed] = origin
	q.pct.passed++
	key := q.pct.key(origin)
	for i := range q.heap {
		if originOf(q.heap[i].handler) == origin {
			q.heap[i].tie = key
		}
	}
	for i := (len(q.heap) - 2) / 4; i >= 0; i-- {
		q.down(i)
	}
}
