package sim

import (
	"fmt"
	"strings"

	"chordsim/core/base"
	"chordsim/sim/trace"
)

const (
	// contextEvents is how many events before the first differing one are shown.
	contextEvents = 5
	// maxWindow is how many events of each run are kept to look for the first differing one.
	maxWindow = 8192
	// maxRounds is how often a scenario is played twice more to narrow a difference down. Each round makes the stretch of
	// events that is looked at some hundred times shorter.
	maxRounds = 4
)

// Twice plays a scenario twice, in fresh worlds, and says where the runs differ for the first time (D1). What differed is
// played again, twice each time, with an eye on a shorter and shorter stretch of events.
type Twice struct {
	scenario *Scenario
	again    func() *Run
	pair     [2]observed
	played   int
}

// observed is one run with what looked on.
type observed struct {
	report      *Report
	decisions   trace.Decisions
	checkpoints trace.Checkpoints
}

// NewTwice prepares to play a scenario twice. Again makes what a further run is given, the same each time.
func NewTwice(s *Scenario, again func() *Run) *Twice { return &Twice{scenario: s, again: again} }

// Play plays the first or the second run, with the decisions and checkpoints of the comparison: of checkpoints that it brings along, Each goes on. A third is an error of the
// caller.
func (t *Twice) Play(r *Run) (*Report, error) {
	if t.played == len(t.pair) {
		panic("sim: a third run of two")
	}
	o := &t.pair[t.played]
	t.played++
	if r.Checkpoints != nil {
		o.checkpoints.Each = r.Checkpoints.Each
	}
	r.Decisions, r.Checkpoints = &o.decisions, &o.checkpoints
	var err error
	o.report, err = t.scenario.Run(r)
	return o.report, err
}

// Decisions returns what was drawn in the first run.
func (t *Twice) Decisions() *trace.Decisions { return &t.pair[0].decisions }

// Difference is how two runs of the same differ.
type Difference struct {
	// Event is the number of the first event that differs, among all of the run, from 1. Zero: it could not be found; then
	// the runs are equal up to event After, and differ at event By.
	Event     int64
	After, By int64
	Time      base.Time // of event After in its world; zero: none
	// Before are the events before it, which are the same, oldest first.
	Before []trace.Event
	// First and Second are the event in either run; nil: that run had ended.
	First, Second *trace.Event
	// Drift is how the random draws differ.
	Drift trace.Drift
}

// Difference returns the first difference of the two runs that were played, or nil if there is none. To find it, it plays
// the scenario again; if that does not show the difference, what is known of the first two is returned. An error is the
// scenario's.
func (t *Twice) Difference() (*Difference, error) {
	a, b := &t.pair[0], &t.pair[1]
	d, differs := a.checkpoints.Diverged(&b.checkpoints)
	if !differs && a.report.Hash == b.report.Hash {
		return nil, nil
	}
	found := &Difference{
		After: d.After, By: d.By, Time: d.AfterTime,
		Drift: trace.CompareLabels(a.decisions.Labels(), b.decisions.Labels()),
	}
	for range maxRounds {
		if !differs {
			break // in worlds that nobody observes, or not this time
		}
		first, second, err := t.window(d)
		if err != nil {
			return found, err
		}
		at := found.locate(first.kept, second.kept)
		if at == located {
			break
		}
		if d, differs = first.points.Diverged(second.points); at == earlier {
			d.After = 0 // this time it came before the window: from the start
		}
	}
	return found, nil
}

// window is a further run, of which a stretch is looked at.
type window struct {
	points *trace.Checkpoints
	kept   eventList
}

// eventList keeps events.
type eventList []trace.Event

// Event keeps an event, unless there are too many.
func (l *eventList) Event(e trace.Event) {
	if len(*l) < maxWindow+contextEvents {
		*l = append(*l, e)
	}
}

// window plays the scenario twice more and looks at where the runs diverged: at each event if there are few enough, else
// at checkpoints.
func (t *Twice) window(d trace.Divergence) (first, second *window, err error) {
	var pair [2]*window
	for i := range pair {
		w := &window{}
		if d.By-d.After <= maxWindow {
			w.points = trace.Window(max(0, d.After-contextEvents), d.By, &w.kept)
		} else {
			w.points = trace.Window(d.After, d.By, nil)
		}
		r := t.again()
		r.Checkpoints = w.points
		if _, err := t.scenario.Run(r); err != nil {
			return nil, nil, err
		}
		pair[i] = w
	}
	return pair[0], pair[1], nil
}

// What came of looking for an event among those that were kept.
type locating int

const (
	located locating = iota
	missing          // none differs
	earlier          // the first one differs already, so that the runs did before it
)

// locate looks for the first event that differs among those that were kept of two runs.
func (d *Difference) locate(first, second eventList) locating {
	at := 0
	for at < len(first) && at < len(second) && first[at].Chain == second[at].Chain {
		at++
	}
	var sides [2]*trace.Event
	var number int64
	for i, list := range []eventList{first, second} {
		if at < len(list) {
			sides[i], number = &list[at], list[at].Number
		}
	}
	switch {
	case number == 0:
		return missing
	case at == 0 && number > 1:
		return earlier
	}
	d.Event, d.First, d.Second, d.Before = number, sides[0], sides[1], first[max(0, at-contextEvents):at]
	return located
}

// String says the difference in lines for people.
func (d *Difference) String() string {
	var out strings.Builder
	if d.Event == 0 {
		fmt.Fprintf(&out, "the runs are the same up to event %d (%v) and differ at event %d", d.After, d.Time, d.By)
		out.WriteString("; further runs did not show where\n")
	} else {
		fmt.Fprintf(&out, "the first event that differs is number %d:\n", d.Event)
		out.WriteString(trace.Sides(d.Before, d.First, d.Second))
	}
	if s := d.Drift.String(); s != "" {
		out.WriteString("random draws: " + s + "\n")
	} else {
		out.WriteString("random draws: all the same\n")
	}
	return out.String()
}
