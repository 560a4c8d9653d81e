package main

import (
	"errors"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/link"
	"chordsim/core/wire"
)

// wireNet is hosts that are joined in memory: what one writes the other receives, in order, when the net runs. Its time
// stands still, so that nothing in it depends on a clock.
type wireNet struct {
	queue base.Ring[func()]
}

var _ base.Scheduler = (*wireNet)(nil)

// Now is the same for ever.
func (n *wireNet) Now() base.Time { return 0 }

// Post queues a turn.
func (n *wireNet) Post(_ base.Work, fn func()) { n.queue.Push(fn) }

// NewTimer makes a timer that is never due.
func (n *wireNet) NewTimer(func()) base.Timer { return wireTimer{} }

// wireTimer is a timer in a world without time.
type wireTimer struct{}

// Set does nothing.
func (wireTimer) Set(base.Time) {}

// Stop does nothing.
func (wireTimer) Stop() {}

// run does all that is queued and all that follows.
func (n *wireNet) run() {
	for n.queue.Len() > 0 {
		n.queue.Pop()()
	}
}

// do runs fn as a turn of a host, and all that follows.
func (n *wireNet) do(h *core.Host, fn func()) {
	h.Do(fn)
	n.run()
}

// wireEnd is one direction between two hosts: it keeps what it carries.
type wireEnd struct {
	net    *wireNet
	to     *core.Conn
	codec  wire.Codec
	chunks [][]byte // since they were taken last
	closed bool
}

var _ link.Transport = (*wireEnd)(nil)

// Write keeps the chunk and delivers it in a later turn.
func (e *wireEnd) Write(chunk []byte) bool {
	e.chunks = append(e.chunks, chunk)
	e.net.queue.Push(func() { e.to.Receive(chunk) })
	return true
}

// Close notes that a host gave up on the other: none has a reason to.
func (e *wireEnd) Close() { e.closed = true }

// connect lets one host dial another. Up carries what the dialer writes, down what the other does.
func (n *wireNet) connect(dialer, acceptor *core.Host, codec wire.Codec) (up, down *wireEnd) {
	up, down = &wireEnd{net: n, codec: codec}, &wireEnd{net: n, codec: codec}
	up.to = acceptor.Accept(down)
	down.to = dialer.Connect(up)
	n.run()
	return up, down
}

// take returns the messages of some types that were carried since the last time, later chunks included, and forgets the rest.
func (e *wireEnd) take(types ...wire.Type) ([]wireMessage, error) {
	chunks := e.chunks
	e.chunks = nil
	if e.closed {
		return nil, errors.New("a host closed its link")
	}
	var list []wireMessage
	for _, chunk := range chunks {
		h, body, err := wire.ParseHeader(e.codec, chunk)
		if err != nil {
			return nil, err
		}
		for _, t := range types {
			switch {
			case h.Type == t:
				list = append(list, wireMessage{})
			case h.Type == t.More() && !h.Type.First() && len(list) > 0:
			default:
				continue
			}
			m := &list[len(list)-1]
			m.chunks++
			m.header += len(chunk) - len(body)
			m.body = append(m.body, body...)
			break
		}
	}
	return list, nil
}

// wireMessage is a message that went over a link.
type wireMessage struct {
	chunks int
	header int    // bytes of the headers of its chunks
	body   []byte // of all chunks
}

// bytes returns what the message takes on the link: the headers of its chunks, with the acks that ride on them, and its body.
func (m *wireMessage) bytes() int { return m.header + len(m.body) }
