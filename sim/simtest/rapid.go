package simtest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"chordsim/sim"
	"chordsim/sim/sweep/repro"

	"pgregory.net/rapid"
)

// Rapid checks a property of worlds with rapid: it draws the world's seed, and whatever else fn asks it for (a workload,
// a plan of faults). What fails is shrunk as a whole, to small draws and a small seed; only what has the fingerprint of the
// first failure is taken for it. rapid's flags say how many worlds there are; -sim.seed fixes the world's seed. What is
// printed of a failure ends with the command that plays it again.
func Rapid(t *testing.T, fn func(*rapid.T, *sim.World), configure ...func(*sim.Config)) {
	t.Helper()
	p := &property{fn: fn, configure: configure, shrinks: true}
	if file := flags.given(t); file != nil {
		defer file.asRapid(t)()
		p.given, p.configure = file, file.working(configure)
		defer func() { t.Log(file.compared(p.world)) }()
	}
	draws := &rapidDraws{t: t}
	started := draws.begin()
	defer func() {
		started()
		if f := p.last; f != nil && t.Failed() {
			tr := &trial{t: t, test: t.Name(), run: t.Name(), seed: f.Seed}
			tr.again, tr.draws = draws.made()
			tr.fromFile()
			t.Log(tr.keep(f))
		}
	}()
	rapid.Check(t, func(rt *rapid.T) {
		started()
		tr := &trial{t: t, test: t.Name(), run: t.Name(), again: draws.again()}
		tr.fromFile()
		p.check(rt, tr)
	})
}

// property is a world that rapid draws. When it looks for a smaller one that fails, another failure is none.
type property struct {
	fn        func(*rapid.T, *sim.World)
	configure []func(*sim.Config)
	shrinks   bool
	steer     *steer     // nil: the seed decides
	given     *given     // nil: no repro file is played
	first     string     // fingerprint
	world     *sim.World // the newest
	last      *Failure   // of that
}

// check draws a world and plays it.
func (p *property) check(t *rapid.T, tr *trial) {
	tr.seed = flags.seed
	if !flags.one {
		tr.seed = rapid.Uint64().Draw(t, "seed of the world")
	}
	cfg := config(tr.seed, p.configure)
	if p.steer != nil {
		cfg.Steer = p.steer
	}
	if p.given != nil && p.world != nil && p.last == nil {
		t.Skip("another world than that of the repro file")
	}
	w := sim.New(cfg)
	p.world, p.last = w, nil
	defer tr.watch(w)()
	if p.given != nil {
		defer p.given.provide(w)()
	}
	defer p.ended(t, tr, w)
	p.fn(t, w)
	err := w.Err()
	if err == nil {
		return
	}
	f := failureOf(cfg, w, err)
	if p.shrinks && p.first == "" {
		p.first = f.Fingerprint()
	}
	if p.shrinks && f.Fingerprint() != p.first {
		t.Skip("another failure than the first: " + f.Fingerprint())
	}
	p.last = f
	t.Fatal(f.Error())
}

// ended notes what a world failed with that fn itself ended: it failed rapid's test, or panicked.
func (p *property) ended(t *rapid.T, tr *trial, w *sim.World) {
	value := recover()
	if p.last == nil && (t.Failed() || value != nil && !skipped(value)) {
		err := error(panicked{value})
		kind := repro.Panicked
		if t.Failed() {
			err, kind = tr.failed().Err, repro.Missed
		}
		p.last = failureOf(sim.Config{Seed: tr.seed}, w, err)
		if p.last.kind = kind; kind == repro.Panicked {
			p.last.Stack = string(debug.Stack())
		}
	}
	if value != nil {
		panic(value)
	}
}

// skipped reports whether a panic is rapid's way to say that what it drew is no test.
func skipped(value any) bool { return fmt.Sprintf("%T", value) == "rapid.invalidData" }

// rapidDraws is what rapid draws in one check.
type rapidDraws struct {
	t     *testing.T
	seed  string // that the flags give, or that was chosen for this check
	since time.Time
}

const (
	seedFlag   = "rapid.seed"
	fileFlag   = "rapid.failfile"
	checksFlag = "rapid.checks"
)

// oneBegins is held while a check reads rapid's flags.
var oneBegins sync.Mutex

// begin has rapid begin with a seed that is known, so that a world which never ends has one too. What it returns is to be
// called once rapid has read its flags; further calls do nothing.
func (d *rapidDraws) begin() (started func()) {
	oneBegins.Lock()
	d.since = time.Now()
	before := flag.Lookup(seedFlag).Value.String()
	if d.seed = before; before == "0" {
		d.seed = strconv.FormatInt(d.since.UnixNano(), 10)
		flag.Set(seedFlag, d.seed)
	}
	return sync.OnceFunc(func() {
		flag.Set(seedFlag, before)
		oneBegins.Unlock()
	})
}

// again returns the flags for the same draws from the start.
func (d *rapidDraws) again() string {
	line := " -" + seedFlag + "=" + d.seed
	for _, name := range []string{checksFlag, "rapid.steps", fileFlag} {
		if f := flag.Lookup(name); f.Value.String() != f.DefValue {
			line += " -" + name + "=" + quoted(f.Value.String())
		}
	}
	if flags.one {
		line += fmt.Sprintf(" -sim.seed=%#x", flags.seed)
	}
	return line
}

// made returns the flags for the failure that rapid found, and the draws themselves if there is a file of them.
func (d *rapidDraws) made() (again string, draws []string) {
	name := d.file()
	if name == "" {
		return d.again(), nil
	}
	again = " -" + fileFlag + "=" + quoted(filepath.ToSlash(name))
	if flags.one {
		again += fmt.Sprintf(" -sim.seed=%#x", flags.seed)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return d.again(), nil
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			draws = append(draws, line)
		}
	}
	return again, draws
}

// file returns the file into which rapid wrote what failed, or from which it read that, or "".
func (d *rapidDraws) file() string {
	all, _ := filepath.Glob(filepath.Join("testdata", "rapid", "*", fmt.Sprintf("*-%d.fail", os.Getpid())))
	all = slices.DeleteFunc(all, func(name string) bool {
		info, err := os.Stat(name)
		return err != nil || info.ModTime().Before(d.since.Truncate(time.Second)) || !d.mine(name)
	})
	if len(all) > 0 {
		return all[len(all)-1]
	}
	return flag.Lookup(fileFlag).Value.String()
}

// mine reports whether a file of rapid is this test's: the folder has its name, with an underscore for what is neither a
// letter nor a digit.
func (d *rapidDraws) mine(file string) bool {
	have, want := []rune(filepath.Base(filepath.Dir(file))), []rune(d.t.Name())
	if len(have) != len(want) {
		return false
	}
	for i := range have {
		if have[i] != want[i] && have[i] != '_' {
			return false
		}
	}
	return true
}

// asRapid has rapid read the draws of the file, until what is returned is called.
func (g *given) asRapid(t *testing.T) (over func()) {
	t.Helper()
	if len(g.Draws) == 0 {
		t.Fatalf("simtest: %s: it has no draws, and this test wants rapid's", g.name)
	}
	name := filepath.Join(t.TempDir(), "draws.fail")
	if err := os.WriteFile(name, []byte(strings.Join(g.Draws, "\n")+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	file, checks := flag.Lookup(fileFlag).Value.String(), flag.Lookup(checksFlag).Value.String()
	flag.Set(fileFlag, name)
	flag.Set(checksFlag, "0") // no others
	return func() {
		flag.Set(fileFlag, file)
		flag.Set(checksFlag, checks)
	}
}
