package events

import (
	"fmt"

	"chordsim/core/base"
)

// Handler is what an event is for. The argument is the one that it was scheduled with.
type Handler interface{ Fire(arg uint64) }

// Strategy decides the order of events at one instant.
type Strategy uint8

// The strategies.
const (
	FIFO   Strategy = iota // in the order in which they were scheduled
	Random                 // in an order drawn from the seed
)

// Strategies lists the names that ParseStrategy takes.
var Strategies = []string{"fifo", "random"}

// ParseStrategy reads a strategy's name.
func ParseStrategy(name string) (Strategy, error) {
	for i, s := range Strategies {
		if s == name {
			return Strategy(i), nil
		}
	}
	return 0, fmt.Errorf("%q is not a strategy; there are fifo and random", name)
}

// String returns the strategy's name.
func (s Strategy) String() string { return Strategies[s] }

// event is one entry of the heap: a value, so that the queue is one block of memory.
type event struct {
	at      base.Time
	tie     uint64
	seq     uint64
	handler Handler
	arg     uint64
}

func (e *event) before(f *event) bool {
	if e.at != f.at {
		return e.at < f.at
	}
	if e.tie != f.tie {
		return e.tie < f.tie
	}
	return e.seq < f.seq
}

// Queue is the event queue of a world. Make it with New.
type Queue struct {
	heap     []event // four children a node: fewer levels, and siblings share cache lines
	now      base.Time
	last     base.Time // of the event that ran last
	seq      uint64
	strategy Strategy
	ties     *base.Stream
	stats    Stats
}

// Stats counts what a queue did.
type Stats struct {
	Events int64 // run
	Ties   int64 // events that shared their instant with the one before
	Peak   int   // most events waiting at once
}

// New makes an empty queue at time 0. The stream gives the tie keys of Random.
func New(strategy Strategy, ties *base.Stream) *Queue {
	return &Queue{strategy: strategy, ties: ties, last: -1}
}

// Now returns the time of the event that runs, or ran last.
func (q *Queue) Now() base.Time { return q.now }

// Len returns how many events wait.
func (q *Queue) Len() int { return len(q.heap) }

// Stats returns the queue's counters.
func (q *Queue) Stats() Stats { return q.stats }

// Schedule has h run at a time, or now if that has passed. Two events of one source at one instant may run in any order
// under Random; a source that needs its order schedules the second from the first.
func (q *Queue) Schedule(at base.Time, h Handler, arg uint64) {
	e := event{at: max(at, q.now), seq: q.seq, handler: h, arg: arg}
	q.seq++
	if q.strategy == Random {
		e.tie = q.ties.Next()
	}
	q.heap = append(q.heap, e)
	q.up(len(q.heap) - 1)
	q.stats.Peak = max(q.stats.Peak, len(q.heap))
}

// Next returns the time of the next event.
func (q *Queue) Next() (base.Time, bool) {
	if len(q.heap) == 0 {
		return base.Never, false
	}
	return q.heap[0].at, true
}

// Step runs the next event. It returns false if there is none.
func (q *Queue) Step() bool {
	if len(q.heap) == 0 {
		return false
	}
	e := q.heap[0]
	last := len(q.heap) - 1
	q.heap[0] = q.heap[last]
	q.heap[last] = event{}
	q.heap = q.heap[:last]
	if last > 1 {
		q.down(0)
	}
	if e.at == q.last {
		q.stats.Ties++
	}
	q.now, q.last = e.at, e.at
	q.stats.Events++
	e.handler.Fire(e.arg)
	return true
}

// Advance moves the time on to t, to which no event is due any more.
func (q *Queue) Advance(t base.Time) {
	if next, ok := q.Next(); ok && next < t {
		panic("events: D2: the time would pass an event")
	}
	q.now = max(q.now, t)
}

func (q *Queue) up(i int) {
	e := q.heap[i]
	for i > 0 {
		parent := (i - 1) / 4
		if !e.before(&q.heap[parent]) {
			break
		}
		q.heap[i] = q.heap[parent]
		i = parent
	}
	q.heap[i] = e
}

func (q *Queue) down(i int) {
	e := q.heap[i]
	n := len(q.heap)
	for {
		least := 4*i + 1
		if least >= n {
			break
		}
		for child := least + 1; child < min(4*i+5, n); child++ {
			if q.heap[child].before(&q.heap[least]) {
				least = child
			}
		}
		if !q.heap[least].before(&e) {
			break
		}
		q.heap[i] = q.heap[least]
		i = least
	}
	q.heap[i] = e
}
