package scenarios

import (
	"fmt"
	"strings"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/sim"
)

// parkedWorld is the world of one case. What the worker has notes each call that it runs.
type parkedWorld struct {
	*lastingWorld
	plan  parkedPlan
	view  *core.Reference
	doc   *core.Document
	mixed mixedPart
	bind  base.Time // when the calls could go again
	over  base.Time // when the last of them had settled
	began [2]int64  // bytes at the bind: down, up
	found *parkedFound
}

func newParkedWorld(r *sim.Run, plan parkedPlan, number, what, form, kind string) *parkedWorld {
	w := &parkedWorld{plan: plan, found: &parkedFound{
		label: number + form + " " + kind + " " + what, plan: plan, form: form, kind: kind, what: what, codes: map[base.Code]int{},
	}}
	w.lastingWorld = newLastingWorld(plan.setup.world(r, w.found.label), form, plan.setup, func(h *core.Host) {
		w.doc = core.NewDocument(delta.Object())
		h.Expose("Desk", core.Object{
			State:   core.Members{"notes": w.doc},
			Methods: core.Methods{"note": w.note, "mixed": w.mix},
		})
	})
	w.begin = func(h *sim.Host) { w.view = h.Core().Get(w.prefix + "Desk") }
	return w
}

// note is the worker's method.
func (w *parkedWorld) note(c *core.Call) (delta.Value, error) {
	w.found.arrived++
	if w.found.want != nil {
		w.found.seen = append(w.found.seen, c.Arg.Text().String())
	}
	return delta.Null(), nil
}

// call has the tab call, within a turn of it.
func (w *parkedWorld) call(arg string, then func(), options ...core.CallOption) {
	w.found.made++
	w.view.Call("note", arg, func(_ delta.Value, err error) {
		w.found.settled++
		w.found.codes[base.CodeOf(err)]++
		w.over = w.world.Now()
		if then != nil {
			then()
		}
	}, options...)
}

// away gets everything live and takes the network away, until the tab knows what that means for it.
func (w *parkedWorld) away() bool {
	live := func() bool { return w.view != nil && w.view.State() == core.StateLive }
	if !w.until(10*base.Millisecond, connectWithin, live) {
		return w.stop("the object is not live within %v", connectWithin)
	}
	w.drop()
	w.run(10 * base.Millisecond)
	if w.found.kind == outageLong {
		w.run(w.times.Grace)
		if w.view.State() != core.StateDown && w.failed == nil {
			return w.stop("the reference is %v after the grace", w.view.State())
		}
	}
	return w.failed == nil
}

// returns gives the network back once the outage is over, and notes the bind.
func (w *parkedWorld) returns() {
	w.onChange = func() {
		if w.found.kind == outageShort && w.tabWay.Uplink().Connected() {
			w.bound()
		}
	}
	first := true
	w.tab.Do(func() {
		if w.found.kind == outageLong {
			w.view.Watch("notes", func(core.Frame) {
				if first {
					first = false
					w.bound()
				}
			})
		}
	})
	w.run(w.plan.outage(w.found.kind) / 2)
	w.back()
}

func (w *parkedWorld) bound() {
	w.bind = w.world.Now()
	w.began[0], w.began[1] = w.traffic()
}

// answered waits for all calls to settle.
func (w *parkedWorld) answered() bool {
	if !w.until(base.Millisecond, crossingWithin, func() bool { return w.found.settled >= w.found.made }) {
		return w.stop("%d calls of %d settled within %v", w.found.settled, w.found.made, crossingWithin)
	}
	down, up := w.traffic()
	w.found.down, w.found.up = down-w.began[0], up-w.began[1]
	w.found.last = w.over.Sub(w.bind)
	w.found.limit = w.roundTrip() + w.crossings(max(w.found.down, w.found.up)+w.plan.message)
	return true
}

