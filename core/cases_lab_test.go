package core_test

import (
	"testing"

	"chordsim/core"
	"chordsim/core/delta"
	"chordsim/sim"
	"chordsim/sim/netsim"
	"chordsim/sim/trace"
)

// tee shows what happens to several.
type tee []trace.Sink

func (t tee) Event(e trace.Event) {
	for _, s := range t {
		s.Event(e)
	}
}

// newWatchedLab is a lab whose tab has nothing but a lasting way to the worker, and holds its View. The configuration's own
// trace, if it has one, is told of all that happens from the first connection on.
func newWatchedLab(t *testing.T, cfg sim.Config, link netsim.Config) *uplinkLab {
	t.Helper()
	log := &eventLog{count: map[string]int{}, bytes: map[string]int{}}
	if cfg.Trace == nil {
		cfg.Trace = log
	} else {
		cfg.Trace = tee{log, cfg.Trace}
	}
	u := &uplinkLab{lab: &lab{t: t, log: log, world: sim.New(cfg)}}
	u.worker, u.tab = u.world.Host("worker"), u.world.Host("tab")
	u.doc = core.NewDocument(delta.Object(
		delta.Field{Key: "entries", Value: delta.List()}, delta.Field{Key: "reply", Value: delta.String("")},
	))
	u.worker.Core().Expose("View", core.Object{
		State: core.Members{"notes": u.doc}, Methods: core.Methods{"stream": u.stream, "echo": echo, "fail": fail},
	})
	way, err := u.world.Dial(u.tab, u.worker, link, nil)
	if err != nil {
		t.Fatal(err)
	}
	u.way = way
	u.ref = u.get("View")
	u.settle()
	wantState(t, u.ref, core.StateLive)
	clear(u.log.count)
	clear(u.log.bytes)
	u.log.order = nil
	return u
}
