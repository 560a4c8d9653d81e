package core

import (
	"fmt"
	"maps"
	"slices"

	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/link"
	"chordsim/core/relay"
	"chordsim/core/wire"
)

// hold is a consumer's subscription to an object.
type hold struct {
	consumer *consumer
	id       uint64
	object   *object
	subs     []subscription // one for each member
	entry    uint64         // state entries sent so far
	inFlight int            // state messages that speak of it and are not credited
	behind   bool           // is in consumer.behind
	bound    bool           // its snapshot was encoded
	live     bool           // its snapshot was credited: state may follow
	large    bool           // its snapshot is over Limits.BulkBytes
	writing  int            // bytes of its snapshot that the link has not written
	released bool
	ended    bool // a change of it is over a limit: it goes down
}

// subscription is what a hold keeps for a member: what was sent, and what was not yet.
type subscription struct {
	hold  *hold
	index int
	doc   *Document
	// What the consumer has: until the bind the revision that its hold named, if the document may have been there; of epoch 0:
	// nothing. Invariant from the bind on: sent ≤ doc.rev; the fold leads from one to the other.
	sent  wire.Revision
	fold  delta.Fold
	known wire.Told
	fresh int // batches that came since the consumer was last looked at
}

func (c *consumer) hold(id uint64, o *object, known []wire.Known) {
	h := &hold{consumer: c, id: id, object: o, subs: make([]subscription, len(o.members))}
	for i := range h.subs {
		h.subs[i] = subscription{hold: h, index: i, doc: o.members[i].doc}
	}
	h.know(known)
	c.holds[id] = h
	c.order = append(c.order, h)
	c.toBind = append(c.toBind, h)
	c.markDirty()
}

// bindNext encodes snapshots while there are slots for them, in order, but one large one at a time: small ones pass it,
// and what is encoded and not sent stays within a large one and a few small ones. The next one follows as one before it was
// written to its last byte: were it to wait for the credit as well, the way would idle for a round trip. How much of both is
// in flight is the link's to bound, with Limits.BulkBytes.
func (c *consumer) bindNext() {
	if len(c.toBind) == 0 {
		return
	}
	c.bindingNow = true // the list is being gone through
	defer func() { c.bindingNow = false }()
	kept := c.toBind[:0]
	for i, h := range c.toBind {
		if c.binding >= c.host.limits.BulkSlots {
			kept = append(kept, c.toBind[i:]...)
			break
		}
		if h.released {
			continue
		}
		if h.large = h.size() > c.host.limits.BulkBytes; h.large && c.bindingLarge {
			kept = append(kept, h)
			continue
		}
		h.bind()
	}
	clear(c.toBind[len(kept):])
	if c.toBind = kept; len(kept) == 0 {
		c.toBind = nil
	}
}

// size returns an estimate of the bytes of the bind.
func (h *hold) size() int {
	n := 0
	for i := range h.subs {
		n += h.subs[i].bindSize()
	}
	return n
}

// bind sends the object's methods and the members' values as they are now, or what leads to them from what the consumer has.
// What is committed from now on pends until the consumer has taken that in.
func (h *hold) bind() {
	c := h.consumer
	codec := c.peer.link.Codec()
	m := wire.Bound{ID: h.id, Methods: h.object.methodNames}
	size, largest, inflated := 64, 0, 0
	for i := range h.subs {
		s := &h.subs[i]
		member := wire.BoundMember{Name: h.object.members[i].name, Revision: s.doc.rev}
		known := s.sinceKnown(&member, &inflated)
		s.sent = s.doc.rev
		s.doc.subs = append(s.doc.subs, s)
		if known {
			m.Members = append(m.Members, member)
			size, largest = size+len(member.Part)+32, max(largest, len(member.Part))
			continue
		}
		guess := s.doc.value.Size()
		snapshot := func(dst []byte) []byte {
			var used wire.Used
			return codec.AppendSnapshot(dst, s.doc.value, &s.doc.dict, &s.known, &used)
		}
		if c.host.cfg.Deflate {
			member.Part, member.Deflated = c.host.deflate(snapshot(make([]byte, 0, guess)), &inflated)
			guess, largest = len(member.Part), max(largest, len(member.Part))
		} else {
			member.EncodeWith(guess, func(dst []byte) []byte {
				at := len(dst)
				dst = snapshot(dst)
				largest = max(largest, len(dst)-at)
				return dst
			})
		}
		m.Members = append(m.Members, member)
		size += guess + 32
		c.host.stats.Snapshots++
	}
	buf := m.Append(codec, c.peer.link.BufferFor(size))
	n, most, mostPart := len(c.peer.link.Body(buf)), c.peer.link.MaxMessage(), c.host.limits.PartBytes
	if n > most || largest > mostPart {
		h.drop()
		h.forget()
		c.peer.refuse(c.origin, h.id, base.CodeLimit, fmt.Sprintf(
			"a snapshot of %d bytes in a message of at most %d, its largest part of %d of at most %d", n, most, largest, mostPart))
		return
	}
	h.bound = true
	c.binding++
	c.bindingLarge = c.bindingLarge || h.large
	if c.host.probe.Bound != nil {
		c.host.probe.Bound(c.host, c.ID(), h.id, h.docs())
	}
	h.writing = n
	c.peer.link.SendBulk(wire.TypeBound, c.origin, buf, h)
}

