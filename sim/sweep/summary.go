package sweep

import (
	"maps"
	"slices"
	"time"

	"chordsim/sim/sweep/repro"
)

// Summary is what a sweep found, bounded in size, for people and for JSON.
type Summary struct {
	Setups  []Setup `json:"scenarios"`
	Seeds   string  `json:"seeds"`
	Shard   string  `json:"shard"`
	Workers int     `json:"workers"`
	Ending  Ending  `json:"ending"`
	Jobs    uint64  `json:"jobs"` // that the sweep has in all
	Runs    int64   `json:"runs"`
	Failed  int64   `json:"failed"`
	Twice   int64   `json:"twice"`

	Wall           float64 `json:"wall_s"`
	SeedsPerSecond float64 `json:"seeds_per_s"`
	Virtual        float64 `json:"virtual_s"`
	VirtualPerWall float64 `json:"virtual_per_wall"`
	Events         int64   `json:"events"`
	EventsPerSec   float64 `json:"events_per_s"`

	Scenarios []ScenarioSummary    `json:"by_scenario"`
	Effects   []EffectSum          `json:"effects"`
	Knobs     []KnobSummary        `json:"knobs"`
	Kinds     map[repro.Kind]int64 `json:"failures_by_kind"`

	Fingerprints int            `json:"fingerprints"` // all of them, shown or not
	Groups       []GroupSummary `json:"groups"`

	DB   string `json:"db,omitempty"`
	Exit int    `json:"exit"`
}

// ScenarioSummary is the runs of one scenario.
type ScenarioSummary struct {
	Scenario   string `json:"scenario"`
	Runs       int64  `json:"runs"`
	Failed     int64  `json:"failed"`
	Twice      int64  `json:"twice"`
	Deliveries int64  `json:"median_deliveries"`
	Effective  int64  `json:"median_effective_faults"`
}

// KnobSummary says in how many runs a knob was off its default.
type KnobSummary struct {
	Knob string `json:"knob"`
	Runs int64  `json:"runs"`
}

// GroupSummary is a group of failures.
type GroupSummary struct {
	Fingerprint string   `json:"fingerprint"`
	Count       int64    `json:"count"`
	Text        string   `json:"text"` // of the first one
	Stack       []string `json:"stack,omitempty"`
	First       SeedName `json:"first"`
	Cheapest    SeedName `json:"cheapest"`
	Replay      string   `json:"replay,omitempty"` // the command that plays the first one again
}

// SeedName names a run.
type SeedName struct {
	Scenario string `json:"scenario"`
	Seed     uint64 `json:"seed"`
	Events   int64  `json:"events,omitempty"` // 0: it came to no end
}

// Limits of a summary.
const (
	MaxShownGroups    = 15
	maxShownScenarios = 20
	maxShownEffects   = 24
	maxShownKnobs     = 24
	maxShownText      = 200 // bytes
	maxShownFrames    = 3
	maxShownEvents    = 10  // of runs that differ
	maxShownFrame     = 100 // bytes
)

// Summary sums up. The commands that replay, of the groups that are shown, come from replay.
func (t *Tally) Summary(cfg *Config, ending Ending, wall time.Duration, replay func(*Group) string) *Summary {
	s := &Summary{
		Setups: cfg.Setups, Seeds: cfg.Seeds.String(), Shard: cfg.Shard.String(), Workers: cfg.Workers, Ending: ending,
		Jobs: cfg.Jobs(),
		Runs: t.Runs, Failed: t.Failed, Twice: t.Twice,
		Wall: wall.Seconds(), SeedsPerSecond: Rate(t.Runs, wall),
		Virtual: time.Duration(t.Virtual).Seconds(), VirtualPerWall: Rate(t.Virtual, wall) / float64(time.Second),
		Events: t.Events, EventsPerSec: Rate(t.Events, wall),
		Effects: t.effects[:min(len(t.effects), maxShownEffects)], Kinds: t.Kinds, Fingerprints: len(t.groups),
		Scenarios: []ScenarioSummary{}, Knobs: []KnobSummary{}, Groups: []GroupSummary{},
	}
	if s.Effects == nil {
		s.Effects = []EffectSum{}
	}
	for i := range t.scenarios[:min(len(t.scenarios), maxShownScenarios)] {
		c := &t.scenarios[i]
		s.Scenarios = append(s.Scenarios, ScenarioSummary{
			Scenario: t.setups[i].Scenario, Runs: c.runs, Failed: c.failed, Twice: c.twice,
			Deliveries: c.deliveries.median(), Effective: c.effective.median(),
		})
	}
	for _, k := range slices.Sorted(maps.Keys(t.knobs)) {
		if len(s.Knobs) < maxShownKnobs {
			s.Knobs = append(s.Knobs, KnobSummary{k, t.knobs[k]})
		}
	}
	groups := t.Groups()
	for _, g := range groups[:min(len(groups), MaxShownGroups)] {
		s.Groups = append(s.Groups, t.groupSummary(g, replay(g)))
	}
	return s
}

func (t *Tally) groupSummary(g *Group, replay string) GroupSummary {
	f := g.First.Failure
	out := GroupSummary{
		Fingerprint: g.Fingerprint, Count: g.Count, Text: repro.Line(f.Text, maxShownText),
		First: t.seedName(&g.First), Cheapest: t.seedName(&g.Cheapest), Replay: replay,
	}
	shown := maxShownFrames
	if f.Kind == repro.Differs {
		shown = maxShownEvents
	}
	for _, line := range f.Stack[:min(len(f.Stack), shown)] {
		out.Stack = append(out.Stack, repro.Line(line, maxShownFrame))
	}
	return out
}

func (t *Tally) seedName(o *Outcome) SeedName {
	return SeedName{t.setups[o.Scenario].Scenario, o.Seed, o.Events}
}
