package simtest_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"chordsim/core/base"
	"chordsim/faults"
	"chordsim/sim"
	"chordsim/sim/netsim"
	"chordsim/sim/simtest"
	"chordsim/sim/sweep/repro"
	"chordsim/sim/workload"

	"pgregory.net/rapid"
)

// swarm draws stalls of one link.
var swarm = faults.Swarm{
	Hosts: []faults.SwarmHost{{Name: "tab"}, {Name: "worker"}},
	Links: []faults.SwarmLink{{Name: "tab-worker", From: "tab", To: "worker"}},
	Span:  base.Second,
	Kinds: []faults.Kind{faults.Stall},
	Knobs: []string{},
}

// pair is a world of two hosts under a plan.
func pair(w *sim.World, plan faults.Plan) {
	_, err := w.Connect(w.Host("tab"), w.Host("worker"), netsim.Memory)
	if err == nil {
		err = w.Inject(plan)
	}
	if err != nil {
		w.Fail(err)
	}
	w.RunFor(2 * base.Second)
}

// work is a world with a workload, whose generator first draws some numbers that it does not need.
func work(w *sim.World, more int) {
	for _, item := range w.Workload("notes", func(r base.Rand) (list workload.List) {
		s := r.Stream("notes")
		for range more {
			s.Next()
		}
		for range 5 {
			list = append(list, workload.Item{At: base.Time(s.Below(1000)), Host: "h", Verb: "note", Operands: []uint64{s.Below(100)}})
		}
		return list
	}) {
		w.At(item.At, func() { w.Note(fmt.Sprint(item.Operand(0))) })
	}
	w.RunFor(base.Second)
	if bad(w) {
		w.Fail(errors.New("it is bad"))
	}
}

// drawnChildren are those whose worlds are made of more than their seeds.
var drawnChildren = map[string]func(*testing.T){
	"plan": func(t *testing.T) {
		simtest.Run(t, func(w *sim.World) {
			pair(w, simtest.Plan(w, swarm))
			if bad(w) {
				w.Fail(errors.New("it is bad"))
			}
		})
	},
	// The same with a generator that has come to draw something else meanwhile.
	"plan drawn otherwise": func(t *testing.T) {
		simtest.Run(t, func(w *sim.World) {
			other := swarm
			other.PerKind, other.Span = 16, 2*base.Second
			pair(w, simtest.Plan(w, other))
			if bad(w) {
				w.Fail(errors.New("it is bad"))
			}
		})
	},
	"plan with a note more": func(t *testing.T) {
		simtest.Run(t, func(w *sim.World) {
			w.Note("more")
			pair(w, simtest.Plan(w, swarm))
			if bad(w) {
				w.Fail(errors.New("it is bad"))
			}
		})
	},
	"workload": func(t *testing.T) { simtest.Run(t, func(w *sim.World) { work(w, 0) }) },
	// The same with a generator that has come to draw one number more meanwhile.
	"workload drawn otherwise": func(t *testing.T) { simtest.Run(t, func(w *sim.World) { work(w, 1) }) },
	"rapid does not fail": func(t *testing.T) {
		simtest.Rapid(t, func(rt *rapid.T, w *sim.World) { rapid.IntRange(0, 9).Draw(rt, "n") })
	},
	"goes elsewhere": func(t *testing.T) {
		t.Chdir(t.TempDir())
		children["fails"](t)
	},
	"meets": func(t *testing.T) { // worlds that wait for each other
		var all sync.WaitGroup
		all.Add(2)
		simtest.RunParallel(t, func(*testing.T, *sim.World) {
			all.Done()
			all.Wait()
		})
	},
	"orders": func(t *testing.T) {
		runs := 0
		defer func() { t.Logf("runs: %d", runs) }()
		simtest.Exhaustive(t, simtest.Bound{}, func(w *sim.World) {
			runs++
			order := at(w, 5, "a", "b", "c")
			w.RunFor(base.Second)
			if *order == "bca" || *order == "cba" {
				w.Fail(errors.New("the order was " + *order))
			}
		})
	},
	"rapid panics": func(t *testing.T) {
		simtest.Rapid(t, func(rt *rapid.T, w *sim.World) {
			w.Note("begins")
			if rapid.IntRange(0, 9).Draw(rt, "n") == 9 {
				panic("it is bad")
			}
		})
	},
	"rapid fails": func(t *testing.T) {
		simtest.Rapid(t, func(rt *rapid.T, w *sim.World) {
			pair(w, simtest.Plan(w, swarm))
			if rapid.IntRange(0, 9).Draw(rt, "n") == 9 {
				rt.Fatal("it is bad")
			}
		})
	},
	"rapid finds no test": func(t *testing.T) {
		simtest.Rapid(t, func(rt *rapid.T, w *sim.World) { rt.Skip("not this one") })
	},
}

