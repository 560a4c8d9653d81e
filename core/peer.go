package core

import (
	"maps"
	"slices"

	"chordsim/core/base"
	"chordsim/core/link"
	"chordsim/core/relay"
	"chordsim/core/wire"
)

// Conn is one end of a connection, for the transport that carries it. Each of its methods is a turn of the host.
type Conn struct{ peer *peer }

// Opened gives the host the transport that [Dialer.Dial] was asked for.
func (c *Conn) Opened(t link.Transport) {
	c.peer.host.inTurnDo(func() {
		if c.peer.conn != c {
			t.Close() // too late
			return
		}
		if u := c.peer.uplink; u != nil {
			u.opened = true
		}
		if l := c.peer.link; l.Suspended() {
			l.Reopen(t)
		} else {
			l.Open(t)
		}
	})
}

// Receive takes a chunk that arrived. The host keeps views of it; nobody may change it any more.
func (c *Conn) Receive(chunk []byte) {
	h := c.peer.host
	h.begin()
	if c.peer.conn == c {
		c.peer.heard = h.Now()
		c.peer.link.Receive(chunk)
	}
	h.end()
}

// Writable says that the transport takes chunks again.
func (c *Conn) Writable() {
	c.peer.host.turn(func() {
		if c.peer.conn == c {
			c.peer.link.Writable()
		}
	})
}

// Closed says that the transport is gone, or that there will be none. A nil error is an end in good order.
func (c *Conn) Closed(err error) {
	c.peer.host.inTurnDo(func() {
		switch p := c.peer; {
		case p.conn != c: // it was given up
		case p.link.Carried():
			p.link.TransportClosed(err)
		case p.uplink != nil:
			p.uplink.failed(err)
		}
	})
}

// Close says goodbye and ends the link.
func (c *Conn) Close() {
	c.peer.host.turn(func() { c.peer.link.Close(base.CodeClosed, "closed by "+c.peer.host.cfg.Name) })
}

// Link returns the link of the connection's session, to be named by a route.
func (c *Conn) Link() *link.Link { return c.peer.link }

// Host returns the host that the connection belongs to.
func (c *Conn) Host() *Host { return c.peer.host }

// peer is a host at the other end of a link.
type peer struct {
	host      *Host
	link      *link.Link
	consumers map[uint64]*consumer // by origin; 0: the peer itself
	expelled  map[uint64]bool      // origins that broke the protocol, until they are closed
	client    *client

	conn    *Conn      // the newest transport; nil while there is none. Others are not listened to
	uplink  *Uplink    // of one that dials again; nil otherwise
	renewed *link.Link // takes the place of the link, whose session the other side has lost
	waits   bool       // the session waits for a transport, until the grace is over
	grace   base.Timer
	heart   base.Timer // of the next heartbeat
	heard   base.Time  // when something arrived last
}

var _ link.Handler = (*peer)(nil)

func (p *peer) LinkUp(l *link.Link) {
	if err := p.supersede(); err != nil {
		l.Fail(err)
		return
	}
	p.beat()
	if p.uplink != nil {
		p.uplink.up()
	}
	p.host.table.LinkUp(l)
	p.client.linkUp()
}

func (p *peer) LinkPending(l *link.Link) { p.host.linkPending(l) }

func (p *peer) LinkClosed(l *link.Link, err error) {
	h := p.host
	h.probe.linkClosed(h, l, err)
	lasts := p.uplink != nil && !p.uplink.closed && !fatal(err)
	p.stopTimers()
	for _, origin := range slices.Sorted(maps.Keys(p.consumers)) {
		p.consumers[origin].close() // while they are of the link that is closed
	}
	clear(p.consumers)
	// First of all: what a caller does when it is told must not find the link.
	if lasts {
		if p.link, p.renewed = p.renewed, nil; p.link == nil {
			p.link = p.newLink(link.Dialer)
			p.uplink.err = err
			if !p.uplink.dialing || p.uplink.opened { // an attempt that has no transport yet goes on
				p.uplink.lost(l)
			}
		}
	} else {
		h.peers = slices.DeleteFunc(h.peers, func(o *peer) bool { return o == p })
		if h.parent == p {
			h.parent = h.nextParent()
		}
		if p.uplink != nil {
			p.uplink.end(err)
		}
	}
	h.table.LinkClosed(l)
	if lasts {
		p.client.cold(l.Unsent(), err)
	} else {
		p.client.linkClosed(err)
	}
}

// nextParent returns the way that references go over once the parent is closed: the oldest that was dialed. Of two connections
// that were dialed at once it may be the first one that is over.
func (h *Host) nextParent() *peer {
	for _, p := range h.peers {
		if p.link.Dialed() {
			return p
		}
	}
	return nil
}

// LinkChunk sends a chunk where it belongs: to the relay, to an object of this host, or to a reference.
func (p *peer) LinkChunk(l *link.Link, h wire.Header, body []byte) error {
	switch {
	case h.Type == wire.TypeVoid:
		return nil
	case h.Type.Request():
		err := p.request(h, body)
		if err != nil && h.Origin != 0 {
			return p.expel(h.Origin, err)
		}
		return err
	case h.Origin != 0:
		return p.host.table.Reply(l, h, body)
	}
	return p.client.reply(h, body)
}

