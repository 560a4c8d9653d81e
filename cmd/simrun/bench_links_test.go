package main

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"chordsim/core"
	"chordsim/core/delta"
	"chordsim/core/wire"
)

// tinyLinks measures everything once.
var tinyLinks = linksPlan{wirePlan: wirePlan{rounds: 1, allocs: 20, kept: mebibyte, warm: 1 << 20}, share: 100, sessions: 3, references: 3}

// TestLinksRun measures everything in little time. No line has a value before it was measured, and each has one then, or says
// why not.
func TestLinksRun(t *testing.T) {
	report := &linksReport{Rows: linksLines(""), Notes: linksNotes}
	for _, l := range report.Rows {
		if l.Value != nil || l.Best != nil || l.Spread != nil {
			t.Errorf("%s, %s has a value that nothing measured", l.ID, l.Variant)
		}
	}
	var shown bytes.Buffer
	if err := tinyLinks.run(report, &progress{w: &shown, start: time.Now().Add(-2 * quiet)}); err != nil {
		t.Fatal(err)
	}
	steps := strings.Split(shown.String(), "\r\x1b[K")
	total := len(steps) - 1
	if first, last := steps[1], steps[total]; !strings.HasPrefix(first, fmt.Sprintf("0 of %d: ", total)) || !strings.HasPrefix(last, fmt.Sprintf("%d of %d: ", total-1, total)) {
		t.Errorf("%d steps, from %q to %q", total, first, last)
	}
	for _, l := range report.Rows {
		timed := l.Unit == "us" || l.Unit == "ms"
		switch {
		case (l.Value == nil) == (l.NotYet == ""):
			t.Errorf("%s, %s: value %v, not yet: %q", l.ID, l.Variant, l.Value, l.NotYet)
		case l.Value != nil && !(*l.Value > 0):
			t.Errorf("%s, %s: %v", l.ID, l.Variant, *l.Value)
		case timed && (l.Best == nil || *l.Best > *l.Value || l.Spread == nil):
			t.Errorf("%s, %s: best %v, spread %v", l.ID, l.Variant, l.Best, l.Spread)
		case timed && l.Gated:
			t.Errorf("%s, %s: a time is required", l.ID, l.Variant)
		}
	}
	var out bytes.Buffer
	e := &env{stdout: &out}
	if err := report.write(e, false); err != nil || e.exit != report.Exit {
		t.Errorf("exit status %d, %v", e.exit, err)
	}
	for _, n := range linksNotes {
		if !strings.Contains(out.String(), n) {
			t.Errorf("the note %q is not there", n)
		}
	}
}

// TestLinksVerdicts wants what is required to fail the run when it is missed, or no number, and what is shown, or not there
// yet, never to.
func TestLinksVerdicts(t *testing.T) {
	for _, c := range []struct {
		why     string
		goal    wireGoal
		gated   bool
		value   linksValue
		verdict string
		exit    int
	}{
		{"at the goal", wireGoal{atMost, 12}, true, linksValue{value: 12}, "within (≤ 12 B)", exitOK},
		{"over", wireGoal{atMost, 12}, true, linksValue{value: 13}, "over (≤ 12 B)", exitFailed},
		{"no number", wireGoal{atMost, 12}, true, linksValue{value: math.NaN()}, "over (≤ 12 B)", exitFailed},
		{"less than exactly", wireGoal{exactly, 12}, true, linksValue{value: 11}, "over (= 12 B)", exitFailed},
		{"over and shown", wireGoal{atMost, 12}, false, linksValue{value: 13}, "over (≤ 12 B, shown)", exitOK},
		{"no goal", wireGoal{}, false, linksValue{value: 13}, "shown", exitOK},
		{"not there", wireGoal{atMost, 12}, true, linksValue{notYet: "no sharing"}, "not yet: no sharing", exitOK},
	} {
		l := linksLine{Unit: "B", goal: c.goal, Gated: c.gated}
		l.fill(c.value)
		r := &linksReport{Rows: []linksLine{l}}
		if r.judge(); r.Rows[0].verdict() != c.verdict || r.Exit != c.exit {
			t.Errorf("%s: %q with exit status %d, want %q with %d", c.why, r.Rows[0].verdict(), r.Exit, c.verdict, c.exit)
		}
	}
	nothing := &linksReport{Rows: []linksLine{{goal: wireGoal{atMost, 1}, Gated: true}}}
	if nothing.judge(); nothing.Exit != exitFailed {
		t.Error("a line that nothing measured passes")
	}
}