// kept reads the one repro file of a folder.
func kept(t *testing.T, dir string) (string, *repro.File) {
	t.Helper()
	names, _ := filepath.Glob(filepath.Join(dir, "*.json"))
	if len(names) != 1 {
		t.Fatalf("files %q, want one", names)
	}
	file, err := repro.Read(names[0])
	if err != nil {
		t.Fatal(err)
	}
	return names[0], file
}

// A repro file is played to the byte, and keeps the plan also where another would be drawn from the seed by now.
func TestReproFileIsPlayed(t *testing.T) {
	dir := t.TempDir()
	out, passed := run(t, "plan", "-sim.out="+dir)
	name, file := kept(t, dir)
	if passed || !strings.HasPrefix(file.Plan, "drawn\n") || file.Hash == "" {
		t.Fatalf("passed %v, the plan %q, in\n%s", passed, file.Plan, out)
	}
	for _, c := range []struct{ child, says string }{
		{"plan", ": played to the byte, hash " + file.Hash + "\n"},
		{"plan drawn otherwise", ": played to the byte, hash " + file.Hash + "\n"},
		{"plan with a note more", ": another run: its hash is "},
		{"fails", ": another run: the plan is not the file's; simtest.Plan takes that\n"},
	} {
		again, passed := run(t, c.child, "-sim.repro="+name, "-sim.out="+filepath.Join(dir, "none"))
		line := "go test ./sim/simtest -run '^TestChild$' -sim.repro=" + name + "\n"
		if passed || !strings.Contains(again, c.says) || !strings.Contains(again, line) || !strings.Contains(again, "world of seed "+badSeed) {
			t.Errorf("%s: passed %v, want %q and %q in\n%s", c.child, passed, c.says, line, again)
		}
	}
	if out, _ := run(t, "plan drawn otherwise", "-sim.seed="+badSeed, "-sim.out="+t.TempDir()); strings.Contains(out, file.Hash) {
		t.Error("the other generator draws the same: this test cannot fail")
	}
	if _, err := os.Stat(filepath.Join(dir, "none")); err == nil {
		t.Error("a file that is played leaves another")
	}
	if again, passed := run(t, "plan", "-sim.repro="+fromRoot(t, name)); passed || !strings.Contains(again, "played to the byte") {
		t.Errorf("by its path from the module: passed %v:\n%s", passed, again)
	}
	if again, passed := run(t, "good", "-sim.repro="+name, "-test.v"); !passed || !strings.Contains(again, "the world does not fail") {
		t.Errorf("a world that was mended: passed %v:\n%s", passed, again)
	}
	text, _ := os.ReadFile(name)
	for _, c := range []struct{ old, now, says string }{
		{`"test": "TestChild"`, `"test": "TestOther"`, "a world of the test TestOther, not of TestChild"},
		{`"test": "TestChild"`, `"test": ""`, "a world of the scenario TestChild, which simrun replay plays, not of TestChild"},
		{`"version": `, `"version": 9`, "a repro file of version 9"},
		{`"seed": 7`, `"seed": -7`, "damaged: line "},
		{`drawn\n`, `drawn at noon\n`, "its plan: "},
		{`{`, ``, "not a repro file: "},
		{`"test":`, `"draws": ["x"], "test":`, "a world that rapid or fuzzing drew"},
	} {
		changed := strings.Replace(string(text), c.old, c.now, 1)
		other := filepath.Join(t.TempDir(), "changed.json")
		if err := os.WriteFile(other, []byte(changed), 0o666); err != nil || changed == string(text) {
			t.Fatalf("%s: %v", c.old, err)
		}
		wantOneLine(t, "plan", other, c.says)
	}
	wantOneLine(t, "plan", filepath.Join(dir, "none.json"), "no such file")
	wantOneLine(t, "plan", dir, "is a directory")
}

