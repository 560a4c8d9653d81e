package check

import (
	"fmt"
	"maps"
	"slices"

	"chordsim/core"
	"chordsim/core/link"
	"chordsim/core/relay"
)

// end is what is known of one side of a connection.
type end struct {
	link    *link.Link
	host    *core.Host
	far     *end // nil until it is known
	dead    bool // brings and takes nothing any more
	excused bool // may be closed for a broken protocol

	out underWay // what the host wrote and the other one did not take yet

	replies  link.Assembly // for references of the host
	requests link.Assembly // calls of the peer itself, for what is in them
	replicas map[uint64]*replica
	calls    map[uint64]*call // sent by references of the host and not answered
	holding  map[uint64]bool  // holds that references of the host asked for and that are not over

	asked map[uint64]map[uint64]struct{} // by origin: calls that came and whose results were not written
	bulk  map[bulkSlot]uint64            // calls whose results are being written
}

// bulkSlot names a result of several chunks that is being written.
type bulkSlot struct {
	origin uint64
	slot   uint8
}

// end returns the book of a side of a connection, or nil if it brings and takes nothing any more.
func (s *Set) end(h *core.Host, l *link.Link) *end {
	e := s.ends[l]
	if e == nil {
		if l == nil || l.Closed() || s.crashed[h] {
			return nil
		}
		e = &end{
			link: l, host: h, replicas: map[uint64]*replica{}, calls: map[uint64]*call{}, holding: map[uint64]bool{},
			asked: map[uint64]map[uint64]struct{}{},
		}
		s.ends[l] = e
		s.note(l.Limits())
	}
	if e.dead {
		return nil
	}
	if e.host == nil {
		e.host = h
	}
	return e
}

func (e *end) askedOf(origin uint64) map[uint64]struct{} {
	calls := e.asked[origin]
	if calls == nil {
		calls = map[uint64]struct{}{}
		e.asked[origin] = calls
	}
	return calls
}

// Linked says which two links are the sides of one connection.
func (s *Set) Linked(a, b *link.Link) {
	x, y := s.end(nil, a), s.end(nil, b)
	if x != nil && y != nil {
		x.far, y.far = y, x
	}
}

// Alone says that the other side of a link is gone for good, before it was said which one it is: nothing is expected of what
// it had sent.
func (s *Set) Alone(h *core.Host, l *link.Link) {
	if e := s.end(h, l); e != nil && e.far == nil {
		e.far = &end{dead: true}
		e.far.out.lost = true
	}
}

// Crashed says that a host lost all that it had in memory: its core is told nothing any more and says nothing. It is to be
// called as that happens, before another core takes its place. What the core did, and its sides of connections, are
// forgotten; nothing is expected any more over those whose other sides live on.
func (s *Set) Crashed(h *core.Host) {
	s.crashed[h] = true
	for _, l := range s.linksOf(h) {
		s.Unlinked(l)
	}
	s.order = slices.DeleteFunc(s.order, func(c *consumer) bool {
		if c.host == h {
			delete(s.consumers, c.id)
		}
		return c.host == h
	})
	s.touched = slices.DeleteFunc(s.touched, func(c *consumer) bool { return c.host == h })
	s.relayIDs = slices.DeleteFunc(s.relayIDs, func(way relay.Source) bool {
		mine := s.relays[way].host == h
		if mine {
			delete(s.relays, way)
		}
		return mine
	})
	s.calls.crashed(h)
	maps.DeleteFunc(s.writes.answered, func(pc *core.PendingCall, _ []write) bool { return s.calls.made[pc] == nil })
	delete(s.turns, h)
	delete(s.unaware, h)
	delete(s.referred, h)
	delete(s.parts.due, h)
	delete(s.parts.hostile, h)
	s.forgetDocuments()
}

// linksOf lists a host's sides of connections.
func (s *Set) linksOf(h *core.Host) []*link.Link {
	var list []*link.Link
	maps.DeleteFunc(s.ends, func(l *link.Link, e *end) bool {
		if e.host == h {
			list = append(list, l)
		}
		return false
	})
	return list
}

// forgetDocuments drops the histories of documents of crashed hosts that no replica shows any more.
func (s *Set) forgetDocuments() {
	shown := map[*core.Document]bool{}
	maps.DeleteFunc(s.ends, func(_ *link.Link, e *end) bool {
		maps.DeleteFunc(e.replicas, func(_ uint64, r *replica) bool {
			for _, d := range r.docs {
				shown[d] = true
			}
			return false
		})
		return false
	})
	left := map[*core.Host]bool{}
	s.docs = slices.DeleteFunc(s.docs, func(d *core.Document) bool {
		h := s.documents[d].host
		if !s.crashed[h] || shown[d] {
			left[h] = true
			return false
		}
		delete(s.documents, d)
		return true
	})
	maps.DeleteFunc(s.crashed, func(h *core.Host, _ bool) bool { return !left[h] })
}

