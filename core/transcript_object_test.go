package core_test

import (
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/sim"
)

func TestTranscriptHold(t *testing.T) {
	s := newStage(t, sim.Config{})
	worker, tab := s.host("worker"), s.host("tab")
	newBoard().expose(worker)
	s.dial(tab, worker)
	s.run(50 * base.Millisecond)
	var refs [3]*core.Reference
	s.then("A hold goes up, one snapshot comes down, and is credited.")
	s.at(tab, "gets Board", func() { refs[0] = tab.Core().Get("Board") })
	s.run(50 * base.Millisecond)
	s.then("Another reference shares the hold; one that is not to, has its own.")
	s.at(tab, "gets Board", func() { refs[1] = tab.Core().Get("Board") })
	s.at(tab, "gets Board unshared", func() { refs[2] = tab.Core().Get("Board", core.Unshared()) })
	s.run(50 * base.Millisecond)
	s.then("The hold is released with the last reference that shares it.")
	for _, r := range refs {
		s.at(tab, "releases a reference", r.Release)
	}
	s.run(50 * base.Millisecond)
	s.then("A hold that is released while its snapshot is under way.")
	s.at(tab, "gets Board", func() { refs[0] = tab.Core().Get("Board") })
	s.run(15 * base.Millisecond)
	s.at(tab, "releases it", refs[0].Release)
	s.end("hold", "A tab holds an object, shares the hold, and lets go of it.")
}

func TestTranscriptStateAndCredit(t *testing.T) {
	s := newStage(t, sim.Config{Limits: base.Limits{WindowMessages: 2}})
	worker, tab := s.host("worker"), s.host("tab")
	b, way, _ := s.pair(worker, tab)
	add := func() { b.add(nil, 1) }
	s.then("With room, each commit is a message, and credit comes back.")
	s.at(worker, "adds 1", add)
	s.run(50 * base.Millisecond)
	s.then("The tab reads nothing. Two messages fill the window, and three commits more wait in one fold.")
	way.Connection().Link.Dialer().Stall()
	for range 5 {
		s.at(worker, "adds 1", add)
		s.run(10 * base.Millisecond)
	}
	s.then("The tab reads again. What it credits lets the fold go, as one message.")
	way.Connection().Link.Dialer().Resume()
	s.run(100 * base.Millisecond)
	s.then("Two commits of a turn are a message of one entry.")
	s.at(worker, "adds 1 twice", func() { add(); add() })
	s.end("state_and_credit", "State follows a document through a window of two messages.")
}

func TestTranscriptParkedFlush(t *testing.T) {
	s := newStage(t, sim.Config{})
	worker, tab := s.host("worker"), s.host("tab")
	newBoard().expose(worker)
	s.dial(tab, worker)
	s.run(50 * base.Millisecond)
	s.then("Four calls park while the reference resolves. One is cancelled, one times out.")
	s.at(tab, "gets Board and calls add(1) to add(4)", func() {
		r := tab.Core().Get("Board")
		r.Call("add", 1, s.settled(tab, "add(1)"))
		gone := r.Call("add", 2, s.settled(tab, "add(2)"))
		r.Call("add", 3, s.settled(tab, "add(3)"), core.Deadline(s.world.Now().Add(5*base.Millisecond)))
		r.Call("add", 4, s.settled(tab, "add(4)"))
		first := true
		r.Watch("sum", func(core.Frame) {
			if first {
				s.does("tab", "calls add(5) at the first frame")
				r.Call("add", 5, s.settled(tab, "add(5)"))
			}
			first = false
		})
		gone.Cancel()
	})
	s.end("parked_flush", `Calls that are made before the reference is live are sent once it is, in the order made, and before what is called
		by who is told that it is live. Of those that settled meanwhile no byte is sent.`)
}

func TestTranscriptColdReHold(t *testing.T) {
	s := newStage(t, sim.Config{})
	worker, tab := s.host("worker"), s.host("tab")
	b, _, r := s.pair(worker, tab)
	s.then("A call runs, and another one is under way, as the worker crashes.")
	s.at(tab, "calls later(1)", func() { r.Call("later", 1, s.settled(tab, "later(1)")) })
	s.run(15 * base.Millisecond)
	s.at(tab, "calls add(2)", func() { r.Call("add", 2, s.settled(tab, "add(2)")) })
	s.world.Crash(worker, 0)
	s.run(15 * base.Millisecond)
	s.then("While there is no connection, the reference stays live and calls wait. The worker starts again.")
	s.at(tab, "calls add(3) and add(4)", func() {
		r.Call("add", 3, s.settled(tab, "add(3)"))
		r.Call("add", 4, s.settled(tab, "add(4)"))
	})
	b.doc = newBoard().doc
	worker.OnStart(b.expose)
	s.world.Restart(worker)
	s.end("cold_re_hold", `The worker's next life does not have the session. The tab holds again what it held; calls of which a byte was sent
		have no known outcome, and those that waited follow in order.`)
}

func TestTranscriptRefusals(t *testing.T) {
	s := newStage(t, sim.Config{Limits: base.Limits{Holds: 2}})
	worker, tab := s.host("worker"), s.host("tab")
	_, _, r := s.pair(worker, tab)
	get := func(text, address string, options ...core.GetOption) (r *core.Reference) {
		s.at(tab, text, func() { r = tab.Core().Get(address, options...) })
		s.run(50 * base.Millisecond)
		s.does("tab", "%s is %v: %v", address, r.State(), r.Err())
		return r
	}
	s.then("There is no such object. Calls that waited for it, and those that are made later, fail as the hold did.")
	var none *core.Reference
	s.at(tab, "gets Nothing and calls add(1)", func() {
		none = tab.Core().Get("Nothing")
		none.Call("add", 1, s.settled(tab, "add(1)"))
	})
	s.run(50 * base.Millisecond)
	s.does("tab", "%s is %v: %v", none.Address(), none.State(), none.Err())
	s.at(tab, "calls add(2)", func() { none.Call("add", 2, s.settled(tab, "add(2)")) })
	s.then("There is no route that leads there.")
	get("gets Session/1/Board", "Session/1/Board")
	s.then("One hold more than a consumer may have.")
	second := get("gets Board unshared", "Board", core.Unshared())
	get("gets Board unshared once more", "Board", core.Unshared())
	s.at(tab, "releases one of them", second.Release)
	s.run(50 * base.Millisecond)
	get("gets Board unshared", "Board", core.Unshared())
	s.then("No such method, and a handler that refuses.")
	s.at(tab, "calls nothing() and fail(this)", func() {
		r.Call("nothing", nil, s.settled(tab, "nothing()"))
		r.Call("fail", "this", s.settled(tab, "fail(this)"))
	})
	s.end("refusals", "What is refused, with which code, and that nothing else suffers from it.")
}
