package sim

import "chordsim/core/base"

// timer keeps at most one event in the queue per time that it was moved forward: setting it later leaves the event where
// it is, which then schedules itself again, and so does stopping it. Nobody waits for events that will do nothing: see idle.
type timer struct {
	life   *life
	fn     func()
	watch  bool // only watches: nobody waits for it
	set    bool
	late   bool      // came due, and the jitter of the host's timers holds it up
	due    base.Time // by the host's clock
	right  base.Time // by the world's, if the host's were right
	queued base.Time // by the world's, of the newest event in the queue
	events uint64    // the newest event's number; older ones do nothing
	inHeap bool
	place  int  // among the timers of its life, while inHeap
	idle   bool // the newest event does nothing as things are, and is counted among those that nobody waits for

	// A timer that came due waits for the CPU like any turn, and may be stopped or set again meanwhile.
	// Invariant: void ≤ waiting.
	turn    func() // run, bound once
	waiting int    // turns that were posted and did not run
	void    int    // of those, the first ones that do nothing
}

// Set makes the timer due at a time. Never is like Stop.
func (t *timer) Set(at base.Time) {
	h := t.life.host
	now := h.world.Now()
	t.set, t.late, t.void = at != base.Never && !t.life.over, false, t.waiting
	t.due = max(at, h.clock.at(now))
	t.right = max(at.Add(-h.read.off), now)
	h.read.timed = h.read.times > 0
	if !t.set {
		t.rest()
		return
	}
	due := max(h.clock.when(t.due), now)
	if t.inHeap && t.queued <= due {
		t.wake()
		return
	}
	t.schedule(due)
}

// rest has nobody wait for the newest event, since it will do nothing.
func (t *timer) rest() {
	if t.inHeap && !t.idle {
		t.idle = true
		t.life.host.world.watching++
	}
}

// wake has the newest event waited for again, unless the timer only watches.
func (t *timer) wake() {
	if t.idle && !t.watch {
		t.idle = false
		t.life.host.world.watching--
	}
}

// schedule puts an event into the queue that takes the place of the one before it.
func (t *timer) schedule(at base.Time) {
	t.rest() // the event before this one
	t.events++
	if !t.inHeap {
		t.inHeap, t.place = true, len(t.life.timers)
		t.life.timers = append(t.life.timers, t)
	}
	t.queued, t.idle = at, false
	if t.watch {
		t.rest()
	}
	t.life.host.world.queue.Schedule(at, t, t.events)
}

// unlist takes the timer, whose event came, off the list of its life.
func (t *timer) unlist() {
	l := t.life
	last := len(l.timers) - 1
	l.timers[t.place] = l.timers[last]
	l.timers[t.place].place = t.place
	l.timers[last] = nil
	l.timers = l.timers[:last]
	t.inHeap, t.idle = false, false
}

// Stop leaves the timer without a due time.
func (t *timer) Stop() {
	t.set, t.late, t.void = false, false, t.waiting
	t.rest()
}

// Fire posts the timer's turn if it is due.
func (t *timer) Fire(number uint64) {
	if t.idle || number != t.events {
		t.life.host.world.watching--
	}
	if number != t.events || t.life.over {
		return
	}
	t.unlist()
	if !t.set {
		return
	}
	h := t.life.host
	now := h.world.Now()
	if due := h.clock.when(t.due); due > now {
		t.schedule(due)
		return
	}
	if !t.late {
		if now != t.right {
			h.toll.TimersMoved++
		}
		if d := h.lateness(); d > 0 {
			t.late = true
			t.schedule(now.Add(d))
			return
		}
	}
	t.set, t.late = false, false
	t.waiting++
	t.life.Post(base.WorkTimer, t.turn)
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
