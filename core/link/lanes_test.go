package link

import (
	"fmt"
	"strings"
	"testing"

	"chordsim/core/base"
	"chordsim/core/wire"
)

func chunks(n int) string { return strings.Repeat("x", n*wire.MaxChunk) }

func TestControlAndStateLeaveInTheOrderOfSending(t *testing.T) {
	p := newUpPair(t, base.Limits{})
	p.a.control(wire.TypeResult, 0, "1")
	p.a.state(0, "2", nil)
	p.a.state(0, "3", nil)
	p.a.control(wire.TypeResult, 0, "4")
	p.a.link.SendState(wire.TypeResultOrdered, 0, append(p.a.link.Buffer(), '5'), nil)
	p.a.control(wire.TypeResult, 0, "6")
	p.settle()
	wantWritten(t, "one origin", p.a, "result", "state", "state", "result", "result-ordered", "result")
	wantBodies(t, "one origin", p.b, "1", "2", "3", "4", "5", "6")
}

// TestOrderHoldsAcrossOrigins sends much to one origin first: what is sent to others later must not pass it.
func TestOrderHoldsAcrossOrigins(t *testing.T) {
	p := newUpPair(t, base.Limits{})
	var want []string
	n := 0
	send := func(origin uint64, state bool) {
		n++
		body := fmt.Sprint(n)
		want = append(want, body)
		if state {
			p.a.state(origin, body, nil)
		} else {
			p.a.control(wire.TypeResult, origin, body)
		}
	}
	for range 3 {
		send(1, true)
	}
	send(1, false)
	for origin := range uint64(20) {
		send(origin, true)
		send(40-origin, true)
		send(1, origin%2 == 0)
	}
	p.settle()
	wantBodies(t, "many origins", p.b, want...)
}

func TestABulkChunkLeavesAfterEightSmallMessages(t *testing.T) {
	p := newUpPair(t, base.Limits{})
	for i := range 30 {
		if i%2 == 0 {
			p.a.control(wire.TypeResult, 0, "x")
		} else {
			p.a.state(0, "x", nil)
		}
	}
	p.a.bulk(wire.TypeBound, 0, chunks(5), nil)
	p.a.turn()
	small, first := 0, true
	for i, h := range p.a.out.log {
		if h.Type.Lane() == wire.LaneBulk {
			if !first && small > 8 || small < 8 && i < 30 {
				t.Errorf("a bulk chunk after %d small messages: %v", small, p.a.out.written())
			}
			small, first = 0, false
			continue
		}
		small++
	}
	if len(p.a.out.log) != 35 {
		t.Errorf("%d chunks were written", len(p.a.out.log))
	}
}

func TestABulkChunkWaitsForNobodyElse(t *testing.T) {
	p := newUpPair(t, base.Limits{SmallRun: 2})
	p.a.bulk(wire.TypeBound, 0, "x", nil)
	for range 3 {
		p.a.control(wire.TypeResult, 0, "x")
	}
	p.a.turn()
	wantWritten(t, "a run of two", p.a, "result", "result", "bound/0", "result")
}

func TestBulkMessagesTakeTurns(t *testing.T) {
	p := newUpPair(t, base.Limits{})
	p.a.bulk(wire.TypeBound, 0, chunks(3), nil)
	p.a.bulk(wire.TypeResultBulk, 0, chunks(1)+"y", nil)
	p.a.bulk(wire.TypeBound, 5, chunks(2), nil)
	p.a.turn()
	wantWritten(t, "three under way", p.a,
		"bound/0+", "5:bound/0+", "result-bulk/1+", "5:bulk-more/0", "bulk-more/0+", "bulk-more/1", "bulk-more/0")
}

func TestControlPassesBetweenChunksOfLargeState(t *testing.T) {
	p := newUpPair(t, base.Limits{})
	p.a.out.room = 1
	p.a.state(0, chunks(3), nil)
	p.a.state(0, "small", nil)
	p.a.control(wire.TypeResult, 0, "x")
	p.a.turn()
	p.a.give(1)
	p.a.control(wire.TypeResult, 0, "y")
	p.a.give(-1)
	wantWritten(t, "a large state message", p.a,
		"state/0+", "result", "state-more/0+", "result", "state-more/0", "state")
}

func TestChunkBoundaries(t *testing.T) {
	for _, c := range []struct {
		size int
		want []int
	}{
		{0, []int{0}}, {1, []int{1}}, {4095, []int{4095}}, {4096, []int{4096}}, {4097, []int{4096, 1}},
		{8192, []int{4096, 4096}}, {8193, []int{4096, 4096, 1}},
	} {
		for _, lane := range []string{"state", "bulk"} {
			p := newUpPair(t, base.Limits{})
			body := strings.Repeat("abcdefg", c.size/7+1)[:c.size]
			if lane == "state" {
				p.a.state(0, body, nil)
			} else {
				p.a.bulk(wire.TypeBound, 0, body, nil)
			}
			if fits := p.a.link.Fits(append(p.a.link.Buffer(), body...)); fits != (len(c.want) == 1) {
				t.Errorf("%d bytes fit in a chunk: %v", c.size, fits)
			}
			p.settle()
			if fmt.Sprint(p.a.out.sizes) != fmt.Sprint(c.want) {
				t.Errorf("%s of %d bytes leaves as %v", lane, c.size, p.a.out.sizes)
			}
			var a Assembly
			for i, g := range p.b.chunks {
				_, message, done, err := a.Add(g.h, []byte(g.body), 1<<20)
				if err != nil || done != (i == len(p.b.chunks)-1) || done && string(message) != body {
					t.Errorf("%s of %d bytes, chunk %d: done %v (%v)", lane, c.size, i, done, err)
				}
			}
		}
	}
}