// Unlinked says that a side of a connection brings and takes nothing any more. A host that closes its side, or is told that
// it is closed, says so itself; a world says it of a side that goes in silence. Nothing is expected over the connection then,
// though the other side may still be in use. Saying it again does nothing.
func (s *Set) Unlinked(l *link.Link) {
	e := s.ends[l]
	if e == nil || e.dead {
		return
	}
	e.dead = true
	if !l.Closed() && !s.crashed[e.host] {
		s.unaware[e.host] = true
	}
	s.order = slices.DeleteFunc(s.order, func(c *consumer) bool {
		if c.id.Link == l {
			s.consumerGone(c.host, c.id)
			delete(s.consumers, c.id)
		}
		return c.id.Link == l
	})
	s.touched = slices.DeleteFunc(s.touched, func(c *consumer) bool { return c.id.Link == l })
	s.unrelayed(l)
	maps.DeleteFunc(s.writes.running, func(key callKey, _ []write) bool { return key.link == l })
	// What it brought may still be inflated; what those brought that went before is not.
	s.parts.due[e.host] = slices.DeleteFunc(s.parts.due[e.host], func(m inflating) bool {
		other := s.ends[m.link]
		return m.link != l && (other == nil || other.dead)
	})
	e.replicas, e.calls, e.holding, e.asked, e.bulk = nil, nil, nil, nil, nil
	e.replies, e.requests, e.out = link.Assembly{}, link.Assembly{}, underWay{}
	if e.far == nil || e.far.dead {
		delete(s.ends, l)
		if e.far != nil {
			delete(s.ends, e.far.link)
		}
	}
}

// unrelayed drops what a relay has to do with a link that is gone.
func (s *Set) unrelayed(l *link.Link) {
	s.pairOrder = slices.DeleteFunc(s.pairOrder, func(p *pair) bool {
		if p.Source.Link == l {
			p.gone = true
		}
		if p.Target == l {
			delete(s.pairs, originKey{p.Target, p.Origin})
		}
		return p.Target == l
	})
	s.relayIDs = slices.DeleteFunc(s.relayIDs, func(way relay.Source) bool {
		f := s.relays[way]
		if way.Link == l {
			delete(s.relays, way)
			return true
		}
		f.flows = slices.DeleteFunc(f.flows, func(w *flow) bool {
			w.lost = w.lost || w.from.Link == l
			return w.lost && w.empty()
		})
		return false
	})
	maps.DeleteFunc(s.up, func(slot upSlot, way relay.Source) bool { return slot.source.Link == l || way.Link == l })
}

func (w *flow) empty() bool {
	for _, q := range w.lanes {
		if len(q) > 0 {
			return false
		}
	}
	return true
}

func (s *Set) originOpened(h *core.Host, p relay.Pair) {
	if s.end(h, p.Target) == nil {
		return
	}
	key := originKey{p.Target, p.Origin}
	s.expect(c9, s.pairs[key] == nil, h, func() string { return fmt.Sprintf("origin %d is taken while it is in use", p.Origin) })
	s.dropPair(s.pairs[key])
	added := &pair{Pair: p}
	s.pairs[key] = added
	s.pairOrder = append(s.pairOrder, added)
}

func (s *Set) dropPair(p *pair) {
	if p != nil {
		delete(s.pairs, originKey{p.Target, p.Origin})
		s.pairOrder = slices.DeleteFunc(s.pairOrder, func(o *pair) bool { return o == p })
	}
}

// maxRelays is through how many relays in a row a way is followed.
const maxRelays = 64

// consumerEnd follows a provider's consumer through relays to the side of a connection at which the consumer's host is.
func (s *Set) consumerEnd(id core.ConsumerID) (*end, bool) {
	for range maxRelays {
		e := s.ends[id.Link]
		if e == nil || e.far == nil || id.Origin == 0 {
			return farOf(e)
		}
		p := s.pairs[originKey{e.far.link, id.Origin}]
		if p == nil {
			return nil, false
		}
		id = core.ConsumerID{Link: p.Source.Link, Origin: p.Source.Origin}
	}
	return nil, false
}

func farOf(e *end) (*end, bool) {
	if e == nil || e.far == nil {
		return nil, false
	}
	return e.far, true
}

// severed reports whether the way from a provider to a consumer passes what is gone, or a relay that gave the consumer up.
func (s *Set) severed(id core.ConsumerID) bool {
	for range maxRelays {
		e := s.ends[id.Link]
		switch {
		case e == nil:
			return id.Link.Closed()
		case e.dead || e.far != nil && e.far.dead:
			return true
		case e.far == nil || id.Origin == 0:
			return false
		}
		p := s.pairs[originKey{e.far.link, id.Origin}]
		if p == nil || p.gone {
			return p != nil
		}
		id = core.ConsumerID{Link: p.Source.Link, Origin: p.Source.Origin}
	}
	return true
}
