package sim

import (
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

// Host is a host of a world: a core, its scheduler and its CPU.
type Host struct {
	world *World
	name  string
	index uint64
	core  *core.Host
	cost  Cost

	inbox base.Ring[input] // inputs that wait for the CPU, oldest first
	busy  bool             // an event is scheduled for when the CPU is through with the first of them

	turnWall [base.Works]Wall // by base.Work
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

// Core returns the chord host.
func (h *Host) Core() *core.Host { return h.core }

// Now returns the time.
func (h *Host) Now() base.Time { return h.world.Now() }

// SetCost gives the host a CPU that takes time.
func (h *Host) SetCost(c Cost) { h.cost = c }

// Wall returns the wall times of the host's turns of a kind since the last ResetWall. They are zero in a world without a
// wall clock.
func (h *Host) Wall(work base.Work) Wall { return h.turnWall[work] }

// ResetWall starts the measurement afresh.
func (h *Host) ResetWall() { h.turnWall = [base.Works]Wall{} }

// Do runs fn in a turn of the host, after what waits for its CPU.
func (h *Host) Do(fn func()) { h.core.Do(fn) }

// Post puts a turn behind those that wait.
func (h *Host) Post(work base.Work, fn func()) {
	h.enqueue(input{kind: inputFunc, work: work, fn: fn})
}

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
		h.world.queue.Schedule(h.Now().Add(h.charge(&in)), h, 0)
	}
}

// charge returns the CPU time of an input.
func (h *Host) charge(in *input) base.Duration {
	c := &h.cost
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

// Fire runs the first input, whose CPU time is over, and charges the next one.
func (h *Host) Fire(uint64) {
	in := h.inbox.Pop()
	if in.kind == inputFunc {
		kind := trace.KindPost
		if in.work == base.WorkTimer {
			kind = trace.KindTimer
		}
		h.world.event(kind, h, in.work.String())
	}
	h.run(&in)
	if h.inbox.Len() == 0 {
		h.busy = false
		return
	}
	h.world.queue.Schedule(h.Now().Add(h.charge(h.inbox.Front())), h, 0)
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
	switch in.kind {
	case inputFunc:
		in.fn()
	case inputChunk:
		in.side.core.Receive(in.chunk)
	case inputWritable:
		in.side.core.Writable()
	case inputClosed:
		in.side.core.Closed(in.err)
	}
}

// Offload does the work, and posts done once the time that it takes is over.
func (h *Host) Offload(size int, do, done func()) {
	do()
	o := &offloaded{h, done}
	h.world.queue.Schedule(h.Now().Add(h.cost.Offloaded*base.Duration(size)), o, 0)
}

// offloaded is work that was done beside the turns.
type offloaded struct {
	host *Host
	done func()
}

// Fire hands the result to the host.
func (o *offloaded) Fire(uint64) { o.host.Post(base.WorkOffloaded, o.done) }

// NewTimer makes a timer of the host.
func (h *Host) NewTimer(fn func()) base.Timer {
	t := &timer{host: h, fn: fn}
	t.turn = t.run
	return t
}

// timer keeps at most one event in the queue per time that it was moved forward: setting it later leaves the event where
// it is, which then schedules itself again.
type timer struct {
	host   *Host
	fn     func()
	set    bool
	due    base.Time
	queued base.Time // of the newest event in the queue
	events uint64    // the newest event's number; older ones do nothing
	inHeap bool

	// A timer that came due waits for the CPU like any turn, and may be stopped or set again meanwhile.
	// Invariant: void ≤ waiting.
	turn    func() // run, bound once
	waiting int    // turns that were posted and did not run
	void    int    // of those, the first ones that do nothing
}

// Set makes the timer due at a time. Never is like Stop.
func (t *timer) Set(at base.Time) {
	t.set, t.due, t.void = at != base.Never, max(at, t.host.Now()), t.waiting
	if !t.set {
		return
	}
	if t.inHeap && t.queued <= t.due {
		return
	}
	t.schedule()
}

func (t *timer) schedule() {
	t.events++
	t.inHeap, t.queued = true, t.due
	t.host.world.queue.Schedule(t.due, t, t.events)
}

// Stop leaves the timer without a due time.
func (t *timer) Stop() { t.set, t.void = false, t.waiting }

// Fire posts the timer's turn if it is due.
func (t *timer) Fire(number uint64) {
	if number != t.events {
		return
	}
	t.inHeap = false
	if !t.set {
		return
	}
	if t.due > t.host.Now() {
		t.schedule()
		return
	}
	t.set = false
	t.waiting++
	t.host.Post(base.WorkTimer, t.turn)
}

// run is the timer's turn. Turns run in the order of their posts, so that the void ones come first.
func (t *timer) run() {
	t.waiting--
	if t.void > 0 {
		t.void--
		return
	}
	t.fn()
}
