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

// TestWireVerdicts wants what is required to fail the run when it is missed, or no number, and what is shown never to.
func TestWireVerdicts(t *testing.T) {
	for _, c := range []struct {
		why     string
		goal    wireGoal
		value   float64
		verdict string
		exit    int
	}{
		{"under", wireGoal{atMost, 12}, 11, "within", exitOK},
		{"at the goal", wireGoal{atMost, 12}, 12, "within", exitOK},
		{"over", wireGoal{atMost, 12}, 13, "over", exitFailed},
		{"no number", wireGoal{atMost, 12}, math.NaN(), "over", exitFailed},
		{"exactly", wireGoal{exactly, 12}, 12, "within", exitOK},
		{"less than exactly", wireGoal{exactly, 12}, 11, "over", exitFailed},
		{"fast", wireGoal{atLeast, 6}, 6, "ahead", exitOK},
		{"slow", wireGoal{atLeast, 6}, 5.9, "behind", exitOK},
		{"no goal", wireGoal{}, 1e9, "shown", exitOK},
	} {
		r := &wireReport{Rows: []wireLine{{goal: c.goal, Value: c.value, Unit: "B"}, {goal: wireGoal{atMost, 1}, Value: 1}}}
		if r.judge(); r.Rows[0].Verdict != c.verdict || r.Exit != c.exit {
			t.Errorf("%s: %q with exit status %d, want %q with %d", c.why, r.Rows[0].Verdict, r.Exit, c.verdict, c.exit)
		}
	}
}

// TestWireRatios wants a value over its figure, and our time over that of encoding/json.
func TestWireRatios(t *testing.T) {
	figure := 200.0
	r := &wireReport{Rows: []wireLine{{Value: 50, Figure: &figure, Unit: "us"}, {Value: 8, Unit: "x"}, {Value: 3, Unit: "B"}, {Unit: "x"}}}
	r.judge()
	for i, want := range []string{"0.25", "0.125", "none", "none"} {
		got := "none"
		if q := r.Rows[i].Ratio; q != nil {
			got = fmt.Sprint(*q)
		}
		if got != want {
			t.Errorf("ratio %d is %s, want %s", i, got, want)
		}
	}
}

// TestWireRun measures everything in little time, and wants each line to have a value, and progress to the last step.
func TestWireRun(t *testing.T) {
	report := &wireReport{Rows: wireLines(""), Notes: wireNotes}
	var shown bytes.Buffer
	if err := quickWire.run(report, &progress{w: &shown, start: time.Now().Add(-2 * quiet)}); err != nil {
		t.Fatal(err)
	}
	steps := strings.Split(shown.String(), "\r\x1b[K")
	first, last := steps[1], steps[len(steps)-1]
	total := len(steps) - 1
	if !strings.HasPrefix(first, fmt.Sprintf("0 of %d: ", total)) || !strings.HasPrefix(last, fmt.Sprintf("%d of %d: ", total-1, total)) {
		t.Errorf("%d steps, from %q to %q", total, first, last)
	}
	for _, l := range report.Rows {
		zero := strings.HasSuffix(l.ID, ".decode.allocs") || strings.HasSuffix(l.ID, ".decode.bytes")
		if !(l.Value > 0) && !(zero && l.Value == 0) {
			t.Errorf("%s, %s: %v", l.ID, l.Variant, l.Value)
		}
	}
	var out bytes.Buffer
	e := &env{stdout: &out}
	if err := report.write(e, false); err != nil || e.exit != report.Exit {
		t.Errorf("exit status %d, %v", e.exit, err)
	}
	for _, n := range wireNotes {
		if !strings.Contains(out.String(), n) {
			t.Errorf("the note %q is not there", n)
		}
	}
}

// TestWireJSON reads a report by the names that other programs know.
func TestWireJSON(t *testing.T) {
	var report struct {
		Bench, Headline string
		Rows            []map[string]any
		Notes           []string
		Exit            int
	}
	decode(t, output(t, exitOK, "bench", "wire", "--json", "--filter", "call1mib.wire"), &report)
	if report.Bench != "wire" || report.Headline == "" || len(report.Notes) == 0 || len(report.Rows) != 2 || report.Exit != exitOK {
		t.Fatalf("%+v", report)
	}
	want := "[case figure goal id ratio unit value variant verdict]"
	if got := fmt.Sprint(sortedIDs(report.Rows[0])); got != want {
		t.Errorf("the keys are %s", got)
	}
	decode(t, output(t, exitOK, "bench", "wire", "--json", "--filter", "call1mib.headers"), &report)
	if row := report.Rows[0]; row["figure"] != nil || row["ratio"] != nil || row["goal"] == nil {
		t.Errorf("a row without a figure is %v", row)
	}
}

// TestWireCounts wants exact counts of what a run allocates, and of what the heap keeps of a message.
func TestWireCounts(t *testing.T) {
	var sink []*[64]byte
	allocs, size, err := quickWire.count(func() error {
		sink = append(sink[:0], new([64]byte), new([64]byte))
		return nil
	}, 128)
	if err != nil || allocs != 2 || size != 128 {
		t.Errorf("%v allocations of %v bytes (%v), want 2 of 128", allocs, size, err)
	}
	broken := errors.New("broken")
	if _, _, err := quickWire.count(func() error { return broken }, 1); !errors.Is(err, broken) {
		t.Errorf("the error is %v", err)
	}
	if kept := quickWire.keptBytes(func() []byte { return make([]byte, 100, 8192) }); math.Abs(kept-8192) > 100 {
		t.Errorf("%v bytes are kept, want about 8192", kept)
	}
}

// TestWireBlocksTakeTurns wants the things that are compared to be run in turns.
func TestWireBlocksTakeTurns(t *testing.T) {
	plan := wirePlan{rounds: 3, block: 200 * time.Microsecond, warm: 1}
	var order []string
	thing := func(id string) wireTimed {
		return wireTimed{wireKey{id, ""}, func() error {
			if n := len(order); n == 0 || order[n-1] != id {
				order = append(order, id)
			}
			time.Sleep(50 * time.Microsecond)
			return nil
		}}
	}
	blocks, err := plan.blocks([]wireTimed{thing("a"), thing("b")}, func(string) {})
	if err != nil || len(blocks[wireKey{"a", ""}]) != 3 || len(blocks[wireKey{"b", ""}]) != 3 {
		t.Errorf("blocks %v, %v", blocks, err)
	}
	if got := strings.Join(order, ""); got != "abababab" { // once to find out how often, then three rounds
		t.Errorf("they were run as %s", got)
	}
}
