package check

import (
	"bytes"
	"fmt"

	"chordsim/core"
	"chordsim/core/link"
	"chordsim/core/relay"
	"chordsim/core/wire"
)

// forwarding is what a relay has been given for one way out and has not passed on.
type forwarding struct {
	host  *core.Host
	flows []*flow
	slots map[laneSlot]*flow // whose message goes on in a slot, as written
}

type laneSlot struct {
	lane wire.Lane
	slot uint8
}

// flow is the part of it that one peer gave: bodies by lane. Within a lane the order is kept; what different peers gave
// may pass each other.
type flow struct {
	from  relay.Source
	lost  bool // the way that it came is gone: what was not passed on by then need not be
	lanes [4][]waiting
}

func (f *forwarding) flow(from relay.Source) *flow {
	for _, w := range f.flows {
		if w.from == from {
			return w
		}
	}
	w := &flow{from: from}
	f.flows = append(f.flows, w)
	return w
}

// take takes a chunk out that is the next one of a flow. It reports whether it is. The first chunk of a message names a
// hold or a call, so that no two of them are equal; later ones may be, and belong to the flow that has their slot.
func (f *forwarding) take(head wire.Header, body []byte) bool {
	flows, slot := f.flows, laneSlot{head.Type.Lane(), head.Slot}
	if head.HasSlot() && !head.Type.First() {
		w := f.slots[slot]
		if w == nil {
			return false
		}
		flows = []*flow{w}
	}
	for _, w := range flows {
		q := w.lanes[slot.lane]
		if len(q) == 0 || q[0].typ != head.Type || q[0].more != head.More || !bytes.Equal(q[0].body, body) {
			continue
		}
		w.lanes[slot.lane] = q[1:]
		switch {
		case !head.HasSlot():
		case !head.More:
			delete(f.slots, slot)
		default:
			if f.slots == nil {
				f.slots = map[laneSlot]*flow{}
			}
			f.slots[slot] = w
		}
		return true
	}
	return false
}

// waits returns how many chunks were not passed on.
func (f *forwarding) waits() (n int) {
	for _, w := range f.flows {
		if w.lost {
			continue
		}
		for _, q := range w.lanes {
			n += len(q)
		}
	}
	return n
}

// first returns one of the chunks that were not passed on, and from whom it came.
func (f *forwarding) first() (from relay.Source, w waiting) {
	for _, w := range f.flows {
		for _, q := range w.lanes {
			if len(q) > 0 && !w.lost {
				return w.from, q[0]
			}
		}
	}
	return relay.Source{}, waiting{}
}

type waiting struct {
	typ  wire.Type
	more bool
	body []byte
}

// Wrote sees a chunk as its sender hands it to the link.
func (s *Set) Wrote(h *core.Host, l *link.Link, chunk []byte) {
	e := s.end(h, l)
	if e == nil {
		return
	}
	head, body, err := wire.ParseHeader(l.CodecFor(chunk), chunk)
	if err != nil {
		s.expect(c9, false, h, func() string { return "an unreadable chunk was written: " + err.Error() })
		return
	}
	if !head.Type.Numbered() {
		s.wroteHandshake(l, head, body)
		return
	}
	if !s.wroteNumbered(e, head, body) {
		return // it goes again
	}
	forwarded := s.relayed(h, l, head, body)
	if head.Type.Request() {
		s.wroteRequest(e, head, body)
	} else {
		s.wroteReply(e, head, body, forwarded)
	}
}

// Arrived sees a chunk right before its host takes it.
func (s *Set) Arrived(h *core.Host, l *link.Link, chunk []byte) {
	head, body, err := wire.ParseHeader(l.CodecFor(chunk), chunk)
	if err != nil {
		return
	}
	if !head.Type.Numbered() {
		s.handshakeArrived(l, head, body)
		return
	}
	e := s.end(h, l)
	if e == nil {
		return
	}
	s.tookNumbered(e, head, body)
	switch {
	case head.Type == wire.TypeCredit:
		s.creditArrived(e, head, body)
	case head.Type.Request():
		s.requestParts(e, head, body)
		s.toRelayUp(e, head, body)
	case head.Origin == 0:
		s.resultArrived(l, head, body)
		s.smallResult(h, l, head.Type, body)
		s.overArrived(e, head, body)
		s.readReply(e, head, body)
	default:
		s.toRelayDown(h, l, head, body)
	}
}

// toRelayDown notes an answer that a relay has to pass on.
func (s *Set) toRelayDown(h *core.Host, l *link.Link, head wire.Header, body []byte) {
	key := originKey{l, head.Origin}
	p := s.pairs[key]
	if head.Type == wire.TypeOriginReleased {
		s.dropPair(p)
		return
	}
	s.expect(c9, p != nil, h, func() string { return fmt.Sprintf("%v for origin %d, which nobody opened", head.Type, head.Origin) })
	if p != nil && !p.gone { // for a consumer that is gone it is thrown away
		s.await(h, relay.Source{Link: l, Origin: head.Origin}, p.Source, head, body)
	}
}

// upSlot names a request of several chunks that is under way to a relay.
type upSlot struct {
	source relay.Source
	slot   uint8
}

