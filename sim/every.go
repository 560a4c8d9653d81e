package sim

import (
	"fmt"

	"chordsim/core/base"
)

// call is a function as an event, outside of any turn.
type call func()

// Fire calls the function.
func (c call) Fire(uint64) { c() }

// At calls fn at a time, or now if that has passed, in an event of its own: outside of any turn, so that it may do whatever
// a scenario may do between two calls of [World.RunFor].
func (w *World) At(t base.Time, fn func()) { w.queue.Schedule(t, call(fn), 0) }

// Repeat is something that happens again and again until it is stopped.
type Repeat struct {
	world   *World
	every   base.Duration
	fn      func()
	stopped bool
}

// Every calls fn, as [World.At] does, once that much time has passed, and again each time that it has. It goes on until it
// is stopped; [World.Settle] does not come to an end before. A span that is not positive is a mistake, and panics.
func (w *World) Every(d base.Duration, fn func()) *Repeat {
	if d <= 0 {
		panic("sim: Every " + d.String() + ": want a positive span")
	}
	r := &Repeat{world: w, every: d, fn: fn}
	w.repeats++
	w.queue.Schedule(w.Now().Add(d), r, 0)
	return r
}

// Fire calls the function and schedules the next call.
func (r *Repeat) Fire(uint64) {
	if r.stopped {
		return
	}
	r.fn()
	if !r.stopped {
		r.world.queue.Schedule(r.world.Now().Add(r.every), r, 0)
	}
}

// Stop ends it, also from within its function.
func (r *Repeat) Stop() {
	if !r.stopped {
		r.stopped = true
		r.world.repeats--
	}
}

// Eventually runs until a condition holds, which it looks at now and after each event, for a span of time at most. If the
// condition does not come to hold, the world has failed: with a violation that came before, or else with an error of C13
// that names what was waited for. The condition must not change anything.
func (w *World) Eventually(what string, within base.Duration, cond func() bool) error {
	return w.EventuallyEach(0, what, within, cond)
}

// EventuallyEach is Eventually for a condition that is costly: it is looked at once in each step of time, at the step's
// end, and at the end of the whole span. A step of zero or less is each event.
func (w *World) EventuallyEach(step base.Duration, what string, within base.Duration, cond func() bool) error {
	from := w.Now()
	limit := from.Add(within)
	for !cond() {
		if w.failed != nil {
			return w.first(w.failed)
		}
		if w.Now() >= limit {
			return w.Fail(fmt.Errorf("sim: C13: %s: not within %v, from %v to %v", what, within, from, w.Now()))
		}
		if step > 0 {
			w.RunUntil(min(limit, w.Now().Add(step)))
		} else if next, ok := w.queue.Next(); ok && next <= limit {
			w.step()
		} else {
			w.queue.Advance(limit)
		}
	}
	return w.first(w.failed)
}

// Fail notes that the world has failed: it runs no further. The first failure counts. It returns a violation that came
// before and may have caused it, or else that first failure.
func (w *World) Fail(err error) error {
	if w.failed == nil {
		w.failed = err
		w.tellFailures()
	}
	return w.first(w.failed)
}

// Err returns what went wrong in the world: the first violation, or else the first failure, or nil.
func (w *World) Err() error { return w.first(w.failed) }
