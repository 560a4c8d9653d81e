package sim

import (
	"chordsim/core"
	"chordsim/core/base"
	"chordsim/sim/netsim"
	"chordsim/sim/trace"
)

// Connection is a link between two hosts, with what runs at its ends.
type Connection struct {
	Link     *netsim.Link
	world    *World
	from, to *Host
	index    uint64
	dialed   side
	accepted side
	onAccept func(*core.Conn)
}

// side is one end of a connection, seen from its host.
type side struct {
	host *Host
	conn *Connection
	core *core.Conn // nil until this side is connected

	early []input // came at the very instant of connecting, before it
}

func (s *side) other() *side {
	if s == &s.conn.dialed {
		return &s.conn.accepted
	}
	return &s.conn.dialed
}

// number is the side's among those of all connections of the world.
func (s *side) number() uint64 {
	if s == &s.conn.dialed {
		return s.conn.index << 1
	}
	return s.conn.index<<1 | 1
}

var _ netsim.Receiver = (*side)(nil)

// The steps of connecting, as arguments of events.
const (
	stepAccept = iota // the acceptor sees the connection
	stepDialed        // the dialer sees that it is there
)

// Fire takes a step of connecting.
func (c *Connection) Fire(step uint64) {
	switch step {
	case stepAccept:
		c.world.event(trace.KindConnect, c.to, "accept from "+c.from.name)
		c.accepted.core = c.to.core.Accept(c.Link.Acceptor())
		if c.onAccept != nil {
			c.onAccept(c.accepted.core)
		}
		_, down := c.Link.RoundTrip()
		c.world.queue.Schedule(c.world.Now().Add(down), c, stepDialed)
	case stepDialed:
		c.world.event(trace.KindConnect, c.from, "connected to "+c.to.name)
		c.dialed.core = c.from.core.Connect(c.Link.Dialer())
		if c.world.checks != nil {
			c.world.checks.Linked(c.dialed.core.Link(), c.accepted.core.Link())
		}
		for _, in := range c.dialed.early {
			c.from.input(in)
		}
		c.dialed.early = nil
	}
}

// OnAccept has fn told, within no turn, when the acceptor sees the connection.
func (c *Connection) OnAccept(fn func(*core.Conn)) { c.onAccept = fn }

// Dialed returns the dialer's side, and Accepted the acceptor's; nil until they are connected.
func (c *Connection) Dialed() *core.Conn   { return c.dialed.core }
func (c *Connection) Accepted() *core.Conn { return c.accepted.core }

// StallFor stalls the direction towards an end for a span of time from now on. Of two stalls that overlap, the later end
// counts.
func (w *World) StallFor(e *netsim.End, d base.Duration) {
	s := e.Owner().(*side)
	if w.record(trace.KindFault, s.number(), uint64(d)) {
		w.tell(trace.Event{Kind: trace.KindFault, To: s.host.name, What: "stalled for " + d.String()})
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
	s.conn.world.event(trace.KindConnect, s.host, "closed by "+s.other().host.name)
	s.input(input{work: base.WorkMessage, side: s, err: err, kind: inputClosed})
}

// input hands the host what came. What an acceptor sends or closes at once may share the instant at which the dialer sees
// the connection, and come before that in the order of ties: then it waits.
func (s *side) input(in input) {
	if s.core == nil {
		s.early = append(s.early, in)
		return
	}
	s.host.input(in)
}
