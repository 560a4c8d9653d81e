package core

import (
	"slices"

	"chordsim/core/base"
	"chordsim/core/link"
	"chordsim/core/wire"
)

var _ link.Sessions = (*peer)(nil)

// LinkSuspended has the session wait for another transport, for a while.
func (p *peer) LinkSuspended(l *link.Link, err error) {
	p.conn = nil
	if p.heart != nil {
		p.heart.Stop()
	}
	if p.uplink != nil {
		p.uplink.err = err
		p.uplink.lost(l)
		p.uplink.changed()
	}
	if l.Session() == 0 || p.waits {
		return
	}
	if !l.Dialed() && l.Stats().ChunksIn <= 1 {
		// Nothing but a hello was ever heard: the welcome may be lost, and nobody know of the session. What was sent over it,
		// holds of others that go through here above all, is not to wait for the grace.
		l.Close(base.CodeDown, "nothing was heard of the session")
		return
	}
	p.waits = true
	grace := p.host.reconnect.Grace
	if p.uplink != nil {
		grace = grace / 100 * dialerGrace
	}
	if p.grace == nil {
		p.grace = p.host.sched.NewTimer(func() { p.host.turn(p.graceOver) })
	}
	p.grace.Set(p.host.Now().Add(grace))
	p.host.probe.linkSuspended(p.host, l, err)
}

// graceOver ends a session that no transport came for.
func (p *peer) graceOver() {
	if p.waits && !p.link.Closed() {
		p.link.Close(base.CodeDown, "no transport came within the grace")
	}
}

// LinkResumed goes on with the session.
func (p *peer) LinkResumed(l *link.Link) {
	if p.waits {
		p.waits = false
		p.grace.Stop()
	}
	p.beat()
	if p.uplink != nil {
		p.uplink.up()
	}
	p.client.pump()
	p.host.probe.linkResumed(p.host, l)
}

// LinkWanted reports whether a call that did not arrive is still to be made: not if it settled here meanwhile.
func (p *peer) LinkWanted(_ *link.Link, h wire.Header, body []byte) bool {
	if h.Type != wire.TypeCall || h.Origin != 0 {
		return true
	}
	_, id, err := wire.CallIDs(p.link.Codec(), body)
	if err != nil {
		return true
	}
	pc := p.client.calls[id]
	if pc == nil || !pc.settled || pc.fence {
		return true
	}
	p.client.taken(pc)
	p.client.pump() // it was one of those that may be unanswered
	return false
}

// LinkContinued finds the session that a dialer wants to go on with. It has to be the same host in the same life, with the
// same credentials.
func (p *peer) LinkContinued(_ *link.Link, hello *wire.Hello) (*link.Link, error) {
	h := p.host
	at := slices.IndexFunc(h.peers, func(o *peer) bool {
		who := o.link.Peer()
		return o != p && o.link.Session() == hello.Session && !o.link.Dialed() && who.Host == hello.Host &&
			who.Incarnation == hello.Incarnation && string(o.link.Credentials()) == string(hello.Credentials)
	})
	if at < 0 {
		return nil, nil
	}
	o := h.peers[at]
	if hello.Generation <= o.link.Generation() {
		return nil, base.Errorf(base.CodeClosed, "transport %d of session %d, which is on its transport %d",
			hello.Generation, hello.Session, o.link.Generation())
	}
	if !o.link.Continues(hello) {
		o.link.Close(base.CodeDown, "the session cannot go on")
		return nil, nil
	}
	h.peers = slices.DeleteFunc(h.peers, func(q *peer) bool { return q == p })
	p.stopTimers()
	o.conn = p.conn
	o.conn.peer = o
	p.conn = nil
	h.table.LinkMoved(p.link, o.link)
	return o.link, nil
}

// LinkRenewed has the uplink go on with a new session, since the other side has lost the one before.
func (p *peer) LinkRenewed(*link.Link, error) *link.Link {
	if p.uplink == nil || p.uplink.closed {
		return nil
	}
	p.renewed = p.newLink(link.Dialer)
	return p.renewed
}

// watch returns the timer that a transport is watched by.
func (p *peer) watch() base.Timer {
	if p.heart == nil {
		p.heart = base.NewWatch(p.host.sched, func() { p.host.turn(p.beatDue) })
	}
	return p.heart
}

// awaitHello gives up on a transport over which nobody greets.
func (p *peer) awaitHello() { p.watch().Set(p.host.Now().Add(p.host.reconnect.Grace)) }

// beat starts the heartbeat of a session that is carried by a transport.
func (p *peer) beat() {
	if p.link.Peer().Features&link.FeatureResume == 0 && !p.host.reconnect.Once {
		if p.heart != nil {
			p.heart.Stop()
		}
		return // it would have nothing to go on with
	}
	p.heard = p.host.Now()
	p.watch().Set(p.heard.Add(p.host.reconnect.Heartbeat))
}

// beatDue asks whether the other side is there, or takes the transport for dead.
func (p *peer) beatDue() {
	if p.link.Closed() || p.link.Suspended() {
		return
	}
	if !p.link.Up() {
		p.link.Close(base.CodeDown, "no hello within "+p.host.reconnect.Grace.String())
		return
	}
	now, every := p.host.Now(), p.host.reconnect.Heartbeat
	switch silent := now.Sub(p.heard); {
	case silent >= 2*every:
		p.link.Abandon(base.Errorf(base.CodeDown, "nothing was heard for %v", silent))
	case silent >= every:
		p.link.Ping()
		p.heart.Set(p.heard.Add(2 * every))
	default:
		p.heart.Set(p.heard.Add(every))
	}
}

// supersede closes the sessions of earlier lives of the host that has just greeted. It returns an error if this is one. Who has
// other credentials is not known to be that host.
func (p *peer) supersede() error {
	who := p.link.Peer()
	if who.Host == "" || p.link.Dialed() {
		return nil
	}
	for _, o := range slices.Clone(p.host.peers) {
		other := o.link.Peer()
		if o == p || other.Host != who.Host || o.link.Dialed() || !o.link.Up() ||
			string(o.link.Credentials()) != string(p.link.Credentials()) {
			continue
		}
		if other.Incarnation > who.Incarnation {
			return base.Errorf(base.CodeClosed, "life %d of %s, which is in its life %d", who.Incarnation, who.Host, other.Incarnation)
		}
		if other.Incarnation < who.Incarnation {
			o.link.Close(base.CodeClosed, "a later life of "+who.Host+" is here")
		}
	}
	return nil
}

// stopTimers ends what the session was watched by.
func (p *peer) stopTimers() {
	p.waits = false
	if p.grace != nil {
		p.grace.Stop()
	}
	if p.heart != nil {
		p.heart.Stop()
	}
}
