package simtest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chordsim/core/base"
	"chordsim/sim"
	"chordsim/sim/simtest"

	"pgregory.net/rapid"
)

// FuzzChild fails if it is asked to, where a number that the world draws is of one in sixty-four: an input of decisions
// comes there, while of seeds that rapid draws few do.
func FuzzChild(f *testing.F) {
	if os.Getenv(childVariable) != "fuzz" {
		f.Skip("it is a part of others")
	}
	simtest.Fuzz(f, func(t *rapid.T, w *sim.World) {
		pair(w, simtest.Plan(w, swarm))
		rapid.IntRange(0, 9).Draw(t, "n")
		first, second := w.Rand().Stream("first"), w.Rand().Stream("second")
		if first.Below(64) == 63 && second.Below(64) == 63 {
			t.Fatal("it is bad")
		}
	})
}

// What fuzzing finds fails again by the command that it prints, and from the repro file, which has the input.
func TestFuzzFailuresAreKept(t *testing.T) {
	if testing.Short() {
		t.Skip("it fuzzes")
	}
	t.Chdir(t.TempDir())
	dir := t.TempDir()
	fuzz := func(args ...string) (string, bool) {
		t.Helper()
		return run(t, "fuzz", append([]string{"-test.run=^$", "-test.fuzzcachedir=" + t.TempDir(), "-test.parallel=1"}, args...)...)
	}
	out, passed := fuzz("-test.fuzz=^FuzzChild$", "-test.fuzztime=20000x", "-test.fuzzminimizetime=100x", "-sim.out="+dir)
	corpus, _ := filepath.Glob("testdata/fuzz/FuzzChild/*")
	if passed || len(corpus) != 1 {
		t.Fatalf("passed %v, corpus %q:\n%s", passed, corpus, out)
	}
	line := "go test . -run '^FuzzChild$/^" + filepath.Base(corpus[0]) + "$'"
	if !strings.Contains(out, " "+line+"\n") || !strings.Contains(out, "it is bad") {
		t.Errorf("no %q in\n%s", line, out)
	}
	again, passed := run(t, "fuzz", "-test.run=^FuzzChild$/^"+filepath.Base(corpus[0])+"$", "-sim.out="+t.TempDir())
	if passed || !strings.Contains(again, "it is bad") || !strings.Contains(again, " "+line+"\n") {
		t.Errorf("the command: passed %v:\n%s", passed, again)
	}
	kept, _ := filepath.Glob(filepath.Join(dir, "*FuzzChild*.json"))
	if len(kept) == 0 {
		t.Fatalf("no repro file in\n%s", out)
	}
	os.RemoveAll("testdata")
	failed := 0
	for _, name := range kept {
		again, passed := run(t, "fuzz", "-test.run=^FuzzChild$", "-sim.repro="+name)
		if !passed && strings.Contains(again, "it is bad") && strings.Contains(again, "played to the byte, hash ") {
			failed++
		}
	}
	if failed != len(kept) {
		t.Errorf("%d of the repro files %q fail again", failed, kept)
	}
	wantOneLine(t, "plan", kept[0], "a world of the test FuzzChild, not of TestChild")
}

// Decisions take the place of what the seed gives, in the order in which the world draws; zeros leave it, and so does an
// input that is used up.
func TestFuzzDecisionsSteerTheWorld(t *testing.T) {
	w := sim.New(sim.Config{Seed: 3, Steer: simtest.Decisions([]byte{0, 200, 0, 255})})
	plain := base.NewRand(3)
	var got, want []uint64
	for _, name := range []string{"a", "b"} {
		s, p := w.Rand().Stream(name), plain.Stream(name)
		for range 3 {
			got, want = append(got, s.Next()>>56), append(want, p.Next()>>56)
		}
	}
	want[1], want[3] = 200, 255
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("draw %d begins with %d, want %d", i, got[i], want[i])
		}
	}
	a, b := w.Rand().Stream("a"), plain.Stream("a")
	if a.At(0) != b.At(0) {
		t.Error("a draw by its number is not the seed's")
	}
}
