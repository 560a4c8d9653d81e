package simtest_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"chordsim/core/base"
	"chordsim/sim"
	"chordsim/sim/simtest"
)

// at has some things happen at one instant, and returns the order in which they did.
func at(w *sim.World, when base.Time, names ...string) *string {
	order := new(string)
	for _, name := range names {
		w.At(when, func() { *order += name })
	}
	return order
}

// Every order comes once, those that are made possible by what happened before in the same instant too.
func TestExhaustiveWalksEveryOrderOnce(t *testing.T) {
	var seen []string
	walked := simtest.Exhaustive(t, simtest.Bound{}, func(w *sim.World) {
		order := at(w, 5, "a", "b", "c")
		later := at(w, 9, "x", "y")
		w.At(5, func() { // a fourth, from which a fifth comes
			*order += "d"
			w.At(5, func() { *order += "e" })
		})
		w.RunFor(base.Second)
		seen = append(seen, *order+*later)
	})
	slices.Sort(seen)
	distinct := slices.Compact(slices.Clone(seen))
	// Of 5! orders of five those in which the fifth is behind the fourth, and 2 of the other instant.
	if len(seen) != 120 || len(distinct) != 120 || walked != (simtest.Walked{Orders: 120, Choices: 5, All: true}) {
		t.Errorf("%d orders, %d distinct, %+v", len(seen), len(distinct), walked)
	}
	for _, order := range seen {
		if strings.Index(order, "e") < strings.Index(order, "d") {
			t.Errorf("%s: an event before the one that it comes from", order)
		}
	}
}

func TestExhaustiveHasBounds(t *testing.T) {
	for _, c := range []struct {
		bound simtest.Bound
		want  simtest.Walked
	}{
		{simtest.Bound{}, simtest.Walked{Orders: 36, Choices: 4, All: true}},
		{simtest.Bound{Runs: 36}, simtest.Walked{Orders: 36, Choices: 4, All: true}},
		{simtest.Bound{Runs: 35}, simtest.Walked{Orders: 35, Choices: 4}},
		{simtest.Bound{Choices: 1}, simtest.Walked{Orders: 3, Choices: 4}},
		{simtest.Bound{Choices: 3}, simtest.Walked{Orders: 18, Choices: 4}},
		{simtest.Bound{Choices: 4}, simtest.Walked{Orders: 36, Choices: 4, All: true}},
		{simtest.Bound{From: 6}, simtest.Walked{Orders: 6, Choices: 2, All: true}},
		{simtest.Bound{From: 9}, simtest.Walked{Orders: 6, Choices: 2, All: true}},
		{simtest.Bound{From: 10}, simtest.Walked{Orders: 1, All: true}},
	} {
		runs := 0
		walked := simtest.Exhaustive(t, c.bound, func(w *sim.World) {
			runs++
			at(w, 5, "a", "b", "c")
			at(w, 9, "x", "y", "z")
			w.RunFor(base.Second)
		})
		if walked != c.want || runs != walked.Orders {
			t.Errorf("%+v: %+v in %d runs, want %+v", c.bound, walked, runs, c.want)
		}
	}
}

// A world that is asked for other choices than before is not deterministic, which is said.
func TestExhaustiveSeesWhatDiffers(t *testing.T) {
	names := []string{"a", "b", "c"}
	f, _ := simtest.FindOrder(1, simtest.Bound{}, func(w *sim.World) {
		names = append(names, fmt.Sprint(len(names)))
		at(w, 5, names...)
		w.RunFor(base.Second)
	})
	if want := "sim: D1: choice 0 is among 5 events, and was among 4 with the same choices before it"; f == nil || f.Err.Error() != want {
		t.Errorf("%v, want %s", f, want)
	}
}

// A failure is found in the same order by the command that is printed, and by its file.
func TestExhaustiveFailuresNameTheirOrder(t *testing.T) {
	dir := t.TempDir()
	out, passed := run(t, "orders", "-sim.out="+dir)
	name, file := kept(t, dir)
	line := "go test ./sim/simtest -run '^TestChild$' -sim.seed=0x1 -sim.order=1.1"
	if passed || !strings.Contains(out, "the order was bca\n") || !strings.Contains(out, " "+line+"\n") {
		t.Fatalf("passed %v, want the order bca and %q in\n%s", passed, line, out)
	}
	if !slices.Equal(file.Draws, []string{"order 1.1"}) || file.Seed != 1 {
		t.Errorf("%+v", file)
	}
	for _, args := range [][]string{{"-sim.seed=0x1", "-sim.order=1.1"}, {"-sim.repro=" + name}} {
		again, passed := run(t, "orders", append(args, "-sim.out="+t.TempDir())...)
		if passed || !strings.Contains(again, "the order was bca\n") || strings.Count(again, "runs: ") != 1 {
			t.Errorf("%v: passed %v:\n%s", args, passed, again)
		}
	}
	if out, passed := run(t, "orders", "-sim.order=0"); !passed {
		t.Errorf("one order that is good: %s", out)
	}
	for _, bad := range []string{"x", "1..2", "-1", "1,1"} {
		if out, passed := run(t, "orders", "-sim.order="+bad); passed || !strings.Contains(out, "simtest: -sim.order: ") {
			t.Errorf("%s: passed %v:\n%s", bad, passed, out)
		}
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "*")); len(files) != 1 {
		t.Errorf("files %q", files)
	}
}
