package scenarios

import (
	"fmt"
	"slices"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/sim"
	"chordsim/sim/netsim"
	"chordsim/sim/trace"
)

// sessionWorld is a world in which a session is played: holds, commits, calls of all kinds, a release.
type sessionWorld struct {
	*lastingWorld
	halfOpenCase
	plan      *sessionPlan
	delivered []delivery
	sink      trace.Sink // of the run; nil: none
	doc       *core.Document
	other     *core.Document
	view      *core.Reference
	kept      []*core.Reference // that the tab's present life holds
	calls     []*sessionCall
	next      int       // of the script
	healed    base.Time // when what went was back, or could be dialed
	wrong     string
}

// delivery is a message that arrived in the session that nothing happens to.
type delivery struct {
	at    base.Time
	link  string
	to    string
	bytes int
}

// place is where something goes away.
type place struct {
	at    base.Time
	after int64 // bytes towards an end, where it is cut there
}

// sessionCall is a call of the session.
type sessionCall struct {
	name     string
	life     uint64 // of the tab that made it
	made     base.Time
	deadline base.Time
	settled  int
	at       base.Time
	code     base.Code
}

var _ trace.Sink = (*sessionWorld)(nil)

func newSessionWorld(r *sim.Run, c halfOpenCase, plan *sessionPlan, label string) *sessionWorld {
	w := &sessionWorld{halfOpenCase: c, plan: plan, sink: r.Sink}
	cfg := plan.setup.world(r, label)
	cfg.Trace = w
	w.lastingWorld = newLastingWorld(cfg, c.form, plan.setup, func(h *core.Host) {
		w.doc = core.NewDocument(delta.Object(delta.Field{Key: "text", Value: delta.String("")}))
		w.other = core.NewDocument(delta.Object())
		h.Expose("View", core.Object{
			State:   core.Members{"notes": w.doc},
			Methods: core.Methods{"add": w.add, "later": w.later, "never": never, "echo": echoed},
		})
		h.Expose("Other", core.Object{State: core.Members{"notes": w.other}})
	})
	w.begin = func(h *sim.Host) {
		w.view = h.Core().Get(w.prefix + "View")
		w.kept = []*core.Reference{w.view, h.Core().Get(w.prefix + "Other")}
	}
	w.world.Note("case " + label)
	return w
}

// Event notes what is delivered, and passes it on.
func (w *sessionWorld) Event(e trace.Event) {
	if e.Kind == trace.KindDeliver {
		w.delivered = append(w.delivered, delivery{e.At, e.Link, e.To, e.Bytes})
	}
	if w.sink != nil {
		w.sink.Event(e)
	}
}

// The methods of the worker: one that commits, one that answers in a while, one that never does, one that answers at once.
func (w *sessionWorld) add(c *core.Call) (delta.Value, error) {
	_, err := w.doc.Change(c, func(d *delta.Draft) error { return d.At("text").Append(c.Arg.Text().String()) })
	return c.Arg, err
}

func (w *sessionWorld) later(c *core.Call) (delta.Value, error) {
	c.Defer()
	host, life := w.worker, w.worker.Incarnation()
	host.NewTimer(func() {
		if host.Incarnation() == life {
			host.Do(func() { c.Settle(delta.String("later"), nil) })
		}
	}).Set(w.world.Now().Add(w.plan.handler))
	return delta.Null(), nil
}

func never(c *core.Call) (delta.Value, error) {
	c.Defer()
	return delta.Null(), nil
}

func echoed(c *core.Call) (delta.Value, error) { return c.Arg, nil }

// made is a call that the script made, once its turn came.
type made struct{ pc *core.PendingCall }

// call has the tab call, with a deadline in a while if one is given.
func (w *sessionWorld) call(method, arg string, within ...base.Duration) *made {
	m := &made{}
	w.tab.Do(func() {
		c := &sessionCall{name: method, life: w.tab.Incarnation(), made: w.world.Now(), deadline: base.Never}
		var options []core.CallOption
		for _, d := range within {
			c.deadline = c.made.Add(d)
			options = append(options, core.Deadline(c.deadline))
		}
		w.calls = append(w.calls, c)
		m.pc = w.view.Call(method, arg, func(_ delta.Value, err error) {
			c.settled++
			c.at, c.code = w.world.Now(), base.CodeOf(err)
		}, options...)
	})
	return m
}

// commit has the worker commit.
func (w *sessionWorld) commit(text string) {
	w.worker.Do(func() {
		if _, err := w.doc.Change(nil, func(d *delta.Draft) error { return d.At("text").Append(text) }); err != nil {
			w.fail("a commit: %v", err)
		}
	})
}

// advance plays the script and the world up to an instant. It reports whether nothing has gone wrong.
func (w *sessionWorld) advance(to base.Time) bool {
	for ; w.next < len(w.plan.script) && w.plan.script[w.next].at <= to; w.next++ {
		if !w.run(w.plan.script[w.next].at.Sub(w.world.Now())) {
			return false
		}
		w.plan.script[w.next].do(w)
	}
	return w.run(to.Sub(w.world.Now()))
}

func (w *sessionWorld) fail(format string, args ...any) {
	if w.wrong == "" {
		w.wrong = fmt.Sprintf(format, args...)
	}
}

// places lists where something may go away in the session that was played.
func (w *sessionWorld) places() (list []place) {
	name := ""
	if w.goes == goesLink || w.goes == goesRoute {
		name = w.connection(w.goes).Link.Name()
	}
	if w.reset {
		_, bytes := w.cutEnd().Received()
		for k := range bytes {
			list = append(list, place{after: k})
		}
		return list
	}
	for _, d := range w.delivered {
		if name != "" && d.link != name {
			continue
		}
		if !w.bytes {
			list = append(list, place{at: d.at})
			continue
		}
		for k := range d.bytes {
			list = append(list, place{at: d.at.Add(-w.setup.crossing(w.setup.link, int64(k)))})
		}
	}
	list = append(list, place{at: 0}) // before anything
	slices.SortStableFunc(list, func(a, b place) int { return int(a.at - b.at) })
	return slices.Compact(list)
}

// connection is the newest one of those that go, or nil.
func (w *sessionWorld) connection(goes string) *sim.Connection {
	way := w.tabWay
	if goes == goesRoute {
		way = w.route
	}
	if way == nil {
		return nil
	}
	return way.Connection()
}

func (w *sessionWorld) cutEnd() *netsim.End {
	if w.dialer {
		return w.connection(w.goes).Link.Dialer()
	}
	return w.connection(w.goes).Link.Acceptor()
}
