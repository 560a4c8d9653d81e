package link

import (
	"chordsim/core/base"
	"chordsim/core/wire"
)

// FeatureResume in [wire.Identity.Features] says that a side keeps sessions whose transport is gone.
const FeatureResume = 1 << 0

// Sessions keeps the sessions of links over one transport after another. Its calls are made within a turn of the host.
type Sessions interface {
	// LinkSuspended says that no transport carries the session now, and why. What is sent waits in its lanes, and what
	// was not acknowledged is kept. A dialer goes on with [Link.Reopen]; whoever waits for too long closes the link.
	LinkSuspended(l *Link, err error)
	// LinkResumed says that another transport carries the session: what was not acknowledged goes again, nothing arrives
	// twice.
	LinkResumed(l *Link)
	// LinkWanted reports whether a chunk of the control lane that the peer did not get is still to be sent. One that is
	// not goes as a void of the same number.
	LinkWanted(l *Link, h wire.Header, body []byte) bool
	// LinkContinued returns the link whose session a hello wants to go on with, or nil if there is none: the greeted
	// link begins a new one then. A link that is returned takes the transport of the greeted one, of which nothing is
	// heard any more. An error closes the greeted link.
	LinkContinued(greeted *Link, hello *wire.Hello) (*Link, error)
	// LinkRenewed says that the peer does not have the session any more, and has begun a new one on the transport. The
	// link is closed; the one that is returned takes the transport over. Nil: nobody wants it.
	LinkRenewed(l *Link, err error) *Link
}

// Suspended reports whether the link has a session, or waits for one, and no transport that carries it.
func (l *Link) Suspended() bool { return l.phase == phaseSuspended || l.phase == phaseResuming }

// Carried reports whether the link has a transport.
func (l *Link) Carried() bool { return l.transport != nil }

// Ping asks the peer to say something, unless the transport takes nothing.
func (l *Link) Ping() {
	if l.phase == phaseUp && l.writable {
		l.writeLink(wire.TypePing, l.Buffer())
	}
}

// Session returns the number that the acceptor gave to the session; 0 before hands were shaken.
func (l *Link) Session() uint64 { return l.session }

// Generation returns how many transports the session has had.
func (l *Link) Generation() uint64 { return l.generation }

// Resumable reports whether the session would go on if its transport were gone now: both sides keep sessions, and what was
// not acknowledged is within Limits.ResumeBytes.
func (l *Link) Resumable() bool {
	return l.cfg.Sessions != nil && l.peer.Features&FeatureResume != 0 && !l.retained.lost
}

// survives reports whether the link outlives its transport. A dialer that was not answered yet has nothing that the peer
// would have to know of.
func (l *Link) survives() bool {
	switch l.phase {
	case phaseUp, phaseResuming:
		return l.session == 0 || l.Resumable()
	case phaseGreeting:
		return l.cfg.Role == Dialer && l.cfg.Sessions != nil
	}
	return false
}

// suspend lets go of the transport.
func (l *Link) suspend(err error) {
	t := l.transport
	l.transport, l.writable, l.pong, l.phase = nil, false, false, phaseSuspended
	t.Close()
	l.cfg.Sessions.LinkSuspended(l, err)
}

// Abandon lets go of a transport that says nothing any more. The link goes with it, unless it can be resumed.
func (l *Link) Abandon(err error) { l.TransportClosed(err) }

// Reopen gives a dialer's suspended link another transport, which fences the ones before.
func (l *Link) Reopen(t Transport) {
	if l.phase != phaseSuspended || l.cfg.Role != Dialer {
		panic("link: Reopen of a link that is not suspended, or did not dial")
	}
	l.transport, l.writable, l.phase = t, true, phaseResuming
	l.generation++
	l.greetPeer()
}

// greetPeer sends the dialer's hello.
func (l *Link) greetPeer() {
	hello := wire.Hello{
		Identity: l.cfg.Identity, Session: l.session, Generation: l.generation, Received: l.received.total, Credentials: l.cfg.Credentials,
	}
	l.received.take() // the hello says it
	l.writeLink(wire.TypeHello, hello.Append(l.codec, l.Buffer()))
}

// resumesAt reports whether a peer that has received so many chunks of the session can go on with it.
func (l *Link) resumesAt(received uint64) bool {
	return l.Resumable() && received >= l.retained.acked && received <= l.retained.total
}

