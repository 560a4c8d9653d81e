package scenarios

import (
	"fmt"
	"strings"
	"testing"

	"chordsim/sim"
)

// canaryOf plays the canary.
func canaryOf(t *testing.T, seed uint64, settings ...string) *sim.Report {
	t.Helper()
	values, err := sim.ParseValues(Canary().Parameters(), settings)
	if err != nil {
		t.Fatal(err)
	}
	report, err := Canary().Run(&sim.Run{Seed: seed, Values: values})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// TestCanaryShare wants exactly the share to fail, whatever it is, and others at other shares.
func TestCanaryShare(t *testing.T) {
	for _, share := range []uint64{1, 2, 7, 10, 100, 1000} {
		failed, blocks := 0, map[uint64]int{}
		for seed := uint64(1); seed <= 1000; seed++ {
			report := canaryOf(t, seed, fmt.Sprintf("share=%d", share))
			if len(report.Violations)+len(report.Stuck) > 0 {
				t.Fatalf("share %d, seed %d: %q %q", share, seed, report.Violations, report.Stuck)
			}
			if report.Failed() {
				failed++
				blocks[(seed-1)/share]++
			}
		}
		want := int(1000 / share)
		if share == 7 {
			want = 142 + blocks[142] // the last six seeds are no whole block
		}
		if failed != want {
			t.Errorf("share %d: %d of 1000 seeds fail, want %d", share, failed, want)
		}
		for block := range 1000 / share {
			if blocks[block] != 1 {
				t.Errorf("share %d: %d of the seeds from %d on fail, want 1", share, blocks[block], block*share+1)
			}
		}
	}
}

// TestCanaryModes wants each way to fail that leaves the process alive to be what it says, and the others not to happen at
// seeds that hold.
func TestCanaryModes(t *testing.T) {
	if r := canaryOf(t, 1, "share=1"); len(r.Failures) != 1 || !strings.Contains(r.Failures[0], "on purpose") || !strings.Contains(r.Headline, "on purpose") {
		t.Errorf("fail: %q, %q", r.Failures, r.Headline)
	}
	for _, mode := range []string{"stuck", "loop"} {
		if r := canaryOf(t, 1, "share=1", "mode="+mode); len(r.Stuck) != 1 || len(r.Failures)+len(r.Violations) > 0 {
			t.Errorf("%s: stuck %q, failures %q, violations %q", mode, r.Stuck, r.Failures, r.Violations)
		}
	}
	if a, b := canaryOf(t, 1, "share=1", "mode=differ"), canaryOf(t, 1, "share=1", "mode=differ"); a.Hash == b.Hash || a.Failed() {
		t.Errorf("differ: hashes %016x and %016x, failed %v", a.Hash, b.Hash, a.Failed())
	}
	func() {
		defer func() {
			if got := recover(); got != "canary: a panic on purpose" {
				t.Errorf("panic: %v", got)
			}
		}()
		canaryOf(t, 1, "share=1", "mode=panic")
	}()
	holds := uint64(1)
	for canaryFails(holds, 100) {
		holds++
	}
	plain := canaryOf(t, holds)
	for _, mode := range canaryModes() {
		if r := canaryOf(t, holds, "mode="+mode); r.Failed() || r.Hash != plain.Hash {
			t.Errorf("%s: at a seed that holds: %q %q %q, hash %016x, want %016x", mode, r.Violations, r.Failures, r.Stuck, r.Hash, plain.Hash)
		}
	}
}
