package linkmodel

import (
	"fmt"
	"math"

	"chordsim/core/base"
)

// Direction is one direction of a link: a queue of message sizes and the instants at which they depart and arrive. It is made
// by [NewDirection] and is not safe for use by several goroutines.
//
// Every method that takes an instant expects it to be at or after that of the call before; an earlier one is read as that
// of the call before, and a negative one as 0.
type Direction struct {
	// Instants in messages and busy are in link time, which is real time less the stalls that are over, and
	// stands still in a stall. A stall so shifts everything that is under way by exactly itself. Trace mode keeps real
	// time: lost stays 0.
	lost      base.Duration
	stalledAt base.Time // in real time
	stalled   bool

	now        base.Time // of the latest call
	rate       uint64
	latency    base.Duration
	jitter     base.Duration
	draws      *base.Stream
	departures bool // wanted as events

	messages   ring
	queued     int64 // bytes in messages that have not departed
	unarrived  int64 // bytes in messages that have not arrived
	unreported int64 // the same and what has arrived since the last Advance

	departed, arrived int // since the last Advance

	// Continuous mode: the instant at which all that was handed over has left is busy + busyRest/rate.
	// Invariant: busyRest < rate, or both are 0.
	busy     base.Time
	busyRest uint64

	slotted bool
	slots   slotState
}

// NewDirection returns a direction that is idle at instant 0, or an error that wraps [ErrConfig]. Each message takes one
// draw of jitter, in the order in which they are handed over; the stream should be the direction's own, and may be nil if
// the configuration has no jitter.
func NewDirection(c Config, jitter *base.Stream) (*Direction, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if c.Jitter > 0 && jitter == nil {
		return nil, fmt.Errorf("%w: Jitter is %v without a stream to draw it from", ErrConfig, c.Jitter)
	}
	d := &Direction{rate: uint64(c.Rate), latency: c.Latency, jitter: c.Jitter, draws: jitter}
	if c.Trace != nil || c.Quantum > 0 {
		d.slotted = true
		d.slots = newSlotState(c)
	}
	return d, nil
}

// WantDepartures says whether departures are events: whether [Direction.NextEvent] names them. They are counted in either
// case. A new direction does not.
func (d *Direction) WantDepartures(want bool) { d.departures = want }

// Send hands over a message of size bytes, which may be 0. It panics if size is negative.
//
// In quantum mode the message goes at a tick strictly after now. In trace mode it may go with a mark at exactly now, unless
// the marks of that instant are spent: an Advance to it has used one of them and left the queue empty.
func (d *Direction) Send(now base.Time, size int) {
	if size < 0 || d.queued > math.MaxInt64-int64(size) || d.unreported > math.MaxInt64-int64(size) {
		panic(fmt.Sprintf("linkmodel: D2: a message of %d bytes behind %d", size, d.unreported))
	}
	d.settle(now, true)
	m := message{size: int64(size)}
	if d.jitter > 0 {
		m.extra = base.Duration(d.draws.Below(uint64(d.jitter) + 1))
	}
	d.queued += m.size
	d.unarrived += m.size
	d.unreported += m.size
	if !d.slotted {
		m.depart = d.occupy(d.linkTime(), uint64(size))
		m.arrive = d.arrival(m.depart, m.extra)
		d.messages.push(m)
		return
	}
	idle := !d.messages.hasQueued()
	d.messages.push(m)
	if idle {
		d.slots.open(d.now, d.stalled, m.size)
	}
}

// NextEvent returns when Advance has something to report next: an arrival, or a departure if those are wanted. The instant
// is never before that of the latest call. It is false, with [base.Never], if nothing will happen until the next call of
// another method: nothing is under way, or the direction is stalled.
func (d *Direction) NextEvent() (base.Time, bool) {
	if d.arrived > 0 || d.departures && d.departed > 0 {
		return d.now, true
	}
	if d.stalled || d.messages.empty() {
		return base.Never, false
	}
	first := d.messages.at(d.messages.first)
	next := first.arrive
	if d.slotted && !d.messages.hasUnderWay() {
		next = d.arrival(d.slots.headTime.Add(-d.lost), first.extra)
	}
	next = next.Add(d.lost)
	if d.departures && d.messages.hasQueued() {
		next = min(next, d.nextDeparture())
	}
	if next == base.Never {
		return base.Never, false
	}
	return max(next, d.now), true
}

// nextDeparture returns when the first message that is queued departs if there is no stall, in real time.
func (d *Direction) nextDeparture() base.Time {
	if d.slotted {
		return d.slots.headTime
	}
	return d.messages.at(d.messages.queued).depart.Add(d.lost)
}

// Advance returns how many messages have departed and how many have arrived since the last Advance, at instants up to now.
// Both go in the order of Send, and a message that arrived has departed.
func (d *Direction) Advance(now base.Time) (departed, arrived int) {
	d.settle(now, false)
	departed, arrived = d.departed, d.arrived
	d.departed, d.arrived = 0, 0
	d.unreported = d.unarrived
	return departed, arrived
}

