package relay_test

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

// TestARouteLeadsToATransportThatIsTakenOver: a hold waits for a connection to be greeted on, which then turns out to carry an
// older session. It goes on over that one.
func TestARouteLeadsToATransportThatIsTakenOver(t *testing.T) {
	w := sim.New(sim.Config{})
	server, worker, tab := w.Host("server"), w.Host("worker"), w.Host("tab")
	worker.Core().Expose("View", core.Object{State: core.Members{"notes": core.NewDocument(delta.Object())}})
	var accepted []*core.Conn
	var refs []*core.Reference
	get := func() {
		tab.Do(func() { refs = append(refs, tab.Core().Get("Session/1/View", core.Unshared())) })
	}
	server.Core().Route("Session", func(q *relay.Request) { q.To(accepted[len(accepted)-1].Link()) })
	slow := linkmodel.Config{Latency: 10 * base.Millisecond}
	way, err := w.Dial(worker, server, netsim.Config{Up: slow, Down: slow}, func(c *sim.Connection) {
		c.OnAccept(func(c *core.Conn) {
			accepted = append(accepted, c)
			get()
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Connect(tab, server, netsim.Memory); err != nil {
		t.Fatal(err)
	}
	settle := func() {
		t.Helper()
		if err := w.RunFor(base.Second); err != nil {
			t.Fatal(err)
		}
	}
	settle()
	get()
	settle()
	way.Connection().Link.Reset()
	settle()
	wantInt(t, "connections", len(accepted), 2)
	for i, r := range refs {
		if r.State() != core.StateLive {
			t.Errorf("reference %d is %v: %v", i, r.State(), r.Err())
		}
	}
	wantInt(t, "references", len(refs), 3)
}