// order parks calls, all of which run.
func (w *parkedWorld) order() {
	if !w.away() {
		return
	}
	w.found.want = []string{}
	w.tab.Do(func() {
		for i := range w.plan.calls {
			w.found.want = append(w.found.want, itoa(int64(i)))
			w.call(itoa(int64(i)), nil)
		}
	})
	w.returns()
	w.answered()
}

// listener has the program call as it hears that the way is there again, from every place where it may: behind what was parked.
func (w *parkedWorld) listener() {
	if !w.away() {
		return
	}
	w.found.want = []string{"A", "B", "C", "from A"}
	w.tab.Do(func() {
		w.call("A", func() { w.call("from A", nil) })
		w.call("B", nil)
		if w.found.kind == outageLong {
			w.found.want = []string{"A", "B", "C", "frame", "from A"}
			w.view.Watch("notes", func(core.Frame) { w.call("frame", nil) })
		}
	})
	w.returns()
	noted := w.onChange
	w.onChange = func() {
		noted()
		if w.tabWay.Uplink().Connected() {
			w.call("C", nil)
		}
	}
	w.answered()
}

// expired parks calls whose deadlines pass before the way is there again, in three outages in a row, and one each that is in time.
func (w *parkedWorld) expired() {
	w.found.want = []string{}
	for round := range 3 {
		if !w.away() {
			return
		}
		in := "in time " + itoa(int64(round))
		w.found.want = append(w.found.want, in)
		w.tab.Do(func() {
			deadline := core.Deadline(w.world.Now().Add(w.plan.outage(w.found.kind) / 4))
			for range w.plan.calls {
				w.call("too late", nil, deadline)
			}
			w.call(in, nil, core.Deadline(w.world.Now().Add(settleWithin/2))) // its timer is gone once it is answered
		})
		w.returns()
		if !w.answered() {
			return
		}
	}
}

// flood parks far more calls than may wait: many small ones, of which the number is bounded.
func (w *parkedWorld) flood() { w.floodOf(smallArg) }

// heap parks as many of a size of which the bytes are bounded.
func (w *parkedWorld) heap() { w.floodOf(largeArg) }

// The arguments of calls that are too many, in bytes.
const (
	smallArg = 8
	largeArg = 4000
)

// floodBatch is how many calls are made in one turn.
const floodBatch = 1000

func (w *parkedWorld) floodOf(size int) {
	if !w.away() {
		return
	}
	arg := strings.Repeat("x", size)
	asks := func() core.Asked {
		at, _ := w.tab.Core().Asks(w.view.Way())
		return at
	}
	w.tab.Do(func() { w.call(arg, nil) })
	w.run(0)
	each := asks().ParkedBytes
	for w.found.made < w.plan.flood {
		w.tab.Do(func() {
			for range min(floodBatch, w.plan.flood-w.found.made) {
				w.call(arg, nil)
			}
		})
		if !w.run(0) {
			w.stop("")
			return
		}
	}
	w.found.refused, w.found.kept = w.found.codes[base.CodeLimit], asks()
	w.found.keptWant = min(w.plan.setup.limits.ParkedCalls, w.plan.setup.limits.ParkedBytes/max(each, size))
	w.found.bytesWant = w.found.keptWant * each
	w.returns()
	w.answered()
	w.found.left = asks()
}

// stop notes why the case came to no end.
func (w *parkedWorld) stop(format string, args ...any) bool {
	if w.found.stuck = fmt.Sprintf(format, args...); w.failed != nil {
		w.found.stuck = w.failed.Error()
	}
	return false
}

// end has everything settle and counts what is left.
func (w *parkedWorld) end() {
	early := w.found.what == "expired" // before timers that should have been stopped have run out
	if early {
		w.found.timers = w.timers() - 1
	}
	if err := w.settle(); err != nil && w.found.stuck == "" {
		w.found.stuck = err.Error()
	}
	if !early {
		w.found.timers = w.timers() - 1
	}
}
