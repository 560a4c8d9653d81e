package core_test

import (
	"fmt"
	"strings"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/wire"
	"chordsim/sim"
	"chordsim/sim/netsim"
)

func TestACallerKeeps256CallsUnanswered(t *testing.T) {
	l, k, r := newDesk(t, base.Limits{}, netsim.Memory)
	var outcomes [300]outcome
	l.at(l.tab, func() {
		for i := range outcomes {
			r.Call("later", fmt.Sprint(i), outcomes[i].done)
		}
	})
	wantStarts(t, k, numbers(0, 256)...)
	for range 10 { // out of order: the newest first
		l.at(l.worker, func() {
			last := len(k.open) - 1
			k.open[last].Settle(delta.Null(), nil)
			k.open = k.open[:last]
		})
	}
	wantStarts(t, k, numbers(0, 266)...)
	for len(k.open) > 0 {
		l.at(l.worker, k.settleAll)
	}
	l.settle()
	wantStarts(t, k, numbers(0, 300)...)
	for i := range outcomes {
		outcomes[i].wantOnce(t, fmt.Sprint("call ", i), base.CodeNone)
	}
	l.wantNoCalls()
}

// TestACallFromAResultGoesBehindWhatWaits makes a call in the very turn in which a place came free.
func TestACallFromAResultGoesBehindWhatWaits(t *testing.T) {
	l, k, r := newDesk(t, base.Limits{RunningCalls: 1}, netsim.Memory)
	l.at(l.tab, func() {
		r.Call("now", "A", func(delta.Value, error) { r.Call("now", "C", nil) })
		r.Call("now", "B", nil)
	})
	l.settle()
	wantStarts(t, k, "A", "B", "C")
}

func TestProviderRefusesBeyondItsQueue(t *testing.T) {
	h, k := newRawHost(t, "worker", base.Limits{RunningCalls: 2, QueuedCalls: 3}), &desk{}
	h.Expose("Desk", k.object())
	p := h.dial()
	p.hold(0, "Desk")
	p.creditAll()
	for id := range uint64(10) { // 2 run, 3+2 wait, 3 are refused
		p.call(0, id, "later", fmt.Sprint(id))
	}
	wantStarts(t, k, "0", "1")
	if len(p.out) != 3 {
		t.Fatalf("%v were sent, want 3 refusals", p.types())
	}
	for i, chunk := range p.out {
		_, body, _ := wire.ParseHeader(wire.Binary, chunk)
		m, err := wire.ParseResult(wire.Binary, body)
		if err != nil || m.ID != uint64(7+i) || m.Err == nil || m.Err.Code != base.CodeLimit {
			t.Errorf("answer %d is %+v (%v), want a refusal of %d for the limit", i, m, err, 7+i)
		}
	}
	for len(k.open) > 0 {
		h.do(k.settleAll)
	}
	wantStarts(t, k, numbers(0, 7)...)
}

// TestCancelAndCallAgain is grpc-go #6703: handlers that ignore cancel never exceed the limit.
func TestCancelAndCallAgain(t *testing.T) {
	l, k, r := newDesk(t, base.Limits{RunningCalls: 8}, netsim.Memory)
	for i := range 200 {
		var pc *core.PendingCall
		l.at(l.tab, func() { pc = r.Call("later", fmt.Sprint(i), nil) })
		l.at(l.tab, pc.Cancel)
		if len(k.open) > 8 {
			t.Fatalf("%d handlers run", len(k.open))
		}
	}
	_, caller := core.CallCount(l.tab.Core())
	if caller > 8+64+1 {
		t.Errorf("the caller keeps %d calls of 192 that were cancelled while they waited", caller)
	}
	l.at(l.worker, k.settleAll)
	var o outcome
	l.at(l.tab, func() { r.Call("now", "last", o.done) })
	l.settle()
	o.wantOnce(t, "a call once all slots are back", base.CodeNone)
	l.wantNoCalls()
}

func TestParkedCallsAreBounded(t *testing.T) {
	limits := base.Limits{ParkedCalls: 10, ParkedBytes: 1000}
	l, k, live := newDesk(t, limits, netsim.Memory)
	var over, large, direct outcome
	l.at(l.tab, func() {
		r := l.tab.Core().Get("Desk", core.Unshared())
		for range 10 {
			r.Call("now", "x", nil)
		}
		r.Call("now", "eleventh", over.done)
		live.Call("now", "live", direct.done) // does not wait, so it is not counted
		q := l.tab.Core().Get("Desk", core.Unshared())
		q.Call("now", text(2000), large.done)
	})
	over.wantOnce(t, "over the number", base.CodeLimit)
	large.wantOnce(t, "over the bytes", base.CodeLimit)
	direct.wantOnce(t, "on a live reference", base.CodeNone)
	l.at(l.tab, func() {
		r := l.tab.Core().Get("Desk", core.Unshared())
		for range 10_000 {
			r.Call("now", "x", nil).Cancel()
		}
		if _, caller := core.CallCount(l.tab.Core()); caller > 200 {
			t.Errorf("%d calls are kept of 10,000 that were cancelled while parked", caller)
		}
	})
	var big outcome
	l.at(l.tab, func() { live.Call("size", text(50_000), big.done) }) // beyond ParkedBytes, and waits for nothing
	l.settle()
	big.wantOnce(t, "a large call that does not wait", base.CodeNone)
	wantInt(t, "started", len(k.starts), 12)
	l.wantNoCalls()
}

