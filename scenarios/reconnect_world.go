package scenarios

import (
	"fmt"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/link"
	"chordsim/core/relay"
	"chordsim/faults/linkmodel"
	"chordsim/sim"
	"chordsim/sim/netsim"
)

// The forms of a world of lasting ways: the tab dials the worker, or a server that passes things on, which the worker has dialed or
// which has dialed the worker.
const (
	formDirect  = "direct"
	formRelayed = "relayed"
	formDialed  = "dialed"
)

var lastingForms = []string{formDirect, formRelayed, formDialed}

// lastingWorld is a worker and a tab that reach each other over ways that last, be it through a server in between. Each host
// does in each of its lives what it did in its first.
type lastingWorld struct {
	world  *sim.World
	form   string
	worker *sim.Host
	server *sim.Host // nil: there is none
	tab    *sim.Host
	tabWay *sim.Way // the tab's, of its present life
	route  *sim.Way // between server and worker
	prefix string   // of addresses

	setup    lastingSetup
	times    core.Reconnect
	routes   []*sim.Connection // of it, oldest first
	asked    []*relay.Request  // wait for the worker to be there
	onChange func()            // of the tab's way
	expose   func(*core.Host)  // what the worker has
	begin    func(*sim.Host)   // what the tab does as it starts
	failed   error
}

// lastingLink is the link of a rate, a latency and a codec that a run asks for.
func lastingLink(r *sim.Run) netsim.Config {
	way := linkmodel.Config{Rate: r.Values.Int("rate"), Latency: r.Values.Duration("latency")}
	return netsim.Config{Up: way, Down: way}
}

// newLastingWorld makes a world whose hosts have not done anything yet.
func newLastingWorld(cfg sim.Config, form string, setup lastingSetup, expose func(*core.Host)) *lastingWorld {
	w := &lastingWorld{world: sim.New(cfg), form: form, setup: setup, times: setup.times.WithDefaults(), expose: expose}
	with := func(c *core.Config) { c.Rand, c.Reconnect = w.world.Rand(), setup.times }
	near := func() *sim.Host { return w.worker }
	if form != formDirect {
		near, w.prefix = func() *sim.Host { return w.server }, "Session/42/"
		w.server = w.world.HostWith("server", with)
		w.server.OnStart(func(h *sim.Host) {
			w.asked = nil
			h.Core().Route("Session", w.routeTo)
		})
	}
	w.worker = w.world.HostWith("worker", with)
	w.worker.OnStart(func(h *sim.Host) { w.expose(h.Core()) })
	switch form {
	case formRelayed:
		w.worker.OnStart(func(h *sim.Host) { w.dialRoute(h, w.server, setup.route) })
	case formDialed:
		w.server.OnStart(func(h *sim.Host) { w.dialRoute(h, w.worker, setup.route) })
	}
	w.tab = w.world.HostWith("tab", with)
	w.tab.OnStart(func(h *sim.Host) {
		way, err := w.world.Dial(h, near(), setup.link, nil)
		if err != nil {
			w.failed = err
			return
		}
		w.tabWay = way
		way.OnChange(func() {
			if w.onChange != nil {
				w.onChange()
			}
		})
		if w.begin != nil {
			w.begin(h)
		}
	})
	return w
}

// dialRoute has a host dial the route.
func (w *lastingWorld) dialRoute(from, to *sim.Host, cfg netsim.Config) {
	w.route, w.failed = w.world.Dial(from, to, cfg, func(c *sim.Connection) { w.routes = append(w.routes, c) })
	if w.failed == nil {
		w.route.OnChange(func() { w.server.Do(w.answer) })
	}
}

// routeTo answers a route once the worker is there.
func (w *lastingWorld) routeTo(q *relay.Request) {
	w.asked = append(w.asked, q)
	w.answer()
}

func (w *lastingWorld) answer() {
	if l := w.routeLink(); l != nil {
		asked := w.asked
		w.asked = nil
		for _, q := range asked {
			q.To(l)
		}
	}
}

// routeLink returns the server's side of the newest session with the worker, or nil.
func (w *lastingWorld) routeLink() *link.Link {
	if w.form == formDialed {
		if l := w.route.Uplink().Link(); l.Up() {
			return l
		}
		return nil
	}
	for i := len(w.routes) - 1; i >= 0; i-- {
		if c := w.routes[i].Accepted(); c != nil && c.Host() == w.server.Core() && c.Link().Up() {
			return c.Link()
		}
	}
	return nil
}

