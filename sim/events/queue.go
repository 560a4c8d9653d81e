package events

import "chordsim/core/base"

// Handler is what an event is for. The argument is the one that it was scheduled with.
type Handler interface{ Fire(arg uint64) }

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
	arranged bool    // the heap's order is not all that decides
	pct      *pct    // of PCT
	chooser  Chooser // decides in place of a strategy; nil: none
	choices  []int   // where in the heap the events are among which it chooses
	stats    Stats
}

// Stats counts what a queue did.
type Stats struct {
	Events  int64 // run
	Ties    int64 // events that shared their instant with the one before
	Choices int64 // events that ran while others waited for the same instant: where another order was possible
	Peak    int   // most events waiting at once
}

// New makes an empty queue at time 0. The stream gives what Random and PCT draw.
func New(strategy Strategy, ties *base.Stream) *Queue {
	q := &Queue{strategy: strategy, ties: ties, last: -1}
	if strategy == PCT {
		q.pct, q.arranged = newPCT(ties), true
	}
	return q
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
	if q.strategy != FIFO {
		e.tie = q.tie(h)
	}
	q.heap = append(q.heap, e)
	q.up(len(q.heap) - 1)
	q.stats.Peak = max(q.stats.Peak, len(q.heap))
}

// tie returns the tie key of an event of h.
func (q *Queue) tie(h Handler) uint64 {
	if q.strategy == PCT {
		return q.pct.key(originOf(h))
	}
	return q.ties.Next()
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
	if q.arranged {
		q.arrange()
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
	if last > 0 && q.heap[0].at == e.at {
		q.stats.Choices++
	}
	q.now, q.last = e.at, e.at
	q.stats.Events++
	e.handler.Fire(e.arg)
	return true
}

// arrange has another event be the first of the heap, if another of its instant is to run.
func (q *Queue) arrange() {
	switch {
	case !q.tied():
	case q.chooser != nil:
		q.choose()
	case q.pct.due(q.stats.Choices + 1):
		q.change()
	}
}

// tied reports whether another event is due at the instant of the next one.
func (q *Queue) tied() bool {
	for i := 1; i < min(5, len(q.heap)); i++ {
		if q.heap[i].at == q.heap[0].at {
			return true
		}
	}
	return false
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
