package core_test

import (
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/sim"
)

// pair is a worker with a board and a tab that has a lasting way to it, and holds the board.
func (s *stage) pair(worker, tab *sim.Host) (*board, *sim.Way, *core.Reference) {
	s.t.Helper()
	b := newBoard()
	b.expose(worker)
	way := s.dial(tab, worker)
	var r *core.Reference
	s.at(tab, "gets Board", func() { r = tab.Core().Get("Board") })
	s.run(base.Second)
	return b, way, r
}

func TestTranscriptHandshake(t *testing.T) {
	s := newStage(t, sim.Config{Reconnect: core.Reconnect{Heartbeat: base.Second}})
	worker, tab := s.host("worker"), s.host("tab")
	s.then("The tab dials. Its hello, and the welcome that answers it, are the first over the transport.")
	way := s.dial(tab, worker)
	s.run(900 * base.Millisecond)
	s.then("Nothing is said for a second: each side asks whether the other one is there.")
	s.run(base.Second)
	s.then("The tab closes its way.")
	way.Uplink().Close()
	s.end("handshake", "A tab shakes hands with a worker over a link of 10 ms each way, and says goodbye.")
}

func TestTranscriptResume(t *testing.T) {
	s := newStage(t, sim.Config{})
	worker, tab := s.host("worker"), s.host("tab")
	b, way, r := s.pair(worker, tab)
	s.then("The tab calls twice, and the connection breaks before either call arrives. The worker commits meanwhile.")
	s.at(tab, "calls add(1) and add(2), the second with 50 ms to go", func() {
		r.Call("add", 1, s.settled(tab, "add(1)"))
		r.Call("add", 2, s.settled(tab, "add(2)"), core.Deadline(s.world.Now().Add(50*base.Millisecond)))
	})
	s.run(5 * base.Millisecond)
	way.Connection().Link.Reset()
	s.at(worker, "adds 10", func() { b.add(nil, 10) })
	s.at(tab, "calls add(3)", func() { r.Call("add", 3, s.settled(tab, "add(3)")) })
	s.run(base.Second)
	s.then("A call runs, and its result is lost. It goes again, the call does not.")
	s.at(tab, "calls add(4)", func() { r.Call("add", 4, s.settled(tab, "add(4)")) })
	s.run(15 * base.Millisecond)
	way.Connection().Link.Reset()
	s.run(base.Second)
	s.end("resume", `A session goes on over the next transport. What was not received goes again, in the order written; a call that nobody
		waits for any more goes as a void. Nothing is held again, and the tab's reference stays live.`)
}

func TestTranscriptFence(t *testing.T) {
	s := newStage(t, sim.Config{})
	worker := s.host("worker", func(c *core.Config) { c.Reconnect.Heartbeat = base.Minute })
	tab := s.host("tab")
	b, way, r := s.pair(worker, tab)
	old := way.Connection().Link
	s.then("The first transport stalls both ways, and the tab calls over it.")
	old.Dialer().Stall()
	old.Acceptor().Stall()
	s.at(tab, "calls add(1)", func() { r.Call("add", 1, s.settled(tab, "add(1)")) })
	s.at(worker, "adds 10", func() { b.add(nil, 10) })
	s.then("The tab hears nothing for two heartbeats. It dials again, and the worker closes the transport that it thought was there.")
	s.run(25 * base.Second)
	s.then("The first transport moves again. Nothing that it carried is heard.")
	old.Dialer().Resume()
	old.Acceptor().Resume()
	s.run(base.Second)
	s.at(tab, "calls add(2)", func() { r.Call("add", 2, s.settled(tab, "add(2)")) })
	s.end("fence", "The newest transport of a session fences the older one, which is half open: the worker has noticed nothing.")
}

func TestTranscriptColdReHoldKnown(t *testing.T) {
	s := newStage(t, sim.Config{Reconnect: core.Reconnect{Grace: base.Second}})
	worker, tab := s.host("worker"), s.host("tab")
	doc := core.NewDocument(delta.Object(delta.Field{Key: "reply", Value: delta.String(text(40))}))
	add := func(text string) { s.at(worker, "appends "+text, func() { change(t, doc, text) }) }
	worker.Core().Expose("Page", core.Object{State: core.Members{"text": doc}})
	way := s.dial(tab, worker)
	s.at(tab, "gets Page", func() { tab.Core().Get("Page") })
	s.run(base.Second)
	add("!")
	s.run(base.Second)
	lose := func() {
		way.SetDown(true)
		way.Connection().Link.Reset()
		s.run(1500 * base.Millisecond)
	}
	back := func() {
		way.SetDown(false)
		s.at(tab, "dials", way.Uplink().Redial)
		s.run(base.Second)
	}
	s.then("The network is gone for longer than sessions are kept. The worker commits twice.")
	lose()
	add("?")
	add("!")
	s.then("It comes back. The hold names what the tab has, and the bind brings what leads on from there.")
	back()
	s.then("The same once more, and nothing was committed: there is nothing to be seen.")
	lose()
	back()
	add(".")
	s.end("cold_re_hold_known", `A tab in a new session with a provider that still has what was committed since the tab lost the one before.`)
}

func TestTranscriptNewerLife(t *testing.T) {
	s := newStage(t, sim.Config{})
	worker, tab := s.host("worker"), s.host("tab")
	b, _, _ := s.pair(worker, tab)
	s.then("The tab's machine goes away without a word, and comes back as its next life. The worker closes the session of the one before.")
	s.world.Vanish(tab, 0)
	s.run(base.Second)
	var r *core.Reference
	s.world.Restart(tab)
	s.dial(tab, worker)
	s.at(tab, "gets Board", func() { r = tab.Core().Get("Board") })
	s.run(base.Second)
	s.then("The worker crashes and starts again, with a board of its own. It does not have the session, so the tab begins a new one.")
	s.world.Crash(worker, 0)
	b.doc = newBoard().doc
	worker.OnStart(b.expose)
	s.world.Restart(worker)
	s.run(base.Second)
	s.at(tab, "calls add(1)", func() { r.Call("add", 1, s.settled(tab, "add(1)")) })
	s.end("newer_life", "A later life of a host takes the place of the one before: of the one that dials, then of the one that is dialed.")
}