// run lets time pass. It reports whether nothing has gone wrong.
func (w *lastingWorld) run(d base.Duration) bool {
	if w.failed == nil {
		w.failed = w.world.RunFor(d)
	}
	if w.failed == nil {
		w.failed = w.world.Violation() // what comes after it says little
	}
	return w.failed == nil
}

// until runs in steps until something is so, at most for a while. It reports whether it is.
func (w *lastingWorld) until(step, within base.Duration, so func() bool) bool {
	for deadline := w.world.Now().Add(within); !so(); {
		if w.world.Now() >= deadline || !w.run(step) {
			return false
		}
	}
	return true
}

// drop takes the network away from the way of the tab, and what is under way with it.
func (w *lastingWorld) drop() {
	w.tabWay.SetDown(true)
	w.tabWay.Connection().Link.Reset()
}

// back gives it back. The tab hears of it.
func (w *lastingWorld) back() {
	w.tabWay.SetDown(false)
	w.tab.Do(w.tabWay.Uplink().Redial)
}

// traffic is how many bytes the newest connection of the tab has delivered, to it and from it.
func (w *lastingWorld) traffic() (down, up int64) {
	l := w.tabWay.Connection().Link
	_, down = l.Dialer().Received()
	_, up = l.Acceptor().Received()
	return down, up
}

// settle lets all come to its end and has the checkers look at it. It returns what is wrong.
func (w *lastingWorld) settle() error {
	if w.failed == nil {
		w.failed = w.world.Settle(settleWithin)
	}
	return w.failed
}

// timers is how many timers the tab has set. It ends the tab.
func (w *lastingWorld) timers() int64 { return w.world.Crash(w.tab, 0).Timers }

// crossing is how long bytes take over the slowest link on the way, behind its latency.
func (w *lastingWorld) crossing(bytes int64) base.Duration {
	if w.form == formDirect {
		return w.setup.crossing(w.setup.link, bytes)
	}
	return max(w.setup.crossing(w.setup.link, bytes), w.setup.crossing(w.setup.route, bytes))
}

// crossings is how long bytes of the tab's link take that cross all links on the way, one after the other, behind their latencies. On
// the route each message has its origin too, of up to two bytes.
func (w *lastingWorld) crossings(bytes int64) base.Duration {
	if w.form == formDirect {
		return w.setup.crossing(w.setup.link, bytes)
	}
	return w.setup.crossing(w.setup.link, bytes) + w.setup.crossing(w.setup.route, bytes+bytes/leastCall*2)
}

// roundTrip is how long it takes at most from the tab to the worker and back, if nothing has bytes.
func (w *lastingWorld) roundTrip() base.Duration {
	if w.form == formDirect {
		return tripOf(w.setup.link)
	}
	return tripOf(w.setup.link) + tripOf(w.setup.route)
}

// caseRows appends the figures of a case to a report, and what they miss.
type caseRows struct {
	report  *sim.Report
	variant string
	label   string
	missed  string // the first one that was, for the case's line of a table
}

// add appends a figure. One over its goal is a failure; no goal is none.
func (c *caseRows) add(id, value, unit, goal string) { c.addBeside(id, value, unit, goal, "") }

// addBeside appends a figure beside one of the seed document's.
func (c *caseRows) addBeside(id, value, unit, goal, reference string) {
	row := sim.Row{ID: id, Variant: c.variant, Value: value, Unit: unit, Goal: goal, Reference: reference}
	if goal != "" && compare(value, goal) > 0 {
		row.Missed = true
		c.fail("%s is %s, want at most %s", id, quantity(value, unit), goal)
	}
	c.report.Rows = append(c.report.Rows, row)
}

// fail notes something that is not as it should be.
func (c *caseRows) fail(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	c.report.Failures = append(c.report.Failures, c.label+": "+text)
	if c.missed == "" {
		c.missed = text
	}
}

// verdict is the last cell of the case's line.
func (c *caseRows) verdict() string {
	if c.missed != "" {
		return "MISSED " + c.missed
	}
	return "within"
}

// quantity prints a number with its unit; a count has none.
func quantity(value, unit string) string {
	if unit == "1" {
		return value
	}
	return value + " " + unit
}