// toRelayUp notes a request that a relay has to pass on, by the hold or call that it names.
func (s *Set) toRelayUp(e *end, head wire.Header, body []byte) {
	h, l := e.host, e.link
	src := relay.Source{Link: l, Origin: head.Origin}
	slot := upSlot{src, head.Slot}
	switch head.Type {
	case wire.TypeCall, wire.TypeCallBulk, wire.TypeRelease:
		var hold, call uint64
		var err error
		if head.Type == wire.TypeRelease {
			hold, err = wire.HoldID(l.Codec(), body)
		} else if hold, call, err = wire.CallIDs(l.Codec(), body); err == nil {
			e.askedOf(head.Origin)[call] = struct{}{}
		}
		if err != nil {
			return
		}
		if head.Type == wire.TypeRelease {
			s.releaseArrived(l, head.Origin, hold)
		}
		if !h.Relays(src, hold) {
			return
		}
		if p, ok := s.pairOf(src, h, hold); ok {
			way := relay.Source{Link: p.Target, Origin: p.Origin}
			s.await(h, src, way, head, body)
			if head.More {
				s.up[slot] = way
			}
		}
	case wire.TypeCallMore:
		if way, ok := s.up[slot]; ok {
			s.await(h, src, way, head, body)
			if !head.More {
				delete(s.up, slot)
			}
		}
	}
}

func (s *Set) pairOf(src relay.Source, h *core.Host, hold uint64) (relay.Pair, bool) {
	target, origin, ok := h.RelayedTo(src, hold)
	if !ok {
		return relay.Pair{}, false
	}
	p := s.pairs[originKey{target, origin}]
	s.expect(c9, p != nil && p.Source == src, h, func() string {
		return fmt.Sprintf("hold %d goes out under origin %d, which is not its consumer's", hold, origin)
	})
	if p == nil {
		return relay.Pair{}, false
	}
	return p.Pair, true
}

func (s *Set) await(h *core.Host, from, way relay.Source, head wire.Header, body []byte) {
	f := s.relays[way]
	if f == nil {
		if s.end(h, way.Link) == nil {
			return // nothing is written there any more
		}
		f = &forwarding{host: h}
		s.relays[way] = f
		s.relayIDs = append(s.relayIDs, way)
	}
	w, lane := f.flow(from), head.Type.Lane()
	w.lanes[lane] = append(w.lanes[lane], waiting{head.Type, head.More, body})
}

// originClosed notes that a relay told a target that a consumer is gone: what comes for it is not passed on, nor is what
// came and waits, either way.
func (s *Set) originClosed(l *link.Link, origin uint64) {
	p := s.pairs[originKey{l, origin}]
	if p == nil {
		return
	}
	p.gone = true
	if f := s.relays[relay.Source{Link: l, Origin: origin}]; f != nil {
		f.flows, f.slots = nil, nil
	}
	if f := s.relays[p.Source]; f != nil {
		*f.flow(relay.Source{Link: l, Origin: origin}) = flow{from: relay.Source{Link: l, Origin: origin}}
	}
}

// relayed checks a chunk that a relay wrote against what it was given, in order. It reports whether it was given it.
func (s *Set) relayed(h *core.Host, l *link.Link, head wire.Header, body []byte) bool {
	if head.Type == wire.TypeOriginClosed {
		s.originClosed(l, head.Origin)
	}
	f := s.relays[relay.Source{Link: l, Origin: head.Origin}]
	if f == nil || f.host != h {
		return false
	}
	if f.take(head, body) {
		s.counts[c9].Checks++
		return true
	}
	switch head.Type { // what a relay says itself
	case wire.TypeCredit, wire.TypeHold, wire.TypeCancel, wire.TypeOriginClosed, wire.TypeDown, wire.TypeRefused,
		wire.TypeReleased, wire.TypeOriginReleased, wire.TypeStateAbort, wire.TypeBulkAbort:
		return false
	case wire.TypeResult:
		if m, err := wire.ParseResult(l.Codec(), body); err == nil && m.Err != nil {
			return false
		}
	}
	if h.Exposes() {
		return false // may be the host's own
	}
	s.expect(c9, false, h, func() string {
		return fmt.Sprintf("%v of %d bytes is not what was to be forwarded next in its lane (%d chunks wait)", head.Type, len(body), f.waits())
	})
	return false
}

// forwarded checks that relays kept nothing back and parsed nothing.
func (s *Set) forwarded(hosts []*core.Host) {
	relays := map[*core.Host]bool{}
	for _, way := range s.relayIDs {
		f := s.relays[way]
		relays[f.host] = true
		kept := f.waits()
		s.expect(c9, kept == 0 || way.Link.Closed() || s.severed(core.ConsumerID{Link: way.Link}), f.host, func() string {
			from, first := f.first()
			return fmt.Sprintf("settled, and %d chunks were never forwarded: of a %v of %d bytes on, from origin %d of %s to origin %d of %s",
				kept, first.typ, len(first.body), from.Origin, from.Link.Peer().Host, way.Origin, way.Link.Peer().Host)
		})
	}
	for _, h := range hosts {
		if relays[h] && !h.Exposes() && !s.referred[h] {
			parsed := h.Stats().PartsParsed
			s.expect(c9, parsed == 0, h, func() string { return fmt.Sprintf("a relay parsed %d parts", parsed) })
		}
	}
}
