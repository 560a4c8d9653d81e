package link

import (
	"unicode/utf8"

	"chordsim/core/wire"
)

// smallBuffer is how much room a new buffer has behind its header.
const smallBuffer = 52

// Buffer returns an empty buffer for one message of this link. A message is appended to it and handed to a Send method;
// in front is the room for the header, so that a message of one chunk is written without a copy.
func (l *Link) Buffer() []byte { return make([]byte, l.room, l.room+smallBuffer) }

// BufferFor is Buffer for a message whose size in bytes is known roughly.
func (l *Link) BufferFor(size int) []byte {
	return make([]byte, l.room, l.room+size)
}

// Room returns how many bytes a buffer has in front of its message.
func (l *Link) Room() int { return l.room }

// Body returns the message in a buffer.
func (l *Link) Body(buf []byte) []byte { return buf[l.room:] }

// Fits reports whether a message in a buffer goes into one chunk.
func (l *Link) Fits(buf []byte) bool { return len(buf)-l.room <= l.limits.ChunkBytes }

// SendControl sends a message of the control lane. It must fit in one chunk.
func (l *Link) SendControl(typ wire.Type, origin uint64, buf []byte) {
	if l.phase == phaseClosed {
		return
	}
	if len(buf)-l.room > wire.MaxChunk {
		panic("link: control message over a chunk: " + typ.String())
	}
	l.sequence++
	buf = l.withEnd(typ, buf)
	l.control.Push(item{typ: typ, origin: origin, sequence: l.sequence, buf: buf, off: l.room})
	l.markPending()
}

// withEnd gives a message without fields what ends it in the link's codec.
func (l *Link) withEnd(typ wire.Type, buf []byte) []byte {
	if len(buf) == l.room {
		return l.codec.AppendEnd(buf, typ)
	}
	return buf
}

// SendState sends a message of the state lane of an origin, behind those that wait there. The owner, which may be nil
// for an ordered result, is told as its chunks are written and credited.
func (l *Link) SendState(typ wire.Type, origin uint64, buf []byte, owner Owner) {
	if typ == wire.TypeResultOrdered && len(buf)-l.room > wire.MaxChunk {
		panic("link: ordered result over a chunk")
	}
	l.sendStream(item{typ: typ, buf: buf, off: l.room, owner: owner, gated: typ == wire.TypeState}, origin)
}

// SendBulk sends a message of the bulk lane of an origin, in turn with the others there. What is behind the buffer goes as
// it is and is not copied before it is written: until the owner was told of the last of it, or [Link.Detach], nobody may
// change it.
func (l *Link) SendBulk(typ wire.Type, origin uint64, buf []byte, owner Owner, behind ...[]byte) {
	l.sendStream(item{typ: typ, buf: buf, off: l.room, behind: behind, owner: owner, gated: true}, origin)
}

// Detach copies what is not written yet of the bulk messages of this host that an owner has sent: from then on their pieces
// may be changed.
func (l *Link) Detach(owner Owner) {
	sl := l.own.lane(wire.LaneBulk)
	for _, q := range []*fifo{&sl.own, &sl.waiting} {
		for i := range q.Len() {
			if it := q.At(i); it.owner == owner {
				it.own()
			}
		}
	}
}

// Withdraw takes back a request of this host that is not written yet, the first of its type whose body is the one that is meant:
// it does not go. It reports whether there was one.
func (l *Link) Withdraw(typ wire.Type, is func(body []byte) bool) bool {
	var slot uint8
	take := func(q *fifo) (found bool) {
		for range q.Len() {
			it := q.Pop()
			if !found && it.origin == 0 && it.typ == typ && !it.begun && is(it.buf[it.off:]) {
				found, slot = true, it.slot
				continue
			}
			q.Push(it)
		}
		return found
	}
	if typ.Lane() == wire.LaneControl {
		return take(&l.control)
	}
	sl := l.own.lane(wire.LaneBulk)
	if take(&sl.waiting) {
		return true
	}
	if !take(&sl.own) {
		return false
	}
	sl.slots &^= 1 << slot
	sl.begun--
	sl.admit(l.limits.BulkSlots)
	return true
}

