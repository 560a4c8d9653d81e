package sim

import (
	"fmt"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/wire"
	"chordsim/sim/check"
	"chordsim/sim/events"
	"chordsim/sim/netsim"
	"chordsim/sim/trace"
	"chordsim/sim/workload"
)

// DefaultMaxEvents is how many events a world runs before it takes itself for stuck.
const DefaultMaxEvents = 200_000_000

// Config is what a world is made of. The zero value is a world with seed 0, in which ties keep their order.
type Config struct {
	// Name says in traces which world of a run it is; empty: there is one.
	Name     string
	Seed     uint64
	Strategy events.Strategy // of ties
	// Chooser decides ties one by one, in place of the strategy. Nil: the strategy does.
	Chooser events.Chooser
	// Wall reads a wall clock in nanoseconds. Hosts measure their turns with it; nothing that happens in the world
	// depends on it. Nil: turns are not measured.
	Wall func() int64
	// Trace takes every event. Nil: none are kept.
	Trace trace.Sink
	// Decisions is told of each random draw under its label, Checkpoints of each event that is hashed. Nil: nobody is. They
	// are told nothing of an unchecked world, which is for measurements.
	Decisions   *trace.Decisions
	Checkpoints *trace.Checkpoints
	// Steer may put other numbers in the place of the seed's draws. Nil: the seed decides.
	Steer base.Steer
	// MaxEvents bounds a run. Zero: DefaultMaxEvents.
	MaxEvents int64
	// Unchecked leaves the invariants unwatched, for benchmarks of the engine alone.
	Unchecked bool
	// Limits are the hosts' limits. Zero fields take their defaults.
	Limits base.Limits
	// Reconnect says when chord hosts give up on transports of lasting ways ([World.Dial]). Zero fields take their defaults.
	Reconnect core.Reconnect
	// Workload is the workloads that the world is to have. Of names that it lacks, and if it is nil of all, they are generated.
	Workload workload.Set
	// Codec, Deflate and OffloadOver are what the hosts are given: see [core.Config].
	Codec       wire.Codec
	Deflate     bool
	OffloadOver int
}

// World is one simulated network of hosts.
type World struct {
	watching int // events of the queue that only watch, or will do nothing
	cfg      Config
	queue    *events.Queue
	rand     base.Rand
	hosts    []*Host
	links    []*netsim.Link
	names    map[string]bool // of links
	numbers  map[string]int  // by a name that was asked for: its links of lower numbers are there
	dialed   []*Connection
	hash     trace.Hash
	book     book
	checks   *check.Set
	probe    *core.Probe
	failed   error
	inject   injector

	workloads workload.Set
	repeats   int // that go on
}

// New makes a world without hosts, at time 0.
func New(cfg Config) *World {
	if cfg.MaxEvents == 0 {
		cfg.MaxEvents = DefaultMaxEvents
	}
	if cfg.Unchecked {
		cfg.Decisions, cfg.Checkpoints = nil, nil
	}
	rand := base.NewRand(cfg.Seed).Steered(cfg.Steer)
	if cfg.Decisions != nil {
		rand = rand.Observed(cfg.Decisions.World(cfg.Name))
	}
	w := &World{
		cfg: cfg, rand: rand, queue: events.New(cfg.Strategy, rand.Stream("tie")), names: map[string]bool{}, numbers: map[string]int{},
	}
	if cfg.Chooser != nil {
		w.queue = events.NewChosen(cfg.Chooser)
	}
	w.probe = &core.Probe{}
	if !cfg.Unchecked {
		w.checks = check.New(w.queue.Now, cfg.Limits.WithDefaults())
		w.probe = w.checks.Probe()
	}
	return w
}

// Now returns the world's time.
func (w *World) Now() base.Time { return w.queue.Now() }

// Rand returns the source of the world's randomness. Draw under a label of your own.
func (w *World) Rand() base.Rand { return w.rand }

// Hash returns the rolling hash over the events so far.
func (w *World) Hash() uint64 { return w.hash.Sum() }

// Stats returns the counters of the event queue.
func (w *World) Stats() events.Stats { return w.queue.Stats() }

// Hosts lists the hosts in the order in which they were made.
func (w *World) Hosts() []*Host { return w.hosts }

// Checks returns the checkers, or nil in an unchecked world.
func (w *World) Checks() *check.Set { return w.checks }

// Host makes a host with a name of its own.
func (w *World) Host(name string) *Host { return w.HostWith(name, nil) }

// HostWith makes a host with a name of its own, whose core is made, in each of its lives, with what configure does to the
// world's configuration for it; nil: nothing. The scheduler and the incarnation are the world's whatever it does. A probe in place of the checkers' has to tell that
// one as well, and limits of windows and messages are watched as the world's [Config] has them.
func (w *World) HostWith(name string, configure func(*core.Config)) *Host {
	h := w.newHost(name)
	h.configure = configure
	h.live()
	return h
}

// newHost makes a host that does not live yet.
func (w *World) newHost(name string) *Host {
	for _, h := range w.hosts {
		if h.name == name {
			panic("sim: there is a host " + name + " already")
		}
	}
	h := &Host{world: w, name: name, index: uint64(len(w.hosts))}
	h.disk.synced, h.disk.written = map[string][]byte{}, map[string][]byte{}
	w.hosts = append(w.hosts, h)
	return h
}

