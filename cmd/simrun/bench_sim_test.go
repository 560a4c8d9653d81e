package main

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

// TestSimVerdicts wants what is required to fail the run when it is missed, or no number, and a goal never to.
func TestSimVerdicts(t *testing.T) {
	for _, c := range []struct {
		why     string
		goal    simGoal
		verdict string
		exit    int
	}{
		{"none allocated", simGoal{Value: 0, Unit: countUnit, Goal: goal(0), Required: goal(0)}, "within", exitOK},
		{"one allocated", simGoal{Value: 1, Unit: countUnit, Goal: goal(0), Required: goal(0)}, "over", exitFailed},
		{"nothing counted", simGoal{Value: math.NaN(), Unit: countUnit, Goal: goal(0), Required: goal(0)}, "over", exitFailed},
		{"fast", simGoal{Value: 3, Unit: "x", Goal: goal(3), Required: goal(1.5)}, "ahead", exitOK},
		{"slower than the goal", simGoal{Value: 2.9, Unit: "x", Goal: goal(3), Required: goal(1.5)}, "behind", exitOK},
		{"slower than required", simGoal{Value: 1.4, Unit: "x", Goal: goal(3), Required: goal(1.5)}, "under", exitFailed},
		{"nothing timed", simGoal{Value: math.NaN(), Unit: "x", Goal: goal(3), Required: goal(1.5)}, "under", exitFailed},
		{"slow, but not required", simGoal{Value: 1, Unit: "1/s", Goal: goal(300_000)}, "behind", exitOK},
		{"no goal", simGoal{Value: 1e9, Unit: "x"}, "shown", exitOK},
	} {
		r := &simReport{Goals: []simGoal{c.goal, {Value: 1, Unit: "x"}}}
		if r.judge(); r.Goals[0].Verdict != c.verdict || r.Exit != c.exit {
			t.Errorf("%s: %q with exit status %d, want %q with %d", c.why, r.Goals[0].Verdict, r.Exit, c.verdict, c.exit)
		}
	}
}

// TestSimReportIsWritten wants a missed requirement to be the command's exit status, with what to type at the end.
func TestSimReportIsWritten(t *testing.T) {
	var out bytes.Buffer
	e := &env{stdout: &out}
	r := &simReport{Reproduce: "simrun bench sim", Goals: []simGoal{{What: "x", Value: 3, Unit: countUnit, Required: goal(0)}}}
	if err := r.write(e, false); err != nil || e.exit != exitFailed || !strings.HasSuffix(out.String(), "\nreproduce: simrun bench sim\n") {
		t.Errorf("exit status %d (%v), printed %s", e.exit, err, out.String())
	}
}

