package main

import (
	"bytes"
	"math"
	"strings"
	"testing"
)

// A bar that is gated fails the run when it is missed, or when nothing was measured; one that is shown never does.
func TestBenchVerdicts(t *testing.T) {
	cases := []struct {
		why     string
		ratio   float64
		gated   bool
		verdict string
		exit    int
	}{
		{"within", 2, true, "within", exitOK},
		{"at the bar", 2.5, true, "within", exitOK},
		{"over", 2.51, true, "over", exitFailed},
		{"no number", math.NaN(), true, "over", exitFailed},
		{"shown and within", 2, false, "within (shown)", exitOK},
		{"shown and over", 9, false, "over (shown)", exitOK},
	}
	for _, c := range cases {
		r := &benchReport{Bars: []benchBar{
			{Name: "first", Ratio: c.ratio, Most: 2.5, Gated: c.gated}, {Name: "second", Ratio: 1, Most: 2.5, Gated: true},
		}}
		r.judge()
		if r.Bars[0].Verdict != c.verdict || r.Exit != c.exit {
			t.Errorf("%s: %q with exit status %d, want %q with %d", c.why, r.Bars[0].Verdict, r.Exit, c.verdict, c.exit)
		}
	}
}

// The exit status of the report is that of the command, and JSON has a list where nothing was measured.
func TestBenchReportIsWritten(t *testing.T) {
	var out bytes.Buffer
	e := &env{stdout: &out}
	over := &benchReport{Bench: "b", Bars: []benchBar{{Name: "x", Measure: "bytes", Ratio: 3, Most: 2.5, Gated: true}}}
	if err := over.write(e, false); err != nil || e.exit != exitFailed || !strings.Contains(out.String(), "3.00  ≤ 2.5  over") {
		t.Errorf("exit status %d (%v), printed %s", e.exit, err, out.String())
	}
	out.Reset()
	if err := (&benchReport{Bench: "b"}).write(e, true); err != nil || e.exit != exitOK {
		t.Errorf("exit status %d (%v)", e.exit, err)
	}
	var back map[string]any
	decode(t, out.Bytes(), &back)
	for _, key := range []string{"figures", "bars", "notes"} {
		if list, ok := back[key].([]any); !ok || len(list) != 0 {
			t.Errorf("%s is %v, want an empty list", key, back[key])
		}
	}
}

func TestMedian(t *testing.T) {
	same := func(f float64) float64 { return f }
	for _, c := range []struct {
		of   []float64
		want float64
	}{{nil, 0}, {[]float64{3}, 3}, {[]float64{9, 1, 2}, 2}, {[]float64{4, 1, 2, 100}, 3}} {
		if got := median(c.of, same); got != c.want {
			t.Errorf("the median of %v is %v, want %v", c.of, got, c.want)
		}
	}
	// One block of three was disturbed, in both sizes.
	of, to := []benchBlock{{ns: 4}, {ns: 4000}, {ns: 6}}, []benchBlock{{ns: 2}, {ns: 1000}, {ns: 2}}
	if got := medianRatio(of, to, func(b benchBlock) float64 { return b.ns }); got != 3 {
		t.Errorf("the ratio is %v, want 3", got)
	}
}
