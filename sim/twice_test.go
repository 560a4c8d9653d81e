package sim_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"chordsim/core/base"
	"chordsim/sim"
	"chordsim/sim/netsim"
	"chordsim/sim/trace"
)

// leaky is a scenario that is not deterministic: it sees a counter of its runs, which is outside of its worlds. What it
// does with the counter is in the worlds' event number at.
type leaky struct {
	runs  int
	total int // events of its second world
	at    int
	moves int // at is this in the third run and later; 0: it does not move
	leak  func(w *sim.World, run int)
	fails int // the run that ends with an error; 0: none
}

var errLeaky = errors.New("the scenario failed")

func (l *leaky) scenario() *sim.Scenario {
	return &sim.Scenario{Name: "leaky", Run: func(r *sim.Run) (*sim.Report, error) {
		l.runs++
		if l.runs == l.fails {
			return nil, errLeaky
		}
		if l.runs > 2 && l.moves > 0 {
			l.at = l.moves
		}
		report := &sim.Report{}
		for _, label := range []string{"before", "leaky"} {
			w := sim.New(r.Config(label))
			tab, worker := w.Host("tab"), w.Host("worker")
			if _, err := w.Connect(tab, worker, netsim.Memory); err != nil {
				return nil, err
			}
			for i := range l.total {
				if err := w.RunFor(base.Millisecond); err != nil {
					return nil, err
				}
				w.Rand().Stream("steady").Next()
				if i == l.at && label == "leaky" {
					l.leak(w, l.runs)
				}
				w.Note(fmt.Sprint("tick ", i))
			}
			report.Add(w)
		}
		return report, nil
	}}
}

func (l *leaky) twice(t *testing.T) (*sim.Difference, error) {
	t.Helper()
	values, err := sim.ParseValues(l.scenario().Parameters(), nil)
	if err != nil {
		t.Fatal(err)
	}
	fresh := func() *sim.Run { return &sim.Run{Seed: 7, Values: values} }
	twice := sim.NewTwice(l.scenario(), fresh)
	for range 2 {
		if _, err := twice.Play(fresh()); err != nil {
			return nil, err
		}
	}
	return twice.Difference()
}

func note(format string) func(*sim.World, int) {
	return func(w *sim.World, run int) { w.Note(fmt.Sprintf(format, run)) }
}

// The first event that differs is found, wherever it is, with what came before it and the label that was drawn another
// number of times.
func TestD1DifferenceIsFoundToTheEvent(t *testing.T) {
	for _, c := range []struct {
		name       string
		l          leaky
		sides      [2]string // of runs 3 and 4
		drawsDrift string
	}{
		{name: "a note", l: leaky{total: 50, at: 20, leak: note("run %d")}, sides: [2]string{"run 3", "run 4"}},
		{name: "of the same length", l: leaky{total: 50, at: 49, leak: note("run %x")}, sides: [2]string{"run 3", "run 4"}},
		{name: "among many", l: leaky{total: 6000, at: 3210, leak: note("run %d")}, sides: [2]string{"run 3", "run 4"}},
		{name: "at the start", l: leaky{total: 3000, at: 0, leak: note("run %d")}, sides: [2]string{"run 3", "run 4"}},
		{
			name: "a draw more", l: leaky{total: 50, at: 20, leak: func(w *sim.World, run int) {
				s := w.Rand().Stream("coin")
				for range run {
					s.Next()
				}
				w.Note(fmt.Sprintf("drew %d", s.Next()%1000))
			}},
			sides:      [2]string{"drew ", "drew "},
			drawsDrift: `random draws: the first label that differs is "leaky: coin": 2 draws, then 3`,
		},
		{
			name: "one run goes on", l: leaky{total: 9, at: 8, leak: func(w *sim.World, run int) {
				if run%2 == 0 {
					w.Note("once more")
				}
			}},
			sides: [2]string{"tick 8", "once more"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := c.l.twice(t)
			if err != nil || d == nil {
				t.Fatalf("difference %v, error %v", d, err)
			}
			text := d.String()
			if d.Event == 0 || d.First == nil || d.Second == nil {
				t.Fatalf("not found:\n%s", text)
			}
			if !strings.HasPrefix(d.First.What, c.sides[0]) || !strings.HasPrefix(d.Second.What, c.sides[1]) {
				t.Errorf("it is %+v and %+v", d.First, d.Second)
			}
			if d.First.Number != d.Event || d.Second.Number != d.Event || d.First.World != "leaky" {
				t.Errorf("numbers %d and %d of event %d in world %q", d.First.Number, d.Second.Number, d.Event, d.First.World)
			}
			if len(d.Before) != 5 || d.Before[4].Number != d.Event-1 {
				t.Errorf("%d events before it", len(d.Before))
			}
			drift := c.drawsDrift
			if drift == "" {
				drift = "random draws: all the same"
			}
			for _, want := range []string{
				fmt.Sprintf("the first event that differs is number %d:\n", d.Event), "\n- ", "\n+ ", "\n" + drift + "\n",
			} {
				if !strings.Contains(text, want) {
					t.Errorf("no %q in\n%s", want, text)
				}
			}
			if c.l.runs > 4 {
				t.Errorf("%d runs", c.l.runs)
			}
		})
	}
}