func (p *peer) request(h wire.Header, body []byte) error {
	if p.expelled[h.Origin] && h.Type != wire.TypeOriginClosed {
		return nil
	}
	src := relay.Source{Link: p.link, Origin: h.Origin}
	if h.Type == wire.TypeHold {
		return p.hold(src, body)
	}
	if relayed, err := p.host.table.Request(src, h, body); relayed || err != nil {
		return err
	}
	c := p.consumers[h.Origin]
	switch h.Type {
	case wire.TypeRelease:
		if c == nil {
			_, err := wire.ParseHoldID(p.link.Codec(), "release", body)
			return err // it crossed a refusal, or a relay's word that the hold is down
		}
		return c.release(body)
	case wire.TypeCancel:
		if c == nil {
			_, err := wire.ParseCancel(p.link.Codec(), body)
			return err // it crossed the result
		}
		return c.cancel(body)
	case wire.TypeCall, wire.TypeCallBulk, wire.TypeCallMore:
		if c == nil && p.host.table.Knows(src) && len(p.consumers) < p.host.limits.Origins {
			c = p.consumer(h.Origin) // the relayed hold was lost meanwhile; the call is to be told so
		}
		if c == nil {
			return base.Errorf(base.CodeProtocol, "%v from origin %d, which holds nothing", h.Type, h.Origin)
		}
		return c.callChunk(h, body)
	case wire.TypeOriginClosed:
		return p.originClosed(h.Origin)
	}
	return base.Errorf(base.CodeProtocol, "%v is no request", h.Type)
}

// originClosed forgets a consumer behind a relay. Nothing of its origin is sent after the answer, which frees the number.
func (p *peer) originClosed(origin uint64) error {
	if origin == 0 {
		return base.Errorf(base.CodeProtocol, "the peer itself is closed with its link")
	}
	if c := p.consumers[origin]; c != nil {
		delete(p.consumers, origin)
		c.close()
	}
	delete(p.expelled, origin)
	p.link.Forget(origin, false)
	p.link.SendControl(wire.TypeOriginReleased, origin, p.link.Buffer())
	return nil
}

// expel ends what a consumer behind a relay has here because it broke the protocol. The link belongs to the relay, and to
// all that are behind it; so its holds are down and its calls settle with the error, and what it sends from now on is
// thrown away.
func (p *peer) expel(origin uint64, err error) error {
	if len(p.expelled) >= p.host.limits.Origins {
		return err
	}
	if p.expelled == nil {
		p.expelled = map[uint64]bool{}
	}
	p.expelled[origin] = true
	p.host.probe.expelled(p.host, ConsumerID{p.link, origin}, err)
	p.host.table.Expel(relay.Source{Link: p.link, Origin: origin}, err)
	if c := p.consumers[origin]; c != nil {
		delete(p.consumers, origin)
		for _, id := range sortedKeys(c.calls.byID) {
			m := wire.Result{ID: id, Err: &wire.Failure{Code: base.CodeOf(err), Detail: err.Error()}}
			p.link.SendControl(wire.TypeResult, origin, m.Append(p.link.Codec(), p.link.Buffer()))
		}
		relay.SendDown(p.link, origin, base.CodeOf(err), sortedKeys(c.holds))
		c.close()
	}
	return nil
}

// consumer returns the consumer of an origin, which it makes if there is none.
func (p *peer) consumer(origin uint64) *consumer {
	c := p.consumers[origin]
	if c == nil {
		c = newConsumer(p, origin)
		p.consumers[origin] = c
	}
	return c
}

// hold binds an object of this host, or passes the hold on.
func (p *peer) hold(src relay.Source, body []byte) error {
	m, err := wire.ParseHold(p.link.Codec(), body, &p.host.limits)
	if err != nil {
		return err
	}
	c := p.consumers[src.Origin]
	if c != nil && c.holds[m.ID] != nil || p.host.table.Holds(src, m.ID) {
		return base.Errorf(base.CodeProtocol, "hold id %d is in use", m.ID)
	}
	obj := p.host.objects[m.Address]
	if obj == nil {
		if p.host.table.Hold(src, m) {
			return nil
		}
		p.refuse(src.Origin, m.ID, base.CodeNotFound, "no object "+quote(m.Address)+" at "+p.host.cfg.Name)
		return nil
	}
	switch {
	case c == nil && len(p.consumers) >= p.host.limits.Origins:
		p.refuse(src.Origin, m.ID, base.CodeLimit, "over the limit on origins of a link")
	case len(m.Params) > 0:
		p.refuse(src.Origin, m.ID, base.CodeRefused, "the object takes no parameters")
	case c != nil && len(c.holds) >= p.host.limits.Holds:
		p.refuse(src.Origin, m.ID, base.CodeLimit, "over the limit on holds")
	default:
		p.consumer(src.Origin).hold(m.ID, obj, m.Known)
	}
	return nil
}

func (p *peer) refuse(origin, id uint64, code base.Code, detail string) {
	m := wire.Refused{ID: id, Failure: wire.Failure{Code: code, Detail: detail}}
	p.link.SendControl(wire.TypeRefused, origin, m.Append(p.link.Codec(), p.link.Buffer()))
}
