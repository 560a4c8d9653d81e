package simtest_test

import (
	"flag"
	"strings"
	"testing"

	"chordsim/core/base"
	"chordsim/sim"
	"chordsim/sim/simtest"

	"pgregory.net/rapid"
)

// What is shrunk keeps the fingerprint that was found first, though a smaller world fails too, with another one; and the
// world's seed is shrunk with the rest.
func TestRapidShrinksWorlds(t *testing.T) {
	t.Chdir(t.TempDir()) // rapid writes its own files there
	out, passed := run(t, "rapid", "-rapid.seed=3")
	if passed || !strings.Contains(out, "sim: C1: much too much") || !strings.Contains(out, "world of seed 0x0, at 0s after 0 events") {
		t.Errorf("passed %v, want the first failure, in a world of the smallest seed, in\n%s", passed, out)
	}
	if strings.Contains(out, "flaky") {
		t.Errorf("it is not replayed:\n%s", out)
	}
	if out, passed := run(t, "rapid", "-rapid.seed=1", "-rapid.nofailfile", "-sim.seed=0x2a"); passed || !strings.Contains(out, "world of seed 0x2a") {
		t.Errorf("the seed that a flag gives is not taken:\n%s", out)
	}
}

// twoTimers is a property of whole worlds: whatever is drawn, timers fire in the order of their times.
func twoTimers(t *rapid.T, w *sim.World) {
	h := w.Host("h")
	last := base.Time(0)
	for _, ms := range rapid.SliceOfN(rapid.Int64Range(0, 1000), 1, 10).Draw(t, "timers") {
		due := base.Time(base.Duration(ms) * base.Millisecond)
		h.NewTimer(func() {
			if last > due || w.Now() != due {
				t.Fatalf("a timer for %v fires at %v, after one for %v", due, w.Now(), last)
			}
			last = due
		}).Set(due)
	}
	if err := w.Settle(base.Hour); err != nil {
		t.Fatal(err)
	}
}

func TestRapid(t *testing.T) {
	before := flag.Lookup("rapid.seed").Value.String()
	simtest.Rapid(t, twoTimers)
	if after := flag.Lookup("rapid.seed").Value.String(); after != before {
		t.Errorf("rapid's seed is %s, and was %s", after, before)
	}
}

func FuzzTwoTimers(f *testing.F) { simtest.Fuzz(f, twoTimers) }

// None of the inputs that a fuzz target starts from is used up too early: or it would be skipped, and find nothing.
func TestFuzzStartsFromWorlds(t *testing.T) {
	out, passed := run(t, "good", "-test.run=^FuzzTwoTimers$", "-test.v")
	if !passed || strings.Count(out, "--- PASS: FuzzTwoTimers/") != simtest.FuzzSeeds {
		t.Errorf("passed %v, want %d worlds in\n%s", passed, simtest.FuzzSeeds, out)
	}
}
