package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"chordsim/scenarios"
	"chordsim/sim"
)

// resultOf is the result of a run that gave a report.
func resultOf(t *testing.T, report, second *sim.Report) *result {
	t.Helper()
	s := scenarios.ThrottledTab()
	values, err := sim.ParseValues(s.Parameters(), []string{"size=small"})
	if err != nil {
		t.Fatal(err)
	}
	return &result{scenario: s, run: &runCmd{Seed: 5}, values: values, report: report, second: second, wall: time.Second}
}

func TestExitStatus(t *testing.T) {
	same, other := &sim.Report{Hash: 1}, &sim.Report{Hash: 2}
	for _, c := range []struct {
		what           string
		report, second *sim.Report
		want           int
	}{
		{"all held", same, nil, exitOK},
		{"twice the same", same, &sim.Report{Hash: 1}, exitOK},
		{"an invariant", &sim.Report{Violations: []string{"C1"}}, nil, exitFailed},
		{"a goal", &sim.Report{Failures: []string{"late"}}, nil, exitFailed},
		{"stuck", &sim.Report{Stuck: []string{"x"}}, nil, exitStuck},
		{"an invariant, and stuck", &sim.Report{Violations: []string{"C1"}, Stuck: []string{"x"}}, nil, exitFailed},
		{"twice different", same, other, exitDiffers},
		{"different and failed", &sim.Report{Hash: 1, Failures: []string{"late"}}, other, exitDiffers},
	} {
		if got := resultOf(t, c.report, c.second).exit(); got != c.want {
			t.Errorf("%s: exit status %d, want %d", c.what, got, c.want)
		}
	}
}

func TestPrintSaysWhatDiffers(t *testing.T) {
	var out bytes.Buffer
	r := resultOf(t, &sim.Report{Hash: 1, Events: 3}, &sim.Report{Hash: 2, Events: 4})
	if err := r.print(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\ntwice: DIFFERENT: 0000000000000001 and 0000000000000002, 3 and 4 events\n",
		"\nreproduce: go run ./cmd/simrun run throttled-tab --seed 5 --set size=small --twice\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

func TestPrintBoundsFailures(t *testing.T) {
	report := &sim.Report{Stuck: []string{"here"}}
	for i := range 25 {
		report.Violations = append(report.Violations, fmt.Sprintf("C1 number %d", i))
	}
	var out bytes.Buffer
	if err := resultOf(t, report, nil).print(&out); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	if got := strings.Count(text, "\nviolated: C1 number "); got != shownFailures {
		t.Errorf("%d violations are shown, want %d", got, shownFailures)
	}
	for _, want := range []string{"\nviolated: and 15 more\n", "\nstuck: here\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestQuoted(t *testing.T) {
	for in, want := range map[string]string{
		"size=small":     "size=small",
		"rate=64KiB/s":   "rate=64KiB/s",
		"token= tok":     "'token= tok'",
		"token=it's":     `'token=it'\''s'`,
		"token=$HOME":    "'token=$HOME'",
		"token=é":        "'token=é'",
		"trace:a/b.down": "trace:a/b.down",
		"token=a\nb":     "'token=a\nb'",
	} {
		if got := quoted(in); got != want {
			t.Errorf("quoted(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestThousands(t *testing.T) {
	for in, want := range map[float64]string{0: "0", 999: "999", 1000: "1,000", 999999.6: "1,000,000", 12345678: "12,345,678"} {
		if got := thousands(in); got != want {
			t.Errorf("thousands(%v) = %s, want %s", in, got, want)
		}
	}
}

// TestUsageIsOneLine wants a problem that has line breaks in it to be told in one.
func TestUsageIsOneLine(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if got := run([]string{"run", "throttled-tab", "rate=1\n2"}, &stdout, &stderr); got != exitUsage {
		t.Errorf("exit status %d, want %d", got, exitUsage)
	}
	if got := stderr.String(); strings.Count(got, "\n") != 1 || !strings.HasPrefix(got, "simrun: ") || stdout.Len() != 0 {
		t.Errorf("stderr %q, stdout %q", got, stdout.String())
	}
}

// TestProgressInAPipeIsSilent wants nothing on a stderr that is no terminal, however long a run takes.
func TestProgressInAPipeIsSilent(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(&out)
	p.start = p.start.Add(-time.Hour)
	p.show(1, 8, "a case")
	p.done()
	if out.Len() != 0 {
		t.Errorf("printed %q", out.String())
	}
}