// Forward sends a chunk of a state or bulk message as it came from another link: it was cut and admitted there. Slots are
// this link's; a relay takes one with [Link.TakeSlot] for each message of several chunks.
func (l *Link) Forward(h wire.Header, origin uint64, buf []byte, owner Owner) {
	buf = l.withEnd(h.Type, buf)
	it := item{typ: h.Type, more: h.More, due: h.Due, begun: true, slot: h.Slot, buf: buf, off: l.room, owner: owner}
	if h.Type.Lane() == wire.LaneControl {
		l.SendControl(h.Type, origin, buf)
		return
	}
	l.sendStream(it, origin)
}

// TakeSlot reserves a slot for a message of several chunks that is forwarded. It is free again once the message's last
// chunk was written. It returns false while all are taken.
func (l *Link) TakeSlot(lane wire.Lane, origin uint64) (slot uint8, ok bool) {
	s := l.stream(origin, false) // requests keep the slots that they came in
	slot, ok = s.lane(lane).takeSlot()
	l.small.update(s) // a message of our own may have to wait for a slot now
	return slot, ok
}

func (l *Link) sendStream(it item, origin uint64) {
	if l.phase == phaseClosed {
		return
	}
	s := l.stream(origin, it.typ.Request())
	sl := s.lane(it.typ.Lane())
	l.sequence++
	it.sequence = l.sequence
	switch {
	case it.begun:
		sl.forward.Push(it)
	case sl.lane == wire.LaneBulk:
		sl.waiting.Push(it)
		sl.admit(l.limits.BulkSlots)
	default:
		sl.own.Push(it)
	}
	s.makeReady(sl)
}

// Flush writes what may be written: until the lanes are empty, wait for credit, or the transport takes no more.
func (l *Link) Flush() {
	l.pending = false
	if l.phase != phaseUp {
		return
	}
	if l.pong && l.writable {
		l.pong = false
		l.writeLink(wire.TypePong, l.Buffer())
	}
	for l.writable && l.resend > 0 {
		l.again()
	}
	for l.writable && l.step() {
	}
	if l.writable && l.received.due(&l.limits) {
		l.stats.AcksOut++
		l.writeLink(wire.TypeAck, l.Buffer())
	}
}

// step writes one chunk, if there is one to write.
func (l *Link) step() bool {
	control, state := l.control.Len() > 0, !l.small.empty()
	if !state && !control {
		return l.stepBulk()
	}
	if l.run >= l.limits.SmallRun && l.stepBulk() {
		return true
	}
	l.run++
	if !state || control && l.control.Front().sequence < l.small.first().lanes[0].next {
		it := l.control.Pop()
		l.write(wire.Header{Type: it.typ, Origin: it.origin}, it.buf)
		return true
	}
	s := l.small.first()
	l.stepStream(s, wire.LaneState, s.lanes[0].pick())
	return true
}

// stepBulk writes the next bulk chunk, if there is one to write. Streams that have to wait leave the turns; credit, or what
// is sent next, brings them back.
func (l *Link) stepBulk() bool {
	for !l.bulk.empty() {
		sl := l.bulk.first().lane(wire.LaneBulk)
		if q := sl.pick(); q != nil {
			l.run = 0
			l.stepStream(l.bulk.first(), wire.LaneBulk, q)
			return true
		}
		sl.ready = false
		l.bulk.next(false)
	}
	return false
}

// stepStream writes the chunk at the front of a queue of the stream whose turn it is.
func (l *Link) stepStream(s *stream, lane wire.Lane, q *fifo) {
	sl := s.lane(lane)
	h, bytes := l.nextChunk(sl, q.Front(), s.origin)
	it := q.Pop() // a copy: what is left of it goes back below
	chunk := l.body(&it, bytes)
	left := it.left()
	if it.begun = true; left > 0 {
		l.sequence++
		it.sequence = l.sequence
		if lane == wire.LaneBulk {
			q.Push(it) // behind the others under way
		} else {
			q.PushFront(it) // the state lane keeps its order
		}
	} else if lane == wire.LaneBulk && it.gated {
		sl.begun--
	}
	if h.HasSlot() && !h.More {
		sl.slots &^= 1 << h.Slot
		sl.admit(l.limits.BulkSlots)
	}
	if _, credited := h.Type.Credited(); credited {
		sl.ledger.Push(entry{owner: it.owner, bytes: int32(bytes), last: !h.More, gated: it.gated})
		if it.gated {
			sl.inFlight += bytes
		}
		if it.gated && lane == wire.LaneBulk {
			sl.unasked += bytes
			if h.Due = sl.asks(left); h.Due || !h.More {
				sl.unasked = 0
			}
		}
	}
	if lane == wire.LaneState {
		l.small.update(s)
	} else {
		sl.ready = !sl.empty()
		l.bulk.next(sl.ready)
	}
	l.write(h, chunk)
	if it.owner != nil {
		it.owner.Written(lane, bytes)
	}
}

