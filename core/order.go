package core

import (
	"chordsim/core/link"
	"chordsim/core/wire"
)

// callOrder keeps the calls of a reference in the order in which they were made (C4), although a call over one chunk
// travels on the bulk lane and others on the control lane, and each of the two may overtake the other on any hop.
//
// Within a lane nothing is overtaken: relays forward the chunks of an origin and lane as they came, and the next call of
// the bulk lane is handed to the link only when the one before was written to its last byte. So the answer to a call says
// that all that went before it in its lane have arrived. From that:
//
//   - A call takes the bulk lane if it is large, and also, however small, while a call before it in that lane is not known
//     to have arrived.
//   - A call that takes the bulk lane waits here until the ones before it in the control lane are known to have arrived.
//     A fence finds out: a call of no method, which is refused. It costs a round trip, where it is needed; waiting for
//     the answers themselves could take as long as their handlers do, which may wait for this very call.
//
// It is of one hold: when the object is held again, by another session or since the way to it was lost, all calls start over.
type callOrder struct {
	use     *holdUse
	lanes   [2]laneCalls // control, bulk
	writing int          // bytes of a bulk call that the link has not written yet: nothing may follow it
	cancel  *PendingCall // that call, if its caller gave up on it meanwhile
	fenced  bool         // a fence is under way
	blocked uint64       // the last pump in which a call of the reference could not go
}

// holdUse is the use of the id of a hold, which is not used again while calls that name it may be under way.
type holdUse struct {
	client *client
	id     uint64
	gone   bool // the hold is over
	open   int  // calls that were sent and not answered
}

// laneCalls counts the calls of a reference in a lane.
type laneCalls struct {
	sent    uint64 // handed to the link
	arrived uint64 // of those, the first ones, that are known to be at the provider. Invariant: arrived ≤ sent
}

const (
	callsSmall = 0 // on the control lane
	callsBulk  = 1
)

func (l *laneCalls) underWay() bool { return l.arrived < l.sent }

// callHead is more than a call's message takes besides its argument and the name of its method, in bytes.
const callHead = 40

// ready reports whether the call may be handed to the link now, as far as the calls before it are concerned that were
// handed to it, and says on which lane.
func (pc *PendingCall) ready() bool {
	c, o := pc.ref.client, pc.ref.order
	if c.full() || o.writing > 0 {
		return false
	}
	pc.lane = callsSmall
	if o.lanes[callsBulk].underWay() || pc.size > c.peer.link.Limits().ChunkBytes {
		pc.lane = callsBulk
	}
	if pc.lane == callsBulk && o.lanes[callsSmall].underWay() {
		if !o.fenced {
			o.fenced = true
			fence := &PendingCall{ref: pc.ref, settled: true, fence: true}
			fence.transmit()
		}
		return false
	}
	return true
}

// send puts the call on the link, or behind those that wait.
func (pc *PendingCall) send() {
	r, c := pc.ref, pc.ref.client
	if r.waiting == 0 && pc.ready() {
		pc.transmit()
		return
	}
	if !pc.counted {
		pc.count(1)
	}
	pc.queued = true
	r.waiting++
	c.waiting = appendCall(c.waiting, pc, c.parked)
}

// appendCall appends to a list of calls that wait, of which at most live did not settle. Those that did are thrown out
// now and then, so that calling and cancelling again and again does not make the list grow.
func appendCall(list []*PendingCall, pc *PendingCall, live int) []*PendingCall {
	if len(list) > 2*live+64 {
		kept := list[:0]
		for _, old := range list {
			if !old.settled {
				kept = append(kept, old)
			}
		}
		clear(list[len(kept):])
		list = kept
	}
	return append(list, pc)
}

// full reports whether as many calls are unanswered as may be: none over a link that is closed or has no transport. What
// waits for one keeps its argument, and can be cancelled without a word.
func (c *client) full() bool {
	l := c.peer.link
	return len(c.calls) >= c.host.limits.RunningCalls || l.Closed() || l.Suspended()
}

// pump sends what waits and may go now, in order; of each reference only what has none before it that still waits. It is
// run when a call was answered and when a bulk call was written, which is all that calls wait for here.
func (c *client) pump() {
	c.pumps++
	kept, i := 0, 0
	for ; i < len(c.waiting) && !c.full(); i++ {
		pc := c.waiting[i]
		if pc.settled {
			continue
		}
		o := pc.ref.order
		switch {
		case pc.late():
			pc.leaveQueue()
		case o.blocked != c.pumps && pc.ready():
			pc.leaveQueue()
			pc.transmit()
		default:
			o.blocked = c.pumps
			c.waiting[kept] = pc
			kept++
		}
	}
	copy(c.waiting[i-kept:i], c.waiting[:kept])
	clear(c.waiting[:i-kept])
	if c.waiting = c.waiting[i-kept:]; len(c.waiting) == 0 {
		c.waiting = nil
	}
}

