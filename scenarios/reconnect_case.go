package scenarios

import (
	"fmt"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/sim"
	"chordsim/sim/netsim"
)

// reconnectWorld is the world of one case.
type reconnectWorld struct {
	*lastingWorld
	plan  reconnectPlan
	doc   *core.Document // of the provider's present life
	refs  []*core.Reference
	calls []*core.Call // that the provider has not answered
	marks int
	shown base.Time // when the tab showed something new last
	found *reconnectFound
}

// The calls that are under way when the way is lost, and the commits that the tab misses.
const (
	sentCalls     = 3
	missedCommits = 5
)

func newReconnectWorld(r *sim.Run, plan reconnectPlan, c reconnectCase) *reconnectWorld {
	w := &reconnectWorld{plan: plan, found: &reconnectFound{reconnectCase: c}}
	w.lastingWorld = newLastingWorld(worldOf(r, c.label(), base.Limits{}), c.form, reconnectTimes, lastingLink(r), netsim.Memory, func(h *core.Host) {
		w.doc, w.calls = core.NewDocument(delta.Object(
			delta.Field{Key: "list", Value: entries(plan.entries, plan.characters)},
			delta.Field{Key: "mark", Value: delta.Number(float64(w.marks))},
		)), nil
		h.Expose("View", core.Object{State: core.Members{"notes": w.doc}, Methods: core.Methods{"later": w.later}})
	})
	w.begin = func(h *sim.Host) {
		for range c.references {
			var options []core.GetOption
			if !c.shared {
				options = append(options, core.Unshared())
			}
			ref := h.Core().Get(w.prefix+"View", options...)
			w.refs = append(w.refs, ref)
			if !c.shared || len(w.refs) == 1 {
				ref.Watch("notes", w.frame)
			}
		}
	}
	return w
}

// frame notes when the tab was shown something.
func (w *reconnectWorld) frame(core.Frame) { w.shown = w.world.Now() }

// later is a method that is answered when the world says so.
func (w *reconnectWorld) later(c *core.Call) (delta.Value, error) {
	c.Defer()
	w.calls = append(w.calls, c)
	return delta.Null(), nil
}

// mark has the provider commit.
func (w *reconnectWorld) mark() {
	w.worker.Do(func() {
		w.marks++
		if _, err := w.doc.Change(nil, func(d *delta.Draft) error { return d.At("mark").Set(w.marks) }); err != nil {
			w.found.stuck = err.Error()
		}
	})
}

// caughtUp reports whether every reference is live and shows the newest value.
func (w *reconnectWorld) caughtUp() bool {
	for _, ref := range w.refs {
		rev, ok := ref.Revision("notes")
		if ref.State() != core.StateLive || !ok || rev != w.doc.Revision() {
			return false
		}
	}
	return len(w.refs) > 0
}

// settledOnce is what each call is told.
func (w *reconnectWorld) settledOnce(_ delta.Value, err error) {
	w.found.settled++
	switch base.CodeOf(err) {
	case base.CodeNone:
		w.found.results++
	case base.CodeUnknown:
		w.found.unknown++
	}
}

func (w *reconnectWorld) play() {
	if !w.until(10*base.Millisecond, connectWithin, w.caughtUp) {
		w.stop("the list is not live within %v", connectWithin)
		return
	}
	w.run(base.Second) // credit
	_, before := w.tabWay.Connection().Link.Dialer().Received()
	for range missedCommits {
		w.mark()
		w.run(100 * base.Millisecond)
	}
	_, after := w.tabWay.Connection().Link.Dialer().Received()
	w.found.missed = after - before
	w.tab.Do(func() {
		for range sentCalls {
			w.found.sent++
			w.refs[0].Call("later", nil, w.settledOnce)
		}
	})
	w.run(base.Second)
	w.lose()
	for range missedCommits {
		w.mark() // nothing, of a provider that is down
		w.run(200 * base.Millisecond)
	}
	w.heal()
}

