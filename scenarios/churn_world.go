package scenarios

import (
	"fmt"
	"strconv"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/faults"
	"chordsim/sim"
	"chordsim/sim/workload"
)

// churnWorld is the world of a run.
type churnWorld struct {
	run    *sim.Run
	world  *sim.World
	plan   faults.Plan
	byHand bool      // the plan is another than the seed's
	heal   base.Time // when the safety phase ends

	server  *churnServer
	workers []*churnWorker
	tabs    []*churnTab
	links   []churnLink // as they were drawn, in the order of the lines
	lines   []*churnLine

	weight int  // how many times smaller and slower all is than usual
	calm   bool // the safety phase is over: nobody begins anything
	over   bool // the liveness phase is over: nobody looks after anything
	lived  base.Duration
	text   string // the workload
	items  int    // of it
	tally  churnTally
	broken []string // what went wrong that no checker watches
}

// How many hosts there are.
const (
	churnWorkers    = 2
	churnFewTabs    = 3 // or one more
	churnManyTabs   = 8
	churnBroken     = 20 // at most so many things that went wrong are told
	churnMostWeight = 16
)

// newChurnWorld makes the world of a run. Tests may look at the generator of its workload before it generates.
func newChurnWorld(r *sim.Run, tests func(*churnGenerator)) (*churnWorld, error) {
	cfg := r.Config("churn")
	cfg.MaxEvents = churnEvents
	var err error
	if cfg.Workload, err = parseChurnWorkload(r.Workload); err != nil {
		return nil, err
	}
	w := &churnWorld{run: r, tally: newChurnTally()}
	rand := base.NewRand(cfg.Seed)
	if err := w.choosePlan(rand); err != nil {
		return nil, err
	}
	if err := cfg.Apply(w.plan); err != nil {
		return nil, err
	}
	cfg.Reconnect = w.reconnect(rand)
	w.world = sim.New(cfg)
	w.world.Takes(churnKnobs...)
	w.build()
	list := w.world.Workload(churnWorkload, func(rand base.Rand) workload.List {
		g := newChurnGenerator(w, rand)
		if tests != nil {
			tests(g)
		}
		return g.generate()
	})
	w.items, w.text = len(list), churnLegend()+w.world.Workloads().String()
	if r.Begun != nil {
		r.Begun(w.plan.String(), w.text)
	}
	if err := w.dial(); err != nil {
		return nil, err
	}
	w.prepare(list)
	return w, w.world.Inject(w.plan)
}

// churnKnobs are the knobs that churn has besides those of all worlds: after how much silence hosts ask, and how long an attempt to
// dial may take.
var churnKnobs = []string{"heartbeat", "timeout"}

// reconnect says when hosts give up on transports: as drawn, or as a plan by hand has it. Connections that are dialed once are watched
// too, so that who waits for somebody behind one does not wait for ever.
func (w *churnWorld) reconnect(rand base.Rand) core.Reconnect {
	draws := rand.Stream("churn", "reconnect")
	times := base.Duration(w.weight)
	r := core.Reconnect{
		Grace: between(draws, base.Second, 20*base.Second) * times, Heartbeat: between(draws, base.Second, 4*base.Second) * times,
		Most: base.Second, Attempt: 3 * base.Second * times, Once: true,
	}
	for i, field := range []*base.Duration{&r.Heartbeat, &r.Attempt} {
		if value, ok := w.plan.Knob(churnKnobs[i]); ok {
			*field, _ = base.ParseDuration(value) // the plan is valid
		}
	}
	return r
}

// choosePlan takes the plan that the run is given, or draws one.
func (w *churnWorld) choosePlan(rand base.Rand) error {
	drawn := w.swarm(rand).Plan(rand)
	w.plan = drawn
	if w.run.Plan != "" {
		given, err := faults.Parse(w.run.Plan)
		if err != nil {
			return err
		}
		w.plan, w.byHand = given, given.String() != drawn.String()
	}
	w.weight = churnWeight(w.plan)
	w.heal = w.plan.Heal
	if w.heal == 0 {
		w.heal = base.Time(0).Add(w.run.Values.Duration("span"))
	}
	return nil
}

// churnWeight says how many times smaller and slower a run is than usual, for its knobs: where messages cross in very small
// chunks, a document of a usual size is thousands of them.
func churnWeight(plan faults.Plan) int {
	weight := 1
	for _, k := range []struct {
		knob string
		most int // the value that is usual
	}{{"window-bytes", 512}, {"chunk", 128}} {
		value, ok := plan.Knob(k.knob)
		if n, err := strconv.Atoi(value); ok && err == nil && n < k.most {
			weight = max(weight, min(k.most/n, churnMostWeight))
		}
	}
	return weight
}