func (h *hold) docs() []*Document {
	docs := make([]*Document, len(h.subs))
	for i := range h.subs {
		docs[i] = h.subs[i].doc
	}
	return docs
}

var _ link.Owner = (*hold)(nil)

// Written lets the next snapshot be encoded once this one was written. It goes to the link that writes now.
func (h *hold) Written(_ wire.Lane, bytes int) {
	c := h.consumer
	if h.writing -= bytes; h.writing == 0 && !c.closed {
		c.binding--
		c.bindingLarge = c.bindingLarge && !h.large
		c.bindNext()
	}
}

// Credited lets state follow once the snapshot was taken in. State that went before
// could pass the snapshot at a relay, whose bulk lane may be longer than its state lane.
func (h *hold) Credited(_ wire.Lane, _ int, last bool) {
	c := h.consumer
	if c.closed {
		return // expelled, and still credits
	}
	if last {
		h.live = true
		if h.released {
			h.finish()
		} else if c.host.probe.HoldLive != nil {
			c.host.probe.HoldLive(c.host, c.ID(), h.id)
		}
	}
	c.markDirty()
}

// add takes a commit's ops into the hold's pending change.
func (s *subscription) add(ops []delta.Op, value delta.Value) {
	s.fold.Add(ops, value)
	s.fresh++
	h := s.hold
	if !h.behind {
		h.behind = true
		h.consumer.behind = append(h.consumer.behind, h)
	}
	h.consumer.markDirty()
}

// newBatches returns how many commits came since it was asked last.
func (h *hold) newBatches() int {
	n := 0
	for i := range h.subs {
		n += h.subs[i].fresh
		h.subs[i].fresh = 0
	}
	return n
}

// pends reports whether the hold was not sent all revisions.
func (h *hold) pends() bool {
	for i := range h.subs {
		if h.subs[i].sent != h.subs[i].doc.rev {
			return true
		}
	}
	return false
}

// appendEntry appends the hold's entry: one section for each member that changed.
func (h *hold) appendEntry(dst []byte) []byte {
	dst = wire.AppendEntry(h.consumer.codec(), dst, h.id)
	last := -1
	for i := range h.subs {
		if h.subs[i].sent != h.subs[i].doc.rev {
			last = i
		}
	}
	for i := range h.subs {
		if s := &h.subs[i]; s.sent != s.doc.rev {
			dst = s.appendSection(dst, i < last)
		}
	}
	h.entry++
	host := h.consumer.host
	host.stats.Encodes++
	if host.probe.Encode != nil {
		host.probe.Encode(host, h.consumer.ID(), h.id)
	}
	return dst
}

func (s *subscription) appendSection(dst []byte, more bool) []byte {
	d := s.doc
	sec := wire.Section{Member: s.index, Base: s.sent.Number, Span: d.rev.Number - s.sent.Number}
	if sec.Ops = d.encoded(s); sec.Ops == nil {
		s.encode()
		sec.Ops = d.cache.ops
	}
	m, codec := s.hold.consumer.draft, s.hold.consumer.codec()
	if sec.Deflated = d.cache.deflated; sec.Deflated {
		if m.inflated += len(d.cache.raw); m.inflated > s.hold.consumer.host.limits.InflatedBytes {
			sec.Ops, sec.Deflated = d.cache.raw, false // all of the message together would be more than a reader inflates
			m.inflated -= len(d.cache.raw)
		} else if codec == wire.Text {
			m.beside = append(m.beside, sec.Ops)
		}
	}
	m.largest = max(m.largest, len(sec.Ops))
	s.sent, s.fresh = d.rev, 0
	s.fold.Reset()
	return sec.Append(codec, dst, more)
}