// TestLinksTimes wants the median of the laps, the least, and the spread of the middle half.
func TestLinksTimes(t *testing.T) {
	v, key := linksValues{}, wireKey{"x", "binary"}
	v.setTime(key, []benchBlock{{ns: 9000}, {ns: 1000}, {ns: 4000}, {ns: 5000}, {ns: 3000}})
	if got, want := v[key], (linksValue{value: 4, best: 1, spread: 0.5, timed: true}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	l := linksLine{Unit: "ms"}
	l.fill(linksValue{value: 4500, best: 1000, timed: true})
	if *l.Value != 4.5 || *l.Best != 1 {
		t.Errorf("%v and %v ms, want 4.5 and 1", *l.Value, *l.Best)
	}
}

// TestLinksCounts wants counts to be those of what happened: a document that nobody holds sends nothing, and a turn with two
// holds one message.
func TestLinksCounts(t *testing.T) {
	for _, c := range linksCodecs {
		for holds, want := range map[int]commitCounts{1: {1, 1}, 3: {1, 1}} {
			if got, err := countCommits(c, holds, "field"); err != nil || got != want {
				t.Errorf("%s, %d holds: %+v (%v), want %+v", c, holds, got, err, want)
			}
		}
	}
}

// TestLinksBytesAreCarried wants a reconnect to bring the whole document once, however it is encoded.
func TestLinksBytesAreCarried(t *testing.T) {
	wired, into := wireValues{}, linksValues{}
	if err := measureSnapshot("hold1000", notesList(), wire.Binary, wired); err != nil {
		t.Fatal(err)
	}
	if err := reconnectBytes("reconnect2", 2)(&tinyLinks, wire.Binary, into); err != nil {
		t.Fatal(err)
	}
	down, snapshot := into[wireKey{"reconnect2.down", "binary"}].value, wired[wireKey{"hold1000.wire", "binary"}]
	if over := down - 2*snapshot; over < 0 || over > 300 {
		t.Errorf("%v bytes down for two documents of %v each", down, snapshot)
	}
}

// TestLinksParkedOrder wants calls in another order than theirs to be noticed.
func TestLinksParkedOrder(t *testing.T) {
	for _, c := range []struct {
		ran  []int
		want bool
	}{{[]int{0, 1, 2}, true}, {[]int{0, 2, 1}, false}, {[]int{1, 2}, false}} {
		if p := (&linksParked{ran: c.ran}); p.inOrder() != c.want {
			t.Errorf("%v in order: %v", c.ran, !c.want)
		}
	}
}

// TestLinksChecks wants a bench whose tab does not have what the worker has to fail, rather than to measure something else.
func TestLinksChecks(t *testing.T) {
	e, err := newLinksEdits(wire.Binary, "field", func(core.Frame) {})
	if err != nil || e.check() != nil {
		t.Fatalf("%v, %v", err, e.check())
	}
	e.frames--
	if e.check() == nil {
		t.Error("a frame that is missed goes unseen")
	}
	e.frames++
	if err := e.session.converged(e.view, core.NewDocument(delta.Null())); err == nil {
		t.Error("another document goes unseen")
	}
	e.session.up.Close()
	if e.check() == nil {
		t.Error("a link that closed goes unseen")
	}
}

// TestLinksJSON reads a report by the names that other programs know.
func TestLinksJSON(t *testing.T) {
	var report struct {
		Bench, Headline, Reproduce string
		Rows                       []map[string]any
		Notes                      []string
		Exit                       int
	}
	decode(t, output(t, exitOK, "bench", "links", "--json", "--quick", "--filter", "call.allocs"), &report)
	if report.Bench != "links" || report.Headline == "" || len(report.Notes) == 0 || len(report.Rows) != 2 ||
		report.Reproduce != "go run ./cmd/simrun bench links --quick --filter call.allocs" {
		t.Fatalf("%+v", report)
	}
	want := "[best case figure gated goal id ratio spread unit value variant verdict]"
	if got := fmt.Sprint(sortedIDs(report.Rows[0])); got != want {
		t.Errorf("the keys are %s, want %s", got, want)
	}
}
