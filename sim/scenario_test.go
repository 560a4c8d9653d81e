package sim_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"chordsim/core/base"
	"chordsim/sim"
	"chordsim/sim/check"
	"chordsim/sim/events"
)

func TestDecimal(t *testing.T) {
	for _, c := range []struct {
		n      int64
		places int
		want   string
	}{
		{0, 0, "0"}, {0, 9, "0"}, {7, 0, "7"}, {120, 0, "120"}, {-120, 0, "-120"},
		{1, 1, "0.1"}, {10, 1, "1"}, {105, 1, "10.5"}, {105, 2, "1.05"}, {100, 2, "1"},
		{5, 3, "0.005"}, {-5, 3, "-0.005"}, {-1500, 3, "-1.5"}, {1, 9, "0.000000001"},
		{math.MaxInt64, 0, "9223372036854775807"}, {math.MinInt64, 0, "-9223372036854775808"},
		{math.MaxInt64, 9, "9223372036.854775807"}, {math.MinInt64, 18, "-9.223372036854775808"},
		{math.MinInt64, 20, "-0.09223372036854775808"},
	} {
		if got := sim.Decimal(c.n, c.places); got != c.want {
			t.Errorf("Decimal(%d, %d) = %q, want %q", c.n, c.places, got, c.want)
		}
	}
}

func TestSeconds(t *testing.T) {
	for _, c := range []struct {
		d    base.Duration
		want string
	}{
		{0, "0"}, {1, "0.000000001"}, {20 * base.Millisecond, "0.02"}, {base.Second, "1"}, {base.Minute, "60"},
		{1500 * base.Millisecond, "1.5"}, {-base.Second / 4, "-0.25"}, {base.Hour + 1, "3600.000000001"},
	} {
		if got := sim.Seconds(c.d); got != c.want {
			t.Errorf("Seconds(%d) = %q, want %q", c.d, got, c.want)
		}
	}
}

func TestParametersOfEveryScenario(t *testing.T) {
	own := []sim.Param{{Name: "n", Default: "1"}}
	s := &sim.Scenario{Params: own}
	list := s.Parameters()
	if len(list) != 2 || list[0].Name != "n" || list[1].Name != "strategy" {
		t.Fatalf("parameters: %v", list)
	}
	if !slices.Equal(list[1].Choices, events.Strategies) {
		t.Errorf("strategies: %q, want %q", list[1].Choices, events.Strategies)
	}
	list[0].Name = "changed"
	if own[0].Name != "n" {
		t.Error("the scenario's own list was changed")
	}
}

func TestRunConfig(t *testing.T) {
	run := func(seed uint64, set ...string) *sim.Run {
		v, err := sim.ParseValues((&sim.Scenario{}).Parameters(), set)
		if err != nil {
			t.Fatal(err)
		}
		return &sim.Run{Seed: seed, Values: v}
	}
	one := run(1).Config("a")
	if again := run(1).Config("a"); again.Seed != one.Seed {
		t.Error("one seed and label give two worlds")
	}
	if other := run(1).Config("b"); other.Seed == one.Seed {
		t.Error("two labels give one world")
	}
	if other := run(2).Config("a"); other.Seed == one.Seed {
		t.Error("two seeds give one world")
	}
	for _, name := range events.Strategies {
		if got := run(1, "strategy="+name).Config("a").Strategy; got.String() != name {
			t.Errorf("strategy %s: got %s", name, got)
		}
	}
}

func TestReportAdds(t *testing.T) {
	world := func(seed uint64, note string) *sim.World {
		w := sim.New(sim.Config{Seed: seed})
		w.Host("a").Do(func() {})
		if err := w.RunFor(base.Second); err != nil {
			t.Fatal(err)
		}
		w.Note(note)
		return w
	}
	sum := func(notes ...string) *sim.Report {
		r := &sim.Report{}
		for i, n := range notes {
			r.Add(world(uint64(i), n))
		}
		return r
	}
	two := sum("x", "y")
	if two.Virtual != 2*base.Second || two.Events != 2 {
		t.Errorf("two worlds of a second and one event: %v, %d events", two.Virtual, two.Events)
	}
	if two.Hash != sum("x", "y").Hash {
		t.Error("the same worlds have two hashes")
	}
	for _, other := range [][]string{{"y", "x"}, {"x"}, {"x", "z"}, {"x", "y", "y"}} {
		if sum(other...).Hash == two.Hash {
			t.Errorf("worlds %q have the hash of x, y", other)
		}
	}
	var ids []string
	for _, c := range two.Invariants {
		ids = append(ids, c.ID)
	}
	if !slices.Equal(ids, check.IDs) {
		t.Errorf("invariants %q, want %q", ids, check.IDs)
	}
	if two.Failed() {
		t.Error("failed without a failure")
	}
}

func TestReportOfAnUncheckedWorld(t *testing.T) {
	r := &sim.Report{}
	r.Add(sim.New(sim.Config{Unchecked: true}))
	if len(r.Invariants) != 0 || r.Failed() {
		t.Errorf("invariants %v, failed %v; want none, false", r.Invariants, r.Failed())
	}
}

func TestReportFailed(t *testing.T) {
	for _, r := range []sim.Report{
		{Violations: []string{"C1"}}, {Failures: []string{"late"}}, {Stuck: []string{"stuck"}},
	} {
		if !r.Failed() {
			t.Errorf("%s: not failed", strings.Join(slices.Concat(r.Violations, r.Failures, r.Stuck), " "))
		}
	}
}