// encode puts the ops that the subscription needs into its document's cache.
func (s *subscription) encode() {
	d, c := s.doc, s.hold.consumer
	e := &d.cache
	ops := s.fold.AppendOps(c.ops[:0], d.value)
	if len(ops) > delta.MaxOps {
		ops = []delta.Op{{Code: delta.OpReplace, Value: d.value}}
	}
	e.raw = c.codec().AppendOps(e.raw[:0], ops, &d.dict, &s.known, &e.used)
	e.codec, e.from, e.to = c.codec(), s.sent.Number, d.rev.Number
	inflated := 0
	if e.ops, e.deflated = c.host.deflate(e.raw, &inflated); len(e.raw) > maxKeptOps {
		c.host.caches = append(c.host.caches, d)
	}
	clear(ops)
	if len(ops) <= keptOps {
		c.ops = ops[:0]
	}
}

// keptOps is how many ops of a change a consumer keeps the room of.
const keptOps = 16

// encoded returns the ops that a subscription needs if they were just encoded for another that was told the same names.
func (d *Document) encoded(s *subscription) []byte {
	if len(d.cache.ops) == 0 || d.cache.codec != s.hold.consumer.codec() || d.cache.from != s.sent.Number || d.cache.to != d.rev.Number || !d.cache.used.FitsFor(&s.known) {
		return nil
	}
	return d.cache.ops
}

func (h *hold) credited() {
	h.inFlight--
	switch {
	case h.released:
		h.finish()
	case h.ended && h.inFlight == 0:
		h.down()
	}
}

// overgrown ends a hold whose member has a change that no message may carry, once what was sent before it was credited.
func (h *hold) overgrown() {
	h.drop()
	if h.ended = true; h.inFlight == 0 {
		h.down()
	}
}

// down tells the consumer that the hold is no more.
func (h *hold) down() {
	c := h.consumer
	if c.closed || c.holds[h.id] != h {
		return
	}
	h.forget()
	relay.SendDown(c.peer.link, c.origin, base.CodeLimit, []uint64{h.id})
	if c.host.probe.Released != nil {
		c.host.probe.Released(c.host, c.ID(), h.id)
	}
}

// release ends a hold. What is under way for it has to be credited first, so that nothing of it can come after Released.
// A release of what is not held crossed a refusal, or a relay's word that the hold is down.
func (c *consumer) release(body []byte) error {
	id, err := wire.ParseHoldID(c.peer.link.Codec(), "release", body)
	if err != nil {
		return err
	}
	h := c.holds[id]
	if h == nil {
		return nil
	}
	if h.released {
		return base.Errorf(base.CodeProtocol, "hold %d is released twice", id)
	}
	h.released = true
	h.drop()
	h.finish()
	return nil
}

// forget takes the hold out of its consumer's books.
func (h *hold) forget() {
	c := h.consumer
	is := func(o *hold) bool { return o == h }
	delete(c.holds, h.id)
	c.order = slices.DeleteFunc(c.order, is)
	if !h.bound && !c.bindingNow {
		c.toBind = slices.DeleteFunc(c.toBind, is)
	}
}

// drop stops following the members.
func (h *hold) drop() {
	for i := range h.subs {
		s := &h.subs[i]
		s.doc.unsubscribe(s)
		s.fold.Reset()
		s.sent = s.doc.rev
	}
	if h.behind {
		h.behind = false
		c := h.consumer
		c.behind = slices.DeleteFunc(c.behind, func(o *hold) bool { return o == h })
	}
}

// finish tells the consumer that a released hold's id is free, once nothing of it is under way.
func (h *hold) finish() {
	c := h.consumer
	if c.closed || h.inFlight > 0 || h.bound && !h.live || c.holds[h.id] != h {
		return
	}
	h.forget()
	c.peer.link.SendControl(wire.TypeReleased, c.origin, wire.AppendHoldID(c.peer.link.Codec(), c.peer.link.Buffer(), h.id))
	if c.host.probe.Released != nil {
		c.host.probe.Released(c.host, c.ID(), h.id)
	}
}

func sortedKeys[V any](m map[uint64]V) []uint64 { return slices.Sorted(maps.Keys(m)) }
