package scenarios

import (
	"slices"

	"chordsim/core/base"
	"chordsim/sim"
)

// mixedLimit is how long it takes at most from when the way is back until all is live and each call has settled: to connect, to shake
// hands and to hold again, and what crosses both ways; a round trip more for each time that a window is full, be it of bytes in flight
// or of calls that run; and what handlers take, which may run one after the other.
func (w *parkedWorld) mixedLimit(bytes int64) base.Duration {
	p, limits := w.plan.mixed, &w.plan.setup.limits
	bytes = bytes*int64(1+p.references) + callBytes*int64(len(p.calls)) // each reference may have a snapshot of its own
	trips := 6 + bytes/int64(limits.BulkBytes) + int64(len(p.calls)/limits.RunningCalls) + int64(len(p.commits))
	limit := base.Duration(trips)*w.roundTrip() + 2*w.crossings(bytes) + base.Millisecond
	for i := range p.calls {
		limit += p.calls[i].takes + p.handlers
	}
	if p.loss == lossNear {
		limit += w.times.Most // the grace may be over while hands are shaken; then there is a wait before the next attempt
	}
	return limit
}

// look wants each call to have become what it may. The session went on, or it did not.
func (w *parkedWorld) look(wentOn bool) {
	p, m := w.plan.mixed, &w.mixed
	if wentOn && p.loss == lossCold || !wentOn && p.loss == lossResumed {
		w.wrong("the session went on: %v", wentOn)
	}
	for n, c := range m.calls {
		deadline := base.Never
		if c.within < base.Forever {
			deadline = c.made.Add(c.within)
		}
		parked := c.made > m.lost && c.made < m.back
		due := max(m.back, c.made).Add(m.limit)
		may := map[base.Code]bool{
			base.CodeNone:      true,
			base.CodeTimeout:   deadline <= due,
			base.CodeCancelled: c.cancel < base.Forever,
			base.CodeUnknown:   !wentOn && c.made <= m.lost,
		}
		switch {
		case c.settled != 1:
			w.wrong("call %d settled %d times", n, c.settled)
		case c.ran > 1:
			w.wrong("call %d ran %d times", n, c.ran)
		case !may[c.code]:
			w.wrong("call %d, made at %v with %v and %v to go, is %v", n, c.made, c.within, c.cancel, c.code)
		case c.code == base.CodeNone && c.ran == 0:
			w.wrong("call %d has a result and did not run", n)
		case parked && c.when < m.back && c.ran > 0:
			w.wrong("call %d settled at %v, before the way was back at %v, and ran", n, c.when, m.back)
		case c.when > min(due, deadline):
			w.wrong("call %d, made at %v, settled at %v, want at most %v", n, c.made, c.when, min(due, deadline))
		}
		if c.ran > 0 {
			w.found.arrived++
		}
		w.found.codes[c.code]++
	}
	for ref, ran := range m.ran {
		if !slices.IsSorted(ran) {
			w.wrong("calls of reference %d ran in the order %v", ref, ran)
		}
	}
}

// mixedRows appends the figures of a mixed part.
func (f *parkedFound) mixedRows(c *caseRows, id string) {
	for _, text := range f.wrong {
		c.fail("%s", text)
	}
	c.add(id+".live", sim.Seconds(f.live), "s", sim.Seconds(f.liveLimit))
	c.add(id+".last", sim.Seconds(f.last), "s", "")
	c.add(id+".arrived", itoa(int64(f.arrived)), "1", "")
	c.add(id+".timers", itoa(f.timers), "1", "0")
}

func mixedTable() sim.Table {
	return sim.Table{
		Title:   "Calls of all kinds around an outage",
		Columns: []string{"case", ">made", ">arrived", ">timed out", ">cancelled", ">unknown", ">live s", ">last s", ">limit s", "verdict"},
		Notes: []string{
			"live: from when the way is back until each reference is live and shows the newest; last: to the last result; limit: of both",
		},
	}
}

func (f *parkedFound) mixedRow(verdict string) []string {
	return []string{
		f.label, itoa(int64(f.made)), itoa(int64(f.arrived)), itoa(int64(f.codes[base.CodeTimeout])), itoa(int64(f.codes[base.CodeCancelled])),
		itoa(int64(f.codes[base.CodeUnknown])), micros(sim.Seconds(f.live)), micros(sim.Seconds(f.last)), micros(sim.Seconds(f.limit)), verdict,
	}
}
