package faults

import "chordsim/core/base"

// Watch is one trigger that waits: it is told what happens, and says when the fault does. It never comes more often than its
// trigger says. Make it with [Trigger.Watch].
type Watch struct {
	trigger Trigger
	seen    int64 // messages that were meant
	fired   int64
	done    bool
}

// Watch begins to wait for a trigger, which must be valid.
func (t Trigger) Watch() *Watch { return &Watch{trigger: t} }

// Fired returns how often the trigger came.
func (w *Watch) Fired() int64 { return w.fired }

// Seen returns how many messages there were of those that the trigger counts.
func (w *Watch) Seen() int64 { return w.seen }

// Done reports whether the trigger comes no more.
func (w *Watch) Done() bool { return w.done }

// Stop ends the wait.
func (w *Watch) Stop() { w.done = true }

// Next returns when the trigger comes next, or false if that is no matter of time or it comes no more.
func (w *Watch) Next() (base.Time, bool) {
	if w.done {
		return base.Never, false
	}
	t := &w.trigger
	switch t.Kind {
	case At, From:
		return t.Time, true
	case Every:
		periods, _ := base.MulDiv(uint64(w.fired)+1, uint64(t.Period), 1)
		return t.Time.Add(base.Duration(min(periods, uint64(base.Forever)))), true
	}
	return base.Never, false
}

// Reached is told the time, and reports whether the trigger comes. Of several times that passed, it reports one each call.
func (w *Watch) Reached(now base.Time) bool {
	at, ok := w.Next()
	return ok && at <= now && w.fire()
}

// Message is told of a message as it is sent, and reports whether the trigger comes.
func (w *Watch) Message(kind, from, to string) bool {
	t := &w.trigger
	if w.done || t.Kind != OnMessage || t.Message != AnyMessage && t.Message != kind ||
		t.From != "" && t.From != from || t.To != "" && t.To != to {
		return false
	}
	w.seen++
	return w.seen == t.Count && w.fire()
}

// Events is told how many events there were, and reports whether the trigger comes.
func (w *Watch) Events(n int64) bool {
	return !w.done && w.trigger.Kind == OnEvent && n >= w.trigger.Count && w.fire()
}

// Violation is told that an invariant is violated, and reports whether the trigger comes.
func (w *Watch) Violation(id string) bool {
	return !w.done && w.trigger.Kind == OnViolation && w.trigger.Violation == id && w.fire()
}

// fire counts the trigger's coming.
func (w *Watch) fire() bool {
	w.fired++
	w.done = w.trigger.Kind != Every || w.fired >= w.trigger.Count
	return true
}