func (pc *PendingCall) leaveQueue() {
	if pc.queued {
		pc.queued = false
		pc.ref.waiting--
	}
}

// transmit hands the call to the link.
func (pc *PendingCall) transmit() {
	r, c, l := pc.ref, pc.ref.client, pc.ref.client.peer.link
	if pc.counted {
		pc.count(-1)
	}
	pc.id, pc.sent = c.callIDs.take(), true
	c.calls[pc.id] = pc
	c.host.probe.callSent(pc)
	pc.order = r.order
	lane := &r.order.lanes[pc.lane]
	lane.sent++
	pc.place = lane.sent
	r.order.use.open++
	m := wire.Call{Hold: r.order.use.id, ID: pc.id, Method: -1, Name: pc.method, Args: pc.arg, Bytes: pc.bytes}
	if i, ok := r.grip.methods[pc.method]; ok {
		m.Method = i
	}
	if pc.lane == callsSmall {
		l.SendControl(wire.TypeCall, 0, m.Append(l.Codec(), l.BufferFor(max(pc.size, callHead))))
	} else {
		size := pc.size // of what is before the bytes
		for _, b := range pc.bytes {
			size -= len(b)
		}
		if len(pc.bytes) > 0 && l.Codec() == wire.Binary {
			size -= len(pc.arg)
		}
		buf, behind := m.AppendApart(l.Codec(), l.BufferFor(max(size, callHead)))
		r.order.writing = len(l.Body(buf))
		for _, b := range behind {
			r.order.writing += len(b)
		}
		l.SendBulk(wire.TypeCallBulk, 0, buf, (*bulkCalls)(r.order), behind...)
	}
	pc.arg, pc.bytes = nil, nil
}

// detach copies what the link has not written of the call's bytes, which are the caller's again once it has settled.
func (pc *PendingCall) detach() {
	if pc.beingWritten() {
		pc.ref.client.peer.link.Detach((*bulkCalls)(pc.order))
	}
}

// beingWritten reports whether the link has not written all of the call, which takes the bulk lane.
func (pc *PendingCall) beingWritten() bool {
	o := pc.order
	return o != nil && o.writing > 0 && pc.lane == callsBulk && pc.place == o.lanes[callsBulk].sent
}

// answered notes that a call, and with it all before it in its lane, had arrived.
func (pc *PendingCall) answered() {
	o := pc.order
	lane := &o.lanes[pc.lane]
	lane.arrived = max(lane.arrived, pc.place)
	o.fenced = o.fenced && !pc.fence
	pc.close()
}

// close notes that the call is not under way any more.
func (pc *PendingCall) close() {
	u := pc.order.use
	pc.sent = false
	if u.open--; u.open == 0 && u.gone {
		u.client.holdIDs.put(u.id)
	}
}

// taken takes back a call that settled before the peer had it: it goes again as a void. What went before it may still be
// under way.
func (c *client) taken(pc *PendingCall) {
	delete(c.calls, pc.id)
	if !pc.gaveUp {
		c.callIDs.put(pc.id)
	}
	pc.close()
}

// withdraw takes a call back of which the link has not written a byte, so that it is never sent. It reports whether it could.
func (c *client) withdraw(pc *PendingCall) bool {
	l, typ := c.peer.link, wire.TypeCall
	if pc.lane == callsBulk {
		typ = wire.TypeCallBulk
	}
	if !l.Withdraw(typ, func(body []byte) bool {
		_, id, err := wire.CallIDs(l.Codec(), body)
		return err == nil && id == pc.id
	}) {
		return false
	}
	o := pc.order
	if pc.beingWritten() {
		o.writing = 0
	}
	if lane := &o.lanes[pc.lane]; pc.place == lane.sent {
		lane.sent--
	}
	if p := c.host.probe; p.Answered != nil {
		p.Answered(l, pc.id, nil)
	}
	c.taken(pc)
	return true
}

// bulkCalls is a callOrder seen from the link that writes its bulk calls.
type bulkCalls callOrder

var _ link.Owner = (*bulkCalls)(nil)

// Written lets the next call go once the one under way was written to its last byte.
func (b *bulkCalls) Written(_ wire.Lane, bytes int) {
	if b.writing -= bytes; b.writing > 0 {
		return
	}
	if pc := b.cancel; pc != nil {
		b.cancel = nil
		b.use.client.cancel(pc)
	}
	b.use.client.pump()
}

// Credited is never called: requests are not credited.
func (b *bulkCalls) Credited(wire.Lane, int, bool) {}
