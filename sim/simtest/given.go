package simtest

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"chordsim/faults"
	"chordsim/sim"
	"chordsim/sim/sweep/repro"
	"chordsim/sim/workload"
)

// given is a repro file that is to be played.
type given struct {
	name string
	*repro.File
	workload workload.Set
}

// working returns what has a world made with the workload of the file.
func (g *given) working(configure []func(*sim.Config)) []func(*sim.Config) {
	return append(slices.Clip(configure), func(c *sim.Config) { c.Workload = g.workload })
}

// given returns the repro file that the flags say, or nil. One that is not this test's, or that cannot be read, ends the
// test.
func (o *options) given(t testing.TB) *given {
	t.Helper()
	if o.repro == "" {
		return nil
	}
	name := o.repro
	file, err := repro.Read(name)
	if os.IsNotExist(err) && !filepath.IsAbs(name) { // as seen from where the go command was given
		file, err = repro.Read(filepath.Join(root(home), name))
	}
	if os.IsNotExist(err) {
		err = fmt.Errorf("%s: there is no such file here (%s) or in %s", name, home, root(home))
	} else if pathErr, ok := err.(*fs.PathError); ok {
		err = fmt.Errorf("%s: %w", name, pathErr.Err)
	}
	if err == nil && file.Test != t.Name() {
		what := "the test " + file.Test
		if file.Test == "" {
			what = "the scenario " + file.Scenario + ", which simrun replay plays"
		}
		err = fmt.Errorf("%s: a world of %s, not of %s", name, what, t.Name())
	}
	g := &given{name: name, File: file}
	if err == nil && file.Plan != "" {
		if _, err = faults.Parse(file.Plan); err != nil {
			err = fmt.Errorf("%s: its plan: %w", name, err)
		}
	}
	if err == nil && len(file.Workload) > 0 {
		if g.workload, err = workload.Parse(file.Workload.String()); err != nil {
			err = fmt.Errorf("%s: its workload: %w", name, err)
		}
	}
	if err != nil {
		t.Fatalf("simtest: %v", err)
	}
	return g
}

// play plays the world of the file, and fails the test if it fails.
func (g *given) play(t *testing.T, fn func(*sim.World), configure []func(*sim.Config)) {
	t.Helper()
	if len(g.Draws) > 0 {
		t.Fatalf("simtest: %s: a world that rapid or fuzzing drew; this test takes none", g.name)
	}
	if g.Twice {
		flags.twice = true
	}
	var last *sim.World
	defer func() {
		if last != nil {
			t.Log(g.compared(last))
		}
	}()
	run(t, t, g.Seed, func(w *sim.World) {
		last = w
		defer g.provide(w)()
		fn(w)
	}, g.working(configure))
	t.Logf("%s: the world does not fail", g.name)
}

// compared says whether a world was the one of the file.
func (g *given) compared(w *sim.World) string {
	hash, plan := fmt.Sprintf("%016x", w.Hash()), planOf(w)
	switch {
	case g.Plan != plan:
		return fmt.Sprintf("%s: another run: the plan is not the file's; simtest.Plan takes that", g.name)
	case g.Hash == "" || g.Failure.Kind == repro.Differs:
		return fmt.Sprintf("%s: played; the file has no hash to compare", g.name)
	case g.Hash != hash:
		return fmt.Sprintf("%s: another run: its hash is %s, and the file's is %s", g.name, hash, g.Hash)
	}
	return fmt.Sprintf("%s: played to the byte, hash %s", g.name, hash)
}

// provided is what worlds that are being played are given by a repro file.
var provided struct {
	sync.Mutex
	files map[*sim.World]*given
}

// provide has a world be given what the file has, until what is returned is called.
func (g *given) provide(w *sim.World) (over func()) {
	provided.Lock()
	defer provided.Unlock()
	if provided.files == nil {
		provided.files = map[*sim.World]*given{}
	}
	provided.files[w] = g
	return func() {
		provided.Lock()
		defer provided.Unlock()
		delete(provided.files, w)
	}
}

// Plan draws a plan of faults for a world from its seed, or returns that of the repro file that is played: so the file
// keeps its meaning when what the swarm draws changes. The knobs of a plan are those of a world that is there already; the
// swarm should draw none.
func Plan(w *sim.World, s faults.Swarm) faults.Plan {
	provided.Lock()
	g := provided.files[w]
	provided.Unlock()
	if g == nil || g.Plan == "" {
		return s.Plan(w.Rand())
	}
	p, err := faults.Parse(g.Plan)
	if err != nil {
		w.Fail(err)
	}
	return p
}
