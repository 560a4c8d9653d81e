package link

import (
	"slices"
	"testing"

	"chordsim/core/base"
	"chordsim/core/wire"
)

// dues lists the chunks, counted from 1, with which an end asked for credit or ended a message.
func (e *end) dues() (list []int) {
	for i, h := range e.out.log {
		if h.Due || !h.More {
			list = append(list, i+1)
		}
	}
	return list
}

// TestCreditIsDueForAQuarterOfAWindow sends messages whose chunks are all credited at once when credit is due, and not before.
func TestCreditIsDueForHalfAWindow(t *testing.T) {
	for _, c := range []struct {
		why    string
		window int // in chunks
		chunks int
		want   []int
	}{
		{"fits in a quarter of the window", 16, 4, []int{4}},
		{"its end is the next chunk", 16, 5, []int{5}},
		{"goes on behind a quarter of the window", 16, 6, []int{4, 6}},
		{"several windows", 16, 33, []int{4, 8, 12, 16, 20, 24, 28, 32, 33}},
		{"no room for another chunk", 1, 3, []int{1, 2, 3}},
		{"room for one more", 2, 4, []int{1, 2, 4}},
	} {
		p := newUpPair(t, base.Limits{BulkBytes: c.window * wire.MaxChunk})
		p.a.bulk(wire.TypeBound, 0, chunks(c.chunks), nil)
		p.a.turn()
		p.settle()
		for given := 0; ; {
			list := p.a.dues()
			if len(list) == 0 || list[len(list)-1] == given {
				break
			}
			p.credit(0, 0, uint64(list[len(list)-1]-given))
			given = list[len(list)-1]
		}
		if got := p.a.dues(); !slices.Equal(got, c.want) || len(p.a.out.log) != c.chunks {
			t.Errorf("%s: credit is due with chunks %v of %d, want %v of %d", c.why, got, len(p.a.out.log), c.want, c.chunks)
		}
		if left := p.a.link.own.lane(wire.LaneBulk).inFlight; left != 0 {
			t.Errorf("%s: %d bytes are in flight when all credit was given", c.why, left)
		}
	}
}

func TestForwardedChunksSayThatCreditIsDue(t *testing.T) {
	p := newUpPair(t, base.Limits{})
	p.a.forward(wire.Header{Type: wire.TypeBound, More: true, Slot: 3}, 1, "x", nil)
	p.a.forward(wire.Header{Type: wire.TypeBulkMore, More: true, Due: true, Slot: 3}, 1, "x", nil)
	p.settle()
	if log := p.a.out.log; log[0].Due || !log[1].Due {
		t.Errorf("forwarded as %+v", log)
	}
}

// Requests are not credited, and calls wait for nothing.
func TestNoCreditIsDueForCalls(t *testing.T) {
	p := newUpPair(t, base.Limits{BulkBytes: wire.MaxChunk})
	p.a.bulk(wire.TypeCallBulk, 0, chunks(3), nil)
	p.settle()
	wantWritten(t, "a call of three chunks", p.a, "call-bulk/0+", "call-more/0+", "call-more/0")
}