// Continues reports whether the link can go on with what a hello asks for. One that comes from an older transport than the
// newest cannot.
func (l *Link) Continues(hello *wire.Hello) bool {
	return l.phase != phaseClosed && l.phase != phaseGreeting && hello.Generation > l.generation &&
		hello.Codec == l.codec && l.resumesAt(hello.Received)
}

// takeOver has an acceptor's link go on over the transport of one that was greeted.
func (l *Link) takeOver(t Transport, writable bool, hello *wire.Hello) {
	if old := l.transport; old != nil {
		l.transport = nil
		old.Close() // the newest one fences it
	}
	l.transport, l.writable, l.phase, l.generation = t, writable, phaseUp, hello.Generation
	l.received.take() // the welcome says it
	answer := wire.Welcome{Identity: l.cfg.Identity, Session: l.session, Resumed: true, Received: l.received.total}
	answer.Features &= hello.Features
	answer.Version = min(hello.Version, wire.Version)
	l.writeLink(wire.TypeWelcome, answer.Append(l.codec, l.Buffer()))
	l.goOn(hello.Received)
}

// goOn sends again what the peer did not get.
func (l *Link) goOn(received uint64) {
	l.retained.resumeAt(received)
	l.resend = l.retained.chunks.Len()
	l.markPending()
	l.cfg.Sessions.LinkResumed(l)
}

// resumed takes the answer to a hello that named a session.
func (l *Link) resumed(welcome *wire.Welcome) error {
	if !welcome.Resumed {
		l.renew(welcome)
		return nil
	}
	if welcome.Session != l.session || !l.resumesAt(welcome.Received) {
		return base.Errorf(base.CodeProtocol, "session %d goes on at chunk %d; session %d was asked for, which is between %d and %d",
			welcome.Session, welcome.Received, l.session, l.retained.acked, l.retained.total)
	}
	l.phase = phaseUp
	l.goOn(welcome.Received)
	return nil
}

// renew hands the transport to the link of a new session.
func (l *Link) renew(welcome *wire.Welcome) {
	t, writable := l.transport, l.writable
	l.transport = nil
	err := base.Errorf(base.CodeDown, "the peer does not have the session any more")
	next := l.cfg.Sessions.LinkRenewed(l, err)
	l.close(err)
	if next == nil {
		t.Close()
		return
	}
	next.transport, next.writable, next.phase, next.generation = t, writable, phaseGreeting, 1
	if err := next.begin(welcome); err != nil {
		next.fail(err)
	}
}

// again writes the oldest chunk that is to go again. Its ack has been said since.
func (l *Link) again() {
	at := l.retained.chunks.At(l.retained.chunks.Len() - l.resend)
	l.resend--
	h, body, err := wire.ParseHeader(l.codec, *at)
	if err != nil {
		panic("link: a chunk that was kept: " + err.Error())
	}
	if unwanted := h.Type.Lane() == wire.LaneControl && !h.More && !l.cfg.Sessions.LinkWanted(l, h, body); unwanted {
		h, body = wire.Header{Type: wire.TypeVoid}, l.codec.AppendEnd(nil, wire.TypeVoid)
	}
	h.Ack = 0
	chunk := append(h.Append(l.codec, make([]byte, 0, wire.MaxHeader+len(body))), body...)
	l.retained.bytes += len(chunk) - len(*at)
	*at = chunk
	l.stats.ChunksAgain++
	l.hand(chunk)
}

// Unsent is a request of this host that no transport was given a byte of.
type Unsent struct {
	Type wire.Type
	Body []byte
}

// Unsent lists the calls of this host, in the order of their lanes, that no transport was given a byte of before the link
// closed. Only a dialer's link that keeps its session keeps them.
func (l *Link) Unsent() []Unsent { return l.unsent }

func (l *Link) keepUnsent() {
	if l.cfg.Sessions == nil || l.cfg.Role != Dialer {
		return
	}
	add := func(q *fifo) {
		for q.Len() > 0 {
			if it := q.Pop(); it.origin == 0 && !it.begun && (it.typ == wire.TypeCall || it.typ == wire.TypeCallBulk) {
				l.unsent = append(l.unsent, Unsent{it.typ, it.body()})
			}
		}
	}
	add(&l.control)
	add(&l.own.lanes[1].own)
	add(&l.own.lanes[1].waiting)
}
