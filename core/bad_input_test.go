package core_test

import (
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/wire"
)

// badChunk is something that no honest peer sends.
type badChunk struct {
	why  string
	head wire.Header
	body []byte
}

func header(typ wire.Type) wire.Header { return wire.Header{Type: typ} }

// badRequests are sent to a provider at which hold 0 is live, call 0 runs and nothing else is there.
func badRequests() []badChunk {
	value := wire.AppendValue(nil, delta.Int(1))
	call := func(m wire.Call) []byte { return m.Append(wire.Binary, nil) }
	return []badChunk{
		{"a hold id twice", header(wire.TypeHold), wire.Hold{ID: 0, Address: "View"}.Append(wire.Binary, nil)},
		{"a hold cut short", header(wire.TypeHold), []byte{1}},
		{"a long address", header(wire.TypeHold), wire.Hold{ID: 1, Address: text(1025)}.Append(wire.Binary, nil)},
		{"a release with more", header(wire.TypeRelease), []byte{0, 0}},
		{"a call id twice", header(wire.TypeCall), call(wire.Call{Hold: 0, ID: 0, Method: 0, Args: value})},
		{"a method beyond the last", header(wire.TypeCall), call(wire.Call{Hold: 0, ID: 1, Method: 99, Args: value})},
		{"an argument that is no value", header(wire.TypeCall), call(wire.Call{Hold: 0, ID: 1, Method: 0, Args: []byte{255, 255}})},
		{"an empty call", header(wire.TypeCall), nil},
		{"a later chunk of nothing", header(wire.TypeCallMore), []byte{1}},
		{"a cancel with more", header(wire.TypeCancel), []byte{0, 0}},
		{"credit for what was not sent", header(wire.TypeCredit), wire.Credit{State: 1}.Append(wire.Binary, nil)},
		{"bulk credit for what was not sent", header(wire.TypeCredit), wire.Credit{State: 0, Bulk: 9}.Append(wire.Binary, nil)},
		{"no credit at all", header(wire.TypeCredit), []byte{0}},
		{"the peer itself closed as an origin", header(wire.TypeOriginClosed), nil},
		{"a call of an origin that holds nothing", wire.Header{Type: wire.TypeCall, Origin: 5}, call(wire.Call{Args: value})},
		{"a hello again", header(wire.TypeHello), wire.Hello{Identity: rawIdentity}.Append(wire.Binary, nil)},
		{"an answer to nothing", header(wire.TypeReleased), []byte{0}},
		{"state of nothing", header(wire.TypeState), []byte{0, 0, 0, 0}},
		{"a result of nothing", header(wire.TypeResult), []byte{0, 0}},
		{"a reply for an origin that was not opened", wire.Header{Type: wire.TypeBound, Origin: 3}, []byte{0}},
		{"an ack of what was not sent", wire.Header{Type: wire.TypeAck, Ack: 1000}, nil},
		{"an abort of nothing", header(wire.TypeBulkAbort), nil},
	}
}

// TestBadRequests sends each to a provider, which closes the link with a code and is otherwise as before (C14).
func TestBadRequests(t *testing.T) {
	for _, c := range badRequests() {
		t.Run(c.why, func(t *testing.T) {
			h, doc := rawView(t)
			k := &desk{}
			h.Expose("Desk", k.object())
			good, bad := h.dial(), h.dial()
			for _, p := range []*rawPeer{good, bad} {
				p.hold(0, "View")
				p.hold(1, "Desk")
				p.creditAll()
				p.call(1, 0, "later", "x")
			}
			before := doc.Revision()
			bad.send(c.head, c.body)
			if c.head.Origin == 0 || !c.head.Type.Request() {
				if bad.bye() == base.CodeNone || !bad.closed {
					t.Errorf("the link is open: %v", bad.types())
				}
				wantInt(t, "consumers", len(h.Consumers()), 1)
			}
			if doc.Revision() != before || len(k.starts) != 2 {
				t.Error("something was done")
			}
			h.do(k.settleAll)
			h.do(func() { change(t, doc, "x") })
			if len(good.states(t)) != 1 || good.closed {
				t.Error("the other link suffered")
			}
		})
	}
}

// TestWhatMayHaveCrossedIsRefusedOrIgnored: an honest peer may send these.
func TestWhatMayHaveCrossedIsRefusedOrIgnored(t *testing.T) {
	h, _ := rawViewWith(t, base.Limits{Holds: 2})
	p := h.dial()
	p.say(wire.TypeRelease, wire.AppendHoldID(wire.Binary, nil, 9)) // crossed a refusal
	p.say(wire.TypeCancel, wire.Cancel{ID: 9}.Append(wire.Binary, nil))
	p.hold(0, "View")
	p.hold(1, "View")
	p.creditAll()
	p.say(wire.TypeRelease, wire.AppendHoldID(wire.Binary, nil, 9))
	p.say(wire.TypeCancel, wire.Cancel{ID: 9}.Append(wire.Binary, nil))
	if len(p.out) != 0 {
		t.Errorf("%v were answered", p.types())
	}
	p.hold(2, "View")
	m, err := wire.ParseRefused(wire.Binary, p.body(wire.TypeRefused))
	if err != nil || m.ID != 2 || m.Code != base.CodeLimit {
		t.Errorf("a third hold of two: %+v, %v", m, err)
	}
	p.out = nil
	p.call(2, 3, "echo", 1)
	r, err := wire.ParseResult(wire.Binary, p.body(wire.TypeResult))
	if err != nil || r.ID != 3 || r.Err == nil || r.Err.Code != base.CodeDown {
		t.Errorf("a call on a hold that is not there: %+v, %v", r, err)
	}
	if p.closed {
		t.Error("the link closed")
	}
}

