package scenarios_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chordsim/core/base"
	"chordsim/faults/linkmodel"
	"chordsim/scenarios"
	"chordsim/sim"
)

// TestThrottledTabCorners plays the small size with parameters at their ends. Every goal that the scenario sets itself
// holds, and what a pause of a second misses is what was streamed.
func TestThrottledTabCorners(t *testing.T) {
	for _, c := range []struct {
		set      string
		caughtUp string // direct, after 1 s
		missed   int64
	}{
		{"chunk=16", "0.02", 400},
		{"window=1", "0.02", 404},
		{"window=64", "0.02", 400},
		{"quantum=0", "0.01", 400},
		{"quantum=7ms", "0.02", 400},
		{"quantum=15ms", "0.03", 400},
		{"quantum=1s", "", 0},
		{"quantum=10s", "", 0},
		{"step=1ms", "0.08", 4028},
		{"step=7ms", "", 572}, // 143 steps: the pause is whole steps
		{"step=1s", "1", 4},
		{"latency=50ms", "0.16", 436},
		{"latency=47ms", "", 0},
		{"jitter=30ms", "", 0},
		{"latency=10s jitter=10s quantum=10s", "", 0},
		{"token=é", "0.02", 200},
		{"token=😀", "0.02", 400},
		{"token=\u2028\u0000", "0.02", 400},
		{"token=" + strings.Repeat("long ", 60), "", 30000},
		{"rate=2KiB/s", "", 0},
		{"rate=1200", "", 0},
		{"rate=1GB/s", "0.02", 400},
		{"rate=1GB/s quantum=1s", "", 0},
		{"rate=9223372036854775807 quantum=0", "0.01", 400},
		{"chunk=16 window=1 rate=4KiB/s step=3ms quantum=0", "", 0},
		{"strategy=random", "", 0},
	} {
		t.Run(c.set, func(t *testing.T) {
			report := playWell(t, runOf(t, 1, append(strings.Fields("size=small"), settingsOf(c.set)...)...))
			rows := values(t, report)
			if c.caughtUp != "" && rows["stall.direct.1s"] != c.caughtUp {
				t.Errorf("caught up after %s s, want %s", rows["stall.direct.1s"], c.caughtUp)
			}
			if got := number(t, rows, "stall.direct.1s.missed"); c.missed != 0 && got != c.missed {
				t.Errorf("missed %d bytes of text, want %d", got, c.missed)
			}
			for _, way := range []string{"direct", "relayed"} {
				for _, pause := range []string{"100ms", "1s", "3s", "none"} {
					if rows["stall."+way+"."+pause] == "" {
						t.Errorf("%s %s has no row", way, pause)
					}
				}
			}
			wantLooks(t, report)
		})
	}
}

// settingsOf takes apart what is between spaces that stand before a name.
func settingsOf(s string) []string {
	if strings.HasPrefix(s, "token=") {
		return []string{s}
	}
	return strings.Fields(s)
}

// TestThrottledTabNoLimit wants runs in which the tab could never catch up to be refused before they begin.
func TestThrottledTabNoLimit(t *testing.T) {
	for set, want := range map[string]string{
		"rate=300":            "the stream of 1100B/s (messages of 11 bytes each 10ms) is not slower than the link of 300B/s: the tab could never catch up",
		"rate=1KiB/s":         "the stream of 1100B/s (messages of 11 bytes each 10ms) is not slower than the link of 1KiB/s: the tab could never catch up",
		"rate=1 step=1s":      "the stream of 11B/s (messages of 11 bytes each 1s) is not slower than the link of 1B/s: the tab could never catch up",
		"rate=3KB/s step=1ms": "the stream of 11kB/s (messages of 11 bytes each 1ms) is not slower than the link of 3kB/s: the tab could never catch up",
		"rate=9223372036854775807 quantum=1s": "linkmodel: bad config: Quantum is 1s, in which 9223372036854775807B/s carries more " +
			"than the 9223372036 bytes of a tick",
		"case=direct-60s": "--set case=direct-60s: there is no such case; there are all, direct-100ms, direct-1s, direct-3s, direct-none, " +
			"relayed-100ms, relayed-1s, relayed-3s, relayed-none",
		"case=": "--set case=: there is no such case; there are all, direct-100ms, direct-1s, direct-3s, direct-none, " +
			"relayed-100ms, relayed-1s, relayed-3s, relayed-none",
	} {
		r := runOf(t, 1, append([]string{"size=small"}, settingsOf(set)...)...)
		s := scenarios.ThrottledTab()
		if err := s.Check(r); err == nil || err.Error() != want {
			t.Errorf("%s: Check says %v\n  want %s", set, err, want)
		}
		if report, err := s.Run(r); err == nil || err.Error() != want || report != nil {
			t.Errorf("%s: Run says %v, want the same", set, err)
		}
	}
}