// QueuedBytes returns the bytes of the messages that had not departed at the latest call. The one that is departing counts
// whole.
func (d *Direction) QueuedBytes() int64 { return d.queued }

// UnderWay returns how many messages, of how many bytes, were handed over and not reported as arrived by Advance. It is
// what Drop would lose.
func (d *Direction) UnderWay() (messages int, bytes int64) {
	return int(d.messages.end-d.messages.first) + d.arrived, d.unreported
}

// Stall stops the direction at now, after what happens at that very instant: until Resume nothing departs and nothing
// arrives. It drops nothing. It returns false, and does nothing, if the direction is stalled already.
//
// Whatever is under way arrives later by the time for which the stall and its way overlap. In quantum mode the ticks after
// the stall's first instant and up to its last one pass without adding to the budget or, if nothing is queued at them, set
// it to 0 as ever. In trace mode, where time is absolute, the same marks pass unused and arrivals in between are put off
// to the end of the stall.
func (d *Direction) Stall(now base.Time) bool {
	if d.stalled {
		d.settle(now, false)
		return false
	}
	d.settle(now, false)
	d.stalled, d.stalledAt = true, d.now
	if d.slotted {
		d.slots.stall(d.now)
	}
	return true
}

// Resume ends a stall at now. A tick or a mark at exactly now is the last one that the stall takes. It returns false, and does nothing, if there is none.
func (d *Direction) Resume(now base.Time) bool {
	d.settle(now, false)
	if !d.stalled {
		return false
	}
	d.stalled = false
	if d.slotted {
		d.slots.resume(d.now, d.messages.hasQueued())
	}
	if d.slots.trace == nil {
		d.lost += d.now.Sub(d.stalledAt)
	}
	return true
}

// Stalled tells whether the direction is between Stall and Resume.
func (d *Direction) Stalled() bool { return d.stalled }

// Drop loses everything that Advance has not reported as arrived, and returns how many messages of how many bytes those
// were. The direction is idle after it, and still stalled if it was.
func (d *Direction) Drop() (messages int, bytes int64) {
	messages, bytes = d.UnderWay()
	if d.slotted {
		d.slots.drop(d.now, d.messages.hasQueued())
	}
	d.messages.clear()
	d.queued, d.unreported, d.unarrived, d.departed, d.arrived = 0, 0, 0, 0, 0
	d.busy, d.busyRest = 0, 0
	return messages, bytes
}

// linkTime returns the present in link time.
func (d *Direction) linkTime() base.Time {
	if d.stalled {
		return d.stalledAt.Add(-d.lost)
	}
	return d.now.Add(-d.lost)
}

// settle brings everything up to now, or to the start of the stall. Before a Send the marks of a trace at exactly now stay
// open, so that the new message may share them.
func (d *Direction) settle(now base.Time, sending bool) {
	d.now = max(d.now, now)
	if d.stalled {
		return
	}
	link := d.linkTime()
	if d.slotted {
		limit := d.now
		if sending && d.slots.trace != nil {
			limit--
		}
		for d.messages.hasQueued() && d.slots.headTime <= limit {
			d.departHead()
		}
	} else {
		for d.messages.hasQueued() && d.messages.at(d.messages.queued).depart <= link {
			d.leave(d.messages.at(d.messages.queued))
		}
	}
	// The first message holds up those behind it, and what the jitter would bring earlier arrives with it.
	for d.messages.hasUnderWay() && d.messages.at(d.messages.first).arrive <= link {
		d.unarrived -= d.messages.at(d.messages.first).size
		d.messages.first++
		d.arrived++
	}
}

// departHead lets the first queued message go at its slot and plans the next.
func (d *Direction) departHead() {
	m := d.messages.at(d.messages.queued)
	m.depart = d.slots.headTime.Add(-d.lost)
	m.arrive = d.arrival(m.depart, m.extra)
	d.leave(m)
	if d.messages.hasQueued() {
		d.slots.next(d.messages.at(d.messages.queued).size)
	} else {
		d.slots.close()
	}
}

// leave counts a departure.
func (d *Direction) leave(m *message) {
	d.messages.queued++
	d.departed++
	d.queued -= m.size
}

// arrival returns when a message arrives that nothing holds up, in link time.
func (d *Direction) arrival(depart base.Time, extra base.Duration) base.Time {
	return depart.Add(d.latency).Add(extra)
}

// occupy takes the direction for size bytes from link time now on, or from when it is free, and returns when the last byte
// has left, rounded up.
func (d *Direction) occupy(now base.Time, size uint64) base.Time {
	if d.busy < now {
		d.busy, d.busyRest = now, 0
	}
	if d.rate == 0 {
		return d.busy
	}
	whole, rest := base.MulDiv(size, uint64(base.Second), d.rate)
	if d.busyRest += rest; d.busyRest >= d.rate {
		d.busyRest -= d.rate
		whole++
	}
	d.busy = d.busy.Add(base.Duration(min(whole, math.MaxInt64)))
	if d.busyRest > 0 {
		return d.busy.Add(1)
	}
	return d.busy
}
