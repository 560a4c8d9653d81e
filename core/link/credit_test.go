package link

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"chordsim/core/base"
	"chordsim/core/wire"
)

// owner notes what it is told.
type owner struct {
	name   string
	told   *[]string
	bytes  int // written and not credited
	whole  int // messages credited
	onCall func()
}

func (o *owner) Written(_ wire.Lane, bytes int) { o.bytes += bytes }

func (o *owner) Credited(lane wire.Lane, bytes int, last bool) {
	o.bytes -= bytes
	if last {
		o.whole++
	}
	if o.told != nil {
		*o.told = append(*o.told, fmt.Sprintf("%s %d:%d %v", o.name, lane, bytes, last))
	}
	if o.onCall != nil {
		o.onCall()
	}
}

func TestCreditGoesToOwnersInTheOrderWritten(t *testing.T) {
	p := newUpPair(t, base.Limits{})
	var told []string
	a, b, c := &owner{name: "a", told: &told}, &owner{name: "b", told: &told}, &owner{name: "c", told: &told}
	p.a.state(1, strings.Repeat("x", 5000), a)
	p.a.state(1, "xy", b)
	p.a.state(2, "xyz", c)
	p.a.bulk(wire.TypeBound, 1, strings.Repeat("x", 4100), c)
	p.a.bulk(wire.TypeBound, 1, "xyzw", a)
	p.settle()
	if a.bytes != 5004 || b.bytes != 2 || c.bytes != 4103 {
		t.Errorf("written: %d %d %d", a.bytes, b.bytes, c.bytes)
	}
	steps := []struct {
		origin, state, bulk uint64
		want                []string
	}{
		{1, 1, 0, []string{"a 2:4096 false"}},
		{2, 1, 0, []string{"c 2:3 true"}},
		{1, 2, 1, []string{"a 2:904 true", "b 2:2 true", "c 3:4096 false"}},
		{1, 0, 2, []string{"a 3:4 true", "c 3:4 true"}},
	}
	for _, s := range steps {
		told = nil
		p.credit(s.origin, s.state, s.bulk)
		if !slices.Equal(told, s.want) {
			t.Errorf("credit %v: told %v, want %v", s, told, s.want)
		}
	}
	if a.bytes+b.bytes+c.bytes != 0 || a.whole != 2 || b.whole != 1 || c.whole != 2 {
		t.Errorf("left over: %+v %+v %+v", a, b, c)
	}
}

func TestAnOrderedResultTakesNoCredit(t *testing.T) {
	p := newUpPair(t, base.Limits{})
	o := &owner{}
	p.a.state(0, "x", o)
	p.a.link.SendState(wire.TypeResultOrdered, 0, append(p.a.link.Buffer(), 'y'), nil)
	p.a.bulk(wire.TypeCallBulk, 0, "z", nil)
	p.settle()
	p.credit(0, 1, 0)
	if o.whole != 1 {
		t.Error("the state was not credited")
	}
	p.b.link.SendCredit(0, wire.Credit{State: 1})
	p.settle()
	wantClosed(t, "credit for what takes none", p.a, base.CodeProtocol)
}

func TestOverCreditIsRefused(t *testing.T) {
	for why, c := range map[string]struct {
		origin uint64
		credit wire.Credit
	}{
		"state":                    {0, wire.Credit{State: 2}},
		"bulk":                     {0, wire.Credit{State: 1, Bulk: 2}},
		"a number near the end":    {0, wire.Credit{State: 1<<64 - 1}},
		"an origin with nothing":   {3, wire.Credit{State: 1}},
		"an origin that is unseen": {9, wire.Credit{State: 1}},
		"a later origin's":         {1, wire.Credit{State: 2}},
	} {
		p := newUpPair(t, base.Limits{})
		p.a.state(0, "x", nil)
		p.a.bulk(wire.TypeBound, 0, "x", nil)
		p.a.state(1, "x", nil)
		p.a.bulk(wire.TypeBound, 3, "x", nil)
		p.settle()
		p.credit(c.origin, c.credit.State, c.credit.Bulk)
		wantClosed(t, why, p.a, base.CodeProtocol)
		wantClosed(t, why+", the peer", p.b, base.CodeProtocol)
	}
}

// TestInFlightStaysWithinItsLimit checks the limits at the granularity of chunks: an item goes as far as there is room.
func TestInFlightStaysWithinItsLimit(t *testing.T) {
	limits := base.Limits{WindowBytes: 10000, BulkBytes: 9000}
	for _, lane := range []wire.Lane{wire.LaneState, wire.LaneBulk} {
		p := newUpPair(t, limits)
		o := &owner{}
		limit := limits.WindowBytes
		if lane == wire.LaneBulk {
			limit = limits.BulkBytes
			p.a.bulk(wire.TypeBound, 0, chunks(4)+"x", o)
		} else {
			p.a.state(0, chunks(4)+"x", o)
		}
		p.settle()
		if o.bytes != 2*wire.MaxChunk {
			t.Errorf("lane %d: %d bytes in flight, want two chunks", lane, o.bytes)
		}
		for o.whole == 0 {
			if lane == wire.LaneBulk {
				p.credit(0, 0, 1)
			} else {
				p.credit(0, 1, 0)
			}
			if o.bytes > limit {
				t.Fatalf("lane %d: %d bytes in flight, at most %d", lane, o.bytes, limit)
			}
		}
		if p.a.link.own.lane(lane).inFlight != 0 || p.a.closed != nil {
			t.Errorf("lane %d: %d bytes left in flight, %v", lane, p.a.link.own.lane(lane).inFlight, p.a.closed)
		}
	}
}