// A difference that comes earlier when it is looked for is found there.
func TestD1DifferenceThatMoves(t *testing.T) {
	for _, total := range []int{3000, 12_000} { // one window holds all that is before it, or does not
		l := leaky{total: total, at: total - 10, moves: 100, leak: note("run %d")}
		d, err := l.twice(t)
		if err != nil || d == nil || d.First == nil || !strings.HasPrefix(d.First.What, "run ") || len(d.Before) != 5 {
			t.Fatalf("%d ticks: %+v, error %v", total, d, err)
		}
		if d.Before[4].What != "tick 99" {
			t.Errorf("%d ticks: behind %q", total, d.Before[4].What)
		}
	}
}

// What only the first two runs show is told as far as it is known.
func TestD1DifferenceThatDoesNotComeBack(t *testing.T) {
	l := leaky{total: 3000, at: 1234, leak: func(w *sim.World, run int) { w.Note(fmt.Sprint("run ", min(run, 2))) }}
	d, err := l.twice(t)
	if err != nil || d == nil || d.Event != 0 || d.First != nil {
		t.Fatalf("%+v, error %v", d, err)
	}
	if d.By-d.After > 16 || d.By <= d.After || d.Time == 0 {
		t.Errorf("between %d and %d, at %v", d.After, d.By, d.Time)
	}
	if text := d.String(); !strings.Contains(text, "further runs did not show where") {
		t.Errorf("%s", text)
	}
}

// Runs that are the same are played twice and no more.
func TestD1NoDifference(t *testing.T) {
	l := leaky{total: 100, at: 50, leak: func(w *sim.World, run int) { w.Note("the same") }}
	if d, err := l.twice(t); d != nil || err != nil || l.runs != 2 {
		t.Errorf("%v, error %v, %d runs", d, err, l.runs)
	}
}

func TestTwiceReturnsTheScenariosError(t *testing.T) {
	for fails := 1; fails <= 4; fails++ {
		l := leaky{total: 10, at: 5, leak: note("run %d"), fails: fails}
		if _, err := l.twice(t); !errors.Is(err, errLeaky) || l.runs != fails {
			t.Errorf("run %d fails: error %v after %d runs", fails, err, l.runs)
		}
	}
}

// Observing changes no run: neither decisions nor checkpoints, with a window or without.
func TestD1ObserversMakeNoDifference(t *testing.T) {
	run := func(cfg sim.Config) (uint64, *sim.World) {
		w := sim.New(cfg)
		if _, err := w.Connect(w.Host("tab"), w.Host("worker"), netsim.Memory); err != nil {
			t.Fatal(err)
		}
		mustRun(t, w, base.Second)
		return w.Hash(), w
	}
	want, _ := run(sim.Config{Seed: 7})
	events := 0
	sink := sinkFunc(func(trace.Event) { events++ })
	got, _ := run(sim.Config{Seed: 7, Name: "x", Decisions: &trace.Decisions{}, Checkpoints: trace.Window(0, 0, sink), Trace: sink})
	if got != want || events == 0 || events%2 != 0 {
		t.Errorf("hash %x, want %x; %d events told to two", got, want, events)
	}
	var quiet trace.Checkpoints
	run(sim.Config{Seed: 7, Unchecked: true, Checkpoints: &quiet})
	if quiet.Events() != 0 {
		t.Errorf("an unchecked world told of %d events", quiet.Events())
	}
}
