package core_test

import (
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/relay"
	"chordsim/core/wire"

	"pgregory.net/rapid"
)

// anyBody draws a body: what the type's message may look like, with ids from a few, or any bytes, or a message with a
// byte changed, cut off or put behind.
func anyBody(t *rapid.T, typ wire.Type) []byte {
	id := func(name string) uint64 { return rapid.Uint64Range(0, 3).Draw(t, name) }
	value := wire.AppendValue(nil, delta.String(text(rapid.IntRange(0, 30).Draw(t, "text"))))
	var body []byte
	switch typ {
	case wire.TypeHello:
		body = wire.Hello{Identity: rawIdentity}.Append(wire.Binary, nil)
	case wire.TypeWelcome:
		body = wire.Welcome{Identity: rawIdentity, Session: 1}.Append(wire.Binary, nil)
	case wire.TypeBye:
		body = wire.Bye{}.Append(wire.Binary, nil)
	case wire.TypeHold:
		address := rapid.SampledFrom([]string{"View", "S/1/View", "S/never/View", "", "x"}).Draw(t, "address")
		body = wire.Hold{ID: id("hold"), Address: address}.Append(wire.Binary, nil)
	case wire.TypeRelease, wire.TypeReleased:
		body = wire.AppendHoldID(wire.Binary, nil, id("hold"))
	case wire.TypeCall, wire.TypeCallBulk:
		method := rapid.SampledFrom([]string{"echo", "stream", "later", "x"}).Draw(t, "method")
		body = wire.Call{Hold: id("hold"), ID: id("call"), Method: rapid.IntRange(-1, 4).Draw(t, "index"), Name: method, Args: value}.Append(wire.Binary, nil)
	case wire.TypeCancel:
		body = wire.Cancel{ID: id("call")}.Append(wire.Binary, nil)
	case wire.TypeCredit:
		body = wire.Credit{State: id("state"), Bulk: id("bulk")}.Append(wire.Binary, nil)
	case wire.TypeRefused:
		body = wire.Refused{ID: id("hold")}.Append(wire.Binary, nil)
	case wire.TypeResult, wire.TypeResultOrdered, wire.TypeResultBulk:
		m := wire.Result{ID: id("call"), Value: value}
		if rapid.Bool().Draw(t, "after") {
			m.After = []wire.After{{Hold: id("hold"), Entry: id("entry")}}
		}
		body = m.Append(wire.Binary, nil)
	case wire.TypeDown:
		body = wire.Down{Code: base.CodeDown, Holds: []uint64{id("hold")}}.Append(wire.Binary, nil)
	case wire.TypeState:
		ops := wire.AppendOps(nil, []delta.Op{delta.Replace(delta.Int(1))}, &wire.Dict{}, &wire.Told{}, &wire.Used{})
		body = wire.Section{Base: id("base"), Span: id("span"), Ops: ops}.Append(wire.Binary, wire.AppendEntry(wire.Binary, nil, id("hold")), false)
	case wire.TypeBound:
		part := wire.AppendSnapshot(nil, delta.Int(1), &wire.Dict{}, &wire.Told{}, &wire.Used{})
		body = wire.Bound{ID: id("hold"), Members: []wire.BoundMember{{Name: "notes", Part: part}}}.Append(wire.Binary, nil)
	}
	switch rapid.IntRange(0, 9).Draw(t, "what") {
	case 0:
		return rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "bytes")
	case 1:
		if len(body) > 0 {
			body[rapid.IntRange(0, len(body)-1).Draw(t, "place")] = rapid.Byte().Draw(t, "byte")
		}
	case 2:
		body = body[:rapid.IntRange(0, len(body)).Draw(t, "cut")]
	case 3:
		body = append(body, rapid.Byte().Draw(t, "more"))
	}
	return body
}

func anyChunk(t *rapid.T, types []wire.Type, origins uint64) []byte {
	h := wire.Header{Type: rapid.SampledFrom(types).Draw(t, "type"), Origin: rapid.Uint64Range(0, origins).Draw(t, "origin")}
	if lane := h.Type.Lane(); lane == wire.LaneState || lane == wire.LaneBulk {
		h.More = rapid.IntRange(0, 3).Draw(t, "more") == 0
		h.Slot = rapid.Uint8Range(0, 3).Draw(t, "slot")
	}
	if rapid.IntRange(0, 30).Draw(t, "raw") == 0 {
		return rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "chunk")
	}
	return append(h.Append(wire.Binary, nil), anyBody(t, h.Type)...)
}

var (
	linkTypes    = []wire.Type{wire.TypeHello, wire.TypeWelcome, wire.TypeAck, wire.TypePing, wire.TypePong, wire.TypeBye, wire.TypeVoid}
	requestTypes = []wire.Type{
		wire.TypeHold, wire.TypeHold, wire.TypeHold, wire.TypeRelease, wire.TypeCall, wire.TypeCall, wire.TypeCancel,
		wire.TypeCredit, wire.TypeCredit, wire.TypeOriginClosed, wire.TypeCallBulk, wire.TypeCallMore,
	}
	replyTypes = []wire.Type{
		wire.TypeRefused, wire.TypeReleased, wire.TypeResult, wire.TypeDown, wire.TypeOriginReleased, wire.TypeState,
		wire.TypeState, wire.TypeStateMore, wire.TypeStateAbort, wire.TypeResultOrdered, wire.TypeBound, wire.TypeBound,
		wire.TypeResultBulk, wire.TypeBulkMore, wire.TypeBulkAbort,
	}
)