// TestSimFigures works medians, rates and ratios out of blocks by hand: a message of two events, and one block in three that
// was disturbed.
func TestSimFigures(t *testing.T) {
	block := func(used time.Duration) simBlock {
		return simBlock{used: used, wall: 3 * used, bytes: 640, allocs: 20, events: 20, messages: 10, inFlight: 7}
	}
	m := simBlocks{"a": {block(4000), block(400_000), block(2000)}, "b": {block(8000), block(1_200_000), block(4000)}}
	got := m.figure(&simCase{id: "a", name: "A"})
	want := simFigure{
		ID: "a", Name: "A", InFlight: 7, NSMessage: 400, NSEvent: 200, Wall: 1200, MessagesSec: 2_500_000, EventsSec: 5_000_000, Bytes: 64, Allocs: 2,
	}
	if got != want {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	if got := m.ratio("b", "a"); got != 2 {
		t.Errorf("the ratio is %v, want 2", got)
	}
}

// simFake notes when it is run; a step takes processor time.
type simFake struct {
	id     string
	order  *[]string
	steps  int64
	ended  bool
	broken error
}

func (f *simFake) run(n int) error {
	if l := len(*f.order); l == 0 || (*f.order)[l-1] != f.id {
		*f.order = append(*f.order, f.id)
	}
	f.steps += int64(n)
	for start := processTime(); processTime() < start+time.Duration(n)*10*time.Microsecond; {
	}
	return nil
}
func (f *simFake) count() (events, messages int64) { return 2 * f.steps, f.steps }
func (f *simFake) inFlight() int64                 { return 1 }
func (f *simFake) end() error                      { f.ended = true; return f.broken }

// TestSimBlocksTakeTurns wants what is compared to be run in turns, the first round not to count, and what is wrong at a
// subject's end to be told.
func TestSimBlocksTakeTurns(t *testing.T) {
	plan := simPlan{rounds: 3, block: time.Millisecond}
	var order []string
	fake := func(id string, broken error) (*simFake, simCase) {
		f := &simFake{id: id, order: &order, broken: broken}
		return f, simCase{id, "the " + id, func() (simSubject, error) { return f, nil }}
	}
	a, first := fake("a", nil)
	b, second := fake("b", errReplica)
	blocks := simBlocks{}
	err := plan.measure([]simCase{first, second}, blocks, func(string) {})
	if !errors.Is(err, errReplica) || !strings.HasPrefix(err.Error(), "the b: ") || !a.ended || !b.ended {
		t.Errorf("error %v; ended: %v, %v", err, a.ended, b.ended)
	}
	if got := strings.Join(order, ""); got != "abababab"+"ab" { // to find out how often, to warm up, then three rounds
		t.Errorf("they were run as %s", got)
	}
	for _, id := range []string{"a", "b"} {
		if len(blocks[id]) != 3 {
			t.Fatalf("%d blocks of %s, want 3", len(blocks[id]), id)
		}
		for _, block := range blocks[id] {
			if block.used < plan.block/8 || block.wall <= 0 || block.messages < 10 || block.events != 2*block.messages || block.inFlight != 1 {
				t.Errorf("%s: %+v", id, block)
			}
		}
	}
}

// TestSimRequires wants a full run to require what its blocks are long enough for, and no time else.
func TestSimRequires(t *testing.T) {
	block := []simBlock{{used: 1000, events: 2, messages: 1}}
	slow := []simBlock{{used: 1499, events: 2, messages: 1}}
	m := simBlocks{"engine.small": block, "engine.fifo": block, "engine.large": block, "engine.random": block, "bubble": slow}
	for _, id := range []string{"stack.memory", "stack.memory.checked", "stack.throttled", "stack.throttled.checked"} {
		m[id] = block
	}
	for _, c := range []struct {
		plan     *simPlan
		required string
		exit     int
	}{
		{&fullSim, "engine.fifo.allocs engine.random.allocs bubble.times ", exitFailed},
		{&quickSim, "engine.fifo.allocs engine.random.allocs ", exitOK},
	} {
		r := &simReport{Goals: m.goals(c.plan)}
		r.judge()
		required := ""
		for _, g := range r.Goals {
			if g.Required != nil {
				required += g.ID + " "
			}
		}
		if required != c.required || r.Exit != c.exit {
			t.Errorf("required are %q, and it ends with %d; want %q and %d", required, r.Exit, c.required, c.exit)
		}
	}
}

// TestSimRun runs everything in little time, and wants each figure and progress to the last step.
func TestSimRun(t *testing.T) {
	report := &simReport{Notes: simNotes}
	var shown bytes.Buffer
	if err := quickSim.run(report, &progress{w: &shown, start: time.Now().Add(-2 * quiet)}); err != nil {
		t.Fatal(err)
	}
	steps := strings.Split(shown.String(), "\r\x1b[K")
	first, last, total := steps[1], steps[len(steps)-1], len(steps)-1
	if !strings.HasPrefix(first, fmt.Sprintf("0 of %d: ", total)) || !strings.HasPrefix(last, fmt.Sprintf("%d of %d: ", total-1, total)) {
		t.Errorf("%d steps, from %q to %q", total, first, last)
	}
	if len(report.Figures) != 9 || len(report.Goals) != 10 {
		t.Fatalf("%d figures and %d goals", len(report.Figures), len(report.Goals))
	}
	for _, f := range report.Figures {
		engine, stack := strings.HasPrefix(f.ID, "engine."), strings.HasPrefix(f.ID, "stack.")
		if !(f.NSMessage > 0 && f.Wall > 0 && f.MessagesSec > 0) || (f.EventsSec > 0) != (engine || stack) || (f.NSEvent > 0) != (engine || stack) {
			t.Errorf("times of %+v", f)
		}
		if (f.InFlight > 0) == stack || (f.Allocs > 0.01) != stack || (f.Bytes > 1) != stack {
			t.Errorf("counts of %+v", f)
		}
	}
	for _, g := range report.Goals {
		if strings.HasSuffix(g.ID, ".allocs") != (g.Value == 0) || g.Required != nil && g.Goal == nil {
			t.Errorf("%+v", g)
		}
	}
}

// TestSimJSON reads a report by the names that other programs know.
func TestSimJSON(t *testing.T) {
	var report struct {
		Bench, Headline, Reproduce string
		Figures, Goals             []map[string]any
		Notes                      []string
		Exit                       *int
	}
	decode(t, output(t, exitOK, "bench", "sim", "--quick", "--json"), &report)
	if report.Bench != "sim" || !strings.HasPrefix(report.Headline, "sim · one core, "+simClock) || len(report.Notes) == 0 ||
		report.Reproduce != "go run ./cmd/simrun bench sim" || report.Exit == nil || len(report.Figures) == 0 || len(report.Goals) == 0 {
		t.Fatalf("%+v", report)
	}
	want := "[allocs_message bytes_message events_s id in_flight messages_s name ns_event ns_message wall_ns_message]"
	if got := fmt.Sprint(sortedIDs(report.Figures[0])); got != want {
		t.Errorf("the keys of a figure are %s", got)
	}
	if got, want := fmt.Sprint(sortedIDs(report.Goals[0])), "[goal id required unit value verdict what]"; got != want {
		t.Errorf("the keys of a goal are %s", got)
	}
	for _, g := range report.Goals {
		if g["id"] == "engine.growth" && (g["goal"] != nil || g["required"] != nil) {
			t.Errorf("without a goal it is %v", g)
		}
	}
}