// fromRoot returns the path of a file as seen from the module's folder.
func fromRoot(t *testing.T, name string) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	path, err := filepath.Rel(root, name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// openraft #2092: a recorded seed stopped to reproduce once a library drew otherwise. The file has the workload itself.
func TestOpenraft2092ReproFileHasTheWorkload(t *testing.T) {
	dir := t.TempDir()
	run(t, "workload", "-sim.out="+dir)
	name, file := kept(t, dir)
	if len(file.Workload) == 0 {
		t.Fatalf("%+v", file)
	}
	for _, child := range []string{"workload", "workload drawn otherwise"} {
		if again, passed := run(t, child, "-sim.repro="+name); passed || !strings.Contains(again, ": played to the byte, hash "+file.Hash) {
			t.Errorf("%s: passed %v:\n%s", child, passed, again)
		}
	}
	other := t.TempDir()
	run(t, "workload drawn otherwise", "-sim.seed="+badSeed, "-sim.out="+other)
	if _, drawn := kept(t, other); drawn.Hash == file.Hash {
		t.Error("the other generator draws the same: this test cannot fail")
	}
	text, _ := os.ReadFile(name)
	damaged := filepath.Join(t.TempDir(), "damaged.json")
	os.WriteFile(damaged, []byte(strings.Replace(string(text), " note ", " 1note ", 1)), 0o666)
	wantOneLine(t, "workload", damaged, "its workload: ")
}

// Runs that differ are played twice from their file too.
func TestReproFileOfRunsThatDiffer(t *testing.T) {
	dir := t.TempDir()
	run(t, "differs", "-sim.twice", "-sim.out="+dir)
	name, _ := kept(t, dir)
	if again, passed := run(t, "differs", "-sim.repro="+name); passed || !strings.Contains(again, "sim: D1: two runs of one seed differ") {
		t.Errorf("passed %v:\n%s", passed, again)
	}
}

// Repro files are kept beside the test, wherever the test went meanwhile.
func TestReproFilesStayBesideTheTest(t *testing.T) {
	t.Chdir(t.TempDir())
	out, passed := run(t, "goes elsewhere")
	if passed || !strings.Contains(out, "repro file: testdata/repro/missed-TestChild-7.json\n") {
		t.Errorf("passed %v:\n%s", passed, out)
	}
	kept(t, filepath.Join("testdata", "repro"))
}

// Worlds of RunParallel run beside each other.
func TestRunParallelIsParallel(t *testing.T) {
	if out, passed := run(t, "meets", "-sim.seeds=2", "-test.parallel=2", "-sim.hang=20s", "-sim.out="+t.TempDir()); !passed {
		t.Errorf("%s", out)
	}
}

// wantOneLine has a child play a file that does not fit.
func wantOneLine(t *testing.T, child, name, says string) {
	t.Helper()
	out, passed := run(t, child, "-sim.repro="+name)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if passed || len(lines) != 3 || !strings.Contains(lines[1], "simtest: "+name+": ") || !strings.Contains(lines[1], says) {
		t.Errorf("%s: passed %v, want one line with %q in\n%s", child, passed, says, out)
	}
}

// What rapid found is kept as well: the command that is printed fails again, and so does the file, in the same world.
func TestRapidFailuresAreKept(t *testing.T) {
	for _, c := range []struct {
		child  string
		args   []string
		flag   string // of the command
		finger string
	}{
		{"rapid", nil, " -rapid.failfile=", "C"},
		{"rapid", []string{"-rapid.nofailfile"}, " -rapid.seed=", "C"},
		{"rapid panics", nil, " -rapid.failfile=", "panic at sim/simtest_test."},
		{"rapid fails", nil, " -rapid.failfile=", "missed: the test failed in the world of seed #"},
	} {
		t.Run(c.child+c.flag, func(t *testing.T) {
			t.Chdir(t.TempDir())
			dir := t.TempDir()
			out, passed := run(t, c.child, append(c.args, "-sim.out="+dir)...)
			name, file := kept(t, dir)
			_, line, found := strings.Cut(out, "go test . -run '^TestChild$'"+c.flag)
			line, _, _ = strings.Cut(line, "\n")
			if passed || !found || !strings.HasPrefix(file.Fingerprint, c.finger) || file.Test != "TestChild" {
				t.Fatalf("passed %v, %+v in\n%s", passed, file, out)
			}
			again, passed := run(t, c.child, append(c.args, "-sim.out="+t.TempDir(), strings.TrimSpace(c.flag)+line)...)
			if passed || !strings.Contains(again, "it is bad") && c.child != "rapid" {
				t.Errorf("the command passes or fails otherwise:\n%s", again)
			}
			if c.args != nil {
				return
			}
			os.RemoveAll("testdata") // the file has all
			again, passed = run(t, c.child, "-sim.repro="+name)
			if passed || !strings.Contains(again, "played to the byte, hash "+file.Hash) {
				t.Errorf("the repro file: passed %v:\n%s", passed, again)
			}
			if c.child == "rapid panics" { // the same draws and no failure: one world, and that is all
				again, passed = run(t, "rapid does not fail", "-sim.repro="+name, "-test.v")
				if !passed || !strings.Contains(again, "[rapid] OK, passed 0 tests") || !strings.Contains(again, "another run: its hash is ") {
					t.Errorf("the world that was mended: passed %v:\n%s", passed, again)
				}
			}
			wantOneLine(t, "plan", name, "a world that rapid or fuzzing drew; this test takes none")
		})
	}
	t.Chdir(t.TempDir())
	dir := t.TempDir()
	if out, passed := run(t, "rapid finds no test", "-sim.out="+dir); passed || strings.Contains(out, "repro file") {
		t.Errorf("no world failed: passed %v:\n%s", passed, out)
	}
}
