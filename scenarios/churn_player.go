package scenarios

import (
	"slices"

	"chordsim/core/base"
	"chordsim/sim/workload"
)

// prepare has the hosts do what the workload says: those of one host at one time at once, as long as the safety phase lasts.
func (w *churnWorld) prepare(list workload.List) {
	byHost := map[string]workload.List{}
	for _, it := range list {
		byHost[it.Host] = append(byHost[it.Host], it)
	}
	for _, p := range w.workers {
		w.perform(byHost[p.host.Name()], p.act)
	}
	for _, t := range w.tabs {
		w.perform(byHost[t.host.Name()], t.act)
	}
}

// perform hands the items of a host to it, when their times come.
func (w *churnWorld) perform(list workload.List, act func(workload.List)) {
	if late := slices.IndexFunc(list, func(it workload.Item) bool { return it.At > w.heal }); late >= 0 {
		list = list[:late] // nobody is to wait for those
	}
	var next func()
	next = func() {
		if w.calm || len(list) == 0 {
			return
		}
		n := 1
		for n < len(list) && list[n].At == list[0].At {
			n++
		}
		now := list[:n]
		list = list[n:]
		act(now)
		if len(list) > 0 {
			w.world.At(list[0].At, next)
		}
	}
	if len(list) > 0 {
		w.world.At(list[0].At, next)
	}
}

// act commits and saves.
func (p *churnWorker) act(items workload.List) {
	p.host.Do(func() {
		for i := range items {
			p.perform(&items[i])
		}
	})
}

// perform does one thing, within a turn.
func (p *churnWorker) perform(it *workload.Item) {
	switch it.Verb {
	case churnSave, churnSync:
		p.save(it.Verb == churnSync)
		return
	}
	v := churnVerbOf(it.Verb)
	for _, change := range churnChanges {
		if v == nil || change.name != v.method {
			continue
		}
		if _, err := change.do(p, nil, it.Operand(0)%churnMostArgument); err != nil {
			p.w.fault("%s on its own at %s: %v", change.name, p.host.Name(), err)
		}
	}
}

// churnMostArgument bounds arguments: more than there are, and exact as numbers.
const churnMostArgument = 1 << 48

// act does some of the things that tabs do. One that has no connection only notes what it wants.
func (t *churnTab) act(items workload.List) {
	var turn, reload bool
	for i := range items {
		switch items[i].Verb {
		case churnWanted:
			t.want(&items[i])
		case churnReload:
			reload = true
		default:
			turn = true
		}
	}
	if !t.host.Up() || !t.line.up() || len(t.wants) == 0 {
		return
	}
	if turn {
		t.host.Do(func() {
			for i := range items {
				t.perform(&items[i])
			}
		})
	}
	if reload {
		t.line.restart()
	}
}

// want has the tab want one more thing, if it does not want enough already.
func (t *churnTab) want(it *workload.Item) {
	if len(t.wants) == churnMostWants {
		return
	}
	want := &churnWant{object: it.Index(0, len(churnObjects)), worker: t.direct}
	if t.direct < 0 {
		want.worker = it.Index(1, churnWorkers)
	}
	t.wants = append(t.wants, want)
}

// perform does one thing with something that the tab wants, within a turn.
func (t *churnTab) perform(it *workload.Item) {
	if len(t.wants) == 0 {
		return
	}
	want := t.wants[it.Index(0, len(t.wants))]
	switch it.Verb {
	case churnWanted, churnReload: // which are no turn
	case churnAgain:
		t.release(want)
		t.hold(want)
	case churnDrop:
		if len(t.wants) > 1 {
			t.forget(want)
		}
	default:
		if v := churnVerbOf(it.Verb); v != nil {
			for i := range max(1, it.Index(churnTimes, churnMostTimes)) {
				t.call(want, v.method, (it.Operand(churnArgument)+uint64(i))%churnMostArgument, it)
			}
		}
	}
}

// deadline is when a call has to be answered by, on the tab's clock.
func (t *churnTab) deadline(it *workload.Item) base.Time {
	return t.host.Core().Now().Add(base.Duration(it.Index(churnMillis, churnMostMillis)) * base.Millisecond)
}

// churnMostMillis bounds the times that a call says.
const churnMostMillis = 60_000
