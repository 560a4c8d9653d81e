package link

import (
	"testing"

	"chordsim/core/base"
	"chordsim/core/wire"
)

func (e *end) send(n int) {
	for range n {
		e.control(wire.TypeResult, 0, "x")
	}
	e.turn()
}

func TestAcksGoAloneWhenMuchHasCome(t *testing.T) {
	p := newUpPair(t, base.Limits{AckChunks: 4, AckBytes: 1000})
	p.a.send(3)
	p.settle()
	wantWritten(t, "three chunks", p.b)
	p.a.send(1)
	p.settle()
	wantWritten(t, "four chunks", p.b, "ack")
	if got := p.a.link.retained; got.chunks.Len() != 0 || got.bytes != 0 || got.acked != 4 {
		t.Errorf("kept after the ack: %+v", got)
	}
	p.a.state(0, string(make([]byte, 1000)), nil)
	p.settle()
	wantWritten(t, "many bytes", p.b, "ack")
	if n := p.b.link.Stats().AcksOut; n != 2 {
		t.Errorf("%d acks alone", n)
	}
}

func TestAcksRideOnChunks(t *testing.T) {
	p := newUpPair(t, base.Limits{AckChunks: 4})
	p.a.send(1)
	p.settle()
	p.b.send(1)
	if h := p.b.out.log[0]; h.Ack != 0 {
		t.Errorf("an ack of one chunk takes a byte: %+v", h)
	}
	p.a.send(1)
	p.settle()
	p.b.out.log = nil
	p.b.send(2)
	if p.b.out.log[0].Ack != 2 || p.b.out.log[1].Ack != 0 {
		t.Errorf("two chunks are acknowledged as %+v", p.b.out.log)
	}
	p.settle()
	if p.a.link.retained.chunks.Len() != 0 {
		t.Errorf("%d chunks are kept", p.a.link.retained.chunks.Len())
	}
}

// TestAcksOfManyBytesRideOnChunks acknowledges a single chunk that is a large share of what a sender may have to keep.
func TestAcksOfManyBytesRideOnChunks(t *testing.T) {
	for bytes, want := range map[int]uint64{124: 0, 125: 1} {
		p := newUpPair(t, base.Limits{AckBytes: 1000})
		p.a.state(0, string(make([]byte, bytes)), nil)
		p.settle()
		p.b.out.log = nil
		p.b.send(1)
		if got := p.b.out.log[0].Ack; got != want {
			t.Errorf("a chunk of %d bytes, of 1,000 that are acknowledged at once: an ack of %d rides, want %d", bytes, got, want)
		}
		p.settle()
		if kept := p.a.link.retained.bytes; want > 0 && kept != 0 {
			t.Errorf("%d bytes are kept after the ack", kept)
		}
	}
}

func TestAnAckOfMoreThanWasWrittenIsRefused(t *testing.T) {
	for why, h := range map[string]wire.Header{
		"alone":       {Type: wire.TypeAck, Ack: 4},
		"on a result": {Type: wire.TypeResult, Ack: 4},
		"on a ping":   {Type: wire.TypePing, Ack: 4},
		"huge":        {Type: wire.TypeAck, Ack: 1<<35 - 1},
	} {
		p := newUpPair(t, base.Limits{})
		p.a.send(3)
		p.a.link.Receive(h.Append(wire.Binary, nil))
		wantBye(t, why, p.a, base.CodeProtocol)
		wantClosed(t, why, p.a, base.CodeProtocol)
		if len(p.a.chunks) > 0 {
			t.Errorf("%s: the chunk was handled", why)
		}
	}
	p := newUpPair(t, base.Limits{})
	p.a.send(3)
	for _, n := range []uint64{2, 1} {
		p.a.link.Receive(wire.Header{Type: wire.TypeAck, Ack: n}.Append(wire.Binary, nil))
	}
	if p.a.link.Closed() || p.a.link.retained.chunks.Len() != 0 {
		t.Error("good acks were refused")
	}
	p.a.link.Receive(wire.Header{Type: wire.TypeAck, Ack: 1}.Append(wire.Binary, nil))
	wantClosed(t, "twice", p.a, base.CodeProtocol)
}

func TestTheLinksOwnChunksAreNotCounted(t *testing.T) {
	p := newUpPair(t, base.Limits{AckChunks: 2})
	for range 10 {
		p.b.link.Receive([]byte{byte(wire.TypePing)})
		p.b.turn()
	}
	p.settle()
	if p.a.link.received.total != 0 || p.b.link.received.total != 0 || p.b.link.retained.total != 0 {
		t.Error("pings and pongs are numbered")
	}
}

// TestRetainedBytesAreBounded writes more than a resume keeps, and acknowledges it all afterwards.
func TestRetainedBytesAreBounded(t *testing.T) {
	p := newUpPair(t, base.Limits{ResumeBytes: 1000})
	q := &p.a.link.retained
	sent := 0
	for range 700 {
		p.a.send(1)
		sent++
		if q.bytes > 1000 || q.lost && (q.bytes != 0 || q.chunks.Len() != 0) {
			t.Fatalf("after %d chunks: %d bytes are kept, lost: %v", sent, q.bytes, q.lost)
		}
		if q.lost != (2*sent > 1000) {
			t.Fatalf("after %d chunks of 2 bytes: lost %v", sent, q.lost)
		}
	}
	p.settle()
	if q.acked == 0 || p.a.closed != nil {
		t.Errorf("acks of what was dropped: %d, %v", q.acked, p.a.closed)
	}
	p.a.link.Receive(wire.Header{Type: wire.TypeAck, Ack: q.total - q.acked + 1}.Append(wire.Binary, nil))
	wantClosed(t, "one more than was written, of what was dropped", p.a, base.CodeProtocol)
}

// TestRetainedChunksKeepNothingElse checks that the bytes which are counted are those that are kept: the first chunk of a
// large message must not be a view that keeps all of it.
func TestRetainedChunksKeepNothingElse(t *testing.T) {
	l := newUpPair(t, base.Limits{}).a.link
	large, small := append(l.Buffer(), chunks(2)...), append(l.Buffer(), "x"...)
	l.SendBulk(wire.TypeBound, 0, large, nil)
	l.SendState(wire.TypeState, 0, small, nil)
	l.Flush()
	for _, buf := range [][]byte{large, small} {
		for i := range buf {
			buf[i] = 0xff
		}
	}
	views := 0
	for i := range l.retained.chunks.Len() {
		if chunk := *l.retained.chunks.At(i); chunk[len(chunk)-1] == 0xff {
			views += len(chunk)
		}
	}
	if views != 2 {
		t.Errorf("chunks of %d bytes are views of their messages, want the small one alone", views)
	}
}
