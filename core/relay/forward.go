package relay

import (
	"maps"
	"slices"

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
	gone   bool // the consumer is closed; the origin waits for its release

	credit wire.Credit // not passed on yet
	dirty  bool
	down   [2]slots // slots of messages under way to the consumer; state, bulk
	up     slots    // and to the target
	stuck  []stuck  // chunks that wait for a slot
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

// Written makes room for chunks that wait for a slot.
func (f *forward) Written(wire.Lane, int) {
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
		id, err := wire.HoldID(body)
		if err != nil {
			return true, err
		}
		return t.release(c, id, h, body), nil
	case wire.TypeCall, wire.TypeCallBulk:
		hold, call, err := wire.CallIDs(body)
		if err != nil {
			return true, err
		}
		return t.call(c, hold, call, h, body)
	case wire.TypeCallMore:
		f := c.up[h.Slot]
		if f == nil {
			return false, nil
		}
		return true, f.sendUp(h, body)
	case wire.TypeCancel:
		m, err := wire.ParseCancel(body)
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
	case held.fwd == nil:
		held.released = true
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
	c.calls[call] = held.fwd
	if h.Type == wire.TypeCallBulk {
		return true, held.fwd.sendUp(h, body)
	}
	held.fwd.target.SendControl(h.Type, held.fwd.origin, copyOf(held.fwd.target, body))
	return true, nil
}

// sendUp forwards a chunk of a bulk request to the target.
func (f *forward) sendUp(h wire.Header, body []byte) error {
	slot, ok := f.up.translate(h, f.target, f.origin)
	if !ok {
		return base.Errorf(base.CodeLimit, "more large calls under way than %d", wire.MaxSlots)
	}
	if h.More {
		f.client.up[h.Slot] = f
	} else {
		delete(f.client.up, h.Slot)
	}
	h.Slot = slot
	f.target.Forward(h, f.origin, copyOf(f.target, body), nil)
	return nil
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
		from.Forget(f.origin)
		return nil
	}
	if f.gone {
		return nil // for a consumer that is closed
	}
	if err := f.noteReply(h, body); err != nil {
		return err
	}
	f.sendDown(h, copyOf(f.client.source.Link, body))
	return nil
}

// noteReply keeps the tables of holds and calls in step with an answer.
func (f *forward) noteReply(h wire.Header, body []byte) error {
	switch h.Type {
	case wire.TypeRefused, wire.TypeReleased:
		id, err := wire.HoldID(body)
		if err != nil {
			return err
		}
		delete(f.client.holds, id)
	case wire.TypeResult, wire.TypeResultOrdered, wire.TypeResultBulk:
		id, err := wire.ResultID(body)
		if err != nil {
			return err
		}
		delete(f.client.calls, id)
	case wire.TypeStateMore, wire.TypeStateAbort, wire.TypeBulkMore, wire.TypeBulkAbort:
		if f.down[h.Type.Lane()-wire.LaneState].open&(1<<h.Slot) == 0 && len(f.stuck) == 0 {
			return base.Errorf(base.CodeProtocol, "%v of a message that was not begun", h.Type)
		}
	}
	return nil
}

// sendDown forwards a chunk to the consumer. The buffer is the relay's own.
func (f *forward) sendDown(h wire.Header, buf []byte) {
	src := f.client.source
	lane := h.Type.Lane()
	if lane == wire.LaneControl {
		src.Link.SendControl(h.Type, src.Origin, buf)
		return
	}
	if len(f.stuck) > 0 || !f.sendLane(h, buf) {
		if len(f.stuck) == 0 {
			f.table.stuck = append(f.table.stuck, f)
		}
		f.stuck = append(f.stuck, stuck{h, buf})
	}
}

// sendLane forwards a chunk of the state or bulk lane, unless there is no slot for it.
func (f *forward) sendLane(h wire.Header, buf []byte) bool {
	src := f.client.source
	slot, ok := f.down[h.Type.Lane()-wire.LaneState].translate(h, src.Link, src.Origin)
	if !ok {
		return false
	}
	h.Slot = slot
	var owner link.Owner
	if _, credited := h.Type.Credited(); credited {
		owner = f
	}
	src.Link.Forward(h, src.Origin, buf, owner)
	return true
}

// unstick sends chunks that waited for a slot, as far as there are slots. What waits is bounded by the providers' windows.
func (t *Table) unstick() {
	list := t.stuck
	t.stuck = nil
	for _, f := range list {
		for len(f.stuck) > 0 && f.sendLane(f.stuck[0].h, f.stuck[0].buf) {
			f.stuck = f.stuck[1:]
		}
		if len(f.stuck) > 0 {
			t.stuck = append(t.stuck, f)
		}
	}
}

// lost tells the consumer that the target is gone: calls have no known outcome, holds are down.
func (f *forward) lost() {
	c := f.client
	c.forwards = slices.DeleteFunc(c.forwards, func(o *forward) bool { return o == f })
	if f.gone || c.source.Link.Closed() {
		return
	}
	src := c.source
	f.abort(wire.LaneState, wire.TypeStateAbort)
	f.abort(wire.LaneBulk, wire.TypeBulkAbort)
	for _, id := range slices.Sorted(maps.Keys(c.calls)) {
		if c.calls[id] == f {
			delete(c.calls, id)
			unknown := wire.Failure{Code: base.CodeUnknown, Detail: "the provider was lost"}
			result := wire.Result{ID: id, Err: &unknown}
			src.Link.SendControl(wire.TypeResult, src.Origin, result.Append(src.Link.Buffer()))
		}
	}
	down := wire.Down{Code: base.CodeDown}
	for _, id := range slices.Sorted(maps.Keys(c.holds)) {
		if c.holds[id].fwd == f {
			delete(c.holds, id)
			down.Holds = append(down.Holds, id)
		}
	}
	if len(down.Holds) > 0 {
		src.Link.SendControl(wire.TypeDown, src.Origin, down.Append(src.Link.Buffer()))
	}
}

// abort ends the messages that the consumer has a part of.
func (f *forward) abort(lane wire.Lane, typ wire.Type) {
	s := &f.down[lane-wire.LaneState]
	for slot := range uint8(wire.MaxSlots) {
		if s.open&(1<<slot) != 0 {
			src := f.client.source
			h := wire.Header{Type: typ, Slot: s.out[slot]}
			src.Link.Forward(h, src.Origin, src.Link.Buffer(), f)
		}
	}
	s.open = 0
}
