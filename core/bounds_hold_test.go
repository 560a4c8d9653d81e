package core_test

import (
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/wire"
)

// manyRounds is how often a hold is made and comes to nothing: what each round left would show.
const manyRounds = 10_000

func (p *rawPeer) release(id uint64) {
	p.say(wire.TypeRelease, wire.AppendHoldID(wire.Binary, nil, id))
}

// halfSnapshot is a window in which a snapshot of 60 characters goes in two chunks, one after the other is credited. Until the
// first one is, the snapshot has a slot.
const halfSnapshot = 48

// creditSnapshot credits the two chunks of a snapshot, and forgets what was written.
func (p *rawPeer) creditSnapshot() {
	p.out = nil
	for range 2 {
		p.say(wire.TypeCredit, wire.Credit{Bulk: 1}.Append(wire.Binary, nil))
	}
}

func wantBooks(t *testing.T, why string, h *rawHost, order, toBind int) {
	t.Helper()
	if gotOrder, gotToBind := core.HoldBooks(h.Host); gotOrder != order || gotToBind != toBind {
		t.Errorf("%s: %d holds in order and %d to be bound, want %d and %d", why, gotOrder, gotToBind, order, toBind)
	}
}

func setText(t *testing.T, doc *core.Document, n int) {
	t.Helper()
	if _, err := doc.Change(nil, func(d *delta.Draft) error { return d.At().Set(text(n)) }); err != nil {
		t.Error(err)
	}
}

// A hold that is over, in whichever way, is in none of its provider's lists any more (C12).
func TestHoldsThatAreOverLeaveNothing(t *testing.T) {
	cases := map[string]struct {
		order int // holds that are there before the first round
		round func(t *testing.T, h *rawHost, p *rawPeer, doc *core.Document)
	}{
		"released once live": {0, func(_ *testing.T, _ *rawHost, p *rawPeer, _ *core.Document) {
			p.hold(1, "Doc")
			p.creditAll()
			p.release(1)
			p.body(wire.TypeReleased)
		}},
		"released before they were bound": {1, func(_ *testing.T, _ *rawHost, p *rawPeer, _ *core.Document) {
			p.hold(1, "Doc")
			p.release(1)
			p.body(wire.TypeReleased)
		}},
		"refused, as the snapshot is over the limit": {0, func(_ *testing.T, _ *rawHost, p *rawPeer, _ *core.Document) {
			p.hold(1, "Over")
			p.body(wire.TypeRefused)
		}},
		"down, as a change is over the limit": {0, func(t *testing.T, h *rawHost, p *rawPeer, doc *core.Document) {
			p.hold(1, "Doc")
			p.creditAll()
			h.do(func() { setText(t, doc, 3000) })
			p.body(wire.TypeDown)
			h.do(func() { setText(t, doc, 1) })
		}},
	}
	for why, c := range cases {
		t.Run(why, func(t *testing.T) {
			h := newRawHost(t, "worker", base.Limits{BulkSlots: 1, BulkBytes: halfSnapshot, MessageBytes: 2000})
			doc := textDoc(60)
			h.Expose("Doc", core.Object{State: core.Members{"m": doc}})
			h.Expose("Over", core.Object{State: core.Members{"m": textDoc(3000)}})
			p := h.dial()
			if c.order > 0 {
				p.hold(0, "Doc") // has the only slot, and is not written to its end
			}
			for range manyRounds {
				p.out = nil
				c.round(t, h, p, doc)
			}
			wantBooks(t, "in the end", h, c.order, 0)
			wantInt(t, "subscriptions to the document", core.SubscriptionCount(doc), c.order)
		})
	}
}

// Holds that wait are released in any order: those that are left are bound in the order in which they were asked for.
func TestHoldsThatWaitKeepTheirOrderAsOthersAreReleased(t *testing.T) {
	h := newRawHost(t, "worker", base.Limits{BulkSlots: 1, BulkBytes: halfSnapshot})
	h.Expose("Doc", core.Object{State: core.Members{"m": textDoc(60)}})
	p := h.dial()
	for id := range uint64(7) {
		p.hold(id, "Doc")
	}
	wantBooks(t, "one is bound", h, 7, 6)
	for _, id := range []uint64{6, 1, 3} {
		p.release(id)
	}
	wantBooks(t, "half of them are released", h, 4, 3)
	for _, want := range []uint64{0, 2, 4, 5} {
		if id, err := wire.HoldID(wire.Binary, p.body(wire.TypeBound)); id != want || err != nil {
			t.Errorf("hold %d is bound (%v), want %d", id, err, want)
		}
		p.creditSnapshot()
	}
	wantBooks(t, "all are bound", h, 4, 0)
}

// The next large snapshot follows the one before as soon as that was written to its last byte, within what may be in flight:
// its credit comes a round trip later. Until then it is not encoded.
func TestTheNextSnapshotDoesNotWaitForCredit(t *testing.T) {
	h := newRawHost(t, "worker", base.Limits{})
	h.Expose("Doc", core.Object{State: core.Members{"m": textDoc(100_000)}}) // 25 chunks, of which 16 may be in flight
	p := h.dial()
	for id := range uint64(3) {
		p.hold(id, "Doc")
	}
	wantBooks(t, "one is encoded", h, 3, 2)
	for _, step := range []struct {
		why           string
		credit        uint64
		bound, toBind int
	}{{"a chunk of the first is left", 8, 0, 2}, {"it is written", 1, 0, 1}, {"and credited in part", 1, 1, 1}} {
		p.out = nil
		p.say(wire.TypeCredit, wire.Credit{Bulk: step.credit}.Append(wire.Binary, nil))
		bound := 0
		for _, typ := range p.types() {
			if typ == "bound" {
				bound++
			}
		}
		wantInt(t, "snapshots that begin when "+step.why, bound, step.bound)
		wantBooks(t, step.why, h, 3, step.toBind)
	}
}

// Refusals amid the holds that wait disturb none of the others.
func TestRefusalsWhileHoldsAreBoundInTurn(t *testing.T) {
	h := newRawHost(t, "worker", base.Limits{BulkSlots: 1, BulkBytes: halfSnapshot, MessageBytes: 2000})
	h.Expose("Doc", core.Object{State: core.Members{"m": textDoc(60)}})
	h.Expose("Over", core.Object{State: core.Members{"m": textDoc(3000)}})
	p := h.dial()
	p.hold(0, "Doc")
	for id, address := range []string{"Over", "Over", "Doc", "Over", "Doc", "Over"} {
		p.hold(uint64(1+id), address)
	}
	wantBooks(t, "while the first is under way", h, 7, 6)
	for _, next := range []struct {
		id   uint64
		left int // that wait behind it
	}{{3, 3}, {5, 1}} {
		p.creditSnapshot()
		if id, err := wire.HoldID(wire.Binary, p.body(wire.TypeBound)); id != next.id || err != nil {
			t.Errorf("hold %d is bound (%v), want %d", id, err, next.id)
		}
		_, toBind := core.HoldBooks(h.Host)
		wantInt(t, "holds that wait", toBind, next.left)
	}
	p.creditSnapshot()
	wantBooks(t, "in the end", h, 3, 0)
	if p.closed {
		t.Error("the link closed")
	}
}
