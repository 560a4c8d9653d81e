package relay

import (
	"maps"
	"slices"

	"chordsim/core/base"
	"chordsim/core/link"
	"chordsim/core/wire"
)

// sendDown forwards a chunk to the consumer. The buffer is the relay's own.
func (f *forward) sendDown(h wire.Header, buf []byte) {
	src := f.client.source
	if h.Type.Lane() == wire.LaneControl {
		src.Link.SendControl(h.Type, src.Origin, buf)
		return
	}
	dl := f.lane(h.Type.Lane())
	if len(dl.stuck) > 0 || !f.sendLane(dl, h, buf) {
		if !f.isStuck() {
			f.table.stuck = append(f.table.stuck, f)
		}
		dl.stuck = append(dl.stuck, stuck{h, buf})
	}
}

func (f *forward) isStuck() bool { return len(f.lanes[0].stuck)+len(f.lanes[1].stuck) > 0 }

// sendLane forwards a chunk of the state or bulk lane, unless there is no slot for it.
func (f *forward) sendLane(dl *downLane, h wire.Header, buf []byte) bool {
	src, in := f.client.source, h.Slot
	if h.Type.Lane() == wire.LaneBulk && h.Type.First() && !f.mayBegin() {
		return false
	}
	slot, ok := dl.slots.translate(h, src.Link, src.Origin)
	if !ok {
		return false
	}
	f.noteResult(dl, h, in, f.client.source.Link.Body(buf))
	dl.waits++
	h.Slot = slot
	src.Link.Forward(h, src.Origin, buf, f)
	return true
}

// mayBegin reports whether a bulk message may begin, as far as the slots are concerned that others will need. The chunks
// of a lane keep their order, so a message that waits for a slot holds up those behind it that have one; were all slots
// held by such messages, nothing would ever move. So only as many targets send bulk to a consumer at a time as have room
// for all the messages that each may have under way, and as many of the relay's own.
func (f *forward) mayBegin() bool {
	if f.lane(wire.LaneBulk).slots.open != 0 {
		return true
	}
	others := 0
	for _, o := range f.client.forwards {
		if o.lane(wire.LaneBulk).slots.open != 0 {
			others++
		}
	}
	return others == 0 || others < wire.MaxSlots/f.table.limits.BulkSlots-1
}

// noteResult forgets a call once the last chunk of its result is on its way.
func (f *forward) noteResult(dl *downLane, h wire.Header, in uint8, body []byte) {
	c := f.client
	switch h.Type {
	case wire.TypeResultOrdered, wire.TypeResultBulk:
		id, err := wire.ResultID(f.client.source.Link.Codec(), body)
		switch {
		case err != nil: // was looked at when it came
		case !h.More:
			delete(c.calls, id)
		default:
			if dl.results == nil {
				dl.results = map[uint8]uint64{}
			}
			dl.results[in] = id
		}
	case wire.TypeBulkMore:
		if id, ok := dl.results[in]; ok && !h.More {
			delete(dl.results, in)
			delete(c.calls, id)
		}
	case wire.TypeBulkAbort:
		delete(dl.results, in)
	}
}

// unstick sends chunks that waited for a slot, as far as there are slots. What waits is bounded by the providers' windows.
func (t *Table) unstick() {
	list := t.stuck
	t.stuck = nil
	for _, f := range list {
		for i := range f.lanes {
			dl := &f.lanes[i]
			for len(dl.stuck) > 0 && f.sendLane(dl, dl.stuck[0].h, dl.stuck[0].buf) {
				dl.stuck[0] = stuck{}
				dl.stuck = dl.stuck[1:]
			}
		}
		if f.isStuck() {
			t.stuck = append(t.stuck, f)
		}
	}
}

// lost tells the consumer that the target is gone: calls have no known outcome, holds are down.
func (f *forward) lost() {
	c := f.client
	c.forwards = slices.DeleteFunc(c.forwards, func(o *forward) bool { return o == f })
	if !f.gone && !c.source.Link.Closed() {
		f.end(errLost, base.CodeDown)
	}
}