func TestControlOverAChunkIsOurBug(t *testing.T) {
	for why, send := range map[string]func(*Link, []byte){
		"control":        func(l *Link, b []byte) { l.SendControl(wire.TypeResult, 0, b) },
		"ordered result": func(l *Link, b []byte) { l.SendState(wire.TypeResultOrdered, 0, b, nil) },
	} {
		l := newUpPair(t, base.Limits{}).a.link
		send(l, append(l.Buffer(), chunks(1)...))
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s over a chunk was taken", why)
				}
			}()
			send(l, append(l.Buffer(), chunks(1)+"x"...))
		}()
	}
}

func TestSlotsAreUsedAgain(t *testing.T) {
	p := newUpPair(t, base.Limits{})
	for range 3 {
		p.a.bulk(wire.TypeBound, 0, chunks(2), nil)
		p.a.state(0, chunks(2), nil)
		p.settle()
		p.credit(0, 2, 2)
	}
	var want []string
	for range 3 {
		want = append(want, "state/0+", "state-more/0", "bound/0+", "bulk-more/0")
	}
	wantWritten(t, "one at a time", p.a, want...)
}

// TestOurMessagesWaitForASlot takes all slots for forwarded messages. A host that relays has snapshots of its own too.
func TestOurMessagesWaitForASlot(t *testing.T) {
	for _, lane := range []wire.Lane{wire.LaneState, wire.LaneBulk} {
		p := newUpPair(t, base.Limits{})
		first, last := wire.TypeState, wire.TypeStateMore
		if lane == wire.LaneBulk {
			first, last = wire.TypeBound, wire.TypeBulkMore
		}
		send := func(e *end) {
			if lane == wire.LaneBulk {
				e.bulk(first, 3, chunks(2), nil)
			} else {
				e.state(3, chunks(2), nil)
			}
		}
		if lane == wire.LaneState {
			send(p.a) // waits to be flushed, and takes its slot then
		}
		for i := range wire.MaxSlots {
			slot, ok := p.a.link.TakeSlot(lane, 3)
			if !ok || int(slot) != i {
				t.Fatalf("slot %d: %d %v", i, slot, ok)
			}
		}
		p.settle() // nothing of ours may leave now
		for slot := range uint8(wire.MaxSlots) {
			p.a.forward(wire.Header{Type: first, More: true, Slot: slot}, 3, "x", nil)
		}
		if _, ok := p.a.link.TakeSlot(lane, 3); ok {
			t.Error("a slot more than there are")
		}
		send(p.a)
		if lane == wire.LaneBulk {
			send(p.a)
		}
		p.settle()
		if n := len(p.a.out.log); n != wire.MaxSlots {
			t.Errorf("%d chunks, want the forwarded ones alone", n)
		}
		p.a.out.log = nil
		p.a.forward(wire.Header{Type: last, Slot: 9}, 3, "y", nil)
		p.settle()
		more := fmt.Sprintf("3:%v/9", last)
		wantWritten(t, "once a slot is free", p.a, more, fmt.Sprintf("3:%v/9+", first), more, fmt.Sprintf("3:%v/9+", first), more)
	}
}

func TestForgetDropsWhatWaits(t *testing.T) {
	p := newUpPair(t, base.Limits{})
	p.a.state(1, "1", nil)
	p.a.state(2, "2", nil)
	p.a.bulk(wire.TypeBound, 1, "3", nil)
	p.a.bulk(wire.TypeBound, 2, "4", nil)
	p.a.link.Forget(1, false)
	p.a.link.Forget(9, false)
	p.a.state(1, "5", nil) // the number stands for somebody else now
	p.settle()
	wantBodies(t, "after an origin was forgotten", p.b, "2", "5", "4")
}

func TestBackpressure(t *testing.T) {
	p := newUpPair(t, base.Limits{})
	p.a.give(3)
	for range 20 {
		p.a.control(wire.TypeResult, 0, "x")
		p.a.state(1, chunks(2), nil)
		p.a.bulk(wire.TypeBound, 2, chunks(2), nil)
		p.a.turn()
	}
	if n := len(p.a.out.log); n != 3 || p.a.out.beyond != 0 {
		t.Errorf("%d chunks to a transport that took 3, %d beyond", n, p.a.out.beyond)
	}
	p.a.give(2)
	if n := len(p.a.out.log); n != 5 || p.a.out.beyond != 0 {
		t.Errorf("%d chunks to a transport that took 2 more, %d beyond", n, p.a.out.beyond)
	}
}

func TestASmallStateMessageCostsItsBuffer(t *testing.T) {
	p := newUpPair(t, base.Limits{})
	o := &owner{}
	body := []byte("\x00\x00\x2a\x0c\x0b\x04 tok")
	send := func() {
		l := p.a.link
		l.SendState(wire.TypeState, 0, append(l.Buffer(), body...), o)
		p.a.turn()
		chunk := p.a.out.queue[0]
		p.a.out.queue, p.a.out.log, p.a.out.sizes = p.a.out.queue[:0], p.a.out.log[:0], p.a.out.sizes[:0]
		if cap(chunk) > 64 {
			t.Fatalf("a chunk of %d bytes keeps %d", len(chunk), cap(chunk))
		}
		if err := l.own.credit(&l.own.lanes[0], 1); err != nil {
			t.Fatal(err)
		}
		if err := l.retained.acknowledge(1); err != nil {
			t.Fatal(err)
		}
	}
	send()
	allocs := testing.AllocsPerRun(200, send)
	t.Logf("%v allocations", allocs)
	if allocs > 2 { // the buffer, and the test's queue
		t.Errorf("%v allocations for a small state message", allocs)
	}
}