// TestABadOriginIsExpelled: a link that a relay shares among many stays; the origin that broke a rule is told, and what
// it sends later is thrown away until the relay closes it.
func TestABadOriginIsExpelled(t *testing.T) {
	for _, c := range badRequests() {
		if !c.head.Type.Request() || c.head.Type == wire.TypeCredit || c.head.Type == wire.TypeOriginClosed || c.head.Origin != 0 {
			continue
		}
		t.Run(c.why, func(t *testing.T) {
			h, doc := rawView(t)
			k := &desk{}
			h.Expose("Desk", k.object())
			p := h.dial()
			for origin := uint64(1); origin <= 2; origin++ {
				p.send(wire.Header{Type: wire.TypeHold, Origin: origin}, wire.Hold{ID: 0, Address: "View"}.Append(wire.Binary, nil))
				p.send(wire.Header{Type: wire.TypeHold, Origin: origin}, wire.Hold{ID: 1, Address: "Desk"}.Append(wire.Binary, nil))
				p.send(wire.Header{Type: wire.TypeCredit, Origin: origin}, wire.Credit{Bulk: 2}.Append(wire.Binary, nil))
				p.send(wire.Header{Type: wire.TypeCall, Origin: origin}, wire.Call{Hold: 1, Method: -1, Name: "later"}.Append(wire.Binary, nil))
			}
			h.do(func() { change(t, doc, "under way") })
			p.out = nil
			c.head.Origin = 1
			p.send(c.head, c.body)
			if p.closed {
				t.Fatal("the link that all share is closed")
			}
			if m, err := wire.ParseResult(wire.Binary, p.body(wire.TypeResult)); err != nil || m.ID != 0 || m.Err == nil {
				t.Errorf("the running call: %+v, %v", m, err)
			}
			down, err := wire.ParseDown(wire.Binary, p.body(wire.TypeDown))
			if err != nil || len(down.Holds) != 2 || down.Code == base.CodeNone {
				t.Errorf("down: %+v, %v", down, err)
			}
			p.out = nil
			p.send(c.head, c.body)
			p.send(wire.Header{Type: wire.TypeHold, Origin: 1}, wire.Hold{ID: 5, Address: "View"}.Append(wire.Binary, nil))
			p.send(wire.Header{Type: wire.TypeCredit, Origin: 1}, wire.Credit{State: 1}.Append(wire.Binary, nil)) // for what was under way
			h.do(k.settleAll)
			h.do(func() { change(t, doc, "x") })
			wantOrigins(t, p, 2)
			p.send(wire.Header{Type: wire.TypeOriginClosed, Origin: 1}, nil)
			p.out = nil
			p.send(wire.Header{Type: wire.TypeHold, Origin: 1}, wire.Hold{ID: 5, Address: "View"}.Append(wire.Binary, nil))
			p.body(wire.TypeBound) // another consumer, under a number that is free again
		})
	}
}

// wantOrigins wants all that was written to be for one origin.
func wantOrigins(t *testing.T, p *rawPeer, origin uint64) {
	t.Helper()
	if len(p.out) == 0 {
		t.Error("nothing was written")
	}
	for _, chunk := range p.out {
		if h, _, _ := wire.ParseHeader(wire.Binary, chunk); h.Origin != origin {
			t.Errorf("%v was written for origin %d, want %d alone", h.Type, h.Origin, origin)
		}
	}
}

