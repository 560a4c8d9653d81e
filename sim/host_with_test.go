package sim_test

import (
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/wire"
	"chordsim/sim"
	"chordsim/sim/netsim"
)

// TestHostWith makes a host that differs from the others of its world, but for its name and its scheduler.
func TestHostWith(t *testing.T) {
	w := sim.New(sim.Config{Codec: wire.Text, Limits: base.Limits{Members: 3}})
	told := 0
	worker := w.HostWith("worker", func(c *core.Config) {
		if c.Codec != wire.Text || c.Limits.Members != 3 || c.Deflate {
			t.Errorf("%+v, want what the world has", *c)
		}
		c.Name, c.Scheduler, c.Deflate = "another", nil, true
		checks, probe := c.Probe, *c.Probe
		probe.Deflated = func(h *core.Host, raw, part []byte) {
			checks.Deflated(h, raw, part)
			told++
		}
		c.Probe = &probe
	})
	if worker.Name() != "worker" || worker.Core().Name() != "worker" {
		t.Errorf("it is named %s, and %s in its core", worker.Name(), worker.Core().Name())
	}
	tab := w.Host("tab")
	long := core.NewDocument(delta.String(string(make([]byte, 20_000))))
	worker.Core().Expose("View", core.Object{State: core.Members{"notes": long}})
	if _, err := w.Connect(tab, worker, netsim.Memory); err != nil {
		t.Fatal(err)
	}
	mustRun(t, w, base.Second)
	var view *core.Reference
	tab.Do(func() { view = tab.Core().Get("View") })
	if err := w.Settle(base.Second); err != nil {
		t.Fatal(err)
	}
	if view.State() != core.StateLive || told != 1 || tab.Core().Stats().Deflated != 0 || tab.Core().Stats().Inflated != 1 {
		t.Errorf("the view is %v, the worker told of %d parts that it deflated; want live, 1", view.State(), told)
	}
}