// kinds draws whether link messages are among the types: they mostly end the link.
func kinds(t *rapid.T, types []wire.Type) []wire.Type {
	if rapid.IntRange(0, 9).Draw(t, "link messages") == 0 {
		return append(append([]wire.Type(nil), types...), linkTypes...)
	}
	return types
}

// TestAnyInputToAProvider sends chunks to a provider: it never panics, and another link never notices (C14).
func TestAnyInputToAProvider(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		h, doc := rawViewWith(t, base.Limits{RunningCalls: 2, QueuedCalls: 2, Holds: 3, Origins: 3, MessageBytes: 2000})
		object := (&desk{}).object()
		delete(object.Methods, "panic")
		h.Expose("x", object)
		good, bad := h.dial(), h.dial()
		good.hold(0, "View")
		good.creditAll()
		types := kinds(rt, requestTypes)
		for range rapid.IntRange(1, 60).Draw(rt, "chunks") {
			bad.receive(anyChunk(rt, types, 2))
			if rapid.IntRange(0, 3).Draw(rt, "commit") == 0 {
				h.do(func() { change(t, doc, "x") })
			}
		}
		good.creditAll()
		h.do(func() { change(t, doc, "x") })
		if good.closed || len(good.states(t)) != 1 {
			rt.Fatal("the other link noticed")
		}
		if bad.closed && len(h.Consumers()) != 1 {
			rt.Fatal("something is left of the closed link")
		}
	})
}

// TestAnyInputToAConsumer sends chunks to a consumer: it never panics, a call settles at most once, and once the link is
// closed nothing resolves or waits.
func TestAnyInputToAConsumer(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		h := newRawHost(t, "tab", base.Limits{RunningCalls: 2, MessageBytes: 2000})
		p := h.answer()
		var refs []*core.Reference
		calls := map[*outcome]*core.PendingCall{}
		h.do(func() {
			for range 3 {
				refs = append(refs, h.Get("View"))
			}
		})
		types := kinds(rt, replyTypes)
		for range rapid.IntRange(1, 60).Draw(rt, "chunks") {
			p.receive(anyChunk(rt, types, 1))
			r := refs[rapid.IntRange(0, 2).Draw(rt, "reference")]
			h.do(func() {
				switch rapid.IntRange(0, 5).Draw(rt, "do") {
				case 0:
					o := &outcome{}
					calls[o] = r.Call("echo", text(rapid.IntRange(0, 1500).Draw(rt, "size")), o.done)
				case 1:
					r.Release()
				}
			})
		}
		if !p.closed {
			h.do(func() { refs = append(refs, h.Get("View")) })
			p.conn.Closed(nil)
		}
		for _, r := range refs {
			if r.State() == core.StateLive || r.State() == core.StateResolving {
				rt.Fatalf("a reference is %v on a closed link", r.State())
			}
		}
		for o := range calls {
			if o.settled != 1 {
				rt.Fatalf("a call settled %d times", o.settled)
			}
		}
		if _, caller := core.CallCount(h.Host); caller != 0 {
			rt.Fatalf("%d calls are kept", caller)
		}
	})
}

// TestAnyInputToARelay sends chunks from a bad tab and from a bad worker to a relay between them and good ones. It never
// panics, and the good tab's way to the good worker stays.
func TestAnyInputToARelay(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		h := newRawHost(t, "server", base.Limits{RunningCalls: 2, QueuedCalls: 2, Holds: 3, Origins: 4, MessageBytes: 2000})
		goodWorker, badWorker, goodTab, badTab := h.dial(), h.dial(), h.dial(), h.dial()
		h.Route("S", func(q *relay.Request) {
			switch q.Key {
			case "1":
				q.To(badWorker.conn.Link())
			case "good":
				q.To(goodWorker.conn.Link())
			}
		})
		goodTab.hold(7, "S/good/View")
		goodTab.hold(0, "S/1/View")
		goodWorker.body(wire.TypeHold)
		requests, replies := kinds(rt, requestTypes), kinds(rt, replyTypes)
		for range rapid.IntRange(1, 60).Draw(rt, "chunks") {
			if rapid.Bool().Draw(rt, "side") {
				badTab.receive(anyChunk(rt, requests, 2))
			} else {
				badWorker.receive(anyChunk(rt, replies, 4))
			}
			if rapid.IntRange(0, 20).Draw(rt, "wait") == 0 {
				h.sched.advance(base.Minute) // routes that never answer
			}
		}
		if goodTab.closed || goodWorker.closed {
			rt.Fatal("a good link was closed")
		}
		goodTab.out = nil
		part := wire.AppendSnapshot(nil, delta.Int(1), &wire.Dict{}, &wire.Told{}, &wire.Used{})
		bound := wire.Bound{ID: 7, Members: []wire.BoundMember{{Name: "notes", Part: part}}}.Append(wire.Binary, nil)
		goodWorker.send(wire.Header{Type: wire.TypeBound, Origin: 1}, bound)
		if string(goodTab.body(wire.TypeBound)) != string(bound) {
			rt.Fatal("the good tab did not get what the good worker sent")
		}
		wantInt(t, "parts that the relay parsed", h.Stats().PartsParsed, 0)
	})
}
