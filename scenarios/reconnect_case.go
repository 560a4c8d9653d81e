package scenarios

import (
	"fmt"
	"strings"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/sim"
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

func newReconnectWorld(r *sim.Run, plan reconnectPlan, c reconnectCase) *reconnectWorld {
	if c.loss != lossKnown {
		plan.setup.limits.HistoryBytes = withoutHistory
	}
	w := &reconnectWorld{plan: plan, found: &reconnectFound{reconnectCase: c, plan: plan}}
	w.lastingWorld = newLastingWorld(plan.setup.world(r, c.label()), c.form, plan.setup, func(h *core.Host) {
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
func (w *reconnectWorld) mark(text int) {
	w.worker.Do(func() {
		w.marks++
		_, err := w.doc.Change(nil, func(d *delta.Draft) error {
			if text > 0 {
				if err := d.At("text").Set(strings.Repeat(string(rune('a'+w.marks%26)), text)); err != nil {
					return err
				}
			}
			return d.At("mark").Set(w.marks)
		})
		if err != nil {
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

// connected reports whether all ways are there: references stay live without, as long as sessions are kept.
func (w *reconnectWorld) connected() bool {
	return w.tabWay.Uplink().Connected() && (w.route == nil || w.route.Uplink().Connected())
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
	for _, text := range w.plan.commits {
		w.mark(text)
		w.run(100*base.Millisecond + 2*w.roundTrip() + w.crossings(int64(text)*int64(1+w.found.references)))
	}
	_, after := w.tabWay.Connection().Link.Dialer().Received()
	w.found.missed = after - before
	w.tab.Do(func() {
		for _, arg := range w.plan.calls {
			w.found.sent++
			var value any
			if arg > 0 {
				value = strings.Repeat("x", arg)
			}
			w.refs[0].Call("later", value, w.settledOnce)
		}
	})
	w.run(base.Second + w.roundTrip() + w.crossings(2*int64(sumOf(w.plan.calls))))
	session := w.tabWay.Uplink().Link().Session()
	w.lose()
	w.run(w.plan.gone)
	for _, text := range w.plan.commits {
		w.mark(text) // nothing, of a provider that is down
		w.run(w.plan.every)
	}
	w.heal(session)
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
	case lossCold, lossKnown:
		w.drop()
		w.run(w.times.Grace)
	default:
		w.drop()
	}
}

// heal gives it back, and follows what comes until all is live.
func (w *reconnectWorld) heal(session uint64) {
	over, began := w.tabWay.Connection(), w.world.Now()
	down, up := w.traffic()
	var before core.Stats
	if h := w.worker.Core(); h != nil {
		before = h.Stats()
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
	if !w.until(base.Millisecond, crossingWithin, func() bool { return w.caughtUp() && w.connected() }) {
		w.stop("not all is live within %v", crossingWithin)
		return
	}
	w.found.took = max(0, w.shown.Sub(began)) // nothing was missed, and the session went on
	if w.found.near = w.found.loss == lossNear; w.found.near {
		if w.found.loss = lossCold; w.tabWay.Uplink().Link().Session() == session {
			w.found.loss = lossResumed
		}
	}
	w.run(base.Second) // credit, and what else follows
	nowDown, nowUp := w.traffic()
	if w.tabWay.Connection() != over {
		down, up = 0, 0
	}
	w.found.down, w.found.up = nowDown-down, nowUp-up
	stats := w.worker.Core().Stats()
	w.found.snapshots, w.found.deltas = stats.Snapshots-before.Snapshots, stats.Deltas-before.Deltas
	w.found.limit = w.trips() + w.crossings(w.found.down+w.found.up)
	w.found.goal = w.found.limit + w.found.limit/50 + w.idle()
	if w.found.near && w.found.loss == lossCold {
		w.found.goal += w.times.Most // the grace was over while hands were shaken, after which the tab waited
	}
	if w.found.drawn != "" { // over links that hold more than a window, and in ticks
		windows := w.found.down / int64(w.setup.limits.WithDefaults().BulkBytes)
		w.found.goal += base.Duration(w.found.snapshots+windows) * w.roundTrip()
	}
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
	case w.found.loss != lossRoute && w.found.loss != lossRestarted || w.form == formDirect:
		return 3 * trip
	}
	// The tab's link was there all the time. The route is connected anew, and there the server goes on, or finds out that the provider
	// is a new one, of which the tab is told and holds again.
	return slowest(w.setup.link.Down) + trip + 3*tripOf(w.setup.route)
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
