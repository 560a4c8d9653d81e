package check

import (
	"fmt"
	"maps"
	"slices"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/link"
	"chordsim/core/wire"
)

// caller is a reference and the calls that were made on it.
type caller struct {
	ref     *core.Reference
	parking *parking // of its way; nil: it has none
	made    uint64   // calls
	started uint64   // the last of them whose handler was started
	open    []*call  // did not settle, in the order made, and some that did
	live    int      // of those, how many did not
}

// call is a call as it was made.
type call struct {
	caller   *caller
	end      *end // of the caller; nil: there was no link
	number   uint64
	deadline base.Time
	bytes    int // of its argument, while it waits
	counted  bool
	parked   bool // at the end of the turn in which it was made
	fresh    bool // it was made in this turn
	sent     bool
	over     *link.Link // that it was sent on
	written  bool       // at least its first chunk
	started  bool
	ended    bool // its handler settled it: the result is on its way
	settled  bool
}

// calls is the book of C4, C5 and C6: the calls that were made and did not settle.
type calls struct {
	made    map[*core.PendingCall]*call
	fresh   []*call // were made in this turn
	callers map[*core.Reference]*caller
	order   []*caller // in the order in which they asked, and some that are done
	full    int       // how many there may be before those that are done are forgotten; 0: minKept

	parkings map[*link.Link]*parking // by the link of a way's present session
}

func newCalls() calls {
	return calls{
		made: map[*core.PendingCall]*call{}, callers: map[*core.Reference]*caller{}, parkings: map[*link.Link]*parking{},
	}
}

// crashed drops the references and calls of a host.
func (b *calls) crashed(h *core.Host) {
	maps.DeleteFunc(b.made, func(_ *core.PendingCall, c *call) bool { return c.caller.ref.Host() == h })
	b.fresh = slices.DeleteFunc(b.fresh, func(c *call) bool { return c.caller.ref.Host() == h })
	b.forget(func(c *caller) bool { return c.ref.Host() == h })
}

func (b *calls) forget(done func(*caller) bool) {
	b.order = slices.DeleteFunc(b.order, func(c *caller) bool {
		if done(c) {
			delete(b.callers, c.ref)
			return true
		}
		return false
	})
}

// minKept is up to how many entries lists keep what is done with.
const minKept = 64

// wanted notes a reference that asks for its object.
func (s *Set) wanted(r *core.Reference) {
	b := &s.calls
	if len(b.order) >= max(minKept, b.full) {
		b.forget(func(c *caller) bool {
			return c.live == 0 && c.ref.State() != core.StateResolving && c.ref.State() != core.StateLive && !heldAgain(c.ref)
		})
		b.full = 2 * len(b.order)
	}
	c := &caller{ref: r, parking: b.parkingOf(r)}
	b.callers[r] = c
	b.order = append(b.order, c)
}

// callMade notes a call.
func (s *Set) callMade(r *core.Reference, pc *core.PendingCall, deadline base.Time) {
	b := &s.calls
	from := b.callers[r]
	if from == nil {
		from = &caller{ref: r, parking: b.parkingOf(r)} // is done, and refuses
	}
	s.expect(c5, b.made[pc] == nil, r.Host(), func() string { return "a call is made twice" })
	l, _ := r.Hold()
	from.made++
	c := &call{caller: from, end: s.end(r.Host(), l), number: from.made, deadline: deadline, fresh: true}
	if len(from.open) > 2*from.live+minKept {
		from.open = slices.DeleteFunc(from.open, func(c *call) bool { return c.settled })
	}
	from.open = append(from.open, c)
	from.live++
	b.made[pc] = c
	b.fresh = append(b.fresh, c)
}

// callWaits notes that the caller counts a call among those that wait. One that was handed to a link that closed since waits
// again, if nothing of it was written.
func (s *Set) callWaits(pc *core.PendingCall, bytes int) {
	c := s.calls.made[pc]
	if c == nil {
		return
	}
	c.counted, c.bytes = true, bytes
	if c.sent && c.over.Closed() {
		s.expect(c5, !c.written, pc.Reference().Host(), func() string {
			return fmt.Sprintf("call number %d of the reference to %s is to be sent again, and was written", c.number, c.caller.ref.Address())
		})
		c.sent = false
		if !c.fresh {
			c.park()
		}
	}
}

// park counts a call among those that wait.
func (c *call) park() {
	c.parked = true
	c.caller.parking.calls++
	c.caller.parking.bytes += c.bytes
}

