package relay_test

import (
	"fmt"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/relay"
	"chordsim/faults/linkmodel"
	"chordsim/sim"
	"chordsim/sim/netsim"
)

// TestAWorkerIsLost with one hold live, one resolving and a call each sent, parked and answered.
func TestAWorkerIsLost(t *testing.T) {
	l := newLab(t, base.Limits{})
	w, other := l.worker("w", netsim.Memory), l.worker("other", netsim.Memory)
	tab := l.tab("tab", netsim.Memory)
	r, o := l.hold(tab, "W/w/View"), l.hold(tab, "W/other/View")
	var answered, running, otherRunning outcome
	l.at(tab.host, func() {
		r.Call("name", nil, answered.done)
		r.Call("later", nil, running.done)
		o.Call("later", nil, otherRunning.done)
	})
	l.lose(w.conn)
	answered.wantOnce(t, "answered", base.CodeNone)
	running.wantOnce(t, "running at the lost worker", base.CodeUnknown)
	wantState(t, r, core.StateDown)
	wantReply(t, r, "") // what was seen last stays readable
	wantState(t, o, core.StateLive)
	wantInt(t, "settled at the other worker", otherRunning.settled, 0)
	var late outcome
	l.at(tab.host, func() { r.Call("name", nil, late.done) })
	late.wantOnce(t, "made on a reference that is down", base.CodeDown)
	l.at(other.host, other.settleAll)
	otherRunning.wantOnce(t, "running at the other worker", base.CodeNone)

	w2 := l.worker("w2", netsim.Memory)
	l.workers["w"] = w2
	l.commit(w2, "anew")
	again := l.hold(tab, "W/w/View")
	wantState(t, again, core.StateLive)
	wantReply(t, again, "anew")
	l.settle()
}

// TestAWorkerIsLostInTheMiddleOfMessages: a snapshot, a state message and a result that the tab has a part of are aborted,
// and one that waits whole at the relay still comes, before the word that its hold is down.
func TestAWorkerIsLostInTheMiddleOfMessages(t *testing.T) {
	for why, size := range map[string]int{"within a large snapshot": 300_000, "behind a snapshot that waits": 30_000} {
		t.Run(why, func(t *testing.T) {
			l := newLab(t, base.Limits{})
			w, tab := l.worker("w", netsim.Memory), l.tab("tab", slow(16*base.KiB))
			live := l.hold(tab, "W/w/View")
			l.settle()
			l.commit(w, text(size)) // a state message of many chunks
			bound := l.hold(tab, "W/w/View")
			var result outcome
			l.at(tab.host, func() { live.Call("text", size, result.done) })
			l.run(base.Second / 2)
			l.lose(w.conn)
			again := l.hold(tab, "W/w/View") // the route leads to a closed link
			l.settle()
			wantState(t, live, core.StateDown)
			if bound.State() != core.StateDown {
				t.Errorf("the hold whose snapshot was under way is %v", bound.State())
			}
			wantFailed(t, "a hold once the worker is gone", again, base.CodeRoute)
			if result.settled != 1 {
				t.Errorf("the call with a large result settled %d times", result.settled)
			}
			wantOpen(t, "the tab's", tab.conn)
			w2 := l.worker("w2", netsim.Memory)
			next := l.hold(tab, "W/w2/View")
			l.commit(w2, "next")
			l.settle()
			wantReply(t, next, "next")
		})
	}
}

// TestALargeResultIsCutOff: the first chunk of the result came through, so the call is not the relay's any more but for the
// rest. It settles as unknown.
func TestALargeResultIsCutOff(t *testing.T) {
	l := newLab(t, base.Limits{})
	w := l.worker("w", netsim.Config{Up: linkmodel.Config{Rate: 16 * base.KiB}}) // towards the server
	tab := l.tab("tab", netsim.Memory)
	r := l.hold(tab, "W/w/View")
	l.settle()
	var o, next outcome
	l.at(tab.host, func() { r.Call("text", 100_000, o.done) })
	l.run(base.Second)
	if l.count["tab result-bulk"] != 1 || l.count["tab bulk-more"] == 0 {
		t.Fatal("the result is not under way")
	}
	l.lose(w.conn)
	o.wantOnce(t, "a call whose result was cut off", base.CodeUnknown)
	wantInt(t, "aborts of what the tab has a part of", l.count["tab bulk-abort"], 1)
	w2 := l.worker("w2", netsim.Memory)
	s := l.hold(tab, "W/w2/View")
	l.at(tab.host, func() { s.Call("text", 100_000, next.done) }) // takes the call id and the slot again
	l.settle()
	next.wantOnce(t, "the next call", base.CodeNone)
	wantInt(t, "runs", w2.runs, 1)
}

