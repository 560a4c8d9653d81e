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

// Receive takes a chunk that arrived. The host keeps views of it; nobody may change it any more.
func (c *Conn) Receive(chunk []byte) {
	c.peer.host.begin()
	c.peer.link.Receive(chunk)
	c.peer.host.end()
}

// Writable says that the transport takes chunks again.
func (c *Conn) Writable() { c.peer.host.turn(c.peer.link.Writable) }

// Closed says that the transport is gone. A nil error is an end in good order.
func (c *Conn) Closed(err error) { c.peer.host.turn(func() { c.peer.link.TransportClosed(err) }) }

// Close says goodbye and ends the link.
func (c *Conn) Close() {
	c.peer.host.turn(func() { c.peer.link.Close(base.CodeClosed, "closed by "+c.peer.host.cfg.Name) })
}

// Link returns the connection's link, to be named by a route.
func (c *Conn) Link() *link.Link { return c.peer.link }

// Host returns the host that the connection belongs to.
func (c *Conn) Host() *Host { return c.peer.host }

// peer is a host at the other end of a link.
type peer struct {
	host      *Host
	link      *link.Link
	consumers map[uint64]*consumer // by origin; 0: the peer itself
	client    *client
}

var _ link.Handler = (*peer)(nil)

func (p *peer) LinkUp(*link.Link) { p.client.linkUp() }

func (p *peer) LinkPending(l *link.Link) { p.host.linkPending(l) }

func (p *peer) LinkClosed(l *link.Link, err error) {
	h := p.host
	h.table.LinkClosed(l)
	for _, origin := range slices.Sorted(maps.Keys(p.consumers)) {
		p.consumers[origin].close()
	}
	clear(p.consumers)
	p.client.linkClosed(err)
	h.peers = slices.DeleteFunc(h.peers, func(o *peer) bool { return o == p })
	if h.parent == p {
		h.parent = nil
	}
}

// LinkChunk sends a chunk where it belongs: to the relay, to an object of this host, or to a reference.
func (p *peer) LinkChunk(l *link.Link, h wire.Header, body []byte) error {
	switch {
	case h.Type == wire.TypeVoid:
		return nil
	case h.Type.Request():
		return p.request(h, body)
	case h.Origin != 0:
		return p.host.table.Reply(l, h, body)
	}
	return p.client.reply(h, body)
}

func (p *peer) request(h wire.Header, body []byte) error {
	src := relay.Source{Link: p.link, Origin: h.Origin}
	if h.Type == wire.TypeHold {
		return p.hold(src, body)
	}
	if relayed, err := p.host.table.Request(src, h, body); relayed || err != nil {
		return err
	}
	c := p.consumers[h.Origin]
	if c == nil {
		if h.Type == wire.TypeOriginClosed {
			p.link.SendControl(wire.TypeOriginReleased, h.Origin, p.link.Buffer())
			return nil
		}
		return base.Errorf(base.CodeProtocol, "%v from origin %d, which holds nothing", h.Type, h.Origin)
	}
	switch h.Type {
	case wire.TypeRelease:
		return c.release(body)
	case wire.TypeCall, wire.TypeCallBulk, wire.TypeCallMore:
		return c.callChunk(h, body)
	case wire.TypeCancel:
		return c.cancel(body)
	case wire.TypeOriginClosed:
		delete(p.consumers, h.Origin)
		c.close()
		p.link.Forget(h.Origin)
		p.link.SendControl(wire.TypeOriginReleased, h.Origin, p.link.Buffer())
		return nil
	}
	return base.Errorf(base.CodeProtocol, "%v is no request", h.Type)
}

// hold binds an object of this host, or passes the hold on.
func (p *peer) hold(src relay.Source, body []byte) error {
	m, err := wire.ParseHold(body, &p.host.limits)
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
	if c == nil {
		if len(p.consumers) >= p.host.limits.Origins {
			return base.Errorf(base.CodeLimit, "more origins than %d on a link", p.host.limits.Origins)
		}
		c = newConsumer(p, src.Origin)
		p.consumers[src.Origin] = c
	}
	switch {
	case len(m.Params) > 0:
		p.refuse(src.Origin, m.ID, base.CodeRefused, "the object takes no parameters")
	case len(c.holds) >= p.host.limits.Holds:
		p.refuse(src.Origin, m.ID, base.CodeLimit, "over the limit on holds")
	default:
		c.hold(m.ID, obj)
	}
	return nil
}

func (p *peer) refuse(origin, id uint64, code base.Code, detail string) {
	m := wire.Refused{ID: id, Failure: wire.Failure{Code: code, Detail: detail}}
	p.link.SendControl(wire.TypeRefused, origin, m.Append(p.link.Buffer()))
}
