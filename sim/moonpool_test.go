package sim_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/faults"
	"chordsim/faults/linkmodel"
	"chordsim/sim"
	"chordsim/sim/netsim"
	"chordsim/sim/trace"
	"chordsim/sim/workload"
)

const richSpan = 5 * base.Second

// richTabs are the links of a rich world, one of each kind, by the tab that dials it.
func richTabs(w *sim.World) (names []string, links []netsim.Config, err error) {
	shared, err := w.Bottleneck("cell", 32*base.KiB)
	if err != nil {
		return nil, nil, err
	}
	marks, err := linkmodel.ParseTrace("lte", strings.NewReader("3\n3\n9\n20\n"))
	if err != nil {
		return nil, nil, err
	}
	both := func(c linkmodel.Config) netsim.Config { return netsim.Config{Up: c, Down: c} }
	near := linkmodel.Config{Rate: 64 * base.KiB, Latency: 20 * base.Millisecond}
	stream := both(near)
	stream.Stream = &netsim.StreamConfig{Min: 1, Max: 50}
	cell := both(linkmodel.Config{Latency: 30 * base.Millisecond})
	cell.UpVia, cell.DownVia = shared, shared
	jittery := near
	jittery.Jitter = 15 * base.Millisecond
	names = []string{"memory", "rate", "jitter", "quantum", "trace", "stream", "cell1", "cell2"}
	links = []netsim.Config{
		netsim.Memory, both(near), both(jittery), both(linkmodel.Config{Rate: 64 * base.KiB, Quantum: 10 * base.Millisecond}),
		both(linkmodel.Config{Trace: marks, Latency: 5 * base.Millisecond}), stream, cell, cell,
	}
	return names, links, nil
}

// richSwarm draws whatever can go wrong in a rich world, with knobs.
func richSwarm(names []string) faults.Swarm {
	s := faults.Swarm{
		Hosts: []faults.SwarmHost{{Name: "worker", Role: "provider"}},
		Span:  richSpan, Messages: []string{"state", "call", "result", "credit"},
	}
	for _, name := range names {
		s.Hosts = append(s.Hosts, faults.SwarmHost{Name: name})
		s.Links = append(s.Links, faults.SwarmLink{Name: name + "-worker", From: name, To: "worker", Fixed: name == "trace"})
	}
	return s
}

// rich runs a world with hosts that crash and start, a store, links of every kind, faults of every kind, timers, calls and a
// workload, and prints all that is known of its run.
func rich(seed uint64) (string, error) {
	fake := sim.New(sim.Config{}) // for the names
	names, _, err := richTabs(fake)
	if err != nil {
		return "", err
	}
	plan := richSwarm(names).Plan(base.NewRand(seed))
	crash, err := faults.Parse("at 2500ms crash worker keep 50% restart after 200ms\n")
	if err != nil {
		return "", err
	}
	plan.Faults = append(plan.Faults, crash.Faults...)
	decisions := &trace.Decisions{}
	cfg := sim.Config{Seed: seed, Decisions: decisions}
	if err := cfg.Apply(plan); err != nil {
		return "", err
	}
	w := sim.New(cfg)
	_, links, err := richTabs(w)
	if err != nil {
		return "", err
	}
	worker := w.Host("worker")
	var doc *core.Document
	append1 := func(c *core.Call, text string) error {
		_, err := doc.Change(c, func(d *delta.Draft) error { return d.At("n").Append(text) })
		return err
	}
	worker.OnStart(func(h *sim.Host) {
		stored, _ := h.Store().Get("lives")
		h.Store().Put("lives", append(stored, 'i'))
		if len(stored)%2 == 0 {
			h.Store().Sync()
		}
		doc = core.NewDocument(delta.Object(delta.Field{Key: "n", Value: delta.String(string(stored))}))
		var timer base.Timer
		timer = h.NewTimer(func() {
			h.Do(func() { append1(nil, "y") })
			if h.Now() < base.Time(richSpan) {
				timer.Set(h.Now().Add(70 * base.Millisecond))
			}
		})
		timer.Set(h.Now())
		add := func(c *core.Call) (delta.Value, error) { return delta.Null(), append1(c, "x") }
		h.Core().Expose("View", core.Object{State: core.Members{"notes": doc}, Methods: core.Methods{"add": add}})
	})
	for i, name := range names {
		richTab(w, name, worker, links[i])
	}
	for _, item := range w.Workload("calls", func(r base.Rand) workload.List { return richWorkload(r, names) }) {
		w.At(item.At, func() {
			h := w.Hosts()[1+item.Index(0, len(names))]
			h.Do(func() { h.Core().Get("View").Call("add", nil, func(delta.Value, error) {}) })
		})
	}
	w.RunFor(0) // all dial
	if err := w.Inject(plan); err != nil {
		return "", err
	}
	err = w.RunFor(2 * richSpan)
	return fmt.Sprintf("%016x %+v %v %v %v\n%v\n%v", w.Hash(), w.Stats(), w.Now(), err, w.Violation(), w.Effects(), decisions.Labels()), nil
}

// richTab makes a host that dials the worker, and again whenever it has no connection.
func richTab(w *sim.World, name string, worker *sim.Host, cfg netsim.Config) {
	tab := w.Host(name)
	var dial func()
	dial = func() {
		c, err := w.Connect(tab, worker, cfg)
		if err != nil {
			return // it is down
		}
		life := tab.Incarnation()
		c.OnClosed(func(error) {
			w.At(w.Now().Add(500*base.Millisecond), func() {
				if tab.Incarnation() == life { // else its start dialed
					dial()
				}
			})
		})
	}
	tab.OnStart(func(h *sim.Host) {
		w.At(w.Now(), dial)
		h.Core().Get("View").Watch("notes", func(core.Frame) {})
	})
}

func richWorkload(r base.Rand, names []string) (list workload.List) {
	times, hosts := r.Stream("times"), r.Stream("hosts")
	for range 60 {
		list = append(list, workload.Item{
			At: base.Time(times.Below(uint64(richSpan))), Host: "tabs", Verb: "call", Operands: []uint64{hosts.Below(uint64(len(names)))},
		})
	}
	return list
}

// moonpool #171: a replay differed by a millisecond after earlier runs in the same process. A world takes nothing from an
// earlier one, nor from one beside it: it is the same alone, after 100 others, and with others in other goroutines (D1).
func TestMoonpool171AWorldTakesNothingFromAnEarlierOne(t *testing.T) {
	const seed = 171
	others := uint64(100)
	if testing.Short() {
		others = 10
	}
	alone := mustRich(t, seed)
	if !strings.Contains(alone, "<nil> <nil>\n") {
		t.Errorf("the world fails:\n%s", alone)
	}
	seen := map[string]bool{}
	for other := range others {
		seen[mustRich(t, 1000+other)] = true
	}
	if len(seen) != int(others) {
		t.Errorf("%d of %d other worlds differ from each other", len(seen), others)
	}
	wantSame(t, "after others", mustRich(t, seed), alone)
	const beside = 4
	var runs [beside]string
	var all sync.WaitGroup
	for i := range runs {
		all.Go(func() {
			for other := range uint64(3) {
				rich(2000 + 10*uint64(i) + other)
			}
			runs[i], _ = rich(seed)
		})
	}
	all.Wait()
	for i, run := range runs {
		wantSame(t, fmt.Sprintf("in goroutine %d", i), run, alone)
	}
}

func mustRich(t *testing.T, seed uint64) string {
	t.Helper()
	run, err := rich(seed)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	return run
}

func wantSame(t *testing.T, when, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n%s\nalone:\n%s", when, got, want)
	}
}