// end has nothing more come to the consumer this way: what it has a part of is aborted, its calls settle with an error, its
// holds are down.
func (f *forward) end(err error, code base.Code) {
	c := f.client
	f.err = err
	f.lanes[0].stuck, f.lanes[1].stuck = nil, nil
	f.abort(wire.LaneState, wire.TypeStateAbort)
	f.abort(wire.LaneBulk, wire.TypeBulkAbort)
	begun := slices.Sorted(maps.Values(f.lane(wire.LaneBulk).results))
	for _, id := range slices.Sorted(maps.Keys(c.calls)) {
		if c.calls[id] != f {
			continue
		}
		if _, cutOff := slices.BinarySearch(begun, id); cutOff {
			f.cutOff = append(f.cutOff, id)
			continue
		}
		delete(c.calls, id)
		c.fail(id, err)
	}
	var down []uint64
	for _, id := range slices.Sorted(maps.Keys(c.holds)) {
		if c.holds[id].fwd == f {
			delete(c.holds, id)
			down = append(down, id)
		}
	}
	f.sayDown(code, down)
	f.tellDown()
}

// errLost settles calls that went to a target that is gone.
var errLost = base.Errorf(base.CodeUnknown, "the provider was lost")

// abort ends the messages that the consumer has a part of.
func (f *forward) abort(lane wire.Lane, typ wire.Type) {
	dl := f.lane(lane)
	for slot := range uint8(wire.MaxSlots) {
		if dl.slots.open&(1<<slot) != 0 {
			src := f.client.source
			h := wire.Header{Type: typ, Slot: dl.slots.out[slot]}
			dl.waits++
			src.Link.Forward(h, src.Origin, src.Link.Buffer(), f)
		}
	}
	dl.slots.open = 0
}

// sayDown tells the consumer that holds are down, whose ids it may use again then: not before their snapshots have left,
// which travel on a lane that the word would overtake, and would be taken for those of the next holds of these ids.
func (f *forward) sayDown(code base.Code, holds []uint64) {
	if len(holds) > 0 {
		f.code = code
		f.downs = append(f.downs, holds)
		f.tellDown()
	}
}

// tellDown says what must not overtake what is in the bulk lane: that holds are down, and that a call failed of whose result
// the consumer gets a part. Settled before that part has come, the call would be unknown to a relay on the way, which takes
// what comes of it for a breach of the protocol.
func (f *forward) tellDown() {
	if f.lane(wire.LaneBulk).waits > 0 || f.isStuck() {
		return
	}
	cutOff, downs := f.cutOff, f.downs
	f.cutOff, f.downs = nil, nil
	if f.table.clients[f.client.source] != f.client {
		return // it went away meanwhile
	}
	for _, id := range cutOff {
		delete(f.client.calls, id)
		f.client.fail(id, f.err)
	}
	for _, holds := range downs {
		SendDown(f.client.source.Link, f.client.source.Origin, f.code, holds)
	}
}

// holdsPerDown keeps the message within a chunk: an id takes up to 21 bytes in text.
const holdsPerDown = 128

// SendDown tells a consumer that holds are down.
func SendDown(l *link.Link, origin uint64, code base.Code, holds []uint64) {
	for part := range slices.Chunk(holds, holdsPerDown) {
		l.SendControl(wire.TypeDown, origin, wire.Down{Code: code, Holds: part}.Append(l.Codec(), l.Buffer()))
	}
}

// Expel ends what a consumer has at this relay because it broke the protocol: its calls settle with the error, its holds
// are down, and its origins are closed at their targets. It is known until its own origin is closed: what must come behind
// a part of a result is yet to be said.
func (t *Table) Expel(src Source, err error) {
	c := t.clients[src]
	if c == nil {
		return
	}
	code := base.CodeOf(err)
	for _, f := range c.forwards {
		f.end(err, code)
	}
	c.leaveRoutes(t)
	SendDown(src.Link, src.Origin, code, slices.Sorted(maps.Keys(c.holds)))
	clear(c.holds)
	clear(c.up)
	c.closeOrigins()
	c.forwards = nil
}
