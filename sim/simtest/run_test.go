package simtest_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"chordsim/core/base"
	"chordsim/sim"
	"chordsim/sim/simtest"
	"chordsim/sim/sweep/repro"

	"pgregory.net/rapid"
)

// childVariable says to the test binary that it is to fail in a certain way, in TestChild.
const childVariable = "SIMTEST_CHILD"

// runs counts the worlds of a process: what a world must not depend on.
var runs int

// drawn is a number in [0, n) that is the world's seed's.
func drawn(w *sim.World, n uint64) uint64 { return w.Rand().Stream("drawn").Below(n) }

// bad has every world fail in which a number is drawn that is, for the seeds 1, 2, …, first so at badSeed.
func bad(w *sim.World) bool { return drawn(w, 5) == 4 }

const badSeed = "0x7"

var children = map[string]func(t *testing.T){
	"good": func(t *testing.T) { simtest.Run(t, func(w *sim.World) { w.Note("good") }) },
	"fails": func(t *testing.T) {
		simtest.Run(t, func(w *sim.World) {
			w.RunFor(base.Second)
			if bad(w) {
				w.Fail(errors.New("sim: it is bad"))
			}
		})
	},
	"never": func(t *testing.T) {
		simtest.Run(t, func(w *sim.World) { w.Eventually("it is good", base.Second, func() bool { return !bad(w) }) })
	},
	"panics": func(t *testing.T) {
		simtest.Run(t, func(w *sim.World) {
			if bad(w) {
				panic("it is bad")
			}
		})
	},
	"t.Fatal": func(t *testing.T) {
		simtest.Run(t, func(w *sim.World) {
			if bad(w) {
				t.Fatal("it is bad")
			}
		})
	},
	"t.Error": func(t *testing.T) {
		simtest.Run(t, func(w *sim.World) {
			if bad(w) {
				t.Error("it is bad")
			}
		})
	},
	"differs": func(t *testing.T) {
		simtest.Run(t, func(w *sim.World) {
			if runs++; bad(w) {
				w.Note(fmt.Sprint(runs))
			}
		})
	},
	"parallel": func(t *testing.T) {
		simtest.RunParallel(t, func(t *testing.T, w *sim.World) {
			if bad(w) {
				t.Fatal("it is bad")
			}
		})
	},
	"parallel error": func(t *testing.T) {
		simtest.RunParallel(t, func(t *testing.T, w *sim.World) {
			if bad(w) {
				t.Error("it is bad")
			}
		})
	},
	"parallel world": func(t *testing.T) {
		simtest.RunParallel(t, func(t *testing.T, w *sim.World) {
			if bad(w) {
				w.Fail(errors.New("it is bad"))
			}
		})
	},
	"configured": func(t *testing.T) {
		simtest.Run(t, func(w *sim.World) {
			h := w.Host("h")
			var again func()
			again = func() { h.Do(again) }
			if bad(w) {
				h.Do(again)
			}
			w.RunFor(base.Second)
		}, func(c *sim.Config) { c.MaxEvents, c.Seed = 100, 7 })
	},
	"rapid": func(t *testing.T) {
		simtest.Rapid(t, func(t *rapid.T, w *sim.World) {
			w.Note("begins")
			var sum int
			for _, n := range rapid.SliceOfN(rapid.IntRange(0, 1000), 0, 20).Draw(t, "workload") {
				sum += n
			}
			switch {
			case sum > 1500:
				w.Fail(errors.New("sim: C1: much too much"))
			case sum > 100:
				w.Fail(errors.New("sim: C2: too much"))
			}
		})
	},
}

func TestChild(t *testing.T) {
	for _, list := range []map[string]func(*testing.T){children, endless, drawnChildren} {
		if child := list[os.Getenv(childVariable)]; child != nil {
			child(t)
			return
		}
	}
	t.Skip("it is a part of others")
}

// run runs TestChild in a process of its own, and returns what it prints and whether it passed.
func run(t *testing.T, child string, args ...string) (string, bool) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, append([]string{"-test.run=^TestChild$"}, args...)...)
	cmd.Env = append(os.Environ(), childVariable+"="+child)
	for _, name := range []string{"SEEDS", "SEED", "FOR", "TWICE", "HANG"} {
		cmd.Env = append(cmd.Env, "CHORDSIM_"+name+"=")
	}
	out, err := cmd.CombinedOutput()
	if _, failed := errors.AsType[*exec.ExitError](err); err != nil && !failed {
		t.Fatal(err)
	}
	return string(out), err == nil
}

