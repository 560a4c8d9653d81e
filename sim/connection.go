package sim

import (
	"errors"
	"slices"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/sim/netsim"
	"chordsim/sim/trace"
)

// ErrRefused is what a node is told whose connection could not be made because nothing lives at the other host, and
// ErrNoAnswer if its machine does not answer.
var (
	ErrRefused  = errors.New("sim: connection refused")
	ErrNoAnswer = errors.New("sim: no answer")
)

// DialTimeout is how long a dialer waits for the answer of a machine that is down.
const DialTimeout = 30 * base.Second

// Connection is a link between two hosts, with what runs at its ends.
type Connection struct {
	Link     *netsim.Link
	world    *World
	cfg      netsim.Config // as it was asked for
	from, to *Host
	index    uint64
	dialed   side
	accepted side
	asked    base.Time
	refusal  error // why it could not be made; nil: it could, or is being made
	ended    bool  // somebody was told that it is over
	onAccept func(*core.Conn)
	onClosed func(error)
	onRedial func(*Connection)
	way      *Way // that the connection is of; nil: of none
}

// side is one end of a connection, seen from its host.
type side struct {
	host *Host
	conn *Connection
	life *life      // of the host, that this side belongs to; nil at the acceptor's until it accepts
	up   bool       // this side sees the connection
	core *core.Conn // of a chord host; nil until this side is connected
	node Conn       // what a node of another kind has
}

func (s *side) other() *side {
	if s == &s.conn.dialed {
		return &s.conn.accepted
	}
	return &s.conn.dialed
}

// end returns the side's end of the link.
func (s *side) end() *netsim.End {
	if s == &s.conn.dialed {
		return s.conn.Link.Dialer()
	}
	return s.conn.Link.Acceptor()
}

// number is the side's among those of all connections of the world.
func (s *side) number() uint64 {
	if s == &s.conn.dialed {
		return s.conn.index << 1
	}
	return s.conn.index<<1 | 1
}

var _ netsim.Receiver = (*side)(nil)

// accept is the acceptor's seeing the connection.
func (c *Connection) accept() {
	s := &c.accepted
	switch {
	case c.to.Up():
		c.world.sideEvent(trace.KindConnect, s, "accept from "+c.from.name)
		s.belongs(c.to.life)
		s.connect()
		if c.onAccept != nil {
			c.onAccept(s.core)
		}
	case c.to.vanished:
		s.end().Vanish()
		c.world.queue.Schedule(c.asked.Add(DialTimeout), c, 0)
	default:
		c.refusal = ErrRefused
		s.end().Abort()
	}
}

// connected is the dialer's seeing that the connection is there.
func (c *Connection) connected() {
	s := &c.dialed
	if s.life.over || c.refusal != nil || c.accepted.life == nil {
		return
	}
	c.world.sideEvent(trace.KindConnect, s, "connected to "+c.to.name)
	s.connect()
	if c.world.checks != nil && c.way == nil && s.core != nil && c.accepted.core != nil {
		c.world.checks.Linked(s.core.Link(), c.accepted.core.Link())
	}
}

// belongs says in which life of its host the side is.
func (s *side) belongs(l *life) {
	s.life = l
	l.sides = append(slices.DeleteFunc(l.sides, func(o *side) bool { return o.end().Closed() }), s)
}

// connect hands the connection to what runs at the host. A chord host takes it at once, whatever waits for its CPU.
func (s *side) connect() {
	s.up = true
	switch h := s.host; {
	case h.core == nil:
		s.node.side = s
		h.input(input{work: base.WorkMessage, side: s, kind: inputConnected})
	case s == &s.conn.dialed && s.core != nil:
		s.core.Opened(s.end())
	case s == &s.conn.dialed:
		s.core = h.core.Connect(s.end())
	default:
		s.core = h.core.Accept(s.end())
	}
}

// Fire ends a dialer's waiting for an answer.
func (c *Connection) Fire(uint64) {
	s := &c.dialed
	if s.up || s.life.over || c.refusal != nil {
		return
	}
	s.end().Vanish()
	s.refused(ErrNoAnswer)
}

