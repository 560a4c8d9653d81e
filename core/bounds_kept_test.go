package core_test

import (
	"slices"
	"strings"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/wire"
	"chordsim/sim"
	"chordsim/sim/netsim"
)

// keptRoom is what a host may keep of a buffer from one message to the next, in bytes.
const keptRoom = 40 << 10

// A document keeps the encoding of a small change for its next one, and that of a large one no longer than the turn.
func TestALargeEncodingIsGoneWithTheTurn(t *testing.T) {
	codecs(t, func(t *testing.T, codec wire.Codec) {
		for _, deflate := range []bool{false, true} {
			l := newLabIn(t, sim.Config{Codec: codec, Deflate: deflate}, netsim.Memory)
			doc, _ := l.grown("Doc")
			set := func(s string) {
				l.at(l.worker, func() {
					if _, err := doc.Change(nil, func(d *delta.Draft) error { return d.At().Set(s) }); err != nil {
						t.Error(err)
					}
				})
				l.settle()
			}
			set(text(1000))
			if room := core.EncodingRoom(doc); room < 1000 {
				t.Errorf("deflate %v: %d bytes are kept of a small encoding, for the next one", deflate, room)
			}
			set(prose(4 << 20))
			if room := core.EncodingRoom(doc); room > keptRoom {
				t.Errorf("deflate %v: %d bytes are kept of an encoding of 4 MiB", deflate, room)
			}
			set(text(1001))
			if room := core.EncodingRoom(doc); room < 1000 || room > keptRoom {
				t.Errorf("deflate %v: %d bytes are kept behind it", deflate, room)
			}
		}
	})
}

// Holds that need the same large change share its encoding, as long as the turn lasts.
func TestALargeEncodingIsShared(t *testing.T) {
	l := newLabIn(t, sim.Config{}, netsim.Memory)
	doc, _ := l.grown("Doc")
	for range 9 {
		l.hold(l.tab, "Doc")
	}
	l.settle()
	before := doc.Encodings()
	l.at(l.worker, func() { setText(t, doc, base.MiB) })
	l.settle()
	wantInt(t, "encodings for ten holds", doc.Encodings()-before, 1)
}

// Arguments and results are encoded in a buffer of the host's, which does not stay large.
func TestALargeValueLeavesNoLargeBuffer(t *testing.T) {
	l := newLab(t, base.Limits{}, netsim.Memory)
	r := l.hold(l.tab, "View")
	var o outcome
	l.at(l.tab, func() { r.Call("echo", text(4<<20), o.done) })
	l.settle()
	o.wantOnce(t, "an argument and a result of 4 MiB", base.CodeNone)
	for _, h := range []*core.Host{l.tab.Core(), l.worker.Core()} {
		if room := core.ScratchRoom(h); room > keptRoom {
			t.Errorf("%s keeps %d bytes", h.Name(), room)
		}
	}
}

// A program may keep a reference for long after its link is gone. What the link brought is not kept with it: not even the
// half of a message.
func TestAClosedLinkLeavesNothingAtItsReferences(t *testing.T) {
	h := newRawHost(t, "tab", base.Limits{})
	p := h.answer()
	var live, resolving *core.Reference
	var sent, parked outcome
	h.do(func() {
		live, resolving = h.Get("A"), h.Get("B")
		resolving.Call("x", text(1000), parked.done)
	})
	one := wire.BoundMember{Name: "m", Revision: wire.Revision{Epoch: 1, Number: 7}, Part: wire.AppendValue(nil, delta.Int(1))}
	p.say(wire.TypeBound, wire.Bound{Members: []wire.BoundMember{one}}.Append(wire.Binary, nil))
	p.say(wire.TypeState, entry(nil, 0, replaces(0, 7, 2)))
	h.do(func() { live.Call("x", text(1000), sent.done) })
	head := wire.Header{Type: wire.TypeState, More: true, Slot: 3}
	for range 4 << 20 / wire.MaxChunk {
		p.send(head, make([]byte, wire.MaxChunk))
		head.Type = wire.TypeStateMore
	}
	if !slices.Contains(core.LeftAtClient(live), "messages of several chunks") {
		t.Fatal("the half of a message is not kept while the link is up")
	}
	p.conn.Closed(nil)
	for _, r := range []*core.Reference{live, resolving} {
		wantState(t, r, core.StateDown)
		if left := core.LeftAtClient(r); len(left) > 0 {
			t.Errorf("%s is kept", strings.Join(left, ", "))
		}
	}
	if v, _ := live.Value("m"); !v.Equal(delta.Int(2)) {
		t.Errorf("the value is %v, want what was seen last", v)
	}
	sent.wantOnce(t, "sent", base.CodeUnknown)
	parked.wantOnce(t, "parked", base.CodeDown)
}