// TestOriginsTakeTurns has one tab with 100 calls and one with 3: the 3 do not wait for the 100.
func TestOriginsTakeTurns(t *testing.T) {
	l, k, r := newDesk(t, base.Limits{}, netsim.Memory)
	other := l.world.Host("other")
	l.connect(other, l.worker, netsim.Memory)
	o := l.hold(other, "Desk")
	l.worker.SetCost(sim.Cost{PerHandler: base.Millisecond})
	l.at(l.tab, func() {
		for i := range 100 {
			r.Call("now", fmt.Sprint("a", i), nil)
		}
	})
	l.at(other, func() {
		for i := range 3 {
			o.Call("now", fmt.Sprint("b", i), nil)
		}
	})
	l.settle()
	order := ""
	for _, s := range k.starts[:12] {
		order += s[:1]
	}
	if !strings.Contains(order, "bab") || strings.Contains(order, "bb") || strings.Count(order, "b") != 3 {
		t.Errorf("the origins did not take turns: %q", k.starts[:12])
	}
	wantInt(t, "started", len(k.starts), 103)
}

func TestResultOverTheLimit(t *testing.T) {
	l, _, r := newDesk(t, base.Limits{MessageBytes: 20_000}, netsim.Memory)
	var over, fits, arg, argFits outcome
	l.at(l.tab, func() {
		r.Call("text", 20_000, over.done)
		r.Call("text", 19_900, fits.done)
		r.Call("size", text(20_000), arg.done)
		r.Call("size", text(19_900), argFits.done)
	})
	l.settle()
	over.wantOnce(t, "a result over the limit", base.CodeLimit)
	fits.wantOnce(t, "a result within the limit", base.CodeNone)
	arg.wantOnce(t, "an argument over the limit", base.CodeLimit)
	argFits.wantOnce(t, "an argument within the limit", base.CodeNone)
}

// TestCallsSettleWhenTheLinkIsLost loses the link with calls in each state, and makes another in the turn of the news.
func TestCallsSettleWhenTheLinkIsLost(t *testing.T) {
	l, _, r := newDesk(t, base.Limits{RunningCalls: 1}, netsim.Memory)
	q := l.hold(l.tab, "View")
	var running, waiting, parked, onOther, onNew outcome
	var anew *core.Reference
	l.at(l.tab, func() {
		r.Call("later", "running", func(v delta.Value, err error) {
			running.done(v, err)
			q.Call("echo", "x", onOther.done)
			anew = l.tab.Core().Get("View")
			anew.Call("echo", "x", onNew.done)
		})
		r.Call("now", "waiting", waiting.done)
		l.tab.Core().Get("Desk", core.Unshared()).Call("now", "parked", parked.done)
		l.conn.Link.Dialer().Close()
	})
	l.world.RunFor(0)
	l.tab.Do(func() {})
	l.conn.Dialed().Closed(fmt.Errorf("cut"))
	l.run(0)
	running.wantOnce(t, "sent", base.CodeUnknown)
	waiting.wantOnce(t, "not sent", base.CodeDown)
	parked.wantOnce(t, "parked", base.CodeDown)
	onOther.wantOnce(t, "made on another reference of the lost link", base.CodeDown)
	onNew.wantOnce(t, "made on a new reference", base.CodeUnresolved)
	wantState(t, q, core.StateDown)
	wantState(t, anew, core.StateFailed)
}

// What is over the limit on a part is refused before it is sent, whatever it is.
func TestPartsAreBounded(t *testing.T) {
	l := newLab(t, base.Limits{PartBytes: 10_000}, netsim.Memory)
	ref := l.hold(l.tab, "View")
	l.settle()
	var over, fits outcome
	l.at(l.tab, func() {
		ref.Call("echo", text(10_000), over.done)
		ref.Call("echo", text(9_900), fits.done)
	})
	l.settle()
	over.wantOnce(t, "an argument over the limit on a part", base.CodeLimit)
	fits.wantOnce(t, "an argument within it", base.CodeNone)
	l.commit(text(9_900))
	l.settle()
	if ref.State() != core.StateLive {
		t.Fatalf("after a change within the limit the reference is %v", ref.State())
	}
	l.stall()
	l.commit("under way")
	l.at(l.worker, func() {
		if _, err := l.doc.Change(nil, func(d *delta.Draft) error { return d.At("reply").Set(text(10_001)) }); err != nil {
			t.Error(err)
		}
	})
	l.resume()
	l.settle()
	if ref.State() != core.StateDown {
		t.Errorf("after a change over the limit the reference is %v, want down", ref.State())
	}
	again := l.hold(l.tab, "View")
	l.settle()
	if again.State() != core.StateFailed {
		t.Errorf("with a snapshot over the limit the reference is %v, want failed", again.State())
	}
	l.at(l.worker, func() {
		if _, err := l.doc.Change(nil, func(d *delta.Draft) error { return d.At("reply").Set("small") }); err != nil {
			t.Error(err)
		}
	})
	again = l.hold(l.tab, "View")
	l.settle()
	if again.State() != core.StateLive {
		t.Errorf("held again when it is small: %v (%v)", again.State(), again.Err())
	}
}

// A message of several entries leaves out those that it has no room for; they go in the next one.
func TestAStateMessageStaysWithinWhatThePeerTakes(t *testing.T) {
	l := newLab(t, base.Limits{MessageBytes: 30_000}, netsim.Memory)
	var refs []*core.Reference
	for range 5 {
		refs = append(refs, l.hold(l.tab, "View"))
	}
	l.settle()
	for range 3 {
		l.at(l.worker, func() {
			if _, err := l.doc.Change(nil, func(d *delta.Draft) error { return d.At("reply").Set(text(8000)) }); err != nil {
				t.Error(err)
			}
		})
		l.commit("!")
	}
	l.settle()
	for i, r := range refs {
		v, _ := r.Value("notes")
		if r.State() != core.StateLive || !v.Equal(l.doc.Value()) {
			t.Errorf("reference %d is %v and not at the document's value", i, r.State())
		}
	}
}
