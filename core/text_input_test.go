package core_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/part"
	"chordsim/core/relay"
	"chordsim/core/wire"
	"chordsim/sim"
	"chordsim/sim/netsim"
)

var rawTextIdentity = wire.Identity{Version: wire.Version, Codec: wire.Text, MaxMessage: base.MiB, Host: "raw", Incarnation: 1}

// dialText has a peer of the text codec dial the host.
func (h *rawHost) dialText() *rawPeer {
	p := &rawPeer{host: h}
	p.conn = h.Accept(p)
	hello := wire.Header{Type: wire.TypeHello}.Append(wire.Text, nil)
	p.receive(wire.Hello{Identity: rawTextIdentity, Generation: 1}.Append(wire.Text, hello))
	p.out = nil
	return p
}

// textRelay is a relay with a target and a tab that speak text.
func textRelay(t *testing.T) (target, tab *rawPeer) {
	h := newRawHost(t, "server", base.Limits{})
	target, tab = h.dialText(), h.dialText()
	h.Route("S", func(q *relay.Request) { q.To(target.conn.Link()) })
	return target, tab
}

// What is no UTF-8 would grow when it is written again.
func TestARelayRefusesNamesThatAreNoText(t *testing.T) {
	target, tab := textRelay(t)
	known := strings.TrimSuffix(strings.Repeat(`"`+strings.Repeat("\xff", 340)+`",1,1,`, 11), ",")
	tab.receive([]byte(`["h",0,"S/1/View",[` + known + `]]`))
	if !tab.closed || len(target.out) > 0 {
		t.Errorf("closed: %v, %d chunks went to the target", tab.closed, len(target.out))
	}
}

func TestARelayTellsOfManyHoldsThatAreDown(t *testing.T) {
	target, tab := textRelay(t)
	for i := range 256 {
		tab.receive(fmt.Appendf(nil, `["h",%d,"S/1/View",[]]`, uint64(math.MaxUint64)-uint64(i)))
	}
	target.conn.Closed(nil)
	down := 0
	for _, chunk := range tab.out {
		if strings.HasPrefix(string(chunk), `["down",9,`) {
			down += strings.Count(string(chunk), ",") - 1
		}
	}
	if down != 256 {
		t.Errorf("%d holds are down, want 256", down)
	}
}

func TestAnAddressThatNoChunkHolds(t *testing.T) {
	s := &rawScheduler{}
	h := &rawHost{core.NewHost(core.Config{Name: "tab", Scheduler: s, Codec: wire.Text}), t, s}
	p := &rawPeer{host: h}
	p.conn = h.Connect(p)
	var r *core.Reference
	h.do(func() { r = h.Get(strings.Repeat("\x01", 1000)) })
	if r.State() != core.StateFailed || base.CodeOf(r.Err()) != base.CodeLimit {
		t.Errorf("%v, %v, want failed with a limit", r.State(), r.Err())
	}
}

// deflatedOps is a batch that replaces a value by a text.
func deflatedOps(t *testing.T, size int) []byte {
	ops := []delta.Op{delta.Replace(delta.String(strings.Repeat("x", size)))}
	var d part.Deflater
	out, ok := d.Append(nil, wire.AppendOps(nil, ops, &wire.Dict{}, &wire.Told{}, &wire.Used{}))
	if !ok {
		t.Fatal("not deflated")
	}
	return out
}

// The limit on what is inflated is one for all parts of a message.
func TestInflatedBytesCountForTheWholeMessage(t *testing.T) {
	for sections, want := range map[int]core.State{1: core.StateLive, 2: core.StateDown} {
		h := newRawHost(t, "tab", base.Limits{InflatedBytes: 100 * base.KiB})
		p := h.answer()
		var r *core.Reference
		h.do(func() { r = h.Get("A") })
		one := wire.AppendValue(nil, delta.Int(1))
		var m wire.Bound
		for i := range sections {
			m.Members = append(m.Members, wire.BoundMember{Name: fmt.Sprint("m", i), Revision: wire.Revision{Epoch: 1, Number: 7}, Part: one})
		}
		p.say(wire.TypeBound, m.Append(wire.Binary, nil))
		state := wire.AppendEntry(wire.Binary, nil, 0)
		for i := range sections {
			s := wire.Section{Member: i, Base: 7, Span: 1, Ops: deflatedOps(t, 90*base.KiB), Deflated: true}
			state = s.Append(wire.Binary, state, i+1 < sections)
		}
		p.say(wire.TypeState, state)
		if r.State() != want {
			t.Errorf("%d sections of 90 KiB: the reference is %v (%v), want %v", sections, r.State(), r.Err(), want)
		}
	}
}

// A sender deflates no more in a message than a reader with its limits inflates.
func TestWhatIsDeflatedCanBeInflated(t *testing.T) {
	codecs(t, func(t *testing.T, codec wire.Codec) {
		l := newLabIn(t, sim.Config{Codec: codec, Deflate: true, Limits: base.Limits{InflatedBytes: 100 * base.KiB}}, netsim.Memory)
		a, b := textDoc(90<<10), textDoc(90<<10)
		l.worker.Core().Expose("Two", core.Object{State: core.Members{"a": a, "b": b}})
		r := l.hold(l.tab, "Two")
		l.settle()
		l.at(l.worker, func() {
			for _, d := range []*core.Document{a, b} {
				if _, err := d.Change(nil, func(d *delta.Draft) error { return d.At().Set(strings.Repeat("y", 80<<10)) }); err != nil {
					t.Error(err)
				}
			}
		})
		l.settle()
		if va, _ := r.Value("a"); r.State() != core.StateLive || !va.Equal(a.Value()) {
			t.Errorf("the reference is %v (%v)", r.State(), r.Err())
		}
		if n := l.tab.Core().Stats().Inflated; n != 2 {
			t.Errorf("%d parts inflated, want one of each message", n)
		}
	})
}

// Two hosts may relay to each other over one link: the same origin number stands for two hosts then.
func TestOriginsOfBothSidesOfALinkAreApart(t *testing.T) {
	h := newRawHost(t, "A", base.Limits{})
	b, tab := h.dial(), h.dial()
	h.Expose("View", core.Object{State: core.Members{"m": core.NewDocument(delta.Int(1))}})
	h.Route("S", func(q *relay.Request) { q.To(b.conn.Link()) })
	b.send(wire.Header{Type: wire.TypeHold, Origin: 1}, wire.Hold{ID: 0, Address: "View"}.Append(wire.Binary, nil))
	tab.hold(0, "S/1/View") // goes to b, under an origin 1 of this side
	tab.conn.Closed(nil)
	b.send(wire.Header{Type: wire.TypeOriginReleased, Origin: 1}, nil)
	b.send(wire.Header{Type: wire.TypeCredit, Origin: 1}, wire.Credit{Bulk: 1}.Append(wire.Binary, nil)) // for the snapshot of the View
	if b.closed {
		t.Error("credit for what was sent to the other side's origin 1 closed the link")
	}
}
