package relay

import (
	"chordsim/core/base"
	"chordsim/core/link"
	"chordsim/core/wire"
)

// forward is the way between one consumer and one target, under one origin.
type forward struct {
	table  *Table
	client *client
	target *link.Link
	origin uint64
	gone   bool // the consumer is closed, or was expelled; the origin waits for its release

	credit wire.Credit // not passed on yet
	dirty  bool
	lanes  [2]downLane // to the consumer: state, bulk
	downs  [][]uint64  // holds that are down, to be told once no snapshot of them is in the bulk lane any more
	cutOff []uint64    // calls whose result was, to be settled once no part of it is in the bulk lane any more
	code   base.Code   // why holds are down
	err    error       // why results were cut off
}

// downLane is a credited lane to the consumer. It keeps the order of the chunks that came.
type downLane struct {
	slots   slots
	begun   uint64           // slots of messages that come in, a bit each
	results map[uint8]uint64 // calls whose results are under way, by the slot that they came in
	stuck   []stuck          // chunks that wait for a slot
	waits   int              // chunks that the consumer's link has not written
}

// slots maps the slot that a message came in to the one that it goes out in.
type slots struct {
	out  [wire.MaxSlots]uint8
	open uint64
}

// stuck is a chunk that waits for a slot on the way out.
type stuck struct {
	h   wire.Header
	buf []byte
}

var _ link.Owner = (*forward)(nil)

func (f *forward) lane(lane wire.Lane) *downLane { return &f.lanes[lane-wire.LaneState] }

// Written makes room for chunks that wait for a slot, and lets the word that holds are down go behind their snapshots.
func (f *forward) Written(lane wire.Lane, _ int) {
	f.lane(lane).waits--
	if len(f.downs)+len(f.cutOff) > 0 {
		f.tellDown()
	}
	if len(f.table.stuck) > 0 {
		f.table.unstick()
	}
}

// Credited counts a chunk that the consumer took in; the turn's end passes the credit on.
func (f *forward) Credited(lane wire.Lane, _ int, _ bool) {
	if lane == wire.LaneState {
		f.credit.State++
	} else {
		f.credit.Bulk++
	}
	if !f.dirty {
		f.dirty = true
		f.table.dirty = append(f.table.dirty, f)
	}
}

// copyOf puts a body into a buffer with room for a header: the one copy that a relay makes.
func copyOf(l *link.Link, body []byte) []byte { return append(l.BufferFor(len(body)), body...) }

// Request passes on a request of a consumer that belongs to something relayed. It reports whether it does.
func (t *Table) Request(src Source, h wire.Header, body []byte) (bool, error) {
	c := t.clients[src]
	if c == nil {
		return false, nil
	}
	switch h.Type {
	case wire.TypeRelease:
		id, err := wire.HoldID(src.Link.Codec(), body)
		if err != nil {
			return true, err
		}
		return t.release(c, id, h, body), nil
	case wire.TypeCall, wire.TypeCallBulk:
		hold, call, err := wire.CallIDs(src.Link.Codec(), body)
		if err != nil {
			return true, err
		}
		return t.call(c, hold, call, h, body)
	case wire.TypeCallMore:
		f, ok := c.up[h.Slot]
		if !ok {
			return false, nil
		}
		if !h.More {
			delete(c.up, h.Slot)
		}
		if f != nil {
			f.target.Forward(h, f.origin, copyOf(f.target, body), nil)
		}
		return true, nil
	case wire.TypeCancel:
		m, err := wire.ParseCancel(src.Link.Codec(), body)
		if err != nil {
			return true, err
		}
		f := c.calls[m.ID]
		if f == nil {
			return false, nil
		}
		f.target.SendControl(h.Type, f.origin, copyOf(f.target, body))
		return true, nil
	case wire.TypeOriginClosed:
		// The host has its own part of the origin to close as well.
		t.drop(c)
	}
	return false, nil
}

func (t *Table) release(c *client, id uint64, h wire.Header, body []byte) bool {
	held := c.holds[id]
	switch {
	case held == nil:
		return false
	case held.fwd == nil: // the route's answer comes too late then
		held.timer.Stop()
		t.leave(held)
		delete(c.holds, id)
		l := c.source.Link
		l.SendControl(wire.TypeReleased, c.source.Origin, wire.AppendHoldID(l.Codec(), l.Buffer(), id))
	default:
		held.fwd.target.SendControl(h.Type, held.fwd.origin, copyOf(held.fwd.target, body))
	}
	return true
}

