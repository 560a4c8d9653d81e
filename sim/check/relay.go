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
		for _, q := range w.lanes {
			n += len(q)
		}
	}
	return n
}

type waiting struct {
	typ  wire.Type
	more bool
	body []byte
}

// Wrote sees a chunk as its sender hands it to the link.
func (s *Set) Wrote(h *core.Host, l *link.Link, chunk []byte) {
	head, body, err := wire.ParseHeader(l.CodecFor(chunk), chunk)
	if err != nil {
		s.expect(c9, false, h, func() string { return "an unreadable chunk was written: " + err.Error() })
		return
	}
	if !head.Type.Numbered() {
		return
	}
	if !head.Type.Request() {
		s.wroteReply(h, l, head, body)
	}
	s.relayed(h, l, head, body)
}

// Arrived sees a chunk before its host does.
func (s *Set) Arrived(h *core.Host, l *link.Link, chunk []byte) {
	if _, seen := s.arrived[l]; !seen {
		s.arrived[l] = l.Stats().ChunksIn
	}
	s.arrived[l]++
	head, body, err := wire.ParseHeader(l.CodecFor(chunk), chunk)
	if err != nil || !head.Type.Numbered() {
		return
	}
	switch {
	case head.Type == wire.TypeCredit:
		s.creditArrived(l, head, body)
	case head.Type.Request():
		s.requestParts(h, l, head, body)
		s.toRelayUp(h, l, head, body)
	case head.Origin == 0:
		s.resultArrived(l, head, body)
		s.smallResult(h, l, head.Type, body)
		s.readReply(h, l, head, body)
	default:
		s.toRelayDown(h, l, head, body)
	}
}

// toRelayDown notes an answer that a relay has to pass on.
func (s *Set) toRelayDown(h *core.Host, l *link.Link, head wire.Header, body []byte) {
	if head.Type == wire.TypeOriginReleased {
		delete(s.pairs, originKey{l, head.Origin})
		delete(s.gone, originKey{l, head.Origin})
		return
	}
	if s.gone[originKey{l, head.Origin}] {
		return // for a consumer that is gone: thrown away
	}
	p, ok := s.pairs[originKey{l, head.Origin}]
	s.expect(c9, ok, h, func() string { return fmt.Sprintf("%v for origin %d, which nobody opened", head.Type, head.Origin) })
	if ok {
		s.await(h, relay.Source{Link: l, Origin: head.Origin}, p.Source, head, body)
	}
}

// upSlot names a request of several chunks that is under way to a relay.
type upSlot struct {
	source relay.Source
	slot   uint8
}

// toRelayUp notes a request that a relay has to pass on, by the hold or call that it names.
func (s *Set) toRelayUp(h *core.Host, l *link.Link, head wire.Header, body []byte) {
	src := relay.Source{Link: l, Origin: head.Origin}
	slot := upSlot{src, head.Slot}
	switch head.Type {
	case wire.TypeCall, wire.TypeCallBulk, wire.TypeRelease:
		hold, err := wire.HoldID(l.Codec(), body)
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
	p, ok := s.pairs[originKey{target, origin}]
	s.expect(c9, ok && p.Source == src, h, func() string {
		return fmt.Sprintf("hold %d goes out under origin %d, which is not its consumer's", hold, origin)
	})
	return p, ok
}

func (s *Set) await(h *core.Host, from, way relay.Source, head wire.Header, body []byte) {
	f := s.relays[way]
	if f == nil {
		f = &forwarding{host: h}
		s.relays[way] = f
		s.relayIDs = append(s.relayIDs, way)
	}
	w, lane := f.flow(from), head.Type.Lane()
	w.lanes[lane] = append(w.lanes[lane], waiting{head.Type, head.More, body})
}

// originClosed notes that a relay told a target that a consumer is gone: what comes for it is not passed on, nor is what
// came and waits.
func (s *Set) originClosed(l *link.Link, origin uint64) {
	key := originKey{l, origin}
	p, ok := s.pairs[key]
	if !ok {
		return
	}
	s.gone[key] = true
	if f := s.relays[p.Source]; f != nil {
		*f.flow(relay.Source{Link: l, Origin: origin}) = flow{from: relay.Source{Link: l, Origin: origin}}
	}
}

// relayed checks a chunk that a relay wrote against what it was given, in order.
func (s *Set) relayed(h *core.Host, l *link.Link, head wire.Header, body []byte) {
	if head.Type == wire.TypeOriginClosed {
		s.originClosed(l, head.Origin)
	}
	f := s.relays[relay.Source{Link: l, Origin: head.Origin}]
	if f == nil || f.host != h {
		return
	}
	if f.take(head, body) {
		s.counts[c9].Checks++
		return
	}
	switch head.Type { // what a relay says itself
	case wire.TypeCredit, wire.TypeHold, wire.TypeCancel, wire.TypeOriginClosed, wire.TypeDown, wire.TypeRefused,
		wire.TypeReleased, wire.TypeOriginReleased, wire.TypeStateAbort, wire.TypeBulkAbort:
		return
	case wire.TypeResult:
		if m, err := wire.ParseResult(l.Codec(), body); err == nil && m.Err != nil {
			return
		}
	}
	if h.Exposes() {
		return // may be the host's own
	}
	s.expect(c9, false, h, func() string {
		return fmt.Sprintf("%v of %d bytes is not what was to be forwarded next in its lane (%d chunks wait)", head.Type, len(body), f.waits())
	})
}

// forwarded checks that relays kept nothing back and parsed nothing.
func (s *Set) forwarded(hosts []*core.Host) {
	relays := map[*core.Host]bool{}
	for _, way := range s.relayIDs {
		f := s.relays[way]
		relays[f.host] = true
		kept := f.waits()
		s.expect(c9, kept == 0 || way.Link.Closed(), f.host, func() string {
			return fmt.Sprintf("settled, and %d chunks were never forwarded", kept)
		})
	}
	for _, h := range hosts {
		if relays[h] && !h.Exposes() && !s.referred[h] {
			parsed := h.Stats().PartsParsed
			s.expect(c9, parsed == 0, h, func() string { return fmt.Sprintf("a relay parsed %d parts", parsed) })
		}
	}
}