// TestAStateMessageIsCutOff leaves the tab with what it saw last, and nothing of the message.
func TestAStateMessageIsCutOff(t *testing.T) {
	l := newLab(t, base.Limits{})
	w := l.worker("w", netsim.Config{Up: linkmodel.Config{Rate: 16 * base.KiB}})
	tab := l.tab("tab", netsim.Memory)
	r := l.hold(tab, "W/w/View")
	l.settle()
	l.commit(w, text(100_000))
	l.run(base.Second)
	if l.count["tab state-more"] == 0 {
		t.Fatal("the message is not under way")
	}
	l.lose(w.conn)
	wantInt(t, "aborts of what the tab has a part of", l.count["tab state-abort"], 1)
	wantState(t, r, core.StateDown)
	wantReply(t, r, "")
	l.settle()
}

// TestAHoldIDIsTakenWhileALargeCallNamesIt: a large call has not begun to leave when its hold goes down. The next hold has
// another id, or the call would run at its object.
func TestAHoldIDIsTakenWhileALargeCallNamesIt(t *testing.T) {
	l := newLabIn(t, sim.Config{})
	lost, next := l.worker("lost", netsim.Memory), l.worker("next", netsim.Memory)
	tab := l.tab("tab", netsim.Config{Up: linkmodel.Config{Rate: 256 * base.KiB}})
	r := l.hold(tab, "W/lost/View")
	var busy []*core.Reference
	for range 8 { // as many as take turns on the lane
		busy = append(busy, l.hold(tab, "W/next/View"))
	}
	l.settle()
	var o outcome
	l.at(tab.host, func() {
		for _, b := range busy {
			b.Call("later", text(100_000), nil)
		}
		r.Call("name", text(5_000), o.done)
	})
	l.lose(lost.conn)
	wantState(t, r, core.StateDown)
	s := l.hold(tab, "W/next/View")
	l.settle()
	wantState(t, s, core.StateLive)
	o.wantOnce(t, "a large call on the lost hold", base.CodeDown)
	wantInt(t, "runs: the eight", next.runs, 8)
}

// TestRequestsCrossTheWordThatTheWorkerIsLost: calls small and large, a cancel and a release are on their way to the server
// when the worker is lost. None of them closes the tab's link, and each call settles.
func TestRequestsCrossTheWordThatTheWorkerIsLost(t *testing.T) {
	l := newLab(t, base.Limits{})
	w := l.worker("w", netsim.Memory)
	tab := l.tab("tab", netsim.Config{Up: linkmodel.Config{Rate: 64 * base.KiB, Latency: base.Second}, Down: linkmodel.Config{Latency: base.Second}})
	r, s := l.hold(tab, "W/w/View"), l.hold(tab, "W/w/View")
	l.settle()
	var small, large, behind, running outcome
	var c *core.PendingCall
	l.at(tab.host, func() { c = r.Call("later", nil, running.done) })
	l.run(2 * base.Second)
	l.lose(w.conn)
	w2 := l.worker("w2", netsim.Memory)
	l.workers["w"] = w2
	l.at(tab.host, func() {
		c.Cancel()
		r.Call("name", nil, small.done)
		r.Call("name", text(50_000), large.done)
		r.Call("name", nil, behind.done)
		s.Release()
	})
	l.run(base.Second + base.Second/2)
	a, b := l.hold(tab, "W/w/View"), l.hold(tab, "W/w/View")
	l.settle()
	running.wantOnce(t, "cancelled", base.CodeCancelled)
	small.wantOnce(t, "small", base.CodeDown)
	for _, o := range []*outcome{&large, &behind} {
		o.wantOnce(t, "large, and behind it", base.CodeDown)
	}
	wantOpen(t, "the tab's", tab.conn)
	wantState(t, r, core.StateDown)
	wantState(t, s, core.StateReleased)
	wantState(t, a, core.StateLive)
	wantState(t, b, core.StateLive)
	wantInt(t, "calls that ran at the next worker", w2.runs, 0)
}

// TestACancelCrossesTheResultAtTheRelay lets a cancel come to the server behind the result.
func TestACancelCrossesTheResultAtTheRelay(t *testing.T) {
	l := newLab(t, base.Limits{})
	w := l.worker("w", netsim.Memory)
	tab := l.tab("tab", netsim.Config{Up: linkmodel.Config{Latency: base.Second}, Down: linkmodel.Config{Latency: base.Second}})
	r := l.hold(tab, "W/w/View")
	l.settle()
	var o, next outcome
	var c *core.PendingCall
	l.at(tab.host, func() { c = r.Call("name", nil, o.done) })
	l.run(base.Second + base.Second/2)
	l.at(tab.host, c.Cancel)
	l.settle()
	o.wantOnce(t, "cancelled", base.CodeCancelled)
	wantOpen(t, "the tab's", tab.conn)
	l.at(tab.host, func() { r.Call("name", nil, next.done) })
	l.settle()
	next.wantOnce(t, "the next", base.CodeNone)
	wantInt(t, "runs", w.runs, 2)
}

