package core_test

import (
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/relay"
	"chordsim/faults/linkmodel"
	"chordsim/sim"
	"chordsim/sim/netsim"
)

// TestAWelcomeThatIsLost leaves the acceptor with a session that nobody knows of. What a relay sends over it is to wait for as long
// as it takes to find that out, two heartbeats, and not for the grace.
func TestAWelcomeThatIsLost(t *testing.T) {
	w := sim.New(sim.Config{})
	times := core.Reconnect{Heartbeat: base.Second, Grace: base.Hour, Attempt: base.Second}
	with := func(c *core.Config) { c.Reconnect = times }
	server, worker, tab := w.HostWith("server", with), w.HostWith("worker", with), w.HostWith("tab", with)
	worker.Core().Expose("View", core.Object{State: core.Members{"notes": core.NewDocument(delta.Object())}})
	run := func(d base.Duration) {
		t.Helper()
		if err := w.RunFor(d); err != nil {
			t.Fatal(err)
		}
	}
	slow := linkmodel.Config{Latency: 10 * base.Millisecond}
	var routes []*sim.Connection
	way, err := w.Dial(worker, server, netsim.Config{Up: slow, Down: slow}, func(c *sim.Connection) { routes = append(routes, c) })
	if err != nil {
		t.Fatal(err)
	}
	server.Core().Route("Session", func(q *relay.Request) {
		if l := routes[len(routes)-1].Accepted().Link(); l.Closed() {
			q.Fail(base.Errorf(base.CodeDown, "the worker is not there"))
		} else {
			q.To(l)
		}
	})
	run(35 * base.Millisecond) // connected after 20 ms; the hello came after 30 ms, and the welcome is under way
	way.Connection().Link.Dialer().Vanish()
	way.Connection().Link.Acceptor().Vanish()
	if _, err := w.Dial(tab, server, netsim.Memory, nil); err != nil {
		t.Fatal(err)
	}
	var ref *core.Reference
	tab.Do(func() { ref = tab.Core().Get("Session/1/View") })
	run(15 * base.Second)
	if ref.State() != core.StateLive {
		t.Errorf("the reference is %v: %v", ref.State(), ref.Err())
	}
}