// leavePark takes a call from those that wait.
func (c *call) leavePark() {
	if c.parked {
		c.caller.parking.calls--
		c.caller.parking.bytes -= c.bytes
	}
	c.parked = false
}

// callSent checks that a call is sent once, and not when it had settled.
func (s *Set) callSent(pc *core.PendingCall, l *link.Link, id uint64) {
	c := s.calls.made[pc]
	e := s.ends[l]
	if e == nil || e.dead {
		return
	}
	s.expect(c6, c != nil, e.host, func() string { return fmt.Sprintf("call %d is sent, and has settled", id) })
	if c == nil {
		return
	}
	s.expect(c5, !c.sent && e.calls[id] == nil, e.host, func() string {
		return fmt.Sprintf("call %d is sent twice, or under the id of another", id)
	})
	now := e.host.Now()
	s.expect(c6, now <= c.deadline, e.host, func() string {
		return fmt.Sprintf("call %d is sent at %v, its deadline was %v", id, now, c.deadline)
	})
	c.leavePark()
	c.sent, c.over = true, l
	e.calls[id] = c
}

// callAnswered notes that the id of a call is free again.
func (s *Set) callAnswered(l *link.Link, id uint64) {
	if e := s.ends[l]; e != nil {
		delete(e.calls, id)
	}
}

// callSettled checks that a call that was made settles, and settles once.
func (s *Set) callSettled(pc *core.PendingCall, host *core.Host) {
	if s.crashed[host] {
		return
	}
	c := s.calls.made[pc]
	s.expect(c5, c != nil, host, func() string { return "a call settles that was not made, or has settled" })
	if c == nil {
		return
	}
	delete(s.calls.made, pc)
	c.leavePark()
	c.settled = true
	c.caller.live--
}

// callersTurn checks, as a turn ends, that the calls that it made and that wait are counted, and within the limits.
func (s *Set) callersTurn(h *core.Host) {
	for _, c := range s.calls.fresh {
		c.fresh = false
		if p := c.caller.parking; !c.sent && !c.settled && p != nil {
			s.expect(c6, c.counted, h, func() string { return "a call waits and is not counted" })
			c.park()
			s.expect(c6, p.calls <= s.limits.ParkedCalls && p.bytes <= s.limits.ParkedBytes, h, func() string {
				return fmt.Sprintf("%d calls wait with %d bytes, at most %d and %d may", p.calls, p.bytes,
					s.limits.ParkedCalls, s.limits.ParkedBytes)
			})
		}
	}
	clear(s.calls.fresh)
	s.calls.fresh = s.calls.fresh[:0]
}

// callStart checks, as a handler is about to run, C4 and C5 for its call, and C7 for its turn.
func (s *Set) callStart(h *core.Host, id core.ConsumerID, hold, number uint64) {
	s.started(h, id, number)
	e, ok := s.consumerEnd(id)
	if !ok || e.dead || s.severed(id) || s.parts.hostile[e.host] {
		return // nobody is there to say what it called
	}
	c := e.calls[number]
	s.expect(c5, c != nil && !c.started, h, func() string {
		return fmt.Sprintf("call %d on hold %d starts, which was not made or has started", number, hold)
	})
	if c == nil {
		return
	}
	s.expect(c4, c.number > c.caller.started, h, func() string {
		return fmt.Sprintf("call number %d of a reference to %s starts behind number %d", c.number, c.caller.ref.Address(), c.caller.started)
	})
	c.started = true
	c.caller.started = max(c.caller.started, c.number)
}

// wroteResult checks that as many results leave as calls came, on each hop.
func (s *Set) wroteResult(e *end, head wire.Header, body []byte) {
	slot := bulkSlot{head.Origin, head.Slot}
	switch head.Type {
	case wire.TypeBulkAbort:
		delete(e.bulk, slot)
		return
	case wire.TypeBulkMore:
		if id, ok := e.bulk[slot]; ok && !head.More {
			delete(e.bulk, slot)
			delete(e.asked[head.Origin], id)
		}
		return
	}
	id, err := wire.ResultID(e.link.Codec(), body)
	if err != nil {
		return
	}
	_, asked := e.asked[head.Origin][id]
	s.expect(c5, asked, e.host, func() string {
		return fmt.Sprintf("a result of call %d of origin %d, which did not come or has one", id, head.Origin)
	})
	if !head.More {
		delete(e.asked[head.Origin], id)
		return
	}
	if e.bulk == nil {
		e.bulk = map[bulkSlot]uint64{}
	}
	e.bulk[slot] = id
}
