package core

import (
	"chordsim/core/base"
	"chordsim/core/link"
)

// Dialer makes transports to one other host, again and again.
type Dialer interface {
	// Dial begins to connect. It answers, within the call or in a later turn, by [Conn.Opened] or [Conn.Closed]. What it
	// answers after the host has given up on the attempt is ignored, and its transport is closed.
	Dial(c *Conn)
}

// Reconnect says when a host gives up on a transport and dials again. The zero value of a field means its default.
type Reconnect struct {
	// Grace is for how long an acceptor keeps a session whose transport is gone, and a transport that brings no hello. A dialer
	// gives up on a session a little sooner, at [dialerGrace], so that it never counts on what the other side has forgotten.
	// Default 60 s.
	Grace base.Duration
	// Heartbeat is after how much silence a side asks whether the other one is there. After twice as much it takes the
	// transport for dead. Default 10 s.
	Heartbeat base.Duration
	// First is how long a dialer waits at most before it dials again, at least half of it; each attempt that fails
	// doubles that, up to Most. Defaults 100 ms and 10 s.
	First, Most base.Duration
	// Attempt is how long an attempt to connect and shake hands may take. Default 10 s.
	Attempt base.Duration
	// Once has the heartbeat watch links too that have nothing to go on with, because they were dialed once ([Host.Connect]): after two
	// heartbeats of silence they are closed. Default: such a link may be silent for as long as its transport lives.
	Once bool
}

// dialerGrace is the share of the grace that a dialer waits, in percent.
const dialerGrace = 90

// WithDefaults returns the times with every zero field at its default.
func (r Reconnect) WithDefaults() Reconnect {
	fill := func(field *base.Duration, value base.Duration) {
		if *field <= 0 {
			*field = value
		}
	}
	fill(&r.Grace, 60*base.Second)
	fill(&r.Heartbeat, 10*base.Second)
	fill(&r.First, 100*base.Millisecond)
	fill(&r.Most, 10*base.Second)
	fill(&r.Attempt, 10*base.Second)
	r.Most = max(r.Most, r.First)
	return r
}

// Uplink is a host's lasting way to another one: a session that goes on over one transport after another, and another session
// when that one is lost. References that go over it are down then, and live again once their objects were held again.
type Uplink struct {
	peer     *peer
	dialer   Dialer
	draw     *base.Stream
	attempts int       // in a row that came to nothing
	carried  bool      // hands were shaken over the present transport
	since    base.Time // when that was
	heard    int64     // chunks of the session by then
	timer    base.Timer
	dialing  bool // an attempt is under way; the timer bounds it. Otherwise it is when the next one begins
	opened   bool // and has its transport
	closed   bool
	onChange func()
	err      error // why it ended, or the last attempt failed
}

// Dial opens a lasting way to another host. The first one is the host's parent: references go there. It reports nothing: a
// reference that is got waits until the way is there.
func (h *Host) Dial(d Dialer) *Uplink {
	u := &Uplink{dialer: d, draw: h.cfg.Rand.Stream("redial", h.cfg.Name)}
	u.timer = h.sched.NewTimer(func() { h.turn(u.due) })
	u.peer = h.newPeer(link.Dialer, u)
	if h.parent == nil {
		h.parent = u.peer
	}
	h.inTurnDo(u.dial)
	return u
}

// Link returns the link of the present session, to be named by a route.
func (u *Uplink) Link() *link.Link { return u.peer.link }

// Connected reports whether a transport carries the session.
func (u *Uplink) Connected() bool { return u.peer.link.Up() && !u.peer.link.Suspended() }

// Err returns why the last attempt to connect failed, or why the uplink ended; nil once hands were shaken again.
func (u *Uplink) Err() error { return u.err }

// OnChange has fn told, in a turn of the host, when hands were shaken, of a new session or of one that goes on, when a transport is
// lost, and when the uplink ends.
func (u *Uplink) OnChange(fn func()) { u.onChange = fn }

func (u *Uplink) changed() {
	if u.onChange != nil {
		u.onChange()
	}
}