func TestFailuresNameTheirSeed(t *testing.T) {
	for _, c := range []struct {
		child  string
		args   []string
		says   string // in what is printed
		finger string // in the repro file
	}{
		{"fails", nil, "sim: it is bad\n        world of seed " + badSeed + ", at 1s after 0 events", "missed: sim: it is bad"},
		{"never", nil, "sim: C13: it is good: not within 1s, from 0s to 1s", "C13 stuck: it is good: not within #, from # to #"},
		{"panics", nil, "panic: it is bad", "panic at sim/simtest_test.init: it is bad"},
		{"t.Fatal", nil, "it is bad", "missed: the test failed in the world of seed #"},
		{"t.Error", nil, "it is bad", "missed: the test failed in the world of seed #"},
		{"differs", []string{"-sim.twice"}, "sim: D1: two runs of one seed differ", "D1 differs"},
		{"parallel", nil, "it is bad", "missed: the test failed in the world of seed #"},
		{"parallel error", nil, "it is bad", "missed: the test failed in the world of seed #"},
		{"parallel world", nil, "world of seed " + badSeed, "missed: it is bad"},
		{"configured", nil, "100 events and no end", "C13 stuck"},
	} {
		dir := t.TempDir()
		out, passed := run(t, c.child, append(c.args, "-sim.out="+dir, "-sim.seeds=30")...)
		line := "go test ./sim/simtest -run '^TestChild$' -sim.seed=" + badSeed
		if c.child == "differs" {
			line += " -sim.twice"
		}
		if passed || !strings.Contains(out, c.says) || !strings.Contains(out, " "+line+"\n") {
			t.Errorf("%s: passed %v, want %q and %q in\n%s", c.child, passed, c.says, line, out)
			continue
		}
		if strings.Contains(out, " worlds in ") {
			t.Errorf("%s: it goes on behind the world that failed:\n%s", c.child, out)
		}
		if n := strings.Count(out, "-sim.seed="); n != strings.Count(out, "-sim.seed="+badSeed) && !strings.HasPrefix(c.child, "parallel") {
			t.Errorf("%s: several worlds failed:\n%s", c.child, out)
		}
		files, _ := filepath.Glob(filepath.Join(dir, "*-TestChild-7.json")) // of parallel ones there are others
		if len(files) != 1 {
			t.Errorf("%s: no repro file in %s", c.child, dir)
			continue
		}
		file, err := repro.Read(files[0])
		if err != nil || !strings.HasPrefix(file.Fingerprint, c.finger) || file.Seed != 7 || file.Test != "TestChild" || file.Command != "go test ./sim/simtest -run '^TestChild$'" {
			t.Errorf("%s: %v, %+v, want the fingerprint %q", c.child, err, file, c.finger)
		}
		args := append(c.args, "-sim.out="+dir, "-sim.seed="+badSeed)
		if again, passed := run(t, c.child, args...); passed || !strings.Contains(again, c.says) {
			t.Errorf("%s: the line that plays it again gives\n%s", c.child, again)
		}
		if again, passed := run(t, c.child, append(c.args, "-sim.seed=1")...); !passed {
			t.Errorf("%s: seed 1 fails:\n%s", c.child, again)
		}
	}
}

func TestGoodWorldsPass(t *testing.T) {
	for _, args := range [][]string{nil, {"-sim.twice"}, {"-sim.seeds=100"}, {"-sim.for=10ms"}} {
		if out, passed := run(t, "good", args...); !passed {
			t.Errorf("%v: %s", args, out)
		}
	}
}

func TestFind(t *testing.T) {
	f := simtest.Find(20, func(w *sim.World) {
		if bad(w) {
			panic("it is bad")
		}
	})
	if f == nil || f.Seed != 7 || !strings.HasPrefix(f.Fingerprint(), "panic") || !strings.Contains(f.Stack, "run_test.go") {
		t.Errorf("found %v", f)
	}
	if f := simtest.Find(6, func(w *sim.World) {
		if bad(w) {
			panic("it is bad")
		}
	}); f != nil {
		t.Errorf("found %v", f)
	}
}
