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
	// Instants in messages and in the flow are in link time, which is real time less the stalls that are over, and
	// stands still in a stall. A stall so shifts everything that is under way by exactly itself. Trace mode keeps real
	// time: lost stays 0.
	lost      base.Duration
	stalledAt base.Time // in real time
	stalled   bool

	departures bool // wanted as events

	now    base.Time // of the latest call
	config Config
	draws  *base.Stream

	messages   ring
	queued     int64 // bytes in messages that have not departed
	unarrived  int64 // bytes in messages that have not arrived
	unreported int64 // the same and what has arrived since the last Advance

	departed, arrived int // since the last Advance

	slotted bool
	slots   slotState
	flow    flow // continuous mode

	// At a bottleneck.
	via     *Bottleneck
	moved   func() // what it leads to may be another instant than before
	number  int    // in the order of joining
	sharing bool

	// What stalls have delayed. Messages are named by their place in the ring.
	delayed  int64
	counted  uint64    // those before this one are counted
	sentAt   base.Time // of the latest Send
	sentFrom uint64    // the first that was handed over then
}

// NewDirection returns a direction that is idle at instant 0, or an error that wraps [ErrConfig]. Each message takes one
// draw of jitter, in the order in which they are handed over; the stream should be the direction's own, and may be nil if
// the configuration has no jitter.
func NewDirection(c Config, jitter *base.Stream) (*Direction, error) {
	if err := c.validateFor(jitter); err != nil {
		return nil, err
	}
	d := &Direction{config: c, draws: jitter, flow: flow{rate: uint64(c.Rate), perByte: uint64(base.Second)}}
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
	if jitter := d.config.Jitter; jitter > 0 {
		m.extra = base.Duration(d.draws.Below(uint64(jitter) + 1))
	}
	if d.sentAt != d.now {
		d.sentAt, d.sentFrom = d.now, d.messages.end
	}
	d.queued += m.size
	d.unarrived += m.size
	d.unreported += m.size
	idle := !d.messages.hasQueued()
	d.messages.push(m)
	switch {
	case !idle:
	case d.slotted:
		d.slots.open(d.now, d.stalled, m.size)
	default:
		d.flow.open(d.linkTime(), m.size)
		d.share()
	}
}

// NextEvent returns when Advance has something to report next: an arrival, or a departure if those are wanted. The instant
// is never before that of the latest call. It is false, with [base.Never], if nothing will happen until the next call of
// another method: nothing is under way, or the direction is stalled.
func (d *Direction) NextEvent() (base.Time, bool) {
	if d.arrived > 0 || d.departed > 0 && (d.departures || d.via != nil) {
		return d.now, true
	}
	if d.stalled || d.messages.empty() {
		return base.Never, false
	}
	next := base.Never
	if d.messages.hasUnderWay() {
		next = d.messages.at(d.messages.first).arrive
	} else {
		next = d.arrival(d.headDepart(), d.messages.at(d.messages.first).extra)
	}
	if (d.departures || d.via != nil) && d.messages.hasQueued() {
		next = min(next, d.headDepart())
	}
	next = next.Add(d.lost)
	if next == base.Never {
		return base.Never, false
	}
	return max(next, d.now), true
}

// headDepart returns when the first message that is queued departs if there is no stall, in link time.
func (d *Direction) headDepart() base.Time {
	if d.slotted {
		return d.slots.headTime.Add(-d.lost)
	}
	return d.flow.depart()
}

// Advance returns how many messages have departed and how many have arrived since the last Advance, at instants up to now.
// Both go in the order of Send, and a message that arrived has departed.
func (d *Direction) Advance(now base.Time) (departed, arrived int) {
	d.settle(now, false)
	departed, arrived = d.departed, d.arrived
	d.departed, d.arrived = 0, 0
	d.unreported = d.unarrived
	d.share()
	return departed, arrived
}

// Queued returns how many messages had not departed at the latest call.
func (d *Direction) Queued() int { return int(d.messages.end - d.messages.queued) }

// Settle brings the direction up to now, as any other call does. It reports nothing: what has departed and arrived is left for
// Advance.
func (d *Direction) Settle(now base.Time) { d.settle(now, false) }

// QueuedBytes returns the bytes of the messages that had not departed at the latest call. The one that is departing counts
// whole.
func (d *Direction) QueuedBytes() int64 { return d.queued }

// UnderWay returns how many messages, of how many bytes, were handed over and not reported as arrived by Advance. It is
// what Drop would lose.
func (d *Direction) UnderWay() (messages int, bytes int64) {
	return int(d.messages.end-d.messages.first) + d.arrived, d.unreported
}

// Drop loses everything that Advance has not reported as arrived by now, and returns how many messages of how many bytes
// those were. The direction is idle after it, and still stalled if it was.
func (d *Direction) Drop(now base.Time) (messages int, bytes int64) {
	d.settle(now, false)
	messages, bytes = d.UnderWay()
	if d.slotted {
		d.slots.drop(d.now, d.messages.hasQueued())
	}
	d.messages.clear()
	d.queued, d.unreported, d.unarrived, d.departed, d.arrived = 0, 0, 0, 0, 0
	d.flow.drop()
	d.share()
	return messages, bytes
}

// DropQueued loses what has not departed by now, and returns how many messages of how many bytes those were. What has
// departed arrives.
func (d *Direction) DropQueued(now base.Time) (messages int, bytes int64) {
	d.settle(now, false)
	messages, bytes = d.Queued(), d.queued
	if d.slotted {
		d.slots.drop(d.now, messages > 0)
	}
	d.messages.end = d.messages.queued
	d.counted, d.sentFrom = min(d.counted, d.messages.end), min(d.sentFrom, d.messages.end)
	d.unarrived -= bytes
	d.unreported -= bytes
	d.queued = 0
	d.flow.drop()
	d.share()
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
		for d.messages.hasQueued() {
			depart := d.flow.depart()
			if depart > link {
				break
			}
			d.leave(depart)
			if d.messages.hasQueued() {
				d.flow.next(d.messages.at(d.messages.queued).size)
			}
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
	d.leave(d.slots.headTime.Add(-d.lost))
	if d.messages.hasQueued() {
		d.slots.next(d.messages.at(d.messages.queued).size)
	} else {
		d.slots.close()
	}
}

// leave lets the first queued message go at an instant of link time.
func (d *Direction) leave(depart base.Time) {
	m := d.messages.at(d.messages.queued)
	m.arrive = d.arrival(depart, m.extra)
	d.messages.queued++
	d.departed++
	d.queued -= m.size
}

// arrival returns when a message arrives that nothing holds up, in link time.
func (d *Direction) arrival(depart base.Time, extra base.Duration) base.Time {
	return depart.Add(d.config.Latency).Add(extra)
}
