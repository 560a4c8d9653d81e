package simtest

import (
	"testing"

	"chordsim/core/base"
	"chordsim/sim"

	"pgregory.net/rapid"
)

// Rapid checks a property of worlds with rapid: it draws the world's seed, and whatever else fn asks it for (a workload,
// a plan of faults). What fails is shrunk as a whole, to small draws and a small seed; only what has the fingerprint of the
// first failure is taken for it. rapid's flags say how many worlds there are and how one is replayed; -sim.seed fixes the
// world's seed.
func Rapid(t *testing.T, fn func(*rapid.T, *sim.World), configure ...func(*sim.Config)) {
	t.Helper()
	rapid.Check(t, property(fn, configure, true))
}

// FuzzSeeds is how many inputs of random bits a fuzz target starts from, FuzzBytes how many bytes each has. An input that
// is used up before fn has all that it draws is skipped.
const (
	FuzzSeeds = 8
	FuzzBytes = 4096
)

// Fuzz makes a fuzz target of a property of worlds: the bytes of an input are what [Rapid] would draw, the world's seed
// first. The target starts from inputs of its own, so that an empty corpus finds worlds too. Without -fuzz, go test plays
// those and the ones in testdata/fuzz.
func Fuzz(f *testing.F, fn func(*rapid.T, *sim.World), configure ...func(*sim.Config)) {
	bits := base.NewRand(0).Stream("fuzz", f.Name())
	for range FuzzSeeds {
		input := make([]byte, FuzzBytes)
		for i := range input {
			input[i] = byte(bits.Next())
		}
		f.Add(input)
	}
	f.Fuzz(rapid.MakeFuzz(property(fn, configure, false)))
}

// property is a world that rapid draws. When it looks for a smaller one that fails, another failure is none.
func property(fn func(*rapid.T, *sim.World), configure []func(*sim.Config), shrinks bool) func(*rapid.T) {
	first := ""
	return func(t *rapid.T) {
		seed := flags.seed
		if !flags.one {
			seed = rapid.Uint64().Draw(t, "seed of the world")
		}
		w := sim.New(config(seed, configure))
		fn(t, w)
		err := w.Err()
		if err == nil {
			return
		}
		f := failureOf(sim.Config{Seed: seed}, w, err)
		if shrinks && first == "" {
			first = f.Fingerprint()
		}
		if shrinks && f.Fingerprint() != first {
			t.Skip("another failure than the first: " + f.Fingerprint())
		}
		t.Fatal(f.Error())
	}
}
