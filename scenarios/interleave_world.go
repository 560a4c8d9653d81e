package scenarios

import (
	"fmt"
	"strings"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/relay"
	"chordsim/sim"
	"chordsim/sim/netsim"
)

// callWorld is the world of one case: a worker with a counter and a document, a tab, and for a relayed case a server with
// a route for Session in between.
type callWorld struct {
	plan    callPlan
	world   *sim.World
	worker  *sim.Host
	tab     *sim.Host
	end     *netsim.End // the tab's end of its link
	prefix  string      // of addresses
	burst   int         // how many calls the tab makes at once; 0: none
	counter *core.Document
	count   *core.Reference // to the counter
	view    *core.Reference // to the document
	live    base.Time       // when the document was there
	found   crossing
	failed  error
}

func (p callPlan) document() delta.Value { return entries(p.entries, p.characters) }

func newCallWorld(r *sim.Run, plan callPlan, label string, relayed bool, burst int) (*callWorld, error) {
	way, _, _ := strings.Cut(label, " ") // with calls and without: the same draws
	cfg := r.Config(way)
	cfg.Codec = plan.codec
	w := &callWorld{
		plan: plan, world: sim.New(cfg), burst: burst, found: crossing{label: label},
		counter: core.NewDocument(delta.Object(delta.Field{Key: "n", Value: delta.Number(0)})),
	}
	w.tab, w.worker = w.world.Host("tab"), w.world.Host("worker")
	w.worker.Core().Expose("Counter", core.Object{
		State: core.Members{"count": w.counter}, Methods: core.Methods{"add": w.add},
	})
	w.worker.Core().Expose("View", core.Object{State: core.Members{"notes": core.NewDocument(plan.document())}})
	near := w.worker // the host that the tab dials
	if relayed {
		near, w.prefix = w.world.Host("server"), "Session/42/"
		route, err := w.world.Connect(w.worker, near, netsim.Memory)
		if err != nil {
			return nil, err
		}
		near.Core().Route("Session", func(q *relay.Request) { q.To(route.Accepted().Link()) })
	}
	down := callDown(r)
	up := down
	up.Rate, up.Trace = 0, nil
	conn, err := w.world.Connect(w.tab, near, netsim.Config{Up: up, Down: down})
	if err != nil {
		return nil, err
	}
	w.end = conn.Link.Dialer()
	w.world.Note("case " + label)
	return w, connected(w.world, 4*plan.latency, base.Millisecond, conn)
}

// add is the counter's method.
func (w *callWorld) add(c *core.Call) (delta.Value, error) {
	n := 0.0
	_, err := w.counter.Change(c, func(d *delta.Draft) error {
		v, _ := w.counter.Value().At("n")
		n = v.Number() + c.Arg.Number()
		return d.At("n").Set(n)
	})
	return delta.Number(n), err
}

// play runs the case and returns what was found.
func (w *callWorld) play() crossing {
	w.tab.Do(func() { w.count = w.tab.Core().Get(w.prefix + "Counter") })
	for deadline := w.world.Now().Add(crossingWithin); w.count == nil || w.count.State() == core.StateResolving; {
		if w.failed = w.world.RunFor(10 * base.Millisecond); w.failed != nil || w.world.Now() > deadline {
			return w.stop("the counter did not arrive within %v of virtual time", crossingWithin)
		}
	}
	if !w.cross() {
		return w.stop("the snapshot did not arrive within %v of virtual time", crossingWithin)
	}
	return w.stop("")
}

// cross has the tab ask for the document, and call until it is there.
func (w *callWorld) cross() bool {
	w.found.asked = w.world.Now()
	_, before := w.end.Received()
	w.tab.Do(func() {
		w.view = w.tab.Core().Get(w.prefix + "View")
		w.view.Watch("notes", func(core.Frame) {
			_, now := w.end.Received()
			w.live, w.found.bytes = w.world.Now(), now-before
			w.found.snapshot = w.live.Sub(w.found.asked)
		})
	})
	turn := 0
	first := base.Duration(w.world.Rand().Stream("first call").Below(uint64(w.plan.every)))
	for at := w.found.asked.Add(first); at < w.found.asked.Add(crossingWithin); at = at.Add(w.plan.every) {
		if w.failed = w.world.RunUntil(at); w.failed == nil {
			w.failed = w.world.Violation() // what comes after it says little
		}
		if w.live != 0 || w.failed != nil || w.view.State() > core.StateLive {
			return true
		}
		if w.burst == 1 || turn%burstEvery == 0 {
			for range w.burst {
				w.tab.Do(w.call)
			}
		}
		turn++
	}
	return false
}

// call makes a call and notes how long it takes until its result is seen, and whether its change is seen by then.
func (w *callWorld) call() {
	if w.live != 0 {
		return // it came at the very instant
	}
	i := len(w.found.calls)
	w.found.calls = append(w.found.calls, callMade{at: w.world.Now(), ahead: i - w.found.answered})
	w.count.Call("add", 1, func(v delta.Value, err error) {
		if err != nil {
			w.found.broken = fmt.Sprintf("call %d: %v", i+1, err)
			return
		}
		w.found.answered++
		w.found.calls[i].took = w.world.Now().Sub(w.found.calls[i].at)
		value, _ := w.count.Value("count")
		if n, _ := value.At("n"); n.Number() < v.Number() {
			w.found.unread++
		}
	})
}

// folded returns how many changes waited for room in the window.
func (w *callWorld) folded() int64 { return w.worker.Core().Stats().Folded }

// stop ends the case. One that did not get where it should settles as well, for what the checkers have to say about that.
func (w *callWorld) stop(format string, args ...any) crossing {
	switch {
	case w.failed != nil:
		w.found.stuck = w.failed.Error()
	case format != "":
		w.found.stuck = fmt.Sprintf(format, args...)
	}
	if err := w.world.Settle(settleWithin); err != nil && !strings.Contains(w.found.stuck, err.Error()) {
		w.found.stuck = strings.TrimPrefix(w.found.stuck+"; "+err.Error(), "; ")
	}
	for _, ref := range []*core.Reference{w.count, w.view} {
		if ref != nil && ref.Err() != nil && w.found.broken == "" {
			// No fault took the link away: one of our own hosts said something that another did not take.
			w.found.broken = fmt.Sprintf("C14: %s is %v: %v", ref.Address(), ref.State(), ref.Err())
		}
	}
	if n := len(w.found.calls) - w.found.answered; n > 0 && w.found.stuck == "" && w.found.broken == "" {
		w.found.stuck = fmt.Sprintf("%d calls of %d were never answered", n, len(w.found.calls))
	}
	return w.found
}
