package simtest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"chordsim/core/base"
	"chordsim/sim"
	"chordsim/sim/sweep/repro"
)

// Bound is how far [Exhaustive] goes. Zero fields take their defaults.
type Bound struct {
	// Runs is the most worlds that are played. Zero: DefaultRuns.
	Runs int
	// Choices is how many choices of a world are tried in all ways, the first ones after From. Behind them ties keep their
	// order. Zero: DefaultChoices. At most MaxChoices.
	Choices int
	// From is the world's time from which choices are tried; before it ties keep their order.
	From base.Time
}

// The defaults of a Bound, and its limits.
const (
	DefaultRuns    = 10_000
	DefaultChoices = 64
	MaxChoices     = 4096
)

// Walked says what [Exhaustive] went through.
type Walked struct {
	Orders  int  // worlds that were played, each with another order of its ties
	Choices int  // the most choices of one of them, with those that were not tried
	All     bool // there are no others within the bound's From
}

// Exhaustive plays the world of one seed, 1 unless -sim.seed says otherwise, once for each order of its ties: depth first over
// the choices which of the events that are due at one instant runs next. It stops at the first world that fails, at the
// bound, or when there are no more orders, and says how many it walked and whether those were all. Everything else is the
// seed's, so that fn has to draw the same each time.
//
// n events at one instant are n! orders, whether they have to do with each other or not. So the worlds are to be small,
// and links that have nothing to do with the matter are to have latencies of their own.
func Exhaustive(t *testing.T, bound Bound, fn func(*sim.World), configure ...func(*sim.Config)) Walked {
	t.Helper()
	seed := uint64(1)
	if flags.one {
		seed = flags.seed
	}
	w := newWalk(bound)
	if file := flags.given(t); file != nil {
		seed, configure = file.Seed, file.working(configure)
		if err := w.only(file.order()); err != nil {
			t.Fatalf("simtest: %s: %v", file.name, err)
		}
	} else if flags.order != "" {
		if err := w.only(flags.order); err != nil {
			t.Fatalf("simtest: -sim.order: %v", err)
		}
	}
	start := time.Now()
	for more := true; more; more = w.next() {
		w.play(t, seed, fn, configure)
	}
	walked := w.walked
	what := "all there are"
	if !walked.All {
		what = fmt.Sprintf("not all: of up to %d choices the first %d are tried, in %d runs at most", walked.Choices, w.bound.Choices, w.bound.Runs)
	}
	t.Logf("%d orders of ties in %v, %s", walked.Orders, time.Since(start).Round(time.Millisecond), what)
	return walked
}

// walk goes through the orders of ties, depth first.
type walk struct {
	bound  Bound
	path   []choice // of this world, and first of the next one
	at     int      // choices of this world
	cut    bool     // there was a choice that is not tried otherwise
	fixed  bool     // one order is played, and no other
	wrong  error    // the world asked for a choice that it did not ask for before
	walked Walked
}

// choice is one among events of an instant.
type choice struct{ of, chosen int }

func newWalk(b Bound) *walk {
	if b.Runs <= 0 {
		b.Runs = DefaultRuns
	}
	if b.Choices <= 0 {
		b.Choices = DefaultChoices
	}
	b.Choices = min(b.Choices, MaxChoices)
	return &walk{bound: b}
}

// Choose decides one tie.
func (w *walk) Choose(at base.Time, n int) int {
	if at < w.bound.From {
		return 0
	}
	i := w.at
	w.at++
	switch {
	case i < len(w.path):
		c := &w.path[i]
		if c.of != n && c.of != 0 && w.wrong == nil {
			w.wrong = fmt.Errorf("sim: D1: choice %d is among %d events, and was among %d with the same choices before it", i, n, c.of)
		}
		c.of = n
		return min(c.chosen, n-1)
	case i < w.bound.Choices && !w.fixed:
		w.path = append(w.path, choice{of: n})
	default:
		w.cut = true
	}
	return 0
}

// play plays the world of the path.
func (w *walk) play(t *testing.T, seed uint64, fn func(*sim.World), configure []func(*sim.Config)) {
	t.Helper()
	w.walked.Orders++
	tr := trialOf(t, t, seed)
	tr.again += " -sim.order=" // and what was chosen until then
	tr.sofar = func() ([]string, string) {
		order := w.order()
		return []string{orderLine + order}, order
	}
	runTrial(t, tr, func(world *sim.World) {
		w.begin()
		fn(world)
		w.end(world)
	}, w.chosen(configure))
}

// chosen returns what also has the walk decide ties.
func (w *walk) chosen(configure []func(*sim.Config)) []func(*sim.Config) {
	return append(slices.Clip(configure), func(c *sim.Config) { c.Chooser = w })
}

// begin and end are called around the function of each world.
func (w *walk) begin() { w.at, w.wrong = 0, nil }

func (w *walk) end(world *sim.World) {
	if w.wrong != nil {
		world.Fail(w.wrong)
	}
	w.walked.Choices = max(w.walked.Choices, w.at)
}

// FindOrder plays the world of a seed as [Exhaustive] does, but without a test to fail, and returns the first failure or nil.
// The failure's Order is the one in which it came.
func FindOrder(seed uint64, bound Bound, fn func(*sim.World), configure ...func(*sim.Config)) (*Failure, Walked) {
	w := newWalk(bound)
	for more := true; more; more = w.next() {
		w.walked.Orders++
		f := play(config(seed, w.chosen(configure)), func(world *sim.World) {
			w.begin()
			fn(world)
			w.end(world)
		})
		if f != nil {
			f.Order = w.order()
			return f, w.walked
		}
	}
	return nil, w.walked
}

// next goes on to the next order, and returns false if there is none, or if the bound says so.
func (w *walk) next() bool {
	for i := len(w.path) - 1; i >= 0 && !w.fixed; i-- {
		if c := w.path[i]; c.chosen+1 < c.of {
			if w.walked.Orders == w.bound.Runs {
				return false
			}
			w.path = append(w.path[:i], choice{c.of, c.chosen + 1})
			return true
		}
	}
	w.walked.All = !w.cut && !w.fixed
	return false
}

// orderLine begins the line of a repro file that has an order.
const orderLine = "order "

// order prints the choices of this world, without those at the end that keep the order.
func (w *walk) order() string {
	last := len(w.path)
	for last > 0 && w.path[last-1].chosen == 0 {
		last--
	}
	list := make([]string, last)
	for i := range list {
		list[i] = strconv.Itoa(w.path[i].chosen)
	}
	if len(list) == 0 {
		return "0"
	}
	return strings.Join(list, ".")
}

// only has one order be played, as order prints it.
func (w *walk) only(order string) error {
	w.fixed = true
	for text := range strings.SplitSeq(order, ".") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || len(w.path) == MaxChoices {
			return fmt.Errorf("%q is not an order of ties, such as 0.2.1", repro.Clip(order, 40))
		}
		w.path = append(w.path, choice{chosen: n})
	}
	return nil
}

// order returns the order that the file has, or "".
func (g *given) order() string {
	if len(g.Draws) != 1 {
		return ""
	}
	order, _ := strings.CutPrefix(g.Draws[0], orderLine)
	return order
}
