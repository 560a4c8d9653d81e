package netsim

import "chordsim/core/base"

// End is one end of a link. It is the transport of what runs there.
type End struct {
	link     *Link
	dialer   bool
	out      direction // from this end to the other
	receiver Receiver
	closed   bool // takes nothing and is told nothing any more
	gone     bool // its host is: it does not even answer
	tap      Tap

	stalledUntil base.Time // when the stall of the direction towards this end is over; 0: there is none

	owner any
}

// inbound returns the direction towards the end.
func (e *End) inbound() *direction { return &e.Other().out }

// Other returns the other end.
func (e *End) Other() *End {
	if e.dialer {
		return &e.link.acceptor
	}
	return &e.link.dialer
}

// Link returns the link that the end belongs to.
func (e *End) Link() *Link { return e.link }

// Attach gives the end its receiver, and a name or object that says to taps whose end it is.
func (e *End) Attach(r Receiver, owner any) { e.receiver, e.owner = r, owner }

// Owner returns what the end was attached with.
func (e *End) Owner() any { return e.owner }

// Received returns how many messages and bytes were delivered to the end.
func (e *End) Received() (messages, bytes int64) {
	d := e.inbound()
	return d.messages, d.bytes
}

// Queued returns how many bytes were written towards the end and have not left the other one. The message that is leaving
// counts whole.
func (e *End) Queued() int64 {
	d := e.inbound()
	if d.stream != nil {
		return d.model.QueuedBytes() + int64(len(d.stream.pending))
	}
	return d.model.QueuedBytes()
}

// Closed reports whether the end takes no more messages: it was closed, or told that the connection is over.
func (e *End) Closed() bool { return e.closed }

// Write takes a message. It belongs to the link from then on.
func (e *End) Write(chunk []byte) bool {
	if e.closed {
		return false
	}
	if e.tap != nil {
		e.tap.Wrote(e, chunk)
	}
	return e.out.send(chunk)
}

// Close ends the connection in both directions: what this end wrote is still delivered, then the other end is told. What
// comes to this end from now on is lost. As with TCP, such a message makes the connection one that was reset: what this
// end wrote and did not leave yet is lost too, and the other end is told ErrReset.
func (e *End) Close() {
	if e.closed {
		return
	}
	e.closed = true
	if e.knows() {
		e.out.control(kindEnd)
	}
}
