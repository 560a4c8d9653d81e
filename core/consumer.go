package core

import (
	"slices"

	"chordsim/core/delta"
	"chordsim/core/link"
	"chordsim/core/wire"
)

// consumer is what a host keeps for one origin that holds objects of it: the origin's window, holds and calls.
type consumer struct {
	host   *Host
	peer   *peer
	origin uint64
	holds  map[uint64]*hold
	order  []*hold // the same, in the order in which they were asked for

	// The window. A state message counts from its encoding until its last chunk is credited.
	outstanding int        // Invariant: outstanding ≤ Limits.WindowMessages
	bytes       int        // bytes of state messages that are not credited
	sent        []stateOut // the outstanding messages, oldest first
	behind      []*hold    // have changes that were not sent, in the order in which they fell behind
	dirty       bool       // is in Host.dirty

	// Binding. Snapshots are encoded as they get room, so that what waits costs nothing.
	toBind       []*hold
	binding      int  // snapshots that are not written to their last byte. Invariant: binding ≤ Limits.BulkSlots
	bindingLarge bool // one of them is large
	bindingNow   bool // bindNext is at work

	draft *stateDraft // the state message that an entry is being added to
	ops   []delta.Op  // room for those of a change that is being encoded
	state stateDraft  // the state message that is being put together, if there is one

	assembly link.Assembly
	calls    callQueue
	closed   bool
}

// stateOut is what a consumer remembers of a state message until it is credited: which holds it speaks of.
type stateOut struct {
	first *hold
	rest  []*hold
}

func newConsumer(p *peer, origin uint64) *consumer {
	return &consumer{host: p.host, peer: p, origin: origin, holds: map[uint64]*hold{}}
}

func (c *consumer) codec() wire.Codec { return c.peer.link.Codec() }

// markDirty has the turn's end look whether the consumer can be sent something.
func (c *consumer) markDirty() {
	if !c.dirty {
		c.dirty = true
		c.host.dirty = append(c.host.dirty, c)
	}
}

// room reports whether the window takes another state message.
func (c *consumer) room() bool {
	return c.outstanding < c.host.limits.WindowMessages && c.bytes < c.host.limits.WindowBytes
}

// flush sends what pends, in one message, if the window has room.
func (c *consumer) flush() {
	c.dirty = false
	if c.closed {
		return
	}
	c.bindNext()
	if len(c.behind) == 0 {
		return
	}
	for c.room() {
		if !c.sendState() {
			return
		}
	}
	for _, h := range c.behind {
		c.host.stats.Folded += int64(h.newBatches())
	}
}

// sectionBytes is about what a section takes in a state message besides its ops, the hold's id included, in either codec:
// numbers are longer in text, and ops have brackets and quotes.
const sectionBytes = 24

// pendingBytes estimates what the hold's entry takes, if one is due.
func (h *hold) pendingBytes() int {
	n := 0
	for i := range h.subs {
		s := &h.subs[i]
		switch {
		case !h.live || s.fold.Empty():
		case s.fold.Replaced():
			n += s.doc.value.Size() + sectionBytes
		default:
			n += s.fold.Size() + sectionBytes
		}
	}
	return n
}

// stateDraft is a state message that is being put together.
type stateDraft struct {
	room     int // bytes that buf was made for
	buf      []byte
	beside   [][]byte // deflated changes, which the text codec puts behind all entries
	entries  int
	inflated int // bytes of the changes that are deflated, when inflated
	largest  int // part of the entry that is being added, in bytes
	out      stateOut
}

// sendState encodes one entry for each hold that is behind and live, in one message. It reports whether some are left that
// the message has no room for.
func (c *consumer) sendState() (left bool) {
	size := 0
	for _, h := range c.behind {
		size += h.pendingBytes()
	}
	m := &c.state
	*m = stateDraft{buf: c.peer.link.BufferFor(size), room: c.peer.link.Room() + size}
	keep := c.behind[:0]
	for _, h := range c.behind {
		if !h.live {
			h.newBatches()
			keep = append(keep, h)
			continue
		}
		if m.entries > 0 && m.size()+sizeError*h.pendingBytes() > c.peer.link.MaxMessage() {
			left = true
			keep = append(keep, h)
			continue
		}
		h.behind = false
		if h.pends() {
			c.addEntry(m, h)
		}
	}
	clear(c.behind[len(keep):])
	c.behind = keep
	if m.entries > 0 {
		c.sendDraft(m)
	}
	*m = stateDraft{}
	return left
}