func (t *Table) call(c *client, hold, call uint64, h wire.Header, body []byte) (bool, error) {
	held := c.holds[hold]
	if held == nil {
		return false, nil
	}
	if held.fwd == nil {
		return true, base.Errorf(base.CodeProtocol, "a call on hold %d, which is not bound", hold)
	}
	if c.calls[call] != nil {
		return true, base.Errorf(base.CodeProtocol, "call id %d is in use", call)
	}
	f := held.fwd
	if _, taken := c.up[h.Slot]; taken && h.HasSlot() {
		return true, base.Errorf(base.CodeProtocol, "%v begins in a slot in use", h.Type)
	}
	if len(c.calls) >= 2*t.limits.RunningCalls+t.limits.QueuedCalls { // what a provider runs and keeps, and more
		f = nil
		c.fail(call, base.Errorf(base.CodeLimit, "over the limit on calls that a relay forwards"))
	} else {
		c.calls[call] = f
	}
	if h.More {
		c.up[h.Slot] = f
	}
	if f != nil {
		// The consumer's slots serve towards the target as well: nothing else travels there under this origin, and in order.
		f.target.Forward(h, f.origin, copyOf(f.target, body), nil)
	}
	return true, nil
}

// fail settles a call of the consumer.
func (c *client) fail(call uint64, err error) {
	m := wire.Result{ID: call, Err: &wire.Failure{Code: base.CodeOf(err), Detail: err.Error()}}
	c.source.Link.SendControl(wire.TypeResult, c.source.Origin, m.Append(c.source.Link.Codec(), c.source.Link.Buffer()))
}

// translate returns the slot that a chunk goes out in. A message that begins takes one; it returns false if none is free.
func (s *slots) translate(h wire.Header, to *link.Link, origin uint64) (uint8, bool) {
	if !h.HasSlot() {
		return 0, true
	}
	bit := uint64(1) << h.Slot
	if h.Type.First() {
		out, ok := to.TakeSlot(h.Type.Lane(), origin)
		if !ok {
			return 0, false
		}
		s.out[h.Slot], s.open = out, s.open|bit
	}
	out := s.out[h.Slot]
	if !h.More {
		s.open &^= bit
	}
	return out, true
}

// Reply passes an answer of a target on to the consumer that its origin stands for.
func (t *Table) Reply(from *link.Link, h wire.Header, body []byte) error {
	tg := t.targets[from]
	var f *forward
	if tg != nil {
		f = tg.origins[h.Origin]
	}
	if f == nil {
		return base.Errorf(base.CodeProtocol, "%v for origin %d, which stands for nobody", h.Type, h.Origin)
	}
	if h.Type == wire.TypeOriginReleased {
		if !f.gone {
			return base.Errorf(base.CodeProtocol, "origin %d was released and not closed", h.Origin)
		}
		delete(tg.origins, f.origin)
		tg.free = append(tg.free, f.origin)
		from.Forget(f.origin, true)
		return nil
	}
	if f.gone {
		return nil // for a consumer that is closed
	}
	if h.Type == wire.TypeDown {
		return f.replyDown(body)
	}
	if err := f.noteSlot(h); err != nil {
		return err
	}
	if err := f.noteReply(h, body); err != nil {
		return err
	}
	f.sendDown(h, copyOf(f.client.source.Link, body))
	return nil
}

// noteSlot checks that the chunks of a message come in order.
func (f *forward) noteSlot(h wire.Header) error {
	if !h.HasSlot() {
		return nil
	}
	dl, bit := f.lane(h.Type.Lane()), uint64(1)<<h.Slot
	switch {
	case h.Type.First() && dl.begun&bit != 0:
		return base.Errorf(base.CodeProtocol, "%v begins in a slot in use", h.Type)
	case !h.Type.First() && dl.begun&bit == 0:
		return base.Errorf(base.CodeProtocol, "%v of a message that was not begun", h.Type)
	case h.More:
		dl.begun |= bit
	default:
		dl.begun &^= bit
	}
	return nil
}

// noteReply checks that an answer is about what was asked of this target, and keeps the table of holds in step with it.
func (f *forward) noteReply(h wire.Header, body []byte) error {
	c := f.client
	switch h.Type {
	case wire.TypeRefused, wire.TypeReleased, wire.TypeBound:
		id, err := wire.HoldID(f.target.Codec(), body)
		if err != nil {
			return err
		}
		if held := c.holds[id]; held == nil || held.fwd != f {
			return base.Errorf(base.CodeProtocol, "%v for hold %d, which is not held here", h.Type, id)
		}
		if h.Type != wire.TypeBound {
			delete(c.holds, id)
		}
	case wire.TypeResult, wire.TypeResultOrdered, wire.TypeResultBulk:
		id, err := wire.ResultID(f.target.Codec(), body)
		if err != nil {
			return err
		}
		if c.calls[id] != f {
			return base.Errorf(base.CodeProtocol, "%v of call %d, which was not made here", h.Type, id)
		}
		if h.Type == wire.TypeResult {
			delete(c.calls, id)
		}
	}
	return nil
}

// replyDown passes on that holds are down.
func (f *forward) replyDown(body []byte) error {
	m, err := wire.ParseDown(f.target.Codec(), body)
	if err != nil {
		return err
	}
	for _, id := range m.Holds {
		if held := f.client.holds[id]; held == nil || held.fwd != f {
			return base.Errorf(base.CodeProtocol, "down for hold %d, which is not held here", id)
		}
		delete(f.client.holds, id)
	}
	f.sayDown(m.Code, m.Holds)
	return nil
}
