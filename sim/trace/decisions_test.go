package trace_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"chordsim/core/base"
	"chordsim/sim/trace"
)

// draws makes the decisions of a run: "label" draws once, "label=n" takes the value n in.
func draws(list ...string) *trace.Decisions {
	d := &trace.Decisions{}
	for _, s := range list {
		label, value, _ := strings.Cut(s, "=")
		n := uint64(len(value))
		fmt.Sscan(value, &n)
		d.Drew(label, n)
	}
	return d
}

// throughJSON is what a repro file makes of labels.
func throughJSON(t *testing.T, labels []trace.Label) (read []trace.Label) {
	t.Helper()
	text, err := json.Marshal(labels)
	if err == nil {
		err = json.Unmarshal(text, &read)
	}
	if err != nil {
		t.Fatal(err)
	}
	return read
}

func TestDecisionsOfTwoRuns(t *testing.T) {
	for _, c := range []struct {
		name       string
		older, now *trace.Decisions
		want       string
	}{
		{"nothing", draws(), draws(), ""},
		{"the same", draws("tie=1", "jitter=2", "tie=3"), draws("tie=1", "tie=3", "jitter=2"), ""},
		{"another value", draws("tie=1", "jitter=2"), draws("tie=1", "jitter=3"),
			`the first label that differs is "jitter": 1 draw each, of other values`},
		{"another order", draws("tie=1", "tie=2"), draws("tie=2", "tie=1"),
			`the first label that differs is "tie": 2 draws each, of other values`},
		{"one more", draws("tie=1"), draws("tie=1", "tie=2"), `the first label that differs is "tie": 1 draw, then 2`},
		{"none any more", draws("tie=1", "tie=2"), draws(), `the first label that differs is "tie": 2 draws, then none`},
		{"the first of the older run", draws("b=1", "a=1"), draws("a=2", "b=2"),
			`the first label that differs is "b": 1 draw each, of other values`},
		{"a new label", draws("tie=1"), draws("new=7", "tie=1"),
			`1 new label passed over, which the older run has not: "new"`},
		{"new labels and a difference", draws("tie=1"), draws("new=7", "tie=2", "newer=1"),
			`the first label that differs is "tie": 1 draw each, of other values; ` +
				`2 new labels passed over, which the older run has not: "new" and others`},
	} {
		older, now := throughJSON(t, c.older.Labels()), c.now.Labels()
		drift := trace.CompareLabels(older, now)
		if got := drift.String(); got != c.want {
			t.Errorf("%s:\n%q, want\n%q", c.name, got, c.want)
		}
		if drift.Differs() != strings.HasPrefix(c.want, "the first") {
			t.Errorf("%s: differs %v", c.name, drift.Differs())
		}
	}
}

// What is kept is bounded whatever is drawn, and what is beyond it still shows.
func TestDecisionsAreBounded(t *testing.T) {
	many := func(last string) *trace.Decisions {
		d := &trace.Decisions{}
		for i := range 3 * trace.MaxLabels {
			d.Drew(fmt.Sprintf("%d %s", i, strings.Repeat("é", trace.MaxLabel)), uint64(i))
		}
		d.Drew(last, 1)
		return d
	}
	labels := many("a").Labels()
	text, err := json.Marshal(labels)
	if err != nil || len(labels) != trace.MaxLabels+1 || len(text) > trace.MaxLabels*(trace.MaxLabel+50) {
		t.Fatalf("%d labels in %d bytes, error %v", len(labels), len(text), err)
	}
	if last := labels[trace.MaxLabels]; last.Name != trace.OtherLabels || last.Draws != 2*trace.MaxLabels+1 {
		t.Errorf("the rest is %+v", last)
	}
	if drift := trace.CompareLabels(labels, many("b").Labels()); drift.Differs() || len(drift.Added) > 0 {
		t.Errorf("labels that found no place: %v", drift)
	}
	few := draws("tie=1").Labels()
	if drift := trace.CompareLabels(labels, few); !drift.Differs() || len(drift.Added) > 0 {
		t.Errorf("what is new cannot be told of a record that is full: %v", drift)
	}
	if drift := trace.CompareLabels(few, append(labels, few...)); drift.Differs() {
		t.Errorf("a record with few labels against one with many: %v", drift)
	}
	if drift := trace.CompareLabels(few, labels); drift.Differs() {
		t.Errorf("a label that may have found no place: %v", drift)
	}
}

// Labels of a world begin with its name, and draws go through a source that is observed.
func TestDecisionsOfWorlds(t *testing.T) {
	var d trace.Decisions
	for _, world := range []string{"", "direct", "direct"} {
		r := base.NewRand(7).Observed(d.World(world))
		r.Stream("tie").Next()
		r.Stream("jitter", "up").Below(3)
	}
	got := ""
	for _, l := range d.Labels() {
		got += fmt.Sprintf("%s %d\n", l.Name, l.Draws)
	}
	if want := "tie 1\njitter up 1\ndirect: tie 2\ndirect: jitter up 2\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func BenchmarkDrew(b *testing.B) {
	var d trace.Decisions
	s := base.NewRand(1).Observed(d.World("direct")).Stream("tie")
	b.ReportAllocs()
	for b.Loop() {
		s.Next()
	}
}
