package sim

// Node is a sans-IO core of any kind, as it lives on a host of a world. Each of its methods is a turn of the host; it
// sends by [Conn.Write], and takes time, later turns and timers from the Host, which is a base.Scheduler. It must be
// deterministic: no goroutine, no clock or randomness of its own, no order of a map.
type Node interface {
	// Connected says that a connection is there, dialed from here or from elsewhere.
	Connected(c *Conn)
	// Receive brings a message that arrived. Nobody may change it.
	Receive(c *Conn, message []byte)
	// Writable says that a connection takes messages again, after a Write that returned false.
	Writable(c *Conn)
	// Closed says that a connection is over: with a nil error if the other end closed it and all was delivered. It comes
	// without a Connected before it when the connection could not be made: [ErrRefused], [ErrNoAnswer]. A node that
	// closes a connection itself is not told.
	Closed(c *Conn, err error)
}

// Describer is a Node that says for traces what a message is, in a word or two. It must not change anything.
type Describer interface {
	Describe(message []byte) string
}

// Conn is a node's end of a connection. It compares equal to itself as long as the connection lasts.
type Conn struct{ side *side }

// Write sends a message, which belongs to the connection from then on. It reports whether the connection would take
// another one now; if not, [Node.Writable] tells once it would. A connection that is over takes nothing.
func (c *Conn) Write(message []byte) bool {
	return c.side.end().Write(message)
}

// Close ends the connection: what was written is still delivered.
func (c *Conn) Close() { c.side.end().Close() }

// Peer returns the name of the host at the other end.
func (c *Conn) Peer() string { return c.side.other().host.name }

// Dialed reports whether this end dialed.
func (c *Conn) Dialed() bool { return c.side == &c.side.conn.dialed }

// Connection returns the connection as the world has it.
func (c *Conn) Connection() *Connection { return c.side.conn }

// Node makes a host with a name of its own that runs a node of any kind. Start makes the node, at once and again at each
// restart; the host that it is given is the node's scheduler, and has its store.
func (w *World) Node(name string, start func(*Host) Node) *Host {
	h := w.newHost(name)
	h.start = start
	h.live()
	return h
}

// tell puts an input before the node of the side's host.
func (s *side) tell(n Node, in *input) {
	switch in.kind {
	case inputConnected:
		n.Connected(&s.node)
	case inputChunk:
		n.Receive(&s.node, in.chunk)
	case inputWritable:
		n.Writable(&s.node)
	case inputClosed:
		n.Closed(&s.node, in.err)
	}
}

// describe says for traces what a message is that came to a side of a node: "message" unless one of the two nodes knows.
func (s *side) describe(message []byte) string {
	for _, n := range []Node{s.host.node, s.other().host.node} {
		if d, ok := n.(Describer); ok {
			return d.Describe(message)
		}
	}
	return "message"
}
