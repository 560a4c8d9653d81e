package sweep

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"chordsim/sim/sweep/repro"
)

// MaxGroups is how many fingerprints a tally tells apart. Failures beyond go into one group of the rest.
const MaxGroups = 4_000

// restGroup is the fingerprint of failures beyond MaxGroups.
const restGroup = "(further fingerprints)"

// maxKnobNames is how many knobs a tally tells apart.
const maxKnobNames = 256

// Tally sums up the outcomes of a sweep, whatever the order in which they come.
type Tally struct {
	setups []Setup

	Runs      int64 // jobs that were played to their end or failed
	Failed    int64
	Twice     int64 // runs that were played twice and compared
	Virtual   int64 // of all plays, in nanoseconds
	Events    int64 // of all plays
	Kinds     ByKind
	scenarios []scenarioTally
	groups    map[string]*Group
	effects   []EffectSum
	knobs     map[string]int64
}

// ByKind counts failures by kind.
type ByKind map[repro.Kind]int64

type scenarioTally struct {
	runs, failed, twice   int64
	deliveries, effective histogram
}

// Group is the failures of one fingerprint.
type Group struct {
	Fingerprint string
	Count       int64
	// First is the failure of the least seed, Cheapest that of the fewest events; of those of one scenario, the least seed.
	First, Cheapest Outcome
}

// NewTally makes a tally of a sweep over these setups.
func NewTally(setups []Setup) *Tally {
	return &Tally{
		setups: setups, scenarios: make([]scenarioTally, len(setups)), groups: map[string]*Group{}, knobs: map[string]int64{},
		Kinds: ByKind{},
	}
}

// Add takes an outcome in.
func (t *Tally) Add(o *Outcome) {
	s := &t.scenarios[o.Scenario]
	t.Runs++
	s.runs++
	plays := int64(max(o.Runs, 1))
	t.Virtual += plays * o.Virtual
	t.Events += plays * o.Events
	if o.Runs == 2 || o.Failure != nil && o.Failure.Kind == repro.Differs {
		t.Twice++
		s.twice++
	}
	if o.Runs > 0 {
		s.deliveries.add(o.Deliveries)
		s.effective.add(o.Effective())
	}
	for _, e := range o.Effects {
		t.effects = addEffect(t.effects, e)
	}
	for _, k := range o.Knobs {
		name, _, _ := strings.Cut(k, "=")
		if _, known := t.knobs[name]; known || len(t.knobs) < maxKnobNames {
			t.knobs[name]++
		}
	}
	if o.Failure != nil {
		t.Failed++
		s.failed++
		t.Kinds[o.Failure.Kind]++
		t.group(o)
	}
}

func (t *Tally) group(o *Outcome) {
	name := o.Failure.Fingerprint()
	g := t.groups[name]
	if g == nil {
		if len(t.groups) >= MaxGroups {
			name = restGroup
			g = t.groups[name]
		}
		if g == nil {
			g = &Group{Fingerprint: name, First: *o, Cheapest: *o}
			t.groups[name] = g
		}
	}
	g.Count++
	if compareJobs(o, &g.First) < 0 {
		g.First = *o
	}
	if cmp.Or(compareEvents(o, &g.Cheapest), compareJobs(o, &g.Cheapest)) < 0 {
		g.Cheapest = *o
	}
}

// compareJobs orders by seed, then by scenario, as jobs are handed out.
func compareJobs(a, b *Outcome) int {
	return cmp.Or(cmp.Compare(a.Seed, b.Seed), cmp.Compare(a.Scenario, b.Scenario))
}

// compareEvents orders by the number of events. Runs without an end, whose number nobody knows, come last.
func compareEvents(a, b *Outcome) int {
	if (a.Runs == 0) != (b.Runs == 0) {
		return cmp.Compare(b.Runs, a.Runs)
	}
	return cmp.Compare(a.Events, b.Events)
}

// Groups returns the groups of failures, those with the most failures first.
func (t *Tally) Groups() []*Group {
	var list []*Group
	for _, name := range slices.Sorted(maps.Keys(t.groups)) {
		list = append(list, t.groups[name])
	}
	slices.SortStableFunc(list, func(a, b *Group) int { return cmp.Compare(b.Count, a.Count) })
	return list
}

// histogram counts how often each value came, so that the median is exact.
type histogram struct {
	counts map[int64]int64
	n      int64
}

func (h *histogram) add(v int64) {
	if h.counts == nil {
		h.counts = map[int64]int64{}
	}
	h.counts[v]++
	h.n++
}

// median returns the middle value, the lower one of two; 0 if there is none.
func (h *histogram) median() int64 {
	seen := int64(0)
	for _, v := range slices.Sorted(maps.Keys(h.counts)) {
		if seen += h.counts[v]; 2*seen >= h.n {
			return v
		}
	}
	return 0
}

// Rate returns n per second of wall time; 0 if none went by.
func Rate(n int64, wall time.Duration) float64 {
	if wall <= 0 {
		return 0
	}
	return float64(n) / wall.Seconds()
}
