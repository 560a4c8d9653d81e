package core_test

import (
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/relay"
	"chordsim/sim"
)

func TestTranscriptRelayDeathAndRestart(t *testing.T) {
	s := newStage(t, sim.Config{})
	server, worker, tab := s.host("server"), s.host("worker"), s.host("tab")
	b := newBoard()
	b.expose(worker)
	var newest *sim.Connection // of the worker
	server.OnStart(func(h *sim.Host) {
		h.Core().Route("Session", func(q *relay.Request) {
			if c := newest.Accepted(); c != nil && !c.Link().Closed() {
				q.To(c.Link())
			} else {
				q.Fail(base.Errorf(base.CodeDown, "the worker is not there"))
			}
		})
	})
	s.dial(worker, server, func(c *sim.Connection) { newest = c })
	s.dial(tab, server)
	var r *core.Reference
	s.run(100 * base.Millisecond)
	s.then("The hold goes through the server, which gives the tab an origin towards the worker.")
	s.at(tab, "gets Session/1/Board", func() { r = tab.Core().Get("Session/1/Board") })
	s.run(100 * base.Millisecond)
	s.at(tab, "calls add(1)", func() { r.Call("add", 1, s.settled(tab, "add(1)")) })
	s.run(100 * base.Millisecond)
	s.then("The server crashes, with a call under way on either side of it.")
	s.at(tab, "calls add(2)", func() { r.Call("add", 2, s.settled(tab, "add(2)")) })
	s.run(15 * base.Millisecond)
	s.at(tab, "calls add(3)", func() { r.Call("add", 3, s.settled(tab, "add(3)")) })
	s.world.Crash(server, 0)
	newest = nil
	s.run(20 * base.Millisecond)
	s.at(tab, "calls add(4)", func() { r.Call("add", 4, s.settled(tab, "add(4)")) })
	s.then("It starts again, knowing nothing. The tab and the worker begin new sessions with it.")
	s.world.Restart(server)
	s.run(2 * base.Second)
	s.then("The worker is what it was: its board has what ran.")
	s.at(tab, "calls add(5)", func() { r.Call("add", 5, s.settled(tab, "add(5)")) })
	s.end("relay_death", `A relay dies and starts again. Neither of the two hosts behind it has lost anything but the sessions: calls that were
		sent have no known outcome, of which one has run, and those that waited follow.`)
}
