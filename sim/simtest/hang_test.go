package simtest_test

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"chordsim/core/base"
	"chordsim/sim"
	"chordsim/sim/simtest"
	"chordsim/sim/sweep/repro"

	"pgregory.net/rapid"
)

// when makes a child of which each bad world does something in a turn of a host, at 1s of its time.
func when(do func(t *testing.T)) func(*testing.T) {
	return func(t *testing.T) {
		simtest.Run(t, func(w *sim.World) {
			h := w.Host("h")
			h.NewTimer(func() {
				if bad(w) {
					do(t)
				}
			}).Set(base.Time(base.Second))
			w.RunFor(2 * base.Second)
		})
	}
}

// spin is a turn that never ends.
func spin(*testing.T) {
	for n := uint64(0); ; n++ {
		turned(n)
	}
}

//go:noinline
func turned(uint64) {}

// again is a function that the stack overflows of.
func again(n int) int {
	if n < 0 {
		return 0
	}
	return again(n+1) + 1
}

// endless are children whose worlds end in ways that nobody catches, or not at all.
var endless = map[string]func(*testing.T){
	"spins": when(spin),
	"recurses": when(func(*testing.T) {
		debug.SetMaxStack(1 << 20)
		if again(0) == 0 {
			panic("the stack is larger than thought")
		}
	}),
	"other goroutine": when(func(*testing.T) {
		go func() { panic("it is bad") }()
		select {}
	}),
	"FailNow": when(func(t *testing.T) { t.FailNow() }),
	"Goexit":  when(func(*testing.T) { runtime.Goexit() }),
	"Exit(0)": when(func(*testing.T) { os.Exit(0) }),
	"skips":   when(func(t *testing.T) { t.Skip("it is bad") }),
	"spins beside others": func(t *testing.T) {
		simtest.RunParallel(t, func(t *testing.T, w *sim.World) {
			if bad(w) {
				spin(t)
			}
		})
	},
	"loops in virtual time": func(t *testing.T) {
		simtest.Run(t, func(w *sim.World) {
			h := w.Host("h")
			var loop func()
			loop = func() { h.Do(loop) }
			if bad(w) {
				h.Do(loop)
			}
			w.RunFor(base.Second)
		}, func(c *sim.Config) { c.MaxEvents = 10_000 })
	},
	"rapid spins": func(t *testing.T) {
		simtest.Rapid(t, func(rt *rapid.T, w *sim.World) {
			if rapid.IntRange(0, 9).Draw(rt, "n") == 9 {
				spin(t)
			}
		})
	},
}

// sui #26400: many seeds in one process hid which of them failed. Whatever a world does, its seed and the command that
// plays it again are printed: also if it never ends, where go test's own -timeout would name nothing, and if it ends in a
// way that cannot be caught.
func TestSui26400EveryEndNamesItsSeed(t *testing.T) {
	line := "go test ./sim/simtest -run '^TestChild$' -sim.seed=" + badSeed
	const label = `labels:{"plays it again": "`
	hang := func(span string) []string {
		return []string{
			"--- FAIL: TestChild (", "\n    hang: no end after " + span + " of wall time",
			"\n    world of seed " + badSeed + ", at 1s after 2 events\n    sim/simtest_test.spin hang_test.go:",
			"\n    repro file: ", "\n    " + line + "\n",
		}
	}
	for _, c := range []struct {
		child  string
		args   []string
		says   []string
		finger string // in the repro file; empty: the process ends before there is one
	}{
		{"spins", []string{"-sim.hang=300ms"}, hang("300ms"), "hang at sim/simtest_test.spin: no end after # of wall time"},
		{"spins", []string{"-sim.hang=300ms", "-sim.twice"}, []string{"\n    " + line + " -sim.twice\n"}, "hang at sim/simtest_test.spin"},
		{"spins", []string{"-test.timeout=2s"}, []string{"hang: no end after 1.", "and go test's -timeout is about to end\n", line}, "hang"},
		{"spins", []string{"-test.timeout=300ms", "-sim.hang=0"}, []string{"panic: test timed out after 300ms", label + line + `"}`}, ""},
		{"spins beside others", []string{"-sim.hang=300ms"}, []string{"--- FAIL: TestChild/seed=" + badSeed + " (", "    " + line + "\n"}, "hang at sim/simtest_test.spin"},
		{"recurses", nil, []string{"stack overflow", label + line + `"}`}, ""},
		{"other goroutine", nil, []string{"panic: it is bad", label + line + `"}`}, ""},
		{"FailNow", nil, []string{line + "\n"}, "missed: the test failed"},
		{"Goexit", nil, []string{line + "\n"}, "missed: the test failed"},
		{"Exit(0)", []string{"-test.paniconexit0"}, []string{"unexpected call to os.Exit(0)", line + "\n"}, "panic at sim/simtest_test"},
		{"loops in virtual time", nil, []string{"C13: 10000 events and no end", line + "\n"}, "C13 stuck"},
	} {
		dir := t.TempDir()
		out, passed := run(t, c.child, append(c.args, "-sim.out="+dir)...)
		if passed {
			t.Errorf("%s %v: it passes:\n%s", c.child, c.args, out)
		}
		for _, want := range c.says {
			if !strings.Contains(out, want) {
				t.Errorf("%s %v: no %q in\n%s", c.child, c.args, want, out)
			}
		}
		files, _ := filepath.Glob(filepath.Join(dir, "*"))
		if c.finger == "" {
			if len(files) != 0 {
				t.Errorf("%s %v: files %q", c.child, c.args, files)
			}
			continue
		}
		if len(files) != 1 {
			t.Errorf("%s %v: files %q, want one", c.child, c.args, files)
			continue
		}
		file, err := repro.Read(files[0])
		if err != nil || file.Seed != 7 || file.Test != "TestChild" || !strings.HasPrefix(file.Fingerprint, c.finger) {
			t.Errorf("%s %v: %v, %+v, want the fingerprint %q", c.child, c.args, err, file, c.finger)
		}
	}
	dir := t.TempDir()
	out, passed := run(t, "skips", "-test.v", "-sim.out="+dir)
	if files, _ := filepath.Glob(filepath.Join(dir, "*")); !passed || len(files) != 0 || !strings.Contains(out, "--- SKIP: TestChild") {
		t.Errorf("a world that skips its test: passed %v, files %q:\n%s", passed, files, out)
	}
}

// What rapid drew is not the seed's: the command has rapid draw the same again.
func TestSui26400RapidWorldThatNeverEnds(t *testing.T) {
	t.Chdir(t.TempDir())
	out, passed := run(t, "rapid spins", "-sim.hang=300ms", "-sim.out="+t.TempDir())
	_, line, found := strings.Cut(out, "\n    go test . -run '^TestChild$' ")
	if passed || !found || !strings.Contains(out, "hang: no end after 300ms") {
		t.Fatalf("passed %v:\n%s", passed, out)
	}
	again, passed := run(t, "rapid spins", "-sim.hang=300ms", "-sim.out="+t.TempDir(), strings.TrimSpace(line))
	if passed || seedOf(again) != seedOf(out) || seedOf(out) == "" {
		t.Errorf("passed %v, the world of %s, then of %s:\n%s", passed, seedOf(out), seedOf(again), again)
	}
}

// seedOf returns the seed of the world that a text names first.
func seedOf(out string) string {
	_, after, _ := strings.Cut(out, "world of seed ")
	seed, _, _ := strings.Cut(after, ",")
	return seed
}
