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
	Order   string // of ties, as -sim.order takes it, if it was one of many that were tried
	kind    repro.Kind
	frames  []repro.Frame // of a hang
	plan    string        // that was injected
	work    string        // its workload
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
	frames := f.frames
	if f.Stack != "" {
		frames = repro.AfterPanic(repro.ParseStack(f.Stack))
	}
	text := f.Err.Error()
	if p, ok := f.Err.(panicked); ok {
		text = fmt.Sprint(p.value)
	}
	return &repro.Failure{Kind: f.kind, Text: repro.Clip(text, repro.MaxText), Place: repro.Place(frames), Stack: repro.Lines(frames)}
}

// file is what is kept of the failure, but for the test whose it is.
func (f *Failure) file() *repro.File {
	failure := f.failure()
	file := &repro.File{
		Seed: f.Seed, Twice: f.kind == repro.Differs, Plan: f.plan, Workload: repro.TextOf(f.work),
		Fingerprint: failure.Fingerprint(), Failure: *failure, Build: repro.ThisBuild(),
	}
	if f.Hash != 0 {
		file.Hash, file.Events = fmt.Sprintf("%016x", f.Hash), f.Events
	}
	return file
}

// panicked is what a world's function panicked with.
type panicked struct{ value any }

func (p panicked) Error() string { return fmt.Sprintf("panic: %v", p.value) }

// Unwrap returns what was wrong, if it is an error.
func (p panicked) Unwrap() error { err, _ := p.value.(error); return err }

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
			f = failureOf(cfg, w, panicked{p})
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
	f := &Failure{
		Seed: cfg.Seed, Err: err, Virtual: w.Now(), Events: w.Stats().Events, Hash: w.Hash(), kind: repro.Missed, plan: planOf(w), work: w.Workloads().String(),
	}
	if _, ok := err.(check.Violation); ok {
		f.kind = repro.Violated
	} else if strings.HasPrefix(err.Error(), "sim: C13") {
		f.kind = repro.Stuck
	}
	return f
}

// planOf returns the text of the plans that were injected into a world.
func planOf(w *sim.World) string {
	var r sim.Report
	r.AddEffects(w, true)
	return r.Plan
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