// Connections lists the connections in the order in which they were dialed, those that are over too.
func (w *World) Connections() []*Connection { return w.dialed }

// Connect dials from one host to another. The link's ends come up as its latencies say. The name defaults to
// "dialer-acceptor"; a further link of a name is "name#2" and so on, so that it has draws of its own.
func (w *World) Connect(from, to *Host, cfg netsim.Config) (*Connection, error) {
	if cfg.Name == "" {
		cfg.Name = from.name + "-" + to.name
	}
	if !from.Up() {
		return nil, fmt.Errorf("sim: link %s: %s is down and cannot dial", cfg.Name, from.name)
	}
	c := &Connection{world: w, cfg: cfg, from: from, to: to, index: uint64(len(w.links)), asked: w.Now()}
	cfg.Name = w.linkName(cfg.Name)
	l, err := netsim.New(w.queue, w.rand, cfg, w)
	if err != nil {
		return nil, err
	}
	c.Link = l
	w.links, w.dialed, w.names[cfg.Name] = append(w.links, l), append(w.dialed, c), true
	c.dialed.host, c.accepted.host = from, to
	c.dialed.conn, c.accepted.conn = c, c
	l.Dialer().Attach(&c.dialed, &c.dialed)
	l.Acceptor().Attach(&c.accepted, &c.accepted)
	c.dialed.belongs(from.life)
	if w.inject.lasting {
		w.inject.connected(c) // before anything of it is under way
	}
	l.Connect(c.accept, c.connected)
	return c, nil
}

// Bottleneck makes a bottleneck of a number of bytes a second, for links to share: see [netsim.Config].
func (w *World) Bottleneck(name string, rate int64) (*netsim.Bottleneck, error) {
	return netsim.NewBottleneck(w.queue, name, rate)
}

// linkName returns a name that no link has yet.
func (w *World) linkName(name string) string {
	unique, n := name, max(w.numbers[name], 2)
	for ; w.names[unique]; n++ {
		unique = fmt.Sprintf("%s#%d", name, n)
	}
	w.numbers[name] = n - 1
	return unique
}

// step runs the next event, which there is. It returns false when the world has failed, of which one more event than
// allowed is a way.
func (w *World) step() bool {
	if w.failed == nil && w.queue.Stats().Events >= w.cfg.MaxEvents {
		w.failed = fmt.Errorf("sim: C13: %d events and no end, at %v: a loop in virtual time", w.cfg.MaxEvents, w.Now())
	}
	if w.failed != nil || !w.queue.Step() {
		return false
	}
	if w.inject.watching {
		w.inject.stepped(w)
	}
	return true
}

// RunUntil runs all events up to and at t, and leaves the time there.
func (w *World) RunUntil(t base.Time) error {
	for {
		next, ok := w.queue.Next()
		if !ok || next > t {
			break
		}
		if !w.step() {
			return w.failed
		}
	}
	w.queue.Advance(t)
	return w.failed
}

// RunFor runs for a span of virtual time.
func (w *World) RunFor(d base.Duration) error { return w.RunUntil(w.Now().Add(d)) }

// Settle runs until nothing is left to happen, or at most for a span of time, and has the checkers look at the whole. It
// returns an error if something is still going on, or if an invariant is violated.
func (w *World) Settle(within base.Duration) error {
	limit := w.Now().Add(within)
	for {
		next, ok := w.queue.Next()
		if !ok || w.queue.Len() == w.watching {
			break
		}
		if next > limit {
			hint := ""
			if w.repeats > 0 {
				hint = "; something that World.Every began was not stopped"
			}
			return w.first(fmt.Errorf("sim: C13: not settled within %v: an event is due at %v%s", within, next, hint))
		}
		if !w.step() {
			break
		}
	}
	if w.failed != nil {
		return w.first(w.failed)
	}
	if w.checks != nil {
		w.checks.Settled(w.cores())
	}
	return w.Violation()
}

// first returns the violation that came before an error and may have caused it, or the error.
func (w *World) first(err error) error {
	if v := w.Violation(); v != nil {
		return v
	}
	return err
}

// Violation returns the first violated invariant as an error, or nil.
func (w *World) Violation() error {
	if w.checks == nil {
		return nil
	}
	return w.checks.Err()
}

// cores lists the chord hosts that live.
func (w *World) cores() []*core.Host {
	list := make([]*core.Host, 0, len(w.hosts))
	for _, h := range w.hosts {
		if h.core != nil {
			list = append(list, h.core)
		}
	}
	return list
}

var _ netsim.Tap = (*World)(nil)

// Wrote shows a chunk to the checkers as its sender hands it over.
func (w *World) Wrote(e *netsim.End, chunk []byte) {
	if w.inject.messages {
		w.inject.wrote(e, chunk)
	}
	s := e.Owner().(*side)
	if s.host.read.times > 0 {
		s.host.read.acted = true
	}
	if w.cfg.Trace != nil {
		w.book.wrote(s.other(), s.typeOf(chunk), len(chunk))
	}
	if w.checks != nil && s.core != nil {
		w.checks.Wrote(s.core.Host(), s.core.Link(), chunk)
	}
}
