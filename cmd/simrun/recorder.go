package main

import (
	"runtime"
	"slices"
	"sync"

	"chordsim/sim/trace"
)

// lastEvents is how many events before its end are shown of a run that broke off.
const lastEvents = 10

// recorder takes the events of a run: it keeps the last ones, and hands all of them on. It can be shut while the run goes on,
// for a run that hangs: then it ends the run's goroutine at the next event.
type recorder struct {
	next  trace.Sink // nil: nobody takes them
	until int64      // the number of the event that it ends with; 0: none

	mu    sync.Mutex
	count int64
	last  []trace.Event // oldest first
	shut  bool
}

// Event takes an event.
func (r *recorder) Event(e trace.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.shut {
		runtime.Goexit()
	}
	if e.Kind.Hashed() {
		r.count++
	}
	if r.next != nil {
		r.next.Event(e)
	}
	e.Number, e.Holds = r.count, slices.Clone(e.Holds)
	if len(r.last) == lastEvents {
		copy(r.last, r.last[1:])
		r.last = r.last[:lastEvents-1]
	}
	r.last = append(r.last, e)
	if r.count == r.until {
		r.shut = true
		runtime.Goexit()
	}
}

// leave has nobody take the events any more: those of a further run. Without a recorder it does nothing.
func (r *recorder) leave() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.next, r.count, r.last = nil, 0, nil
}

// end shuts the recorder and returns the last events.
func (r *recorder) end() []trace.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.shut = true
	return r.last
}
