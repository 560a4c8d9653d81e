package scenarios

import (
	"slices"
	"strings"

	"chordsim/core/base"
	"chordsim/faults/linkmodel"
	"chordsim/sim"
	"chordsim/sim/netsim"
)

// Of a run of the small size: at how many places of its one session something goes, and how many things go at most, one after the
// other.
const (
	drawnPlaces  = 5
	mostVanished = 4
)

// drawHalfOpen draws a case and its session.
func drawHalfOpen(r *sim.Run) (halfOpenCase, *sessionPlan) {
	d := newLastingDraws(r, "half-open")
	cases := halfOpenCases()
	c := cases[d.below("case", len(cases))]
	if only := r.Values.Text("case"); only != "" {
		c = cases[slices.IndexFunc(cases, func(o halfOpenCase) bool { return o.label() == only })]
	}
	p := &sessionPlan{
		setup: d.setup(), handler: d.between("handler", 0, 100*base.Millisecond), gone: d.machineGone(), drawn: true,
	}
	p.setup.limits.ChunkBytes = []int{64, 256, 4096}[d.below("chunk", 3)]
	if c.bytes {
		// A place is a byte, and its instant is known of links of one speed that deliver it at once.
		way := linkmodel.Config{Rate: p.setup.link.Up.Rate, Latency: p.setup.link.Up.Latency}
		if way.Rate == 0 {
			way.Rate = leastDrawnRate
		}
		p.setup.link = netsim.Config{Up: way, Down: way, Stream: &netsim.StreamConfig{Min: 1, Max: 1}}
		p.setup.route = p.setup.link
	}
	bytes := p.drawScript(d, c.bytes)
	links := []netsim.Config{p.setup.link}
	if c.form != formDirect {
		links = append(links, p.setup.route)
	}
	p.end = p.script[len(p.script)-1].at.Add(100*base.Millisecond + p.handler)
	for _, l := range links {
		p.end = p.end.Add(6*tripOf(l) + p.setup.crossing(l, 2*bytes))
	}
	return c, p
}

// machineGone draws for how long a machine is gone: now and then for as long as sessions are kept.
func (d *lastingDraws) machineGone() base.Duration {
	if d.in("gone long", 8) {
		return d.between("gone", 2*base.Second, 9*base.Second)
	}
	return d.between("gone", 0, 1500*base.Millisecond)
}

// drawScript draws what the hosts do. It returns more bytes than the session has.
func (p *sessionPlan) drawScript(d *lastingDraws, few bool) (bytes int64) {
	size := func(purpose string) string {
		n := d.bytes(purpose)
		if few {
			n %= 300
		}
		bytes += int64(n)
		return strings.Repeat(string(rune('a'+d.below("letter", 26))), n)
	}
	at := base.Time(d.between("begin", 0, 60*base.Millisecond))
	for range 4 + d.below("steps", 12) {
		at = at.Add(d.between("pause", 0, 40*base.Millisecond))
		bytes += 4 * callBytes
		p.script = append(p.script, sessionStep{at, p.drawStep(d, size)})
	}
	return bytes + base.KiB
}

// drawStep draws something that the hosts do.
func (p *sessionPlan) drawStep(d *lastingDraws, size func(string) string) func(*sessionWorld) {
	within := d.between("within", base.Millisecond, base.Second)
	switch d.below("step", 9) {
	case 0:
		return func(w *sessionWorld) { w.call("later", "") }
	case 1, 2:
		text := size("added")
		return func(w *sessionWorld) { w.call("add", text) }
	case 3:
		text := size("argument")
		return func(w *sessionWorld) { w.call("echo", text) }
	case 4:
		text := size("argument")
		return func(w *sessionWorld) { w.call("echo", text, within) }
	case 5:
		return func(w *sessionWorld) { w.call("never", "", within) }
	case 6:
		return (*sessionWorld).callAndCancel
	case 7:
		if d.in("again", 2) {
			return (*sessionWorld).releaseOther
		}
		return (*sessionWorld).holdOther
	}
	text := size("committed")
	return func(w *sessionWorld) { w.commit(text) }
}

// drawAgain draws what goes after the first thing, once that is back, at the latest when all has to be live again.
func (p *sessionPlan) drawAgain(d *lastingDraws, form string, within base.Duration) {
	what := []string{goesLink, goesTab, goesWorker}
	if form != formDirect {
		what = append(what, goesRoute, goesServer)
	}
	p.again = nil
	for range d.below("again", mostVanished) {
		after := d.between("after", 0, within)
		if d.in("after soon", 2) {
			after = d.between("after", 0, 100*base.Millisecond)
		}
		p.again = append(p.again, furtherLoss{after, d.one("goes", what...), d.machineGone()})
	}
}

// playDrawn plays the session alone, and then with things that go at some of its places.
func (f *halfOpenFound) playDrawn(r *sim.Run, plan *sessionPlan, report *sim.Report) {
	d := newLastingDraws(r, "half-open places")
	places := f.clean(r, plan, report)
	for range drawnPlaces {
		if len(places) == 0 {
			return
		}
		i := d.below("place", len(places))
		plan.drawAgain(d, f.form, f.liveBound)
		if only := r.Values.Int("cut"); only < 0 || int64(i) == only {
			f.cutAt(r, plan, i, places[i], report)
		}
	}
}