// badAnswers are sent to a consumer whose hold 0 is live at revision 7, whose hold 1 resolves, and whose call 0 is sent.
func badAnswers(t testing.TB) []badChunk {
	var dict wire.Dict
	var told wire.Told
	var used wire.Used
	snapshot := wire.AppendSnapshot(nil, delta.Int(1), &dict, &told, &used)
	bound := func(id uint64, form wire.MemberForm, part []byte) []byte {
		return wire.Bound{ID: id, Members: []wire.BoundMember{{Name: "m", Form: form, Part: part}}}.Append(wire.Binary, nil)
	}
	state := func(hold uint64, s wire.Section) []byte {
		return s.Append(wire.Binary, wire.AppendEntry(wire.Binary, nil, hold), false)
	}
	replace := wire.AppendOps(nil, []delta.Op{delta.Replace(delta.Int(2))}, &wire.Dict{}, &wire.Told{}, &wire.Used{})
	misfit := wire.AppendOps(nil, []delta.Op{{Code: delta.OpAppend, Path: delta.PathOf("no", "where"), Text: delta.NewText("x")}},
		&wire.Dict{}, &wire.Told{}, &wire.Used{})
	two := append(state(0, wire.Section{Base: 7, Span: 1, Ops: replace}), state(0, wire.Section{Base: 9, Span: 1, Ops: replace})...)
	return []badChunk{
		{"bound twice", header(wire.TypeBound), bound(0, wire.MemberValue, snapshot)},
		{"bound for nobody", header(wire.TypeBound), bound(9, wire.MemberValue, snapshot)},
		{"bound with a change of nothing", header(wire.TypeBound), bound(1, wire.MemberOps, snapshot)},
		{"bound with no value", header(wire.TypeBound), bound(1, wire.MemberValue, []byte{255})},
		{"bound cut short", header(wire.TypeBound), []byte{1}},
		{"state of an unknown hold", header(wire.TypeState), state(9, wire.Section{Base: 7, Span: 1, Ops: replace})},
		{"state of a hold that resolves", header(wire.TypeState), state(1, wire.Section{Base: 7, Span: 1, Ops: replace})},
		{"state from a wrong base", header(wire.TypeState), state(0, wire.Section{Base: 6, Span: 1, Ops: replace})},
		{"state of an unknown member", header(wire.TypeState), state(0, wire.Section{Member: 1, Base: 7, Span: 1, Ops: replace})},
		{"state that does not apply", header(wire.TypeState), state(0, wire.Section{Base: 7, Span: 1, Ops: misfit})},
		{"state that leads nowhere", header(wire.TypeState), state(0, wire.Section{Base: 7, Span: 0, Ops: replace})},
		{"state with ops that are none", header(wire.TypeState), state(0, wire.Section{Base: 7, Span: 1, Ops: []byte{255, 255}})},
		{"state of which only the first half is good", header(wire.TypeState), two},
		{"a new epoch", header(wire.TypeState), state(0, wire.Section{Base: 7, Span: 1, NewEpoch: true, Ops: replace})},
		{"a retirement", header(wire.TypeState), state(0, wire.Section{Base: 7, Span: 1, Retired: true})},
		{"empty state", header(wire.TypeState), nil},
		{"a later chunk of no state", header(wire.TypeStateMore), state(0, wire.Section{Base: 7, Span: 1, Ops: replace})},
		{"a result of an unknown call", header(wire.TypeResult), wire.Result{ID: 9}.Append(wire.Binary, nil)},
		{"a result that is no value", header(wire.TypeResult), wire.Result{ID: 0, Value: []byte{255, 255}}.Append(wire.Binary, nil)},
		{"released without a release", header(wire.TypeReleased), wire.AppendHoldID(wire.Binary, nil, 0)},
		{"released for nobody", header(wire.TypeReleased), wire.AppendHoldID(wire.Binary, nil, 9)},
		{"refused after the bind", header(wire.TypeRefused), wire.Refused{ID: 0}.Append(wire.Binary, nil)},
		{"refused for nobody", header(wire.TypeRefused), wire.Refused{ID: 9}.Append(wire.Binary, nil)},
		{"down for nobody", header(wire.TypeDown), wire.Down{Holds: []uint64{9}}.Append(wire.Binary, nil)},
		{"an origin released that was not closed", header(wire.TypeOriginReleased), nil},
		{"a call", header(wire.TypeCall), wire.Call{Hold: 0, ID: 0}.Append(wire.Binary, nil)},
	}
}

func TestBadAnswers(t *testing.T) {
	for _, c := range badAnswers(t) {
		t.Run(c.why, func(t *testing.T) {
			h, p := newRawHost(t, "tab", base.Limits{}), (*rawPeer)(nil)
			p = h.answer()
			var live, resolving *core.Reference
			var sent, parked outcome
			frames := 0
			h.do(func() {
				live, resolving = h.Get("A"), h.Get("B")
				live.Watch("m", func(core.Frame) { frames++ })
				resolving.Call("x", nil, parked.done)
			})
			part := wire.AppendSnapshot(nil, delta.Int(1), &wire.Dict{}, &wire.Told{}, &wire.Used{})
			at := wire.Revision{Epoch: 1, Number: 7}
			p.say(wire.TypeBound, wire.Bound{Members: []wire.BoundMember{{Name: "m", Revision: at, Part: part}}}.Append(wire.Binary, nil))
			h.do(func() { live.Call("x", nil, sent.done) })
			p.send(c.head, c.body)
			if p.bye() == base.CodeNone || !p.closed {
				t.Errorf("the link is open: %v", p.types())
			}
			wantState(t, live, core.StateDown)
			wantState(t, resolving, core.StateDown)
			sent.wantOnce(t, "the call that was sent", base.CodeUnknown)
			if parked.settled != 1 || parked.err == nil {
				t.Errorf("the parked call settled %d times, with %v", parked.settled, parked.err)
			}
			if v, _ := live.Value("m"); !v.Equal(delta.Int(1)) || frames != 1 {
				t.Errorf("the value is %v after %d frames, want the one of the snapshot", v, frames)
			}
			if rev, _ := live.Revision("m"); rev != at {
				t.Errorf("the revision is %v", rev)
			}
		})
	}
}
