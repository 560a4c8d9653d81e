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
	playing, seed := false, uint64(0)
	defer func() {
		if playing { // fn ended the test
			t.Log(replay(t, seed, nil))
		}
	}()
	start, all := time.Now(), flags.each(time.Now)
	for all.next() {
		failed := t.Failed()
		playing, seed = true, all.seed
		f := one(config(seed, configure), fn)
		playing = false
		switch {
		case f != nil:
			t.Fatal(report(t, f))
		case t.Failed() && !failed:
			t.Log(replay(t, seed, nil))
			t.FailNow()
		}
	}
	t.Logf("%d worlds in %v", all.count, time.Since(start).Round(time.Millisecond))
}

// RunParallel is Run for worlds that share nothing outside of them: each is a subtest of its own, and those run beside each
// other. fn fails the test that it is given. All worlds are run, whichever fails.
func RunParallel(t *testing.T, fn func(*testing.T, *sim.World), configure ...func(*sim.Config)) {
	t.Helper()
	for all := flags.each(time.Now); all.next(); {
		seed := all.seed
		t.Run(fmt.Sprintf("seed=%#x", seed), func(sub *testing.T) {
			sub.Parallel()
			playing := true
			defer func() {
				if playing {
					sub.Log(replay(t, seed, nil))
				}
			}()
			f := one(config(seed, configure), func(w *sim.World) { fn(sub, w) })
			playing = false
			if f != nil {
				sub.Fatal(report(t, f))
			} else if sub.Failed() {
				sub.Log(replay(t, seed, nil))
			}
		})
	}
}

// one plays a world as often as the flags say.
func one(cfg sim.Config, fn func(*sim.World)) *Failure {
	if flags.twice {
		return twice(cfg, fn)
	}
	return play(cfg, fn)
}
