package sim

import (
	"fmt"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/sim/trace"
)

// Cost is what a host's CPU takes for its turns, in virtual time. The zero value takes none.
type Cost struct {
	PerMessage base.Duration // for each chunk that arrives
	PerByte    base.Duration // for each byte of it
	PerHandler base.Duration // for each method that starts or goes on
	PerTurn    base.Duration // for any turn
	Offloaded  base.Duration // for each byte of work that is done beside the turns, which meanwhile go on
}

// SlowTurn is what a turn of a slow host is taken to cost at least, so that a host whose CPU takes no time can be slow too.
const SlowTurn = 10 * base.Microsecond

// MaxSlow is how many times slower a host may be.
const MaxSlow = 1_000_000

// Host is a host of a world: a core, its scheduler and its CPU. It lives from its start to a crash, and again from each
// restart on: what it has to itself (cost, clock, store, what [Host.OnStart] was given) stays, the rest is made anew.
type Host struct {
	world *World
	name  string
	index uint64

	// What runs there: a chord host, or a node of another kind. Both are nil while the host is down.
	core      *core.Host
	node      Node
	configure func(*core.Config)
	start     func(*Host) Node // nil for a chord host
	onStart   []func(*Host)

	life     *life // the newest one, which is over while the host is down
	vanished bool  // it is down, and its machine answers nobody
	disk     disk
	toll     Toll

	cost       Cost
	slow       int64 // 0 and 1: as fast as cost says
	clock      clock
	read       reading
	jitter     *base.Stream
	jitterUpTo base.Duration

	inbox base.Ring[input] // inputs that wait for the CPU, oldest first
	busy  bool             // an event is scheduled for when the CPU is through with the first of them

	turnWall [base.Works]Wall // by base.Work
}

// Toll is what faults did to a host so far. The counters only grow.
type Toll struct {
	Crashes     int64
	TurnsLost   int64         // inputs and posts that a crash took, or that came to a life that was over
	TimersLost  int64         // timers that were set at a crash
	WritesLost  int64         // changes of the store that were not synced, and not kept
	TurnsSlowed int64         // turns that took longer because the host was slow
	SlowedBy    base.Duration // all of them together
	ClockReads  int64         // that did not show the world's time, and of which more came than timers: see [Host.Skew]
	TimersMoved int64         // timers that came due at other times than by a clock that is right
	TimersLate  int64         // timers that the jitter of timers held up
	LateBy      base.Duration // all of them together
}

// Wall sums up wall times of turns, in nanoseconds. They are measurements: nothing in a world depends on them.
type Wall struct {
	Turns   int64
	Total   int64
	Longest int64
}

type inputKind uint8

const (
	inputFunc inputKind = iota
	inputConnected
	inputChunk
	inputWritable
	inputClosed
)

// input is one thing that a host has to do: a turn.
type input struct {
	kind  inputKind
	work  base.Work
	fn    func()
	side  *side
	chunk []byte
	err   error
}

var _ base.Worker = (*Host)(nil)

// Name returns the host's name.
func (h *Host) Name() string { return h.name }

// Core returns the chord host of the host's present life: nil while it is down, and for a node of another kind.
func (h *Host) Core() *core.Host { return h.core }

// Node returns the node of the host's present life: nil while it is down, and for a chord host.
func (h *Host) Node() Node { return h.node }

// Toll returns what faults did to the host so far.
func (h *Host) Toll() Toll {
	h.settleReads()
	return h.toll
}

// SetCost gives the host a CPU that takes time.
func (h *Host) SetCost(c Cost) { h.cost = c }

// Wall returns the wall times of the host's turns of a kind since the last ResetWall. They are zero in a world without a
// wall clock.
func (h *Host) Wall(work base.Work) Wall { return h.turnWall[work] }

// ResetWall starts the measurement afresh.
func (h *Host) ResetWall() { h.turnWall = [base.Works]Wall{} }