// swarm is what plans are drawn for.
func (w *churnWorld) swarm(rand base.Rand) faults.Swarm {
	s := faults.Swarm{
		Span:  w.run.Values.Duration("span"),
		Hosts: []faults.SwarmHost{{Name: "server", Role: "relay"}},
		Messages: []string{
			"any", "hello", "welcome", "hold", "bound", "state", "credit", "call", "result", "result-bulk", "bulk-more", "release", "released",
		},
	}
	for i := range churnWorkers {
		name := churnWorkerName(i)
		s.Hosts = append(s.Hosts, faults.SwarmHost{Name: name, Role: "provider"})
		s.Links = append(s.Links, faults.SwarmLink{Name: name + "-server", From: name, To: "server"})
	}
	for i, to := range w.topology(rand) {
		name := churnTabName(i)
		s.Hosts = append(s.Hosts, faults.SwarmHost{Name: name, Role: "tab"})
		s.Links = append(s.Links, faults.SwarmLink{Name: name + "-" + to, From: name, To: to})
	}
	return s
}

func churnWorkerName(i int) string { return fmt.Sprintf("worker%d", i+1) }
func churnTabName(i int) string    { return fmt.Sprintf("tab%d", i+1) }

// topology draws how many tabs there are, and whom each dials. The first dials the server, the second one a worker.
func (w *churnWorld) topology(rand base.Rand) []string {
	n := churnManyTabs
	if w.run.Values.Text("size") == "small" {
		n = churnFewTabs + int(rand.Stream("churn", "tabs").Below(2))
	}
	to := make([]string, n)
	for i := range to {
		draws := rand.Stream("churn", churnTabName(i), "dials")
		switch direct := draws.Below(3) == 0; {
		case i == 1 || i > 1 && direct:
			to[i] = churnWorkerName(int(draws.Below(churnWorkers)))
		default:
			to[i] = "server"
		}
	}
	return to
}

// build makes the hosts.
func (w *churnWorld) build() {
	w.server = newChurnServer(w)
	for i := range churnWorkers {
		w.workers = append(w.workers, newChurnWorker(w, i))
	}
	for i, to := range w.topology(w.world.Rand()) {
		w.tabs = append(w.tabs, newChurnTab(w, churnTabName(i), to))
	}
}

// dial draws the links and makes the first connections, before faults that begin at once.
func (w *churnWorld) dial() error {
	shared, err := w.bottleneck()
	if err != nil {
		return err
	}
	for _, l := range w.lines {
		if err := l.choose(shared); err != nil {
			return err
		}
	}
	for _, p := range w.workers {
		p.begin()
	}
	for _, t := range w.tabs {
		t.begin()
	}
	return nil
}

// draws returns the draws of a host for a purpose.
func (w *churnWorld) draws(host, purpose string) *base.Stream {
	return w.world.Rand().Stream("churn", host, purpose)
}

// host makes a host with a CPU of its own, which takes no time at every other host.
func (w *churnWorld) host(name string) *sim.Host {
	h := w.world.Host(name)
	draws := w.draws(name, "cost")
	up := func(most uint64, unit base.Duration) base.Duration { return base.Duration(draws.Below(most)) * unit }
	if draws.Below(2) == 0 {
		h.SetCost(sim.Cost{
			PerTurn: up(40, base.Microsecond), PerMessage: up(20, base.Microsecond), PerByte: up(20, 1),
			PerHandler: up(200, base.Microsecond), Offloaded: up(5, 1),
		})
		w.tally.costs++
	}
	return h
}

// between draws a span of time.
func between(draws *base.Stream, least, most base.Duration) base.Duration {
	return least + base.Duration(draws.Below(uint64(most-least)+1))
}

// after has something happen outside of any turn.
func (w *churnWorld) after(d base.Duration, fn func()) { w.world.At(w.world.Now().Add(d), fn) }

// paced has something happen again and again, at drawn times, as long as it is wanted.
func (w *churnWorld) paced(draws *base.Stream, least, most base.Duration, wanted func() bool, fn func()) {
	var next func()
	next = func() {
		if wanted() {
			fn()
			w.after(between(draws, least, most), next)
		}
	}
	w.after(between(draws, 0, most), next)
}

// tended says how long things are looked after: until all is over.
func (w *churnWorld) tended() bool { return !w.over }

// fault notes something that went wrong and that no checker watches.
func (w *churnWorld) fault(format string, args ...any) {
	if len(w.broken) < churnBroken {
		w.broken = append(w.broken, fmt.Sprintf("at %v: %s", w.world.Now(), fmt.Sprintf(format, args...)))
	}
}