// sizeError is how many times larger an encoded change may be than its estimate: in text, an index in a path or a position
// in a list takes up to 17 bytes, a control character 6.
const sizeError = 20

// size returns the bytes of the message as it is, with what ends it.
func (m *stateDraft) size() int {
	n := len(m.buf) + len("]")
	for _, part := range m.beside {
		n += len(part)
	}
	return n
}

// smallRoom is how many bytes more than it needs a buffer may have in any case.
const smallRoom = 128

// addEntry encodes a hold's entry. A change that no message has room for ends the hold.
func (c *consumer) addEntry(m *stateDraft, h *hold) {
	at, beside, inflated, most := len(m.buf), len(m.beside), m.inflated, c.peer.link.MaxMessage()
	c.draft, m.largest = m, 0
	m.buf = h.appendEntry(m.buf)
	c.draft = nil
	if m.size()-c.peer.link.Room() > most || m.largest > c.host.limits.PartBytes {
		m.buf, m.beside, m.inflated = m.buf[:at], m.beside[:beside], inflated
		h.overgrown()
		return
	}
	h.inFlight++
	if m.entries++; m.entries == 1 {
		m.out.first = h
	} else {
		m.out.rest = append(m.out.rest, h)
	}
}

func (c *consumer) sendDraft(m *stateDraft) {
	buf := wire.EndState(c.codec(), m.buf, m.beside...)
	if n := len(buf); n > m.room || n < m.room-m.room/4-smallRoom {
		buf = slices.Clone(buf) // it is kept until it is acknowledged: as large as it is, and no larger
	}
	size := len(c.peer.link.Body(buf))
	c.outstanding++
	c.bytes += size
	c.sent = append(c.sent, m.out)
	c.host.stats.StateMessages++
	if c.host.probe.StateSent != nil {
		c.host.probe.StateSent(c.host, c.ID(), m.entries, size)
	}
	c.peer.link.SendState(wire.TypeState, c.origin, buf, c)
}

var _ link.Owner = (*consumer)(nil)

// Written is of no interest to a window: it counts from the encoding.
func (c *consumer) Written(wire.Lane, int) {}

// Credited gives a chunk of a state message back to the window.
func (c *consumer) Credited(_ wire.Lane, bytes int, last bool) {
	if c.closed {
		return // expelled, and still credits
	}
	c.bytes -= bytes
	if last {
		c.outstanding--
		out := c.sent[0]
		n := copy(c.sent, c.sent[1:]) // a window has few messages
		c.sent[n] = stateOut{}
		c.sent = c.sent[:n]
		out.first.credited()
		for _, h := range out.rest {
			h.credited()
		}
	}
	c.markDirty()
}

// close lets go of everything that was kept for the consumer.
func (c *consumer) close() {
	c.closed = true
	c.host.probe.gone(c)
	for _, h := range c.order {
		h.lost()
		h.drop()
	}
	clear(c.holds)
	c.behind, c.toBind, c.sent, c.order = nil, nil, nil, nil
	c.assembly = link.Assembly{}
	c.calls.close()
}

// ConsumerID names a consumer of a host: a link, and an origin on it.
type ConsumerID struct {
	Link   *link.Link
	Origin uint64
}

// ID returns the consumer's name.
func (c *consumer) ID() ConsumerID { return ConsumerID{c.peer.link, c.origin} }

// Window is a look at a consumer's window.
type Window struct {
	Outstanding int // state messages sent and not credited
	Bytes       int // their bytes
	PendingOps  int // ops that wait in folds, all holds
	Pending     int // their size in bytes, as estimated; a replace mark holds none
}

// Window returns the state of the window of a consumer, and whether there is such a consumer.
func (h *Host) Window(id ConsumerID) (Window, bool) {
	for _, p := range h.peers {
		if c := p.consumers[id.Origin]; p.link == id.Link && c != nil {
			w := Window{Outstanding: c.outstanding, Bytes: c.bytes}
			for _, hd := range c.order {
				for i := range hd.subs {
					w.PendingOps += hd.subs[i].fold.Len()
					w.Pending += hd.subs[i].fold.Size()
				}
			}
			return w, true
		}
	}
	return Window{}, false
}

// Consumers lists the consumers that hold something of the host, by link in the order of connecting, then by origin.
func (h *Host) Consumers() []ConsumerID {
	var list []ConsumerID
	for _, p := range h.peers {
		for _, origin := range sortedKeys(p.consumers) {
			list = append(list, ConsumerID{p.link, origin})
		}
	}
	return list
}
