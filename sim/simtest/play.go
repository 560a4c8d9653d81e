package simtest

import (
	"fmt"
	"runtime/debug"
	"strings"

	"chordsim/core/base"
	"chordsim/sim"
	"chordsim/sim/check"
	"chordsim/sim/events"
	"chordsim/sim/sweep/repro"
)

// Failure is a world that failed.
type Failure struct {
	Seed    uint64
	Err     error // what a world says of itself, or what the function panicked with
	Virtual base.Time
	Events  int64
	Hash    uint64
	Stack   string // of a panic
	kind    repro.Kind
}

// Error says what was wrong, when and in which world.
func (f *Failure) Error() string {
	return fmt.Sprintf("%v\nworld of seed %#x, at %v after %d events", f.Err, f.Seed, f.Virtual, f.Events)
}

// Unwrap returns what was wrong.
func (f *Failure) Unwrap() error { return f.Err }

// Fingerprint names the failure without what differs from seed to seed.
func (f *Failure) Fingerprint() string { return f.failure().Fingerprint() }

func (f *Failure) failure() *repro.Failure {
	out := &repro.Failure{Kind: f.kind, Text: repro.Clip(f.Err.Error(), repro.MaxText)}
	for _, frame := range repro.AfterPanic(repro.ParseStack(f.Stack)) {
		if len(out.Stack) < repro.MaxFrames {
			out.Stack = append(out.Stack, frame.String())
		}
	}
	return out
}

// config is what the world of a seed is made of: ties are in an order drawn from the seed.
func config(seed uint64, configure []func(*sim.Config)) sim.Config {
	cfg := sim.Config{Seed: seed, Strategy: events.Random}
	for _, fn := range configure {
		fn(&cfg)
	}
	cfg.Seed = seed
	return cfg
}

// Find plays the worlds of the seeds 1 to n, each as [Run] does but without a test to fail, and returns the first that
// fails, or nil. It is for tests of a kind of world: that a bug which was put there is found.
func Find(n uint64, fn func(*sim.World), configure ...func(*sim.Config)) *Failure {
	for seed := uint64(1); seed <= n; seed++ {
		if f := play(config(seed, configure), fn); f != nil {
			return f
		}
	}
	return nil
}

// play runs a world to the end of fn, and returns what is wrong with it, or nil. A panic is caught; if fn ends the
// goroutine, so does play.
func play(cfg sim.Config, fn func(*sim.World)) (f *Failure) {
	w := sim.New(cfg)
	defer func() {
		if p := recover(); p != nil {
			f = failureOf(cfg, w, fmt.Errorf("panic: %v", p))
			f.kind, f.Stack = repro.Panicked, string(debug.Stack())
		}
	}()
	fn(w)
	if err := w.Err(); err != nil {
		return failureOf(cfg, w, err)
	}
	return nil
}

func failureOf(cfg sim.Config, w *sim.World, err error) *Failure {
	f := &Failure{Seed: cfg.Seed, Err: err, Virtual: w.Now(), Events: w.Stats().Events, Hash: w.Hash(), kind: repro.Missed}
	if _, ok := err.(check.Violation); ok {
		f.kind = repro.Violated
	} else if strings.HasPrefix(err.Error(), "sim: C13") {
		f.kind = repro.Stuck
	}
	return f
}

// twice plays a world again if it is to be compared: two runs of one seed are equal, event by event (D1).
func twice(cfg sim.Config, fn func(*sim.World)) *Failure {
	var worlds []*sim.World
	for range 2 {
		f := play(cfg, func(w *sim.World) {
			worlds = append(worlds, w)
			fn(w)
		})
		if f != nil {
			return f
		}
	}
	a, b := worlds[0], worlds[1]
	if a.Hash() == b.Hash() && a.Stats() == b.Stats() && a.Now() == b.Now() {
		return nil
	}
	f := failureOf(cfg, b, fmt.Errorf("sim: D1: two runs of one seed differ: hash %016x after %d events at %v, then %016x after %d events at %v",
		a.Hash(), a.Stats().Events, a.Now(), b.Hash(), b.Stats().Events, b.Now()))
	f.kind = repro.Differs
	return f
}
