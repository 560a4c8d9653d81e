package netsim

import "chordsim/core/base"

// Stall stops the direction towards an end: it delivers nothing until Resume. Both report whether that changed anything.
func (e *End) Stall() bool {
	e.stalledUntil = base.Never
	return e.stall()
}

func (e *End) stall() bool {
	d := e.inbound()
	changed := d.model.Stall(e.link.queue.Now())
	d.reschedule()
	return changed
}

// Resume ends a stall.
func (e *End) Resume() bool {
	e.stalledUntil = 0
	d := e.inbound()
	changed := d.model.Resume(e.link.queue.Now())
	d.reschedule()
	return changed
}

// StallUntil stalls the direction towards the end until a time; a later one that was asked for before stays. A time that
// is not in the future changes nothing.
func (e *End) StallUntil(t base.Time) {
	if t <= e.link.queue.Now() || t <= e.stalledUntil {
		return
	}
	e.stall()
	e.stalledUntil = t
	e.link.queue.Schedule(t, (*stallEnd)(e), uint64(t))
}

// stallEnd is an End seen from the event that ends its stall.
type stallEnd End

// Fire ends the stall, unless a later end was asked for.
func (s *stallEnd) Fire(t uint64) {
	if e := (*End)(s); base.Time(t) == e.stalledUntil {
		e.Resume()
	}
}

// Stalled reports whether the direction towards the end is stalled.
func (e *End) Stalled() bool { return e.inbound().model.Stalled() }

// Delayed returns how many messages stalls of the direction towards the end have made later, each counted once; segments in
// a byte stream. What connects and ends a connection counts as a message each.
func (e *End) Delayed() int64 { return e.inbound().model.Delayed(e.link.queue.Now()) }
