package simtest

import (
	"fmt"
	"testing"
	"time"

	"chordsim/sim"
)

// Run plays fn in a world of its own for each seed that the flags say, one after another in the calling test, and stops at
// the first world that fails. Ties are in an order drawn from the seed; configure may change that, and all else of a
// world's configuration but the seed. fn may also fail the test t itself: then, too, the seed is named.
func Run(t *testing.T, fn func(*sim.World), configure ...func(*sim.Config)) {
	t.Helper()
	if file := flags.given(t); file != nil {
		file.play(t, fn, configure)
		return
	}
	start, all := time.Now(), flags.each(time.Now)
	for all.next() {
		run(t, t, all.seed, fn, configure)
	}
	t.Logf("%d worlds in %v", all.count, time.Since(start).Round(time.Millisecond))
}

// RunParallel is Run for worlds that share nothing outside of them: each is a subtest of its own, and those run beside each
// other. fn fails the test that it is given. All worlds are run, whichever fails.
func RunParallel(t *testing.T, fn func(*testing.T, *sim.World), configure ...func(*sim.Config)) {
	t.Helper()
	if file := flags.given(t); file != nil {
		file.play(t, func(w *sim.World) { fn(t, w) }, configure)
		return
	}
	for all := flags.each(time.Now); all.next(); {
		seed := all.seed
		t.Run(fmt.Sprintf("seed=%#x", seed), func(sub *testing.T) {
			sub.Parallel()
			run(sub, t, seed, func(w *sim.World) { fn(sub, w) }, configure)
		})
	}
}

// run plays the world of a seed. A command plays it as one of whole, of which the test may be a part.
func run(t, whole *testing.T, seed uint64, fn func(*sim.World), configure []func(*sim.Config)) {
	t.Helper()
	runTrial(t, trialOf(t, whole, seed), fn, configure)
}

// runTrial plays a world, and fails its test, or has that end, if the world failed or its function failed the test.
func runTrial(t *testing.T, tr *trial, fn func(*sim.World), configure []func(*sim.Config)) {
	t.Helper()
	before, ended := t.Failed(), false
	defer func() {
		if !ended && (t.Failed() || !t.Skipped()) { // fn ended the test
			t.Log(tr.keep(tr.failed()))
		}
	}()
	f := tr.play(config(tr.seed, configure), fn)
	ended = true
	switch {
	case f != nil:
		t.Fatal(tr.report(f))
	case t.Failed() && !before:
		t.Log(tr.keep(tr.failed()))
		t.FailNow()
	}
}