// TestThousandsOfHoldsGoDown: the word that they are down does not fit into one chunk.
func TestThousandsOfHoldsGoDown(t *testing.T) {
	l := newLab(t, base.Limits{})
	w, tab := l.worker("w", netsim.Memory), l.tab("tab", netsim.Memory)
	var refs []*core.Reference
	l.at(tab.host, func() {
		for range 4000 {
			refs = append(refs, tab.host.Core().Get("W/w/View"))
		}
	})
	l.settle()
	l.lose(w.conn)
	for _, r := range refs {
		wantState(t, r, core.StateDown)
	}
	wantOpen(t, "the tab's", tab.conn)
	if tab.host.Core().Refers() {
		t.Error("the tab keeps references")
	}
	l.settle()
}

// TestManyWorkersSendSnapshotsAtOnce: a dozen workers have 16 large snapshots each for one tab, more messages than its lane has
// slots. Each waits for its turn; none waits for ever.
func TestManyWorkersSendSnapshotsAtOnce(t *testing.T) {
	l := newLabIn(t, sim.Config{})
	tab := l.tab("tab", slow(base.MiB))
	var refs []*core.Reference
	for i := range 12 {
		name := fmt.Sprint("w", i)
		w := l.worker(name, netsim.Memory)
		l.at(w.host, func() { w.change(t, text(60_000)) })
		tab.host.Do(func() {
			for range 16 {
				refs = append(refs, tab.host.Core().Get("W/"+name+"/View"))
			}
		})
	}
	l.settle()
	for _, r := range refs {
		wantState(t, r, core.StateLive)
		wantReply(t, r, text(60_000))
	}
}

// TestAWorkerBehindTwoServers goes through a chain, and is lost at its end.
func TestAWorkerBehindTwoServers(t *testing.T) {
	l := newLabIn(t, sim.Config{})
	w := l.worker("w", netsim.Memory)
	edge := l.world.Host("edge")
	trunk := l.connect(edge, l.server, netsim.Memory)
	edge.Core().Route("Far", func(q *relay.Request) { q.To(trunk.Dialed().Link()) })
	first := &tab{host: l.world.Host("first")}
	first.conn = l.connect(first.host, edge, slow(64*base.KiB))
	second := &tab{host: l.world.Host("second")}
	second.conn = l.connect(second.host, edge, netsim.Memory)
	near := l.tab("near", netsim.Memory)

	address := "Far/x/W/w/View"
	refs := []*core.Reference{l.hold(first, address), l.hold(second, address), l.hold(near, "W/w/View")}
	l.settle()
	l.commit(w, "seen by all")
	var fast, unknown outcome
	l.at(first.host, func() {
		refs[0].Call("text", 50_000, fast.done)
		refs[0].Call("later", nil, unknown.done)
	})
	l.settle()
	for _, r := range refs {
		wantReply(t, r, "seen by all")
	}
	fast.wantOnce(t, "a call through both", base.CodeNone)

	l.commit(w, text(60_000))
	again := l.hold(first, address) // its snapshot waits at the edge
	l.run(base.Second / 10)
	l.lose(w.conn)
	l.settle()
	unknown.wantOnce(t, "a call at the lost worker", base.CodeUnknown)
	for _, r := range append(refs, again) {
		wantState(t, r, core.StateDown)
	}
	w2 := l.worker("w2", netsim.Memory)
	l.workers["w"] = w2
	l.commit(w2, "anew")
	for _, tab := range []*tab{first, second} {
		r := l.hold(tab, address)
		l.settle()
		wantReply(t, r, "anew")
	}
	l.lose(first.conn)
	l.lose(second.conn)
	l.settle()
	for _, id := range w2.host.Core().Consumers() {
		t.Errorf("the worker keeps %+v for tabs that are gone", id)
	}
	for _, c := range []interface{ Closed() bool }{trunk.Dialed().Link(), w2.conn.Dialed().Link()} {
		if c.Closed() {
			t.Error("a link between hosts closed with the tabs")
		}
	}
}

// TestATabOfTheEdgeGoesWithABacklog: the server forgets what waits for the origin before it says that it is free.
func TestATabOfTheEdgeGoesWithABacklog(t *testing.T) {
	l := newLabIn(t, sim.Config{})
	w := l.worker("w", netsim.Memory)
	edge := l.world.Host("edge")
	trunk := l.connect(edge, l.server, slow(16*base.KiB))
	edge.Core().Route("Far", func(q *relay.Request) { q.To(trunk.Dialed().Link()) })
	for i := range 5 {
		name := fmt.Sprint("tab", i)
		far := &tab{host: l.world.Host(name)}
		far.conn = l.connect(far.host, edge, netsim.Memory)
		l.hold(far, "Far/x/W/w/View")
		for range 4 {
			l.run(base.Second)
			l.commit(w, text(5_000))
		}
		l.lose(far.conn)
	}
	last := &tab{host: l.world.Host("last")}
	last.conn = l.connect(last.host, edge, netsim.Memory)
	r := l.hold(last, "Far/x/W/w/View")
	l.settle()
	wantState(t, r, core.StateLive)
	v, _ := r.Value("notes")
	if !v.Equal(w.doc.Value()) {
		t.Error("the last tab is not where the worker is")
	}
	if trunk.Dialed().Link().Closed() {
		t.Error("the trunk closed")
	}
}
