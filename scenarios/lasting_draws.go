package scenarios

import (
	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/wire"
	"chordsim/faults/linkmodel"
	"chordsim/sim"
	"chordsim/sim/events"
	"chordsim/sim/netsim"
)

// The sizes of a scenario of lasting ways.
const (
	sizeFigure = "figure" // that of the figures: all cases
	sizeCases  = "cases"  // all cases, in little
	sizeSmall  = "small"  // a few cases that are drawn from the seed
)

var lastingSizes = []string{sizeFigure, sizeCases, sizeSmall}

// lastingSetup is what a case of lasting ways runs over.
type lastingSetup struct {
	link, route netsim.Config // the tab's, and that between server and worker
	times       core.Reconnect
	codec       wire.Codec
	strategy    events.Strategy
	limits      base.Limits
}

// setupOf is the setup of all cases of a run that are not drawn.
func setupOf(r *sim.Run, times core.Reconnect, limits base.Limits) lastingSetup {
	strategy, _ := events.ParseStrategy(r.Values.Text("strategy"))
	return lastingSetup{link: lastingLink(r), route: netsim.Memory, times: times, codec: codecOf(r), strategy: strategy, limits: limits}
}

// lastingDraws draws the cases of a run's small size: each thing under a label of its own. What the run is told of links, codecs and
// ties is not drawn.
type lastingDraws struct {
	run     *sim.Run
	rand    base.Rand
	streams map[string]*base.Stream
}

func newLastingDraws(r *sim.Run, label string) *lastingDraws {
	cfg := r.Config(label + " draws")
	rand := base.NewRand(cfg.Seed)
	if cfg.Decisions != nil {
		rand = rand.Observed(cfg.Decisions.World(cfg.Name))
	}
	return &lastingDraws{run: r, rand: rand, streams: map[string]*base.Stream{}}
}

// below draws a number below n, for a purpose.
func (d *lastingDraws) below(purpose string, n int) int {
	s := d.streams[purpose]
	if s == nil {
		s = d.rand.Stream("case", purpose)
		d.streams[purpose] = s
	}
	return int(s.Below(uint64(n)))
}

// one draws one of a list.
func (d *lastingDraws) one(purpose string, list ...string) string {
	return list[d.below(purpose, len(list))]
}

// in draws once in so many times that something is so.
func (d *lastingDraws) in(purpose string, times int) bool { return d.below(purpose, times) == 0 }

// between draws a span of time, in whole microseconds, both ends included.
func (d *lastingDraws) between(purpose string, least, most base.Duration) base.Duration {
	return least + base.Duration(d.below(purpose, int((most-least)/base.Microsecond)+1))*base.Microsecond
}

// bytes draws how large something is: mostly small, but now and then larger than a chunk, or than what may be in flight.
func (d *lastingDraws) bytes(purpose string) int {
	switch n := d.below(purpose, 16); {
	case n < 10:
		return d.below(purpose, 100)
	case n < 13:
		return d.below(purpose, 4*base.KiB)
	case n < 15:
		return 4*base.KiB + d.below(purpose, 12*base.KiB)
	}
	return 64*base.KiB + d.below(purpose, 32*base.KiB)
}

// setup draws what a case runs over.
func (d *lastingDraws) setup() lastingSetup {
	values := d.run.Values
	s := lastingSetup{link: d.link("link"), codec: codecOf(d.run), times: core.Reconnect{
		Grace: d.between("grace", 3*base.Second, 8*base.Second), Heartbeat: d.between("heartbeat", 500*base.Millisecond, 3*base.Second),
		First: d.between("first", 5*base.Millisecond, 300*base.Millisecond), Most: d.between("most", 300*base.Millisecond, 2*base.Second),
		Attempt: d.between("attempt", 1500*base.Millisecond, 4*base.Second),
	}}
	if !d.in("route kind", 2) {
		s.route = d.link("route")
	}
	for _, way := range []*linkmodel.Config{&s.link.Up, &s.link.Down} {
		if !values.IsDefault("rate") {
			way.Rate = values.Int("rate")
		}
		if !values.IsDefault("latency") {
			way.Latency = values.Duration("latency")
		}
	}
	if values.IsDefault("codec") && d.in("codec", 3) {
		s.codec = wire.Text
	}
	s.strategy, _ = events.ParseStrategy(values.Text("strategy"))
	if values.IsDefault("strategy") {
		s.strategy = events.Strategy(d.below("strategy", len(events.Strategies)))
	}
	return s
}

