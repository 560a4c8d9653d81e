package main

import "fmt"

// simGoal is a value that is held against a goal, or only shown.
type simGoal struct {
	ID    string  `json:"id"`
	What  string  `json:"what"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"` // of all three: "1" counts, which are to be at most the goal; "x" and "1/s" are to be at least
	// Goal is what the value should be, Required what it must be lest the run fail; null: there is none.
	Goal     *float64 `json:"goal"`
	Required *float64 `json:"required"`
	Verdict  string   `json:"verdict"`
}

// Goals a second of one core, and as a ratio.
const (
	goalEvents     = 4_000_000
	goalDeliveries = 300_000
	goalBubble     = 3
	// A ratio of two times of one run does not depend on the machine as they do, but somewhat: half the goal is required.
	requiredBubble = goalBubble / 2.
)

// goals returns what is held against goals.
func (m simBlocks) goals(plan *simPlan) []simGoal {
	perSecond := func(id string, count func(b *simBlock) int64) float64 {
		return 1e9 / median(m[id], func(b simBlock) float64 { return float64(b.used) / float64(count(&b)) })
	}
	events := func(b *simBlock) int64 { return b.events }
	deliveries := func(b *simBlock) int64 { return b.messages }
	var list []simGoal
	for _, s := range []string{"fifo", "random"} {
		id := "engine." + s
		list = append(list,
			simGoal{
				ID: id + ".allocs", What: "engine, " + s + ": allocations in a block", Unit: countUnit, Goal: goal(0), Required: goal(0),
				Value: median(m[id], func(b simBlock) float64 { return float64(b.allocs) }),
			},
			simGoal{ID: id + ".rate", What: "engine, " + s + ": events", Unit: "1/s", Goal: goal(goalEvents), Value: perSecond(id, events)})
	}
	large, small := m["engine.large"], m["engine.small"]
	growth := make([]float64, len(large))
	for i := range growth {
		a, b := &large[i], &small[i]
		growth[i] = float64(a.used) / float64(a.events) / (float64(b.used) / float64(b.events))
	}
	list = append(list,
		simGoal{
			ID: "bubble.times", What: "engine beside the bubble: times as fast", Unit: "x", Goal: goal(goalBubble), Required: plan.bubble,
			Value: m.ratio("bubble", "engine.fifo"),
		},
		simGoal{
			ID: "engine.growth", Unit: "x", Value: median(growth, func(r float64) float64 { return r }),
			What: fmt.Sprintf("an event with %s under way beside %s", thousands(float64(plan.inFlight[2])), thousands(float64(plan.inFlight[0]))),
		})
	for _, s := range []string{"memory", "throttled"} {
		id, name := "stack."+s, "stack, "+s+" links: "
		list = append(list,
			simGoal{ID: id + ".rate", What: name + "deliveries", Unit: "1/s", Goal: goal(goalDeliveries), Value: perSecond(id, deliveries)},
			simGoal{ID: id + ".checks", What: name + "a delivery with checkers beside without", Unit: "x", Value: m.ratio(id+".checked", id)})
	}
	return list
}

func goal(f float64) *float64 { return &f }

// judge fills in the verdicts and the exit status.
func (r *simReport) judge() {
	r.Exit = exitOK
	for i := range r.Goals {
		g := &r.Goals[i]
		switch {
		case g.Required != nil && !g.meets(*g.Required):
			g.Verdict = "over"
			if g.Unit != countUnit {
				g.Verdict = "under"
			}
			r.Exit = exitFailed
		case g.Goal == nil:
			g.Verdict = "shown"
		case g.meets(*g.Goal):
			g.Verdict = "ahead"
			if g.Unit == countUnit {
				g.Verdict = "within"
			}
		default:
			g.Verdict = "behind"
		}
	}
}

// countUnit is the unit of counts.
const countUnit = "1"

// meets reports whether the value is as good as another one. What is no number is not.
func (g *simGoal) meets(f float64) bool {
	if g.Unit == countUnit {
		return g.Value <= f
	}
	return g.Value >= f
}

// bound returns a bound as it is shown, "–" for none.
func (g *simGoal) bound(f *float64) string {
	switch {
	case f == nil:
		return "–"
	case g.Unit == countUnit:
		return "≤ " + g.quantity(*f)
	}
	return "≥ " + g.quantity(*f)
}

// quantity returns a value in the goal's unit.
func (g *simGoal) quantity(f float64) string {
	switch g.Unit {
	case "x":
		return fmt.Sprintf("%.2f x", f)
	case "1/s":
		return thousands(f) + "/s"
	}
	return thousands(f)
}