// lose takes the way away.
func (w *reconnectWorld) lose() {
	switch w.found.loss {
	case lossRestarted:
		switch w.form {
		case formDirect:
			w.tabWay.SetDown(true)
		case formDialed:
			w.route.SetDown(true)
		}
		w.world.Crash(w.worker, 0)
	case lossRoute:
		w.route.SetDown(true)
		w.route.Connection().Link.Reset()
	case lossCold:
		w.drop()
		w.run(reconnectTimes.Grace)
	default:
		w.drop()
	}
}

// heal gives it back, and follows what comes until all is live.
func (w *reconnectWorld) heal() {
	over, began := w.tabWay.Connection(), w.world.Now()
	down, up := w.traffic()
	before := int64(0)
	if h := w.worker.Core(); h != nil {
		before = h.Stats().Snapshots
	}
	switch w.found.loss {
	case lossRestarted:
		w.world.Restart(w.worker)
		w.run(0)
		switch w.form {
		case formDirect:
			w.back()
		case formDialed:
			w.route.SetDown(false)
			w.server.Do(w.route.Uplink().Redial)
		}
	case lossRoute:
		w.route.SetDown(false)
		w.routeDialer().Do(w.route.Uplink().Redial)
	default:
		w.back()
	}
	if !w.until(base.Millisecond, crossingWithin, w.caughtUp) {
		w.stop("not all is live within %v", crossingWithin)
		return
	}
	w.found.took = w.shown.Sub(began)
	w.run(base.Second) // credit, and what else follows
	nowDown, nowUp := w.traffic()
	if w.tabWay.Connection() != over {
		down, up = 0, 0
	}
	w.found.down, w.found.up = nowDown-down, nowUp-up
	w.found.snapshots = w.worker.Core().Stats().Snapshots - before
	w.found.limit = w.trips() + w.crossing(w.found.down+w.found.up)
	w.found.goal = w.found.limit + w.found.limit/50 + w.idle()
	w.finish()
}

// idle is how long the way may stand idle while snapshots cross: none of the time, unless it holds more than may be in
// flight. Of the window a quarter may wait for credit that is not asked for.
func (w *reconnectWorld) idle() base.Duration {
	if w.found.snapshots == 0 {
		return 0
	}
	room := int64(base.Limits{}.WithDefaults().BulkBytes / 4 * 3)
	return base.Duration((w.found.down+room-1)/room) * max(0, w.roundTrip()-w.crossing(room))
}

// routeDialer returns the host that dials the route.
func (w *reconnectWorld) routeDialer() *sim.Host {
	if w.form == formDialed {
		return w.server
	}
	return w.worker
}

// trips is how long it takes at least from when the way is there again until all that was missed comes, if it had no bytes: to
// connect and to shake hands, a round trip each, and without a session to hold once more. Of one that goes on the commits that
// were missed are more than the window takes: the last ones come behind the credit for the first.
func (w *reconnectWorld) trips() base.Duration {
	trip := w.roundTrip()
	switch {
	case w.found.loss == lossResumed || w.found.loss == lossCold || w.form == formDirect:
		return 3 * trip
	case w.found.loss == lossRoute:
		return w.link.Down.Latency + trip // the tab's link was there all the time
	}
	// The server finds out that the provider is a new one, and the tab is told, waits for a while, and holds again.
	return w.link.Down.Latency + w.times.First + trip
}

// finish answers the calls that were sent and lets all settle.
func (w *reconnectWorld) finish() {
	w.worker.Do(func() {
		for _, c := range w.calls {
			c.Settle(delta.Null(), nil)
		}
	})
	if err := w.settle(); err != nil {
		w.stop("%v", err)
	}
}

func (w *reconnectWorld) stop(format string, args ...any) {
	if w.found.stuck = fmt.Sprintf(format, args...); w.failed != nil {
		w.found.stuck = w.failed.Error()
	}
}