// body takes the body of the next chunk out of an item, behind its room for a header. Where that is all of the message, still
// behind the room that it came with, nothing is copied. The first chunk of several is copied like the others: until it is
// acknowledged it would keep the whole message in memory.
func (l *Link) body(it *item, bytes int) []byte {
	if it.whole(bytes, l.room) {
		it.off = len(it.buf)
		return it.buf
	}
	chunk := it.room(l.room+bytes, it.left())
	it.take(chunk[l.room:])
	return chunk
}

// nextChunk decides how many bytes of an item go now, and under which header.
func (l *Link) nextChunk(sl *streamLane, it *item, origin uint64) (h wire.Header, bytes int) {
	h = wire.Header{Type: it.typ, Origin: origin, Slot: it.slot}
	if !it.gated { // a forwarded chunk, or an ordered result: one chunk as it is
		h.More, h.Due = it.more, it.due
		return h, it.left()
	}
	bytes = l.cut(it, sl.most(it))
	h.More = bytes < it.left()
	if it.begun {
		h.Type = it.typ.More()
		return h, bytes
	}
	if h.HasSlot() && sl.lane == wire.LaneState {
		slot, ok := sl.takeSlot()
		if !ok {
			panic("link: no slot for a message of our own, which should have waited for one")
		}
		h.Slot, it.slot = slot, slot
	}
	return h, bytes
}

// cut returns how many bytes of an item the next chunk has. Chunks of text end between characters where there are any, so that
// each is text of its own. The pieces behind the first one are raw bytes.
func (l *Link) cut(it *item, chunk int) int {
	if left := it.left(); left <= chunk {
		return left
	}
	if end := it.off + chunk; l.codec == wire.Text && end < len(it.buf) {
		for back := range min(utf8.UTFMax, chunk) {
			if utf8.RuneStart(it.buf[end-back]) {
				return chunk - back
			}
		}
	}
	return chunk
}

// write numbers a chunk, whose header it puts in front of its body, and hands it over.
func (l *Link) write(h wire.Header, buf []byte) {
	if l.received.rides(&l.limits) {
		h.Ack = l.received.take()
	}
	var head [wire.MaxHeader]byte
	hb := h.Append(l.codec, head[:0])
	chunk := buf[l.room-len(hb) : len(buf) : len(buf)]
	copy(chunk, hb)
	l.retained.keep(chunk, &l.limits)
	l.hand(chunk)
}

// writeLink writes a chunk of the link's own, which is not numbered and does not wait.
func (l *Link) writeLink(typ wire.Type, buf []byte) {
	buf = l.withEnd(typ, buf)
	h := wire.Header{Type: typ}
	if l.phase == phaseUp && typ == wire.TypeAck {
		h.Ack = l.received.take()
	}
	var head [wire.MaxHeader]byte
	hb := h.Append(l.codec, head[:0])
	chunk := buf[l.room-len(hb):]
	copy(chunk, hb)
	l.hand(chunk)
}

func (l *Link) hand(chunk []byte) {
	if l.transport == nil {
		return // it closed from within a write
	}
	l.stats.ChunksOut++
	l.stats.BytesOut += int64(len(chunk))
	if t := l.transport; !t.Write(chunk) && l.transport == t {
		l.writable = false
	}
}

// SendCredit tells the peer that chunks of its lanes were taken in.
func (l *Link) SendCredit(origin uint64, c wire.Credit) {
	l.SendControl(wire.TypeCredit, origin, c.Append(l.codec, l.Buffer()))
}