// TestThrottledTabStuck plays links that carry the text but hardly its messages: the run ends in bounded virtual time and
// says what the link could have done.
func TestThrottledTabStuck(t *testing.T) {
	for _, c := range []struct {
		set, want string
		most      base.Duration
	}{
		{"rate=1101", "direct 1 s: the tab did not catch up within ", 12 * base.Minute},
		{
			"rate=1008 step=1s token=" + strings.Repeat("x", 1000), "direct 1 s: the link alone needs over 600s for the ", 12 * base.Minute,
		},
	} {
		report := play(t, runOf(t, 1, append([]string{"size=small", "case=direct-1s"}, strings.Fields(c.set)...)...))
		if len(report.Stuck) != 1 || !strings.HasPrefix(report.Stuck[0], c.want) {
			t.Errorf("%s: stuck %q, want %q at its beginning", c.set, report.Stuck, c.want)
		}
		if !report.Failed() || len(report.Violations)+len(report.Failures)+len(report.Rows) != 0 {
			t.Errorf("%s: failed %v, %q, %q, %d rows", c.set, report.Failed(), report.Violations, report.Failures, len(report.Rows))
		}
		if report.Virtual > c.most {
			t.Errorf("%s: %v of virtual time, want at most %v", c.set, report.Virtual, c.most)
		}
	}
}

func traceOf(t *testing.T, name, marks string) *linkmodel.Trace {
	t.Helper()
	trace, err := linkmodel.ParseTrace(name, strings.NewReader(marks))
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

// TestThrottledTabOverTrace plays over a link of one opportunity each 23 ms, about 64 KiB/s.
func TestThrottledTabOverTrace(t *testing.T) {
	r := runOf(t, 1, "size=small")
	r.Link = traceOf(t, "steady", "23\n")
	report := playWell(t, r)
	wantLooks(t, report)
	if want := "trace steady (average 65217B/s)"; !strings.Contains(report.Headline, want) {
		t.Errorf("headline %q, want %q in it", report.Headline, want)
	}
	rows := values(t, report)
	// The fold of a second fits into one opportunity: it comes with the second one after the pause.
	if got := rows["stall.direct.1s"]; got != rows["stall.relayed.1s"] || compareSeconds(t, got, 60*base.Millisecond) > 0 {
		t.Errorf("caught up after %s s, relayed %s s; want at most 0.06, alike", got, rows["stall.relayed.1s"])
	}
	again := runOf(t, 1, "size=small")
	again.Link = r.Link
	if play(t, again).Hash != report.Hash {
		t.Error("another hash over the same trace")
	}
	if play(t, runOf(t, 1, "size=small")).Hash == report.Hash {
		t.Error("the trace makes no difference")
	}
}

// TestThrottledTabOverOutages plays over a link that is gone for two seconds in three.
func TestThrottledTabOverOutages(t *testing.T) {
	var marks strings.Builder
	for ms := 10; ms <= 1000; ms += 10 {
		marks.WriteString(itoa(ms) + "\n")
	}
	marks.WriteString("3000\n")
	r := runOf(t, 3, "size=small", "strategy=random", "jitter=5ms")
	r.Link = traceOf(t, "outages", marks.String())
	wantLooks(t, playWell(t, r))
}

func TestThrottledTabTooSlowATrace(t *testing.T) {
	r := runOf(t, 1, "size=small")
	r.Link = traceOf(t, "slow", "10000\n")
	want := "the stream of 1100B/s (messages of 11 bytes each 10ms) is not slower than the trace slow, on average 150B/s: the tab could never catch up"
	if _, err := scenarios.ThrottledTab().Run(r); err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

// TestThrottledTabOverRecordedTraces plays over the recorded traces, where they are.
func TestThrottledTabOverRecordedTraces(t *testing.T) {
	files, err := filepath.Glob("../../shared/data/traces/*.down")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skip("no recorded traces beside the module")
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			f, err := os.Open(file)
			if err != nil {
				t.Skip(err)
			}
			defer f.Close()
			trace, err := linkmodel.ParseTrace(filepath.Base(file), f)
			if err != nil {
				t.Fatal(err)
			}
			for _, set := range []string{"size=small", "case=direct-10s"} {
				r := runOf(t, 1, set)
				r.Link = trace
				playWell(t, r)
			}
		})
	}
}

// compareSeconds compares a decimal number of seconds with a span.
func compareSeconds(t *testing.T, s string, d base.Duration) int {
	t.Helper()
	got, err := base.ParseDuration(s + "s")
	if err != nil {
		t.Fatal(err)
	}
	return int(min(max(got-d, -1), 1))
}

func itoa(n int) string { return sim.Decimal(int64(n), 0) }
