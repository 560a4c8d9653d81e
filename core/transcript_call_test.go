package core_test

import (
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/sim"
)

func TestTranscriptCallAndResult(t *testing.T) {
	s := newStage(t, sim.Config{Limits: base.Limits{WindowMessages: 1}})
	worker, tab := s.host("worker"), s.host("tab")
	b, way, r := s.pair(worker, tab)
	s.then("What the call commits leaves before its result, in one lane.")
	s.at(tab, "calls add(1)", func() { r.Call("add", 1, s.settled(tab, "add(1)")) })
	s.run(50 * base.Millisecond)
	s.then("A handler that answers later. Another call starts and ends meanwhile.")
	s.at(tab, "calls later(2) and add(3)", func() {
		r.Call("later", 2, s.settled(tab, "later(2)"))
		r.Call("add", 3, s.settled(tab, "add(3)"))
	})
	s.run(50 * base.Millisecond)
	s.at(worker, "settles later(2)", func() { b.open[0].Settle(delta.String("at last"), nil) })
	s.run(50 * base.Millisecond)
	s.then("The window is full: the result comes before the state, and waits for it at the tab.")
	way.Connection().Link.Dialer().Stall()
	s.at(worker, "adds 10", func() { b.add(nil, 10) })
	s.at(tab, "calls add(4)", func() { r.Call("add", 4, s.settled(tab, "add(4)")) })
	s.run(50 * base.Millisecond)
	way.Connection().Link.Dialer().Resume()
	s.end("call_and_result", "Calls, their results, and what they commit, through a window of one message.")
}

func TestTranscriptCancelRaces(t *testing.T) {
	s := newStage(t, sim.Config{})
	worker, tab := s.host("worker"), s.host("tab")
	b, way, r := s.pair(worker, tab)
	call := func(method string, arg int, name string) (pc *core.PendingCall) {
		s.at(tab, "calls "+name, func() { pc = r.Call(method, arg, s.settled(tab, name)) })
		return pc
	}
	s.then("Cancelled before it is sent: the connection broke. No byte of it is.")
	way.Connection().Link.Reset()
	s.run(base.Millisecond)
	pc := call("add", 0, "add(0)")
	s.at(tab, "cancels add(0)", pc.Cancel)
	s.run(150 * base.Millisecond)
	s.then("Cancelled in the turn in which it is made. Nothing of it is sent.")
	s.at(tab, "calls add(1) and cancels it", func() { r.Call("add", 1, s.settled(tab, "add(1)")).Cancel() })
	s.run(50 * base.Millisecond)
	s.then("Cancelled while it is under way. The cancel comes behind the call, which has run by then.")
	pc = call("add", 2, "add(2)")
	s.run(5 * base.Millisecond)
	s.at(tab, "cancels add(2)", pc.Cancel)
	s.run(50 * base.Millisecond)
	s.then("Cancelled while the handler runs, which is told, and ends in its own time.")
	pc = call("later", 3, "later(3)")
	s.run(20 * base.Millisecond)
	s.at(tab, "cancels later(3)", pc.Cancel)
	s.run(20 * base.Millisecond)
	s.at(worker, "settles later(3)", func() {
		s.does("worker", "later(3) was cancelled: %v", b.open[0].Cancelled())
		b.open[0].Settle(delta.Int(3), nil)
	})
	s.run(50 * base.Millisecond)
	s.then("Cancelled while the result is under way: the two cross.")
	pc = call("add", 4, "add(4)")
	s.run(15 * base.Millisecond)
	s.at(tab, "cancels add(4)", pc.Cancel)
	s.run(50 * base.Millisecond)
	s.then("Cancelled after the result. Nothing is sent.")
	pc = call("add", 5, "add(5)")
	s.run(50 * base.Millisecond)
	s.at(tab, "cancels add(5)", pc.Cancel)
	s.then("A deadline that passes while the call is under way is a cancel too.")
	s.at(tab, "calls add(6), with 5 ms to go", func() {
		r.Call("add", 6, s.settled(tab, "add(6)"), core.Deadline(s.world.Now().Add(5*base.Millisecond)))
	})
	s.end("cancel_races", "A cancelled call has ended for its caller at once, once, whatever comes of it. Its id is not used again: a cancel may come late.")
}