// refused tells the dialer that there will be no connection.
func (s *side) refused(err error) {
	h := s.host
	s.conn.refusal = err
	s.conn.world.sideEvent(trace.KindConnect, s, "no connection to "+s.other().host.name)
	if h.core == nil {
		s.node.side = s
	}
	if h.core == nil || s.core != nil {
		h.input(input{work: base.WorkMessage, side: s, err: err, kind: inputClosed})
	}
	s.conn.over(err)
}

// over tells, once, who asked to be told that the connection is over.
func (c *Connection) over(err error) {
	if c.ended {
		return
	}
	c.ended = true
	if c.world.inject.ends {
		c.world.inject.ended(c)
	}
	if c.onClosed != nil {
		c.onClosed(err)
	}
}

// From returns the host that dialed, To the one that was dialed.
func (c *Connection) From() *Host { return c.from }
func (c *Connection) To() *Host   { return c.to }

// OnAccept has fn told, within no turn, when the acceptor sees the connection. It is given the acceptor's side, which is
// nil for a node that is no chord host.
func (c *Connection) OnAccept(fn func(*core.Conn)) { c.onAccept = fn }

// OnClosed has fn told, within no turn and once, when one of the hosts is told that the connection is over, or the dialer
// that it could not be made: with a nil error if the other end closed it in good order, else [netsim.ErrReset],
// [ErrRefused] or [ErrNoAnswer]. A host that closes a connection itself is not told of that: the other one is.
func (c *Connection) OnClosed(fn func(error)) { c.onClosed = fn }

// OnRedial has fn told of each connection that takes this one's place by [Connection.Redial].
func (c *Connection) OnRedial(fn func(*Connection)) { c.onRedial = fn }

// Redial dials once more, over a new link of the same kind between the same hosts, with what this connection was given by
// OnAccept, OnClosed and OnRedial. It does not end this one. A dialer that is down cannot. Of a [Way] it has the host dial at
// once, unless it is connected or dials, and returns this connection.
func (c *Connection) Redial() (*Connection, error) {
	if c.way != nil {
		c.from.Do(c.way.uplink.Redial)
		return c, nil
	}
	next, err := c.world.Connect(c.from, c.to, c.cfg)
	if err != nil {
		return nil, err
	}
	next.onAccept, next.onClosed, next.onRedial = c.onAccept, c.onClosed, c.onRedial
	if c.onRedial != nil {
		c.onRedial(next)
	}
	return next, nil
}

// Dialed returns the dialer's side, and Accepted the acceptor's; nil until they are connected, and for nodes that are no
// chord hosts.
func (c *Connection) Dialed() *core.Conn   { return c.dialed.core }
func (c *Connection) Accepted() *core.Conn { return c.accepted.core }

// StallFor stalls the direction towards an end for a span of time from now on. Of two stalls that overlap, the later end
// counts.
func (w *World) StallFor(e *netsim.End, d base.Duration) {
	s := e.Owner().(*side)
	if w.record(trace.KindFault, s.number(), uint64(d)) {
		w.tell(trace.Event{Kind: trace.KindFault, To: s.host.name, Link: s.conn.Link.Name(), What: "stalled for " + d.String()})
	}
	e.StallUntil(w.Now().Add(d))
}

// Deliver puts an arrived chunk before the host.
func (s *side) Deliver(chunk []byte) {
	s.input(input{work: base.WorkMessage, side: s, chunk: chunk, kind: inputChunk})
}

// Writable tells the host that the end has room.
func (s *side) Writable() { s.input(input{work: base.WorkMessage, side: s, kind: inputWritable}) }

// Closed tells the host that the connection is over.
func (s *side) Closed(err error) {
	c := s.conn
	switch {
	case s.life == nil || s.life.over:
		return // there is nobody to be told
	case !s.up && err != nil:
		s.refused(ErrRefused)
	default:
		what := "closed by "
		if err != nil {
			what = "reset by "
		}
		c.world.sideEvent(trace.KindConnect, s, what+s.other().host.name)
		s.input(input{work: base.WorkMessage, side: s, err: err, kind: inputClosed})
		c.over(err)
	}
}

// input hands the host what came, unless the life that the connection belongs to is over.
func (s *side) input(in input) {
	if !s.up || s.life.over {
		s.host.toll.TurnsLost++
		return
	}
	s.host.input(in)
}
