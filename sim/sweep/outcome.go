package sweep

import (
	"cmp"
	"slices"

	"chordsim/faults"
	"chordsim/sim"
	"chordsim/sim/sweep/repro"
	"chordsim/sim/trace"
	"chordsim/sim/workload"
)

// Limits of what a worker tells of one run.
const (
	maxPlan = 64 << 10 // bytes of its plan; a longer one is left out
	// maxWorkload is of its workload. Twice as much in escaped text is within a message and a repro file.
	maxWorkload = workload.MaxBytes
	maxKnobs    = 64 // knobs off their default
	maxKinds    = 64 // kinds of faults
)

// Outcome is what became of a job.
type Outcome struct {
	Job
	Failure    *repro.Failure `json:"failure,omitempty"` // nil: all held
	Hash       string         `json:"hash,omitempty"`    // empty: the run did not come to its end
	Events     int64          `json:"events,omitempty"`
	Virtual    int64          `json:"virtual_ns,omitempty"`
	Deliveries int64          `json:"deliveries,omitempty"`
	Wall       int64          `json:"wall_ns,omitempty"`
	Runs       int            `json:"runs"` // how often it was played to its end
	Effects    []EffectSum    `json:"effects,omitempty"`
	Knobs      []string       `json:"knobs,omitempty"`

	// Of a run that failed.
	Plan      string        `json:"plan,omitempty"`
	Workload  string        `json:"workload,omitempty"`
	Headline  string        `json:"headline,omitempty"`
	Decisions []trace.Label `json:"decisions,omitempty"`

	plan, work string // of the run, failed or not

	// Last says that the worker has no further answers.
	Last bool `json:"last,omitempty"`
}

// Effective returns how many faults of the run had an effect.
func (o *Outcome) Effective() int64 {
	n := int64(0)
	for _, e := range o.Effects {
		n += e.Effective
	}
	return n
}

// EffectSum is what the faults of a kind did.
type EffectSum struct {
	Kind        string `json:"kind"`
	Faults      int64  `json:"faults"`
	Effective   int64  `json:"effective"` // of the faults, those that had an effect
	Fired       int64  `json:"fired"`
	Messages    int64  `json:"messages"`
	Bytes       int64  `json:"bytes"`
	Connections int64  `json:"connections"`
	Turns       int64  `json:"turns"`
	Writes      int64  `json:"writes"`
	Hosts       int64  `json:"hosts"` // that went down
	Clock       int64  `json:"clock"` // readings of a clock that was off
}

func (s *EffectSum) add(o EffectSum) {
	s.Faults += o.Faults
	s.Effective += o.Effective
	s.Fired += o.Fired
	s.Messages += o.Messages
	s.Bytes += o.Bytes
	s.Connections += o.Connections
	s.Turns += o.Turns
	s.Writes += o.Writes
	s.Hosts += o.Hosts
	s.Clock += o.Clock
}

// addEffect takes a sum into a list that is ordered by kind.
func addEffect(list []EffectSum, e EffectSum) []EffectSum {
	i, found := slices.BinarySearchFunc(list, e.Kind, func(s EffectSum, kind string) int { return cmp.Compare(s.Kind, kind) })
	switch {
	case found:
		list[i].add(e)
	case len(list) < maxKinds:
		list = slices.Insert(list, i, e)
	}
	return list
}

func sumEffects(effects []faults.Effect) []EffectSum {
	var list []EffectSum
	for _, e := range effects {
		sum := EffectSum{
			Kind: repro.Line(e.Kind, 40), Faults: 1, Fired: e.Fired, Messages: e.Messages, Bytes: e.Bytes,
			Connections: e.Connections, Turns: e.Turns, Writes: e.Writes, Hosts: e.Hosts, Clock: e.Clock,
		}
		if !e.None() {
			sum.Effective = 1
		}
		list = addEffect(list, sum)
	}
	return list
}

// report takes a run's report into the outcome.
func (o *Outcome) report(r *sim.Report) {
	o.Hash = hashText(r.Hash)
	o.plan, o.work = r.Plan, r.Workload
	o.Events, o.Virtual, o.Deliveries = r.Events, int64(r.Virtual), r.Deliveries
	o.Effects = sumEffects(r.Effects)
	for _, k := range r.Knobs[:min(len(r.Knobs), maxKnobs)] {
		o.Knobs = append(o.Knobs, repro.Line(k, 80))
	}
	o.Runs++
	if f, failed := repro.FailureOf(r); failed {
		o.fail(f, r)
	}
}

// fail notes a failure, with what is needed to play the run again. The report is nil if there is none.
func (o *Outcome) fail(f repro.Failure, r *sim.Report) {
	o.Failure = &f
	if r == nil {
		return
	}
	o.Headline = repro.Line(r.Headline, 400)
	o.keep()
}

// keep keeps the plan and the workload of the run for its repro file.
func (o *Outcome) keep() {
	if len(o.plan) <= maxPlan {
		o.Plan = o.plan
	}
	if len(o.work) <= maxWorkload {
		o.Workload = o.work
	}
}
