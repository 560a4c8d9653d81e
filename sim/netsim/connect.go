package netsim

// handshake is what a link knows of how it was connected.
type handshake struct {
	accepted, dialed func()
	asked            bool // Connect was called
	met              bool // the acceptor has seen the connection
}

// Connect dials. The request is a message without bytes that takes its direction like any other, with its latency, jitter, quantum
// and stalls; so does the answer. In the event of the first one's arrival accepted is called, in that of the second one's
// dialed. Nothing reaches the dialer before dialed was called, and nothing the acceptor before accepted.
//
// A dialer whose request comes to a closed acceptor, or whose link is reset on the way, is told by Closed, without
// dialed; an acceptor is told of a connection that it has seen. A request that is lost is answered by nobody.
func (l *Link) Connect(accepted, dialed func()) {
	l.hands = handshake{accepted: accepted, dialed: dialed, asked: true}
	l.dialer.out.control(kindSyn)
}

// knows reports whether the end can be told of an end of the connection: an acceptor only if it has seen it.
func (e *End) knows() bool { return e.dialer || !e.link.hands.asked || e.link.hands.met }

// accept has the request arrive.
func (l *Link) accept() {
	if l.acceptor.closed {
		l.acceptor.out.control(kindReset)
		return
	}
	l.hands.met = true
	answer := &l.acceptor.out
	answer.put(parcel{kind: kindAnswer}) // before anything that accepted writes
	l.hands.accepted()
	if !l.dead {
		answer.reschedule()
	}
}

// answered has the answer arrive.
func (l *Link) answered() {
	if !l.dialer.closed {
		l.hands.dialed()
	}
}
