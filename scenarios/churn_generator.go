package scenarios

import (
	"chordsim/core/base"
	"chordsim/sim/workload"
)

// churnGenerator makes the workload of a run: what tabs and workers do in its safety phase. What is drawn has a label of its
// own for each host and purpose.
type churnGenerator struct {
	w       *churnWorld
	rand    base.Rand
	slow    base.Duration // how many times slower than usual all is
	until   base.Time
	list    workload.List
	streams map[[2]string]*base.Stream
}

// churnDense is how long a safety phase may be before less happens in each second of it: a list has its bounds.
const churnDense = 30 * base.Second

func newChurnGenerator(w *churnWorld, rand base.Rand) *churnGenerator {
	slow := max(1, (w.heal.Sub(0)+churnDense-1)/churnDense)
	return &churnGenerator{
		w: w, rand: rand, slow: slow * base.Duration(w.weight), until: w.heal, streams: map[[2]string]*base.Stream{},
	}
}

// stream returns the draws of a host for a purpose.
func (g *churnGenerator) stream(host, purpose string) *base.Stream {
	key := [2]string{host, purpose}
	s := g.streams[key]
	if s == nil {
		s = g.rand.Stream("churn", host, purpose)
		g.streams[key] = s
	}
	return s
}

// generate makes the whole workload.
func (g *churnGenerator) generate() workload.List {
	for _, p := range g.w.workers {
		g.worker(p.host.Name())
	}
	for _, t := range g.w.tabs {
		g.tab(t.host.Name())
	}
	return g.list
}

// put has a host do something.
func (g *churnGenerator) put(at base.Time, host, verb string, operands ...uint64) {
	for len(operands) > 0 && operands[len(operands)-1] == 0 {
		operands = operands[:len(operands)-1]
	}
	g.list = append(g.list, workload.Item{At: at, Host: host, Verb: verb, Operands: operands})
}

// paced calls fn at drawn times, which are whole milliseconds, so that the text is short.
func (g *churnGenerator) paced(draws *base.Stream, least, most base.Duration, fn func(at base.Time)) {
	for at := base.Time(0).Add(between(draws, 0, most)); at < g.until; at = at.Add(between(draws, least, most)) {
		fn(at - at%base.Time(base.Millisecond))
	}
}

// worker has a worker commit on its own, and save.
func (g *churnGenerator) worker(name string) {
	pace := between(g.stream(name, "pace"), 8*base.Millisecond, 36*base.Millisecond) * g.slow
	changes, args := g.stream(name, "change"), g.stream(name, "argument")
	alone := func(v *churnVerb) int { return v.alone }
	g.paced(g.stream(name, "commit"), pace/2, pace*3/2, func(at base.Time) {
		v := chooseVerb(changes, alone)
		g.put(at, name, v.verb, args.Below(v.args))
	})
	syncs, slow := g.stream(name, "sync"), g.slow/base.Duration(g.w.weight)
	g.paced(g.stream(name, "save"), 50*base.Millisecond*slow, 400*base.Millisecond*slow, func(at base.Time) {
		verb := churnSave
		if syncs.Below(3) == 0 {
			verb = churnSync
		}
		g.put(at, name, verb)
	})
}

// chooseVerb draws one of the verbs, as often as weight says.
func chooseVerb(draws *base.Stream, weight func(*churnVerb) int) *churnVerb {
	sum := 0
	for i := range churnVerbs {
		sum += weight(&churnVerbs[i])
	}
	n := int(draws.Below(uint64(sum)))
	for i := range churnVerbs {
		v := &churnVerbs[i]
		if n -= weight(v); n < 0 {
			return v
		}
	}
	panic("churn: a draw that is not below its bound")
}

// tab has a tab want, call, let go and reload.
func (g *churnGenerator) tab(name string) {
	wants := 1 + g.below(name, "wants", churnMostWants)
	for range wants {
		g.want(0, name)
	}
	pace := between(g.stream(name, "pace"), 10*base.Millisecond, 48*base.Millisecond) * g.slow
	g.paced(g.stream(name, "act"), pace/2, pace*3/2, func(at base.Time) {
		want := g.below(name, "want", wants)
		switch what := g.below(name, "what", 100); {
		case what < 72:
			g.call(at, name, want, 0)
		case what < 78: // several in one turn
			for n := 2 + g.below(name, "burst", 20); n > 0; {
				times := min(n, 1+g.below(name, "times", 4))
				g.call(at, name, want, times)
				n -= times
			}
		case what < 86:
			g.put(at, name, churnAgain, uint64(want))
		case what < 92:
			if wants < churnMostWants {
				g.want(at, name)
				wants++
			}
		case what < 98:
			if wants > 1 {
				g.put(at, name, churnDrop, uint64(want))
				wants--
			}
		case what == 98: // before and after it was let go of, in one turn
			g.call(at, name, want, 0)
			g.put(at, name, churnAgain, uint64(want))
			g.call(at, name, want, 0)
		default:
			g.put(at, name, churnReload)
		}
	})
}

// below draws below a number, for a purpose.
func (g *churnGenerator) below(host, purpose string, n int) int {
	return int(g.stream(host, purpose).Below(uint64(n)))
}

// want has a tab want one more thing. Tabs that dial a worker have no choice of one.
func (g *churnGenerator) want(at base.Time, name string) {
	g.put(at, name, churnWanted, uint64(g.below(name, "object", len(churnObjects))), uint64(g.below(name, "worker", churnWorkers)))
}

// call has a tab call something, so many times in a turn; 0 and 1 are once.
func (g *churnGenerator) call(at base.Time, name string, want, times int) {
	v := chooseVerb(g.stream(name, "method"), func(v *churnVerb) int { return v.calls })
	if times == 1 {
		times = 0
	}
	how, millis := uint64(churnPlain), uint64(0)
	switch g.below(name, "how", 16) {
	case 0:
		how, millis = churnDeadline, 1+uint64(g.below(name, "deadline", 300))
	case 1:
		how = churnNobody
	case 2:
		how, millis = churnCancel, uint64(g.below(name, "cancel", 50))
	}
	g.put(at, name, v.verb, uint64(want), g.stream(name, "argument").Below(v.args), uint64(times), how, millis)
}
