package faults

import (
	"cmp"
	"slices"
	"strconv"

	"chordsim/core/base"
)

// Swarm is what plans are drawn for: a topology, a span of time, and what may go wrong in it. The zero value of a field
// draws nothing of what it lists, unless it says otherwise.
//
// Plans are drawn by swarm testing (Groce and others, "Swarm testing", 2012): each run has a random subset of the kinds and
// of the knobs, and many of the few that it has. Runs with everything in them are all alike; what two faults hide of each
// other, or of a bug, shows in those that lack one.
type Swarm struct {
	Hosts []SwarmHost
	Links []SwarmLink
	// Span is how long the safety phase takes, from 0s on, in nanoseconds. The plan heals at its end. Zero: a minute.
	Span base.Duration
	// Kinds may go wrong. Nil: all kinds for which the topology has somebody.
	Kinds []Kind
	// Knobs may be off their defaults. Nil: [WorldKnobs].
	Knobs []string
	// Messages are the types of messages that triggers may wait for. Nil: there are no such triggers.
	Messages []string
	// PerKind bounds how many faults of one kind a plan has. Zero: 3. At most 16.
	PerKind int
}

// SwarmHost is a host that faults may happen to.
type SwarmHost struct {
	Name string
	Role string // such as "relay" or "provider": a role is drawn before a host of it, so that the few are hit as often as the many
}

// SwarmLink is a link that faults may happen to.
type SwarmLink struct {
	Name     string
	From, To string // the hosts: who dialed, and who accepted
	// Fixed says that the link's rate cannot change, as on a recorded trace.
	Fixed bool
}

// WorldKnobs are the knobs that every world has. The others are for scenarios that have them.
var WorldKnobs = []string{
	"window", "window-bytes", "chunk", "bulk", "bulk-slots", "small-run", "ack", "running", "queued", "deflate", "offload", "codec", "strategy",
}

// The defaults and bounds of a Swarm.
const (
	defaultSpan    = base.Minute
	defaultPerKind = 3
	maxPerKind     = 16
)

// Plan draws a plan: the same of the same swarm and source. Each draw has a label that says what it is for, so that a kind, a
// knob or a property that is added changes nothing else in the plans of old seeds. The plan is valid if the names are.
func (s Swarm) Plan(r base.Rand) Plan {
	if s.Span <= 0 || s.Span == base.Forever {
		s.Span = defaultSpan
	}
	if s.PerKind <= 0 {
		s.PerKind = defaultPerKind
	}
	s.PerKind = min(s.PerKind, maxPerKind)
	d := drawing{Swarm: s, rand: r}
	plan := Plan{Drawn: true, Heal: base.Time(0).Add(s.Span)}
	if s.Knobs == nil {
		s.Knobs = WorldKnobs
	}
	d.knobs(&plan, s.Knobs)
	d.faults(&plan)
	return plan
}

// drawing is one plan that is being drawn.
type drawing struct {
	Swarm
	rand base.Rand
}

// densities are, in eighths, how likely each kind and each knob is: one of them is drawn for the run.
var densities = []uint64{1, 2, 4}

// density draws how full the run is.
func (d *drawing) density(of string) uint64 {
	return densities[d.rand.Stream("plan", "density", of).Below(uint64(len(densities)))]
}

// enabled draws whether the run has a thing at all.
func (d *drawing) enabled(of, name string, density uint64) bool {
	return d.rand.Stream("plan", of, name).Below(8) < density
}

func (d *drawing) knobs(plan *Plan, allowed []string) {
	density := d.density("knobs")
	for i := range knobTable {
		row := &knobTable[i]
		if !slices.Contains(allowed, row.name) || !d.enabled("knob", row.name, density) {
			continue
		}
		value := row.draws[d.rand.Stream("plan", "value", row.name).Below(uint64(len(row.draws)))]
		printed, _ := row.canonical(value)
		plan.Knobs = append(plan.Knobs, Knob{row.name, printed})
	}
}

// faults draws the faults, in the order of their kinds. A run in which no kind is enabled has one all the same.
func (d *drawing) faults(plan *Plan) {
	var possible, on []Kind
	density := d.density("kinds")
	for _, k := range Kinds() {
		if !d.possible(k) {
			continue
		}
		possible = append(possible, k)
		if d.enabled("kind", k.String(), density) {
			on = append(on, k)
		}
	}
	if len(on) == 0 && len(possible) > 0 {
		on = []Kind{slices.MinFunc(possible, func(a, b Kind) int { return cmp.Compare(d.turn(a), d.turn(b)) })}
	}
	for _, k := range on {
		n := 1 + d.rand.Stream("plan", "count", k.String()).Below(uint64(d.PerKind))
		for i := range n {
			f := d.fault(k, int(i))
			if f.Validate() == nil && len(plan.Faults) < MaxFaults {
				plan.Faults = append(plan.Faults, f)
			}
		}
	}
}

// turn draws the kind's place among those of which one is the only kind.
func (d *drawing) turn(k Kind) uint64 { return d.rand.Stream("plan", "only kind", k.String()).Next() }

// possible reports whether a kind may be drawn and has somebody to happen to.
func (d *drawing) possible(k Kind) bool {
	switch {
	case d.Kinds != nil && !slices.Contains(d.Kinds, k):
		return false
	case k == Partition:
		return len(d.Hosts) >= 2
	case k.OfLinks():
		return len(d.linksFor(k)) > 0
	}
	return len(d.Hosts) > 0
}

// linksFor lists the links that a kind can happen to.
func (d *drawing) linksFor(k Kind) []SwarmLink {
	if k != Rate {
		return d.Links
	}
	var list []SwarmLink
	for _, l := range d.Links {
		if !l.Fixed {
			list = append(list, l)
		}
	}
	return list
}

// stream returns the draws of one property of one fault.
func (d *drawing) stream(k Kind, i int, property string) *base.Stream {
	return d.rand.Stream("plan", "fault", k.String(), strconv.Itoa(i), property)
}

// pick draws one of a list that is not empty.
func pick[T any](s *base.Stream, list []T) T { return list[s.Below(uint64(len(list)))] }
