package link

import (
	"chordsim/core/base"
	"chordsim/core/wire"
)

// stream is what a link keeps for one origin: what waits to be sent to it, and what it has not credited.
type stream struct {
	link   *Link
	origin uint64
	lanes  [2]streamLane // state, bulk
}

// streamKey names the stream of an origin. The two sides of a link number origins on their own: requests go under a number
// of this side, replies under one of the other side, and the same number stands for two hosts.
type streamKey struct {
	origin  uint64
	request bool
}

// streamLane is one credited lane of a stream.
type streamLane struct {
	lane     wire.Lane
	own      fifo // messages of this host; on the bulk lane those under way, in turn
	waiting  fifo // bulk messages of this host that have no slot yet, in order
	forward  fifo // chunks from other links, as they came
	begun    int  // bulk messages under way. Invariant: begun ≤ BulkSlots
	ready    bool // the stream takes turns in this lane
	ledger   ledger
	chunk    int    // largest body of a chunk. Invariant: chunk ≤ limit
	first    int    // the same of a message's first chunk
	limit    int    // bytes that gated items may have in flight
	inFlight int    // Invariant: inFlight ≤ limit
	unasked  int    // of the bulk lane: bytes of gated items since credit was due last
	slots    uint64 // slots in use, a bit each

	// Of the state lane, while it is ready: the place in Link.small, and the sequence of what goes next.
	place int
	next  uint64
}

func newStream(l *Link, origin uint64) *stream {
	s := &stream{link: l, origin: origin}
	s.lanes[0] = streamLane{lane: wire.LaneState, limit: l.limits.WindowBytes, chunk: l.limits.ChunkBytes}
	s.lanes[1] = streamLane{lane: wire.LaneBulk, limit: l.limits.BulkBytes, chunk: l.limits.ChunkBytes}
	for i := range s.lanes {
		sl := &s.lanes[i]
		sl.first = min(max(sl.chunk, wire.MinFirstChunk), sl.limit)
	}
	return s
}

// most returns the largest body of an item's next chunk.
func (sl *streamLane) most(it *item) int {
	if it.begun {
		return sl.chunk
	}
	return sl.first
}

func (s *stream) lane(lane wire.Lane) *streamLane { return &s.lanes[lane-wire.LaneState] }

func (l *Link) stream(origin uint64, request bool) *stream {
	if origin == 0 {
		return l.own
	}
	key := streamKey{origin, request}
	s := l.streams[key]
	if s == nil {
		s = newStream(l, origin)
		l.streams[key] = s
	}
	return s
}

// Forget drops what the link keeps for an origin: one that this side numbered, for requests, or one of the other side. What
// waited for it is not sent.
func (l *Link) Forget(origin uint64, request bool) {
	key := streamKey{origin, request}
	s := l.streams[key]
	if s == nil {
		return
	}
	for i := range s.lanes {
		s.lanes[i].own, s.lanes[i].waiting, s.lanes[i].forward = fifo{}, fifo{}, fifo{}
	}
	l.small.update(s)
	delete(l.streams, key)
}

// takeSlot returns a slot that no message of the lane has.
func (sl *streamLane) takeSlot() (uint8, bool) {
	for i := range uint8(wire.MaxSlots) {
		if sl.slots&(1<<i) == 0 {
			sl.slots |= 1 << i
			return i, true
		}
	}
	return 0, false
}

// ledger lists chunks that were written and not credited, in the order written.
type ledger = base.Ring[entry]

type entry struct {
	owner Owner
	bytes int32
	last  bool
	gated bool
}

// credit passes a consumer's credit on to the owners of the chunks.
func (l *Link) credit(origin uint64, body []byte) error {
	c, err := wire.ParseCredit(l.codec, body)
	if err != nil {
		return err
	}
	s := l.own
	if origin != 0 {
		if s = l.streams[streamKey{origin, false}]; s == nil {
			return base.Errorf(base.CodeProtocol, "credit from origin %d, which has nothing here", origin)
		}
	}
	if err := s.credit(&s.lanes[0], c.State); err != nil {
		return err
	}
	return s.credit(&s.lanes[1], c.Bulk)
}

