package linkmodel_test

import (
	"chordsim/core/base"
	"chordsim/faults/linkmodel"
)

// action is one call at an instant: a size to send, or one of the calls below.
type action struct {
	at   base.Time
	what int
}

const (
	stall = -1 - iota
	resume
	advance
)

// script goes from event to event, makes the calls at their instants after the events of those, and returns the arrivals.
func script(t tester, d *linkmodel.Direction, actions []action) (got []base.Time) {
	t.Helper()
	for _, a := range actions {
		for {
			next, ok := d.NextEvent()
			if !ok || next > a.at {
				break
			}
			_, arrived := d.Advance(next)
			for range arrived {
				got = append(got, next)
			}
		}
		call(d, a)
	}
	return append(got, arrivals(t, d)...)
}

// call makes one call and returns what it reports.
func call(d *linkmodel.Direction, a action) (departed, arrived int) {
	switch a.what {
	case stall:
		d.Stall(a.at)
	case resume:
		d.Resume(a.at)
	case advance:
		return d.Advance(a.at)
	default:
		d.Send(a.at, a.what)
	}
	return 0, 0
}