// Close says goodbye and ends the uplink. References over it are down for good.
func (u *Uplink) Close() {
	u.peer.host.inTurnDo(func() {
		u.end(base.Errorf(base.CodeClosed, "closed by %s", u.peer.host.cfg.Name))
	})
}

// Redial dials at once, instead of waiting any longer: the network may have come back. A transport that is up stays.
func (u *Uplink) Redial() {
	u.peer.host.inTurnDo(func() {
		if !u.closed && !u.dialing && !u.Connected() {
			u.attempts = 0
			u.dial()
		}
	})
}

// inTurnDo runs fn in the present turn, or else in one of its own.
func (h *Host) inTurnDo(fn func()) {
	if h.inTurn {
		fn()
		return
	}
	h.turn(fn)
}

// dial begins an attempt.
func (u *Uplink) dial() {
	c := &Conn{peer: u.peer}
	u.peer.conn, u.dialing, u.opened = c, true, false
	u.timer.Set(u.peer.host.Now().Add(u.peer.host.reconnect.Attempt))
	u.dialer.Dial(c)
}

// due gives up on an attempt, or begins the next one.
func (u *Uplink) due() {
	if u.closed {
		return
	}
	if u.dialing {
		u.failed(base.Errorf(base.CodeTimeout, "no handshake within %v", u.peer.host.reconnect.Attempt))
		return
	}
	u.dial()
}

// failed ends an attempt that came to nothing.
func (u *Uplink) failed(err error) {
	u.err = err
	u.peer.conn = nil
	if u.peer.link.Carried() {
		u.peer.link.Abandon(err) // which comes back here as the loss of a transport
		return
	}
	u.lost(u.peer.link)
}

// lost has the uplink dial again in a while: the present transport, or attempt, is over. A transport over which nothing was heard
// but the handshake and a goodbye came to nothing too, unless it lasted: else who shakes hands and closes, as one that is over its
// limits may, would be dialed again and again without a pause.
func (u *Uplink) lost(l *link.Link) {
	u.peer.conn, u.dialing = nil, false
	if u.carried && (l.Stats().ChunksIn > u.heard+1 || u.peer.host.Now().Sub(u.since) >= u.peer.host.reconnect.Most) {
		u.attempts = 0
	}
	u.carried = false
	if u.closed {
		return
	}
	wait := u.backoff(u.attempts)
	u.attempts++
	u.timer.Set(u.peer.host.Now().Add(wait))
}

// backoff draws how long to wait after so many failures in a row.
func (u *Uplink) backoff(failures int) base.Duration {
	r := &u.peer.host.reconnect
	most := r.First
	for range min(failures, maxDoublings) {
		most = min(2*most, r.Most)
	}
	return most/2 + base.Duration(u.draw.Below(uint64(most/2)+1))
}

// maxDoublings is more than it takes from any First to any Most.
const maxDoublings = 62

// up notes that hands were shaken.
func (u *Uplink) up() {
	u.dialing, u.err = false, nil
	u.carried, u.since, u.heard = true, u.peer.host.Now(), u.peer.link.Stats().ChunksIn
	u.timer.Stop()
	u.changed()
}

// end gives the uplink up.
func (u *Uplink) end(err error) {
	if u.closed {
		return
	}
	u.closed, u.err = true, err
	u.timer.Stop()
	if l := u.peer.link; !l.Closed() {
		l.Close(base.CodeOf(err), err.Error())
	}
	u.changed()
}

// fatal reports whether dialing again would lead to nothing.
func fatal(err error) bool {
	switch base.CodeOf(err) {
	case base.CodeVersion, base.CodeRefused:
		return true
	}
	return false
}

// Heard reports whether the host listens to the connection: it is the newest one of its session, or of one that is greeted.
func (c *Conn) Heard() bool { return c.peer.conn == c }

// Way returns the link of the present session with the host that the object is reached through, whether or not the object is
// held there. It is nil if there was no such host when the reference was made.
func (r *Reference) Way() *link.Link {
	if r.client == nil {
		return nil
	}
	return r.client.peer.link
}