// lastingLinkKinds lists the kinds of links that are drawn.
var lastingLinkKinds = []string{"memory", "throttled", "fat", "uneven", "jittery", "quantum", "byte stream", "small buffer"}

// leastDrawnRate is the slowest link that is drawn, in bytes per second.
const leastDrawnRate = 48 * base.KiB

// link draws a link, for a purpose.
func (d *lastingDraws) link(purpose string) (l netsim.Config) {
	rate := func(times int) int64 { return leastDrawnRate + int64(d.below(purpose+" rate", times*leastDrawnRate)) }
	latency := func(most base.Duration) base.Duration { return d.between(purpose+" latency", 0, most) }
	both := func(m linkmodel.Config) { l.Up, l.Down = m, m }
	switch d.one(purpose+" kind", lastingLinkKinds...) {
	case "throttled":
		both(linkmodel.Config{Rate: rate(8), Latency: latency(10 * base.Millisecond)})
	case "fat":
		both(linkmodel.Config{Rate: rate(400), Latency: latency(100 * base.Millisecond)})
	case "uneven":
		l.Up = linkmodel.Config{Rate: rate(4), Latency: latency(40 * base.Millisecond)}
		l.Down = linkmodel.Config{Rate: rate(40), Latency: latency(10 * base.Millisecond)}
	case "jittery":
		both(linkmodel.Config{Latency: latency(20 * base.Millisecond), Jitter: d.between(purpose+" jitter", 0, 30*base.Millisecond)})
	case "quantum":
		both(linkmodel.Config{Rate: rate(8), Quantum: d.between(purpose+" quantum", base.Millisecond, 20*base.Millisecond)})
	case "byte stream":
		most := 1 + d.below(purpose+" segment", 1460)
		both(linkmodel.Config{Rate: rate(20), Latency: latency(5 * base.Millisecond)})
		l.Stream = &netsim.StreamConfig{Min: 1 + d.below(purpose+" segment", most), Max: most}
	case "small buffer":
		both(linkmodel.Config{Rate: rate(8), Latency: latency(10 * base.Millisecond)})
		l.Buffer = 1 + int64(d.below(purpose+" buffer", 512))
	}
	return l
}

// world is the configuration of a world of the setup.
func (s *lastingSetup) world(r *sim.Run, label string) sim.Config {
	cfg := r.Config(label)
	cfg.Codec, cfg.Strategy, cfg.Limits = s.codec, s.strategy, s.limits
	return cfg
}

// slowest is how long a message takes at most over one way of a link, if it has no bytes.
func slowest(m linkmodel.Config) base.Duration { return m.Latency + m.Jitter + m.Quantum }

// tripOf is how long there and back takes at most.
func tripOf(l netsim.Config) base.Duration { return slowest(l.Up) + slowest(l.Down) }

// crossing is how long bytes take over the slower way of a link, behind its latency. Where deliveries happen in ticks, each chunk may
// wait for the next one.
func (s *lastingSetup) crossing(l netsim.Config, bytes int64) base.Duration {
	if l.Stream != nil {
		bytes += bytes / leastCall // the length of each message, which is a byte of small ones
	}
	up, _ := linkmodel.CatchUpLimit(bytes, l.Up.Rate, 0)
	down, _ := linkmodel.CatchUpLimit(bytes, l.Down.Rate, 0)
	chunks := bytes / int64(s.limits.WithDefaults().ChunkBytes)
	return max(up, down) + max(l.Up.Quantum, l.Down.Quantum)*base.Duration(chunks)
}