// SetSlow has the host's turns take that many times longer than its cost says, and at least as many times [SlowTurn]; 1 is
// its usual pace. It holds for turns that begin from now on. A factor below 1 or over [MaxSlow] is an error.
func (h *Host) SetSlow(factor int64) error {
	if factor < 1 || factor > MaxSlow {
		return fmt.Errorf("sim: %s: slower by a factor of %d; want 1 to %d", h.name, factor, int64(MaxSlow))
	}
	h.slow = factor
	h.world.fault(h, fmt.Sprintf("slower by a factor of %d", factor))
	return nil
}

// Do runs fn in a turn of the host, after what waits for its CPU. A host that is down does nothing.
func (h *Host) Do(fn func()) {
	if h.core != nil {
		h.core.Do(fn)
		return
	}
	h.life.Post(base.WorkPost, fn)
}

// Post puts a turn behind those that wait. A host that is down does nothing.
func (h *Host) Post(work base.Work, fn func()) { h.life.Post(work, fn) }

// NewTimer makes a timer of the host. It ends with the host's present life.
func (h *Host) NewTimer(fn func()) base.Timer { return h.life.NewTimer(fn) }

// Offload does the work, and posts done once the time that it takes is over.
func (h *Host) Offload(size int, do, done func()) { h.life.Offload(size, do, done) }

// input takes something that arrived: at once if the CPU is idle and takes no time, else behind what waits.
func (h *Host) input(in input) {
	if !h.busy && h.charge(&in) == 0 {
		h.run(&in)
		return
	}
	h.enqueue(in)
}

func (h *Host) enqueue(in input) {
	h.inbox.Push(in)
	if !h.busy {
		h.busy = true
		h.begin(&in)
	}
}

// begin schedules the end of an input's time on the CPU.
func (h *Host) begin(in *input) {
	cost := h.charge(in)
	if h.slow > 1 {
		h.toll.TurnsSlowed++
		h.toll.SlowedBy += cost - h.cost.of(in)
	}
	h.world.queue.Schedule(h.world.Now().Add(cost), h, h.life.number)
}

// charge returns the CPU time of an input.
func (h *Host) charge(in *input) base.Duration {
	cost := h.cost.of(in)
	if h.slow > 1 {
		slowed, _ := base.MulDiv(uint64(max(cost, SlowTurn)), uint64(h.slow), 1)
		return span(slowed)
	}
	return cost
}

// of returns what an input costs.
func (c *Cost) of(in *input) base.Duration {
	if *c == (Cost{}) {
		return 0
	}
	d := c.PerTurn
	switch in.work {
	case base.WorkMessage:
		if in.kind == inputChunk {
			d += c.PerMessage + c.PerByte*base.Duration(len(in.chunk))
		}
	case base.WorkHandler:
		d += c.PerHandler
	}
	return d
}

// Fire runs the first input of a life, whose CPU time is over, and charges the next one.
func (h *Host) Fire(number uint64) {
	l := h.life
	if number != l.number || l.over {
		return
	}
	in := h.inbox.Pop()
	if in.kind == inputFunc {
		kind := trace.KindPost
		if in.work == base.WorkTimer {
			kind = trace.KindTimer
		}
		h.world.event(kind, h, in.work.String())
	}
	h.run(&in)
	if l.over { // the turn led to a crash
		return
	}
	if h.inbox.Len() == 0 {
		h.busy = false
		return
	}
	h.begin(h.inbox.Front())
}

// run takes one turn, and measures it if there is a wall clock.
func (h *Host) run(in *input) {
	wall := h.world.cfg.Wall
	if wall == nil {
		h.turn(in)
		return
	}
	start := wall()
	h.turn(in)
	took := wall() - start
	sum := &h.turnWall[in.work]
	sum.Turns++
	sum.Total += took
	sum.Longest = max(sum.Longest, took)
}

func (h *Host) turn(in *input) {
	if h.clock.wrong {
		h.settleReads() // of what was no turn
		defer h.settleReads()
	}
	if in.kind == inputFunc {
		in.fn()
		return
	}
	s := in.side
	if s.core == nil {
		s.tell(h.node, in)
		return
	}
	switch in.kind {
	case inputChunk:
		s.receive(in.chunk)
	case inputWritable:
		s.core.Writable()
	case inputClosed:
		s.core.Closed(in.err)
	}
}