func (s *stream) credit(sl *streamLane, chunks uint64) error {
	if chunks > uint64(sl.ledger.Len()) {
		return base.Errorf(base.CodeProtocol, "credit for %d chunks, %d are outstanding", chunks, sl.ledger.Len())
	}
	for range chunks {
		e := sl.ledger.Pop()
		if e.gated {
			sl.inFlight -= int(e.bytes)
		}
		if e.owner != nil {
			e.owner.Credited(sl.lane, int(e.bytes), e.last)
		}
	}
	if chunks > 0 && !sl.empty() {
		s.makeReady(sl)
	}
	return nil
}

// makeReady lets the stream take turns in a lane, unless it does.
func (s *stream) makeReady(sl *streamLane) {
	switch {
	case s.link.phase == phaseClosed: // by an owner that was told of credit
		return
	case sl.lane == wire.LaneState:
		s.link.small.update(s)
	case !sl.ready:
		sl.ready = true
		s.link.bulk.add(s)
	}
	s.link.markPending()
}

// empty reports whether nothing waits in the lane.
func (sl *streamLane) empty() bool { return sl.own.Len() == 0 && sl.forward.Len() == 0 }

// pick returns the queue whose front goes next: what was sent first, passing over what has to wait.
func (sl *streamLane) pick() *fifo {
	own := sl.own.Len() > 0 && !sl.blocked(sl.own.Front())
	switch {
	case own && sl.forward.Len() > 0:
		if sl.forward.Front().sequence < sl.own.Front().sequence {
			return &sl.forward
		}
		return &sl.own
	case own:
		return &sl.own
	case sl.forward.Len() > 0:
		return &sl.forward
	}
	return nil
}

// blocked reports whether an item has to wait: for credit, or in the state lane for a slot while forwarded messages have
// them all.
func (sl *streamLane) blocked(it *item) bool {
	if !it.gated {
		return false
	}
	if !it.begun && sl.lane == wire.LaneState && it.left() > sl.first && sl.slots == 1<<wire.MaxSlots-1 {
		return true
	}
	return sl.inFlight+min(it.left(), sl.most(it)) > sl.limit
}

// askShare is how many times smaller than a window the bytes are that its consumer may leave without credit. A way that holds
// more than the rest of the window, which is its rate times a round trip, idles for a moment each time.
const askShare = 4

// asks reports whether a consumer is to give credit with a chunk of a gated bulk item, of which left bytes come after it. In
// the midst of a message it may keep that for later, until a chunk with which it is due or the end of a message. It is due
// when a share of the window is not asked for, so that it comes while the rest is on its way.
//
// And it always is where no further chunk would find room: that is why nothing waits for ever, however small the window is
// and whatever size chunks have. A stream is blocked only with something in flight, since no chunk is over the limit, and
// then the chunk that was written last was one after which there was no room. If it did not end its message it said that
// credit is due; either way the consumer gives credit for it, and with it for all chunks before it, which is all that is in
// flight. What others forward on the stream changes none of it: relays pass on what a chunk says, credit comes in the
// order written, and a credit that is given for one provider's chunk gives that of others before it as well.
func (sl *streamLane) asks(left int) bool {
	return left > 0 && (sl.inFlight+sl.first > sl.limit || askShare*sl.unasked >= sl.limit && left > sl.first)
}

// admit lets waiting bulk messages take turns, each in a slot of its own, while there are slots for them.
func (sl *streamLane) admit(most int) {
	for sl.begun < most && sl.waiting.Len() > 0 {
		slot, ok := sl.takeSlot()
		if !ok {
			return // forwarded messages have them all
		}
		it := sl.waiting.Pop()
		it.slot = slot
		sl.begun++
		sl.own.Push(it)
	}
}
