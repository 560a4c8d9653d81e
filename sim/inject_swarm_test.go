package sim_test

import (
	"reflect"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/faults"
	"chordsim/faults/linkmodel"
	"chordsim/sim"
	"chordsim/sim/netsim"
)

const swarmSpan = 10 * base.Second

// swarmed runs two tabs that follow and call a worker under a drawn plan, for its span and five seconds more.
func swarmed(t *testing.T, seed uint64) (*sim.World, faults.Plan) {
	t.Helper()
	swarm := faults.Swarm{
		Hosts: []faults.SwarmHost{{Name: "worker", Role: "provider"}, {Name: "tab1"}, {Name: "tab2"}},
		Links: []faults.SwarmLink{{Name: "tab1-worker", From: "tab1", To: "worker"}, {Name: "tab2-worker", From: "tab2", To: "worker"}},
		Span:  swarmSpan, Messages: []string{"state", "call", "result", "credit"},
	}
	plan := swarm.Plan(base.NewRand(seed))
	cfg := sim.Config{Seed: seed}
	if err := cfg.Apply(plan); err != nil {
		t.Fatal(err)
	}
	w := sim.New(cfg)
	worker := w.Host("worker")
	var doc *core.Document
	worker.OnStart(func(h *sim.Host) {
		doc = core.NewDocument(delta.Object(delta.Field{Key: "n", Value: delta.String("")}))
		add := func(c *core.Call) (delta.Value, error) {
			_, err := doc.Change(c, func(d *delta.Draft) error { return d.At("n").Append("x") })
			return delta.Null(), err
		}
		ticks(h, func() {
			h.Do(func() {
				if _, err := doc.Change(nil, func(d *delta.Draft) error { return d.At("n").Append("y") }); err != nil {
					t.Error(err)
				}
			})
		})
		h.Core().Expose("View", core.Object{State: core.Members{"notes": doc}, Methods: core.Methods{"add": add}})
	})
	way := linkmodel.Config{Rate: 64 * base.KiB, Latency: 20 * base.Millisecond}
	for _, name := range []string{"tab1", "tab2"} {
		tab := w.Host(name)
		dial := func() {
			c, err := w.Connect(tab, worker, netsim.Config{Up: way, Down: way})
			if err != nil {
				return // it is down
			}
			c.OnClosed(func(error) {
				w.At(w.Now().Add(500*base.Millisecond), func() {
					if all := w.Connections(); all[len(all)-1] != c && all[len(all)-1].From() == tab {
						return // the plan dialed it again
					}
					_, _ = c.Redial() // a tab that is down cannot
				})
			})
		}
		tab.OnStart(func(h *sim.Host) {
			if h.Incarnation() > 1 {
				w.At(w.Now(), dial)
			}
			view := h.Core().Get("View")
			view.Watch("notes", func(core.Frame) {})
		})
		dial()
	}
	each := w.Every(500*base.Millisecond, func() {
		for _, h := range w.Hosts()[1:] {
			h.Do(func() { h.Core().Get("View").Call("add", nil, func(delta.Value, error) {}) })
		}
	})
	if err := w.Inject(plan); err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	mustRun(t, w, swarmSpan+5*base.Second)
	each.Stop()
	return w, plan
}

// ticks has a timer of a host call fn each tenth of a second until its clock shows the end of the run.
func ticks(h *sim.Host, fn func()) {
	var timer base.Timer
	timer = h.NewTimer(func() {
		if fn(); h.Now() < base.Time(swarmSpan) {
			timer.Set(h.Now().Add(100 * base.Millisecond))
		}
	})
	timer.Set(h.Now().Add(100 * base.Millisecond))
}

// Any drawn plan is carried out in a world of chord hosts: the same each time, and nothing of it is left behind the heal.
func TestSwarmsAreCarriedOut(t *testing.T) {
	seeds := uint64(40)
	if testing.Short() {
		seeds = 5
	}
	effective := map[string]int{}
	for seed := range seeds {
		w, plan := swarmed(t, seed)
		for _, e := range w.Effects() {
			if !e.None() {
				effective[e.Kind]++
			}
			if e.None() && e.Why == "" {
				t.Errorf("seed %d: %s had no effect, and nothing says why", seed, e.Fault)
			}
		}
		for _, c := range w.Connections() {
			for _, e := range []*netsim.End{c.Link.Dialer(), c.Link.Acceptor()} {
				m := e.Model()
				if e.Stalled() || m.Rate != 64*base.KiB || m.Latency != 20*base.Millisecond || m.Jitter != 0 || e.Buffer() != netsim.DefaultBuffer {
					t.Errorf("seed %d: %s is left with %v, a buffer of %d", seed, c.Link.Name(), m, e.Buffer())
				}
			}
		}
		for _, h := range w.Hosts() {
			if !h.Up() {
				t.Errorf("seed %d: %s is down behind the heal", seed, h.Name())
			}
		}
		for _, v := range w.Checks().Violations() {
			t.Errorf("seed %d: %v\n%s", seed, v, plan)
		}
		if seed%10 == 0 {
			again, _ := swarmed(t, seed)
			if again.Hash() != w.Hash() || !reflect.DeepEqual(again.Effects(), w.Effects()) {
				t.Errorf("seed %d: two runs differ", seed)
			}
		}
	}
	for _, k := range faults.Kinds() {
		if effective[k.String()] == 0 && !testing.Short() {
			t.Errorf("no %v had an effect", k)
		}
	}
}
