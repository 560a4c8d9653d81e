package sim

import (
	"fmt"

	"chordsim/core/base"
	"chordsim/faults"
	"chordsim/faults/linkmodel"
	"chordsim/sim/check"
	"chordsim/sim/events"
	"chordsim/sim/trace"
)

// Scenario is a world, a workload and what is measured of it, under a name.
type Scenario struct {
	Name       string
	Summary    string  // one line
	Params     []Param // besides those of every scenario; see Parameters
	Invariants []string
	// Traces says whether the scenario can run over a recorded link.
	Traces bool
	// Plans says whether the scenario takes a plan of faults by hand. One that does parses it in Check.
	Plans bool
	// Workloads says whether the scenario takes a workload by hand. One that does parses it in Check.
	Workloads bool
	// Check says what is wrong with what a run was given, before anything of it happens. Nil: nothing can be.
	Check func(*Run) error
	// Run plays the scenario once. An error is about what it was given; what went wrong in the run is in the report.
	Run func(*Run) (*Report, error)
}

// Parameters returns the scenario's parameters with those that every scenario has.
func (s *Scenario) Parameters() []Param {
	return append(append([]Param(nil), s.Params...), Param{
		Name: "strategy", Kind: ParamChoice, Default: events.FIFO.String(), Choices: events.Strategies,
		Help: "the order of events at one instant",
	})
}

// Run is what a scenario is given.
type Run struct {
	Seed   uint64
	Values Values
	// Link is a recorded link to run over; nil: the scenario's own.
	Link *linkmodel.Trace
	// Plan is the faults and knobs of the run, as text that package faults parses. Empty: those that the scenario draws from
	// the seed, if it does.
	Plan string
	// Workload is what hosts are told to do, as text that package workload parses. Empty: what the scenario generates.
	Workload string
	// Begun is told the plan and the workload once the run has them, before it is played: they are what a run that does not come
	// to its end was. Nil: nobody is.
	Begun func(plan, workload string)
	// Wall and Heap read a wall clock in nanoseconds and the live heap in bytes, for figures that are measured and not
	// simulated. Nil: those figures are left out.
	Wall func() int64
	Heap func() int64
	// Sink takes every event. Nil: none are kept.
	Sink trace.Sink
	// Decisions and Checkpoints are told of the random draws and the events of all worlds. Nil: nobody is.
	Decisions   *trace.Decisions
	Checkpoints *trace.Checkpoints
	// MaxEvents bounds each world of the run. Zero: DefaultMaxEvents.
	MaxEvents int64
	// Progress is told how far the run is. Nil: nobody is.
	Progress func(done, total int, what string)

	named map[string]int // how many configurations were made for a label
}

// Config returns the configuration of a world of the run. Worlds of one run that differ in what they are for have
// different seeds, drawn from the run's under the label.
func (r *Run) Config(label string) Config {
	strategy, err := events.ParseStrategy(r.Values.Text("strategy"))
	if err != nil {
		panic("sim: strategies and choices differ: " + err.Error())
	}
	seed := base.NewRand(r.Seed).Stream("world", label).Next()
	return Config{
		Name: r.name(label), Seed: seed, Strategy: strategy, Wall: r.Wall,
		Trace: r.Sink, Decisions: r.Decisions, Checkpoints: r.Checkpoints, MaxEvents: r.MaxEvents,
	}
}

// name returns a name for a world of a label: a further one is "label#2" and so on.
func (r *Run) name(label string) string {
	if r.named == nil {
		r.named = map[string]int{}
	}
	r.named[label]++
	if n := r.named[label]; n > 1 {
		return fmt.Sprintf("%s#%d", label, n)
	}
	return label
}

// Report is what a run found. Everything but rows that are measured is the same for the same build, seed and parameters.
type Report struct {
	Hash       uint64
	Virtual    base.Duration   // of all worlds together
	Events     int64           // that ran
	Traced     int64           // that a trace has: what happened to hosts, and no steps of links or of the world alone
	Ties       int64           // events that shared their instant with the one before
	Choices    int64           // events that ran while others waited for the same instant: where another order was possible
	Deliveries int64           // messages that reached a host
	Plan       string          // the faults and knobs of the run, as text; empty: none
	Workload   string          // what hosts were told to do, as text; empty: it was not recorded
	Effects    []faults.Effect // of each fault of the plan, in its order
	Knobs      []string        // the knobs that were off their default, "name=value"
	Headline   string          // one line about what was run
	Tables     []Table
	Rows       []Row
	Invariants []check.Count
	Violations []string // of invariants
	Failures   []string // goals that were missed
	Stuck      []string // what did not come to an end in its time
}

// Failed reports whether anything is wrong.
func (r *Report) Failed() bool { return len(r.Violations)+len(r.Failures)+len(r.Stuck) > 0 }

// Add takes in what a world of the run did.
func (r *Report) Add(w *World) {
	var h trace.Hash
	h.Add(0, trace.KindNote, r.Hash, w.Hash())
	r.Hash = h.Sum()
	r.Virtual += w.Now().Sub(0)
	r.Workload += w.Workloads().String()
	r.Events += w.Stats().Events
	r.Traced += w.hash.Added()
	w.tellFailures()
	r.Ties += w.Stats().Ties
	r.Choices += w.Stats().Choices
	for _, l := range w.links {
		up, _ := l.Acceptor().Received()
		down, _ := l.Dialer().Received()
		r.Deliveries += up + down
	}
	if w.checks == nil {
		return
	}
	for i, c := range w.checks.Counts() {
		if i == len(r.Invariants) {
			r.Invariants = append(r.Invariants, check.Count{ID: c.ID})
		}
		r.Invariants[i].Checks += c.Checks
		r.Invariants[i].Violations += c.Violations
	}
	for _, v := range w.checks.Violations() {
		r.Violations = append(r.Violations, v.Error())
	}
}

// Table is rows for people.
type Table struct {
	Title   string
	Columns []string // a leading ">" aligns right
	Rows    [][]string
	Notes   []string
}

// Row is one figure. The value and the reference are decimal numbers as text, so that they are exact.
type Row struct {
	ID        string
	Variant   string
	Value     string
	Unit      string
	Reference string // the seed document's figure; empty: there is none
	Goal      string // at most this; empty: none
	Measured  bool   // by a wall clock or the heap: differs from run to run
	Missed    bool   // the goal is missed
}

// Decimal prints n·10^-places exactly, without zeros at the end.
func Decimal(n int64, places int) string {
	digits := make([]byte, 0, 24)
	sign := ""
	u := uint64(n)
	if n < 0 {
		sign, u = "-", -u
	}
	for i := 0; u > 0 || i <= places; i++ {
		digits = append(digits, byte('0'+u%10))
		u /= 10
	}
	out := []byte(sign)
	for i := len(digits) - 1; i >= places; i-- {
		out = append(out, digits[i])
	}
	low := 0
	for low < places && digits[low] == '0' {
		low++
	}
	if low < places {
		out = append(out, '.')
		for i := places - 1; i >= low; i-- {
			out = append(out, digits[i])
		}
	}
	return string(out)
}

// Seconds prints a span in seconds, exactly.
func Seconds(d base.Duration) string { return Decimal(int64(d), 9) }
