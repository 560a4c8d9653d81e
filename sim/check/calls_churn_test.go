package check_test

import (
	"strings"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/relay"
	"chordsim/core/wire"
	"chordsim/faults/linkmodel"
	"chordsim/sim"
	"chordsim/sim/events"
	"chordsim/sim/netsim"
)

// TestCleanCalls has tabs call on the worker, directly and through a server, with small limits: calls that wait, large ones,
// ones that are cancelled and ones that go on for a while.
func TestCleanCalls(t *testing.T) {
	seeds := uint64(40)
	if testing.Short() {
		seeds = 10
	}
	for seed := range seeds {
		w := sim.New(sim.Config{
			Seed: seed, Strategy: events.Random, Codec: wire.Codec(seed % 2),
			Limits: base.Limits{ChunkBytes: 64, RunningCalls: 3, QueuedCalls: 4, ParkedCalls: 12, ParkedBytes: 2048},
		})
		callsChurn(t, w)
		for _, v := range w.Checks().Violations() {
			t.Errorf("seed %d: %v", seed, v)
		}
		if t.Failed() {
			return
		}
	}
}

func callsChurn(t *testing.T, w *sim.World) {
	draws := w.Rand().Stream("test")
	server, worker := w.Host("server"), w.Host("worker")
	worker.SetCost(sim.Cost{PerTurn: base.Duration(draws.Below(3)) * base.Millisecond})
	step := func(d base.Duration) {
		if err := w.RunFor(d); err != nil {
			t.Fatal(err)
		}
	}
	connect := func(from, to *sim.Host, cfg netsim.Config) *sim.Connection {
		c, err := w.Connect(from, to, cfg)
		if err != nil {
			t.Fatal(err)
		}
		for c.Dialed() == nil {
			step(base.Millisecond)
		}
		return c
	}
	doc := core.NewDocument(delta.Object(delta.Field{Key: "text", Value: delta.String("a beginning")}))
	var running []*core.Call
	add := func(c *core.Call) (delta.Value, error) {
		_, err := doc.Change(c, func(d *delta.Draft) error { return d.At("text").Append(" more") })
		return delta.Null(), err
	}
	worker.Core().Expose("View", core.Object{State: core.Members{"notes": doc}, Methods: core.Methods{
		"add": add,
		"later": func(c *core.Call) (delta.Value, error) {
			c.Defer()
			running = append(running, c)
			return add(c)
		},
	}})
	hop := netsim.Memory
	if draws.Below(2) == 0 { // lanes pass one another at the relay
		hop.Down = linkmodel.Config{Rate: 4 * base.KiB}
	}
	route := connect(worker, server, hop)
	server.Core().Route("Session", func(q *relay.Request) { q.To(route.Accepted().Link()) })
	var refs []*core.Reference
	hold := func() {
		slow := linkmodel.Config{Rate: 8 * base.KiB, Latency: base.Duration(draws.Below(10)) * base.Millisecond}
		tab, to, address := w.Host("tab"+string(rune('a'+len(refs)))), worker, "View"
		if draws.Below(2) == 0 {
			to, address = server, "Session/1/View"
		}
		connect(tab, to, netsim.Config{Up: slow, Down: slow})
		tab.Do(func() { refs = append(refs, tab.Core().Get(address)) })
		step(0)
	}
	for range 3 {
		hold()
	}
	for range 250 {
		i := int(draws.Below(uint64(len(refs))))
		r := refs[i]
		var host *sim.Host
		for _, h := range w.Hosts() {
			if h.Core() == r.Host() {
				host = h
			}
		}
		switch what := draws.Below(20); {
		case what < 13:
			host.Do(func() { burst(r, draws) })
		case what < 18 && len(running) > 0:
			c := running[0]
			running = running[1:]
			worker.Do(func() { c.Settle(delta.Null(), nil) })
		case what < 19:
			host.Do(func() {
				r.Release()
				refs[i] = host.Core().Get(r.Address())
				for range 6 {
					burst(refs[i], draws)
				}
			})
		}
		step(base.Duration(draws.Below(8)) * base.Millisecond)
	}
	for range 1000 {
		if err := w.Settle(10 * base.Minute); err != nil {
			return // told by the caller
		}
		if len(running) == 0 {
			return
		}
		all := running
		running = nil
		for _, c := range all {
			worker.Do(func() { c.Settle(delta.Null(), nil) })
		}
	}
	t.Error("calls go on for ever")
}

// burst makes some calls at once: small and large ones, some that go on and some that are cancelled.
func burst(r *core.Reference, draws *base.Stream) {
	for range 1 + draws.Below(4) {
		arg, method := "x", "add"
		if draws.Below(3) == 0 {
			arg = strings.Repeat("an argument of several chunks ", 1+int(draws.Below(12)))
		}
		if draws.Below(3) == 0 {
			method = "later"
		}
		if pc := r.Call(method, arg, nil); draws.Below(5) == 0 {
			r.Host().Do(pc.Cancel)
		}
	}
}
