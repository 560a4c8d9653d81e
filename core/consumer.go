package core

import (
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
	binding      int  // snapshots under way. Invariant: binding ≤ Limits.BulkSlots
	bindingLarge bool // one of them is large

	beside [][]byte // deflated changes of the state message that is being written

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
	if !c.room() {
		for _, h := range c.behind {
			c.host.stats.Folded += int64(h.newBatches())
		}
		return
	}
	c.sendState()
}

// sectionBytes is about what a section takes in a state message besides its ops, the hold's id included.
const sectionBytes = 16

// pendingBytes estimates what the state message takes that is due, so that its buffer has about that size.
func (c *consumer) pendingBytes() int {
	n := 0
	for _, h := range c.behind {
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
	}
	return n
}

// sendState encodes one entry for each hold that is behind and live, in one message.
func (c *consumer) sendState() {
	var out stateOut
	buf := c.peer.link.BufferFor(c.pendingBytes())
	entries := 0
	keep := c.behind[:0]
	for _, h := range c.behind {
		if !h.live {
			h.newBatches()
			keep = append(keep, h)
			continue
		}
		h.behind = false
		if !h.pends() {
			continue
		}
		buf = h.appendEntry(buf)
		h.inFlight++
		if entries++; entries == 1 {
			out.first = h
		} else {
			out.rest = append(out.rest, h)
		}
	}
	clear(c.behind[len(keep):])
	c.behind = keep
	if entries == 0 {
		return
	}
	buf = wire.EndState(c.codec(), buf, c.beside...)
	clear(c.beside)
	c.beside = c.beside[:0]
	size := len(c.peer.link.Body(buf))
	c.outstanding++
	c.bytes += size
	c.sent = append(c.sent, out)
	c.host.stats.StateMessages++
	if c.host.probe.StateSent != nil {
		c.host.probe.StateSent(c.host, c.ID(), entries, size)
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
		c.sent[0] = stateOut{}
		if c.sent = c.sent[1:]; len(c.sent) == 0 {
			c.sent = nil
		}
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
	for _, h := range c.order {
		h.drop()
	}
	clear(c.holds)
	c.behind, c.toBind, c.sent, c.order = nil, nil, nil, nil
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