// TestAWindowSmallerThanAChunk checks that chunks are cut to fit: a chunk over its window would wait for ever.
func TestAWindowSmallerThanAChunk(t *testing.T) {
	for _, limits := range []base.Limits{{WindowBytes: 1000}, {BulkBytes: 1000}, {ChunkBytes: 300, BulkBytes: 1000, WindowBytes: 700}, {ChunkBytes: 9000}} {
		p := newUpPair(t, limits)
		o := &owner{}
		p.a.state(0, chunks(2), o)
		p.a.bulk(wire.TypeBound, 0, chunks(2), o)
		for range 200 {
			p.settle()
			var c wire.Credit
			for _, g := range p.b.chunks {
				if lane, _ := g.h.Type.Credited(); lane == wire.LaneState {
					c.State++
				} else {
					c.Bulk++
				}
			}
			if p.b.chunks = nil; c != (wire.Credit{}) {
				p.credit(0, c.State, c.Bulk)
			}
		}
		if o.whole != 2 || p.a.closed != nil {
			t.Errorf("%+v: %d of 2 messages arrived (%v)", limits, o.whole, p.a.closed)
		}
	}
}

// TestWhatWaitsForCreditLetsOthersPass checks that a stalled origin holds up nobody else, and no control message.
func TestWhatWaitsForCreditLetsOthersPass(t *testing.T) {
	p := newUpPair(t, base.Limits{WindowBytes: wire.MaxChunk, BulkBytes: wire.MaxChunk})
	p.a.state(1, chunks(2), nil)
	p.a.bulk(wire.TypeBound, 1, chunks(2), nil)
	p.settle()
	p.a.out.log = nil
	p.a.state(2, "x", nil)
	p.a.control(wire.TypeResult, 1, "x")
	p.a.bulk(wire.TypeBound, 2, "x", nil)
	p.a.forward(wire.Header{Type: wire.TypeState}, 1, "x", nil)
	p.settle()
	wantWritten(t, "past a stalled origin", p.a, "2:state", "1:result", "1:state", "2:bound/0")
	p.credit(1, 1, 1)
	wantWritten(t, "once it goes on", p.a, "1:state-more/0", "1:bulk-more/0")
}

func TestForwardedChunksPassTheWindow(t *testing.T) {
	p := newUpPair(t, base.Limits{WindowBytes: wire.MaxChunk})
	o := &owner{}
	for range 5 {
		p.a.forward(wire.Header{Type: wire.TypeState}, 1, chunks(1), o)
	}
	p.settle()
	if o.bytes != 5*wire.MaxChunk {
		t.Errorf("%d bytes were forwarded: the window is the provider's", o.bytes)
	}
}

func TestAnOwnerMaySendOrCloseWhenItIsTold(t *testing.T) {
	p := newUpPair(t, base.Limits{})
	o := &owner{}
	o.onCall = func() { p.a.state(0, "more", nil) }
	p.a.state(0, "first", o)
	p.settle()
	p.credit(0, 1, 0)
	wantBodies(t, "sent from within credit", p.b, "first", "more")

	p = newUpPair(t, base.Limits{WindowBytes: wire.MaxChunk})
	o.onCall = func() { p.a.link.Close(base.CodeClosed, "") }
	p.a.state(0, chunks(2), o)
	p.a.state(0, "waits", o)
	p.settle()
	p.credit(0, 1, 0)
	wantClosed(t, "closed from within credit", p.a, base.CodeClosed)
	if !p.a.link.small.empty() {
		t.Error("a closed link has something to send")
	}
}

// TestWhatCreditLetsGoKeepsItsPlace stalls the transport: what waited for credit is older than what came meanwhile.
func TestWhatCreditLetsGoKeepsItsPlace(t *testing.T) {
	p := newUpPair(t, base.Limits{WindowBytes: wire.MaxChunk})
	p.a.state(1, chunks(1), nil)
	p.a.state(1, "old", nil)
	p.settle()
	p.b.chunks = nil
	p.a.give(1)
	p.a.control(wire.TypeResult, 0, "fills it")
	for origin := range uint64(9) {
		p.a.state(2+origin, fmt.Sprint(origin), nil)
	}
	p.a.turn()
	p.credit(1, 1, 0)
	p.a.give(-1)
	p.settle()
	wantBodies(t, "after credit", p.b, "fills it", "old", "0", "1", "2", "3", "4", "5", "6", "7", "8")
}
