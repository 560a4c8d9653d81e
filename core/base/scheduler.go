package base

// Clock tells the time of a host. It never goes back.
type Clock interface {
	Now() Time
}

// Scheduler is all that a host may ask of the world that runs it. One scheduler belongs to one host; whatever it calls
// back runs as a turn of that host, one at a time. A core never calls it from another goroutine.
type Scheduler interface {
	Clock

	// Post runs fn in a later turn, after everything posted before it (FIFO per host). The work says what the turn is
	// for, so that a cost model can charge it.
	Post(work Work, fn func())

	// NewTimer makes a timer that is not set. fn runs as a turn each time that it is due.
	NewTimer(fn func()) Timer
}

// Worker is a Scheduler that can do work beside the turns of its host, on another processor if there is one.
type Worker interface {
	Scheduler

	// Offload runs do, which touches nothing that turns of a host touch, and then done as a turn of the host. Size is how
	// many bytes do works through, so that a cost model can charge for it.
	Offload(size int, do, done func())
}

// Watcher is a Scheduler that tells apart timers which only watch: whoever waits for nothing to be left to happen does not
// wait for those.
type Watcher interface {
	Scheduler

	// NewWatch is NewTimer for a timer that is set again and again, for as long as what it watches is there.
	NewWatch(fn func()) Timer
}

// NewWatch makes a timer that only watches, if the scheduler tells them apart, or any other.
func NewWatch(s Scheduler, fn func()) Timer {
	if w, ok := s.(Watcher); ok {
		return w.NewWatch(fn)
	}
	return s.NewTimer(fn)
}

// Timer calls its function once after each Set, unless it is stopped or set again before.
type Timer interface {
	// Set makes the timer due at t, instead of whatever was set before. A time that has passed is due at once, in a
	// later turn.
	Set(t Time)
	// Stop leaves the timer without a due time. Stopping a stopped timer does nothing.
	Stop()
}

// Work says what a turn is for.
type Work uint8

// The kinds of work that a turn may be.
const (
	WorkPost      Work = iota // anything that has no other kind
	WorkMessage               // bytes that came over a link
	WorkHandler               // a method that starts or goes on
	WorkTimer                 // a timer that came due
	WorkOffloaded             // work that was done beside the turns
)

// Works is how many kinds of work there are.
const Works = 5

// String returns the kind's name in traces.
func (w Work) String() string {
	switch w {
	case WorkPost:
		return "post"
	case WorkMessage:
		return "message"
	case WorkHandler:
		return "handler"
	case WorkTimer:
		return "timer"
	case WorkOffloaded:
		return "offloaded"
	}
	return "unknown"
}
