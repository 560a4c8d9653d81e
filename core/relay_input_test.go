package core_test

import (
	"testing"

	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/relay"
	"chordsim/core/wire"
)

// rawRelay is a server with a tab and two workers, all of them the test's. The tab has hold 0 at the first worker and hold
// 1 at the second, and call 0 runs at the first. The tab is origin 1 for both.
func rawRelay(t *testing.T, limits base.Limits) (tab, first, second *rawPeer) {
	h := newRawHost(t, "server", limits)
	first, second, tab = h.dial(), h.dial(), h.dial()
	h.Route("S", func(q *relay.Request) {
		if q.Key == "1" {
			q.To(first.conn.Link())
		} else {
			q.To(second.conn.Link())
		}
	})
	tab.hold(0, "S/1/View")
	tab.hold(1, "S/2/View")
	part := wire.AppendSnapshot(nil, delta.Int(1), &wire.Dict{}, &wire.Told{}, &wire.Used{})
	for id, p := range []*rawPeer{first, second} {
		m := wire.Bound{ID: uint64(id), Members: []wire.BoundMember{{Name: "m", Part: part}}}
		p.send(wire.Header{Type: wire.TypeBound, Origin: 1}, m.Append(wire.Binary, nil))
	}
	tab.creditAll()
	tab.call(0, 0, "x", 1)
	first.out, second.out = nil, nil
	return tab, first, second
}

// TestAWorkerAnswersForAnother: what it says of holds and calls of another worker closes its link, and goes nowhere (C9).
func TestAWorkerAnswersForAnother(t *testing.T) {
	large := wire.Header{Type: wire.TypeResultBulk, More: true}
	for _, c := range []badChunk{
		{"released", header(wire.TypeReleased), wire.AppendHoldID(wire.Binary, nil, 0)},
		{"refused", header(wire.TypeRefused), wire.Refused{ID: 0}.Append(wire.Binary, nil)},
		{"bound", header(wire.TypeBound), wire.Bound{ID: 0}.Append(wire.Binary, nil)},
		{"down", header(wire.TypeDown), wire.Down{Holds: []uint64{0}}.Append(wire.Binary, nil)},
		{"result", header(wire.TypeResult), wire.Result{ID: 0}.Append(wire.Binary, nil)},
		{"ordered result", header(wire.TypeResultOrdered), wire.Result{ID: 0}.Append(wire.Binary, nil)},
		{"large result", large, wire.Result{ID: 0}.Append(wire.Binary, nil)},
		{"a later chunk of nothing", header(wire.TypeBulkMore), []byte{1}},
		{"an abort of nothing", header(wire.TypeStateAbort), nil},
		{"an origin that was not closed", header(wire.TypeOriginReleased), nil},
	} {
		t.Run(c.why, func(t *testing.T) {
			tab, first, second := rawRelay(t, base.Limits{})
			c.head.Origin = 1
			second.send(c.head, c.body)
			if second.bye() != base.CodeProtocol || !second.closed {
				t.Errorf("the worker's link is open: %v", second.types())
			}
			down, err := wire.ParseDown(wire.Binary, tab.body(wire.TypeDown)) // of its own hold
			if err != nil || len(down.Holds) != 1 || down.Holds[0] != 1 || len(tab.out) != 1 || tab.closed {
				t.Errorf("the tab got %v (%+v, %v)", tab.types(), down, err)
			}
			tab.out = nil
			first.send(wire.Header{Type: wire.TypeResult, Origin: 1}, wire.Result{ID: 0}.Append(wire.Binary, nil))
			tab.body(wire.TypeResult)
		})
	}
}

func TestAMessageThatBeginsInASlotInUse(t *testing.T) {
	tab, first, _ := rawRelay(t, base.Limits{})
	begin := wire.Header{Type: wire.TypeState, More: true, Origin: 1}
	first.send(begin, []byte{0})
	first.send(begin, []byte{0})
	if first.bye() != base.CodeProtocol {
		t.Errorf("the worker's link is open: %v", first.types())
	}
	tab.body(wire.TypeStateAbort)

	tab, first, second := rawRelay(t, base.Limits{})
	large := wire.Header{Type: wire.TypeCallBulk, More: true}
	tab.send(large, wire.Call{Hold: 0, ID: 5, Method: -1, Name: "x"}.Append(wire.Binary, nil))
	tab.send(large, wire.Call{Hold: 1, ID: 6, Method: -1, Name: "x"}.Append(wire.Binary, nil))
	if tab.bye() != base.CodeProtocol || first.closed || second.closed {
		t.Errorf("the tab's link is open: %v", tab.types())
	}
	first.body(wire.TypeOriginClosed)
}

// TestARelayRefusesCallsBeyondWhatAProviderKeeps: the calls of a worker that does not answer are bounded at the relay.
func TestARelayRefusesCallsBeyondWhatAProviderKeeps(t *testing.T) {
	tab, first, _ := rawRelay(t, base.Limits{RunningCalls: 2, QueuedCalls: 3})
	for id := uint64(1); id < 7; id++ {
		tab.call(0, id, "x", 1)
	}
	wantInt(t, "calls that were passed on", len(first.out), 6)
	wantInt(t, "answers", len(tab.out), 0)
	more := wire.Header{Type: wire.TypeCallBulk, More: true, Slot: 3}
	tab.send(more, wire.Call{Hold: 0, ID: 7, Method: -1, Name: "x"}.Append(wire.Binary, nil))
	tab.send(wire.Header{Type: wire.TypeCallMore, Slot: 3}, []byte("the rest of the argument"))
	m, err := wire.ParseResult(wire.Binary, tab.body(wire.TypeResult))
	if err != nil || m.ID != 7 || m.Err == nil || m.Err.Code != base.CodeLimit {
		t.Errorf("the eighth call: %+v, %v", m, err)
	}
	wantInt(t, "calls that were passed on", len(first.out), 6)
	if tab.closed {
		t.Error("the tab's link closed")
	}
}
