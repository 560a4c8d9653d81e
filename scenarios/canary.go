package scenarios

import (
	"fmt"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/sim"
	"chordsim/sim/check"
	"chordsim/sim/netsim"
)

// Canary is a small world in which nothing is wrong, and which says at a known share of seeds that something is. What finds
// failures has to find exactly these: a sweep in which the canary does not fail proves nothing about the others.
func Canary() *sim.Scenario {
	return &sim.Scenario{
		Name:    "canary",
		Summary: "fails on purpose, at one of so many seeds: it proves that whoever looks for failures finds them",
		Params: []sim.Param{
			{Name: "share", Kind: sim.ParamInt, Default: "100", Min: 1, Max: 1 << 40, Help: "one seed fails of each so many that follow one another, from 1 on; which one is drawn"},
			{Name: "mode", Kind: sim.ParamChoice, Default: "fail", Choices: canaryModes(), Help: "how it fails"},
		},
		Invariants: check.IDs,
		Run:        runCanary,
	}
}

// canaryMode is one way to fail. What it returns is the text of the failure; it is given the world before that is played.
type canaryMode struct {
	name string
	fail func(w *canaryWorld)
}

// canaryWays lists the ways to fail, the default first.
var canaryWays = []canaryMode{
	{"fail", func(w *canaryWorld) { w.goal-- }},
	{"stuck", func(w *canaryWorld) { w.unanswered = true }},
	{"panic", func(w *canaryWorld) { w.tab.Do(w.panics) }},
	{"loop", (*canaryWorld).loop},
	{"spin", func(w *canaryWorld) { w.tab.Do(w.spin) }},
	{"hog", func(w *canaryWorld) { w.tab.Do(w.hog) }},
	{"differ", (*canaryWorld).differ},
}

func canaryModes() []string {
	names := make([]string, len(canaryWays))
	for i, way := range canaryWays {
		names[i] = way.name
	}
	return names
}

// canaryFails says whether the canary fails at a seed: at exactly one of each share seeds that follow one another, from 1 on.
func canaryFails(seed, share uint64) bool {
	place, block := (seed-1)%share, (seed-1)/share
	return base.NewRand(block).Stream("canary").Below(share) == place
}

// canaryCalls is how many calls the canary makes, and canaryWithin how long it waits for them.
const (
	canaryCalls  = 10
	canaryWithin = 10 * base.Second
)

// canaryEvents bounds the events of a run, of which one that goes well has some hundred.
const canaryEvents = 100_000

// canaryWorld is a tab that calls a worker.
type canaryWorld struct {
	world       *sim.World
	worker, tab *sim.Host
	count       *core.Reference
	answered    int
	goal        int  // at most so many calls may be answered
	unanswered  bool // the handler settles none
	spun        uint64
	hoard       [][]byte
}

func runCanary(r *sim.Run) (*sim.Report, error) {
	cfg := r.Config("canary")
	cfg.MaxEvents = canaryEvents
	w := &canaryWorld{world: sim.New(cfg), goal: canaryCalls}
	w.worker, w.tab = w.world.Host("worker"), w.world.Host("tab")
	w.worker.Core().Expose("Counter", core.Object{Methods: core.Methods{"add": w.add}})
	if _, err := w.world.Connect(w.tab, w.worker, netsim.Memory); err != nil {
		return nil, err
	}
	mode := r.Values.Text("mode")
	fails := canaryFails(r.Seed, uint64(r.Values.Int("share")))
	for _, way := range canaryWays {
		if fails && way.name == mode {
			way.fail(w)
		}
	}
	verdict := "holds at this seed"
	if fails {
		verdict = "fails at this seed, on purpose"
	}
	report := &sim.Report{Headline: fmt.Sprintf("canary · one of %d seeds fails, mode %s · %s · seed %d", r.Values.Int("share"), mode, verdict, r.Seed)}
	w.play(report)
	report.Add(w.world)
	return report, nil
}

// add answers a call.
func (w *canaryWorld) add(c *core.Call) (delta.Value, error) {
	if w.unanswered {
		c.Defer()
	}
	return delta.Null(), nil
}

// play has the tab call, and waits for the answers.
func (w *canaryWorld) play(report *sim.Report) {
	w.world.At(base.Time(base.Millisecond), func() {
		w.tab.Do(func() {
			w.count = w.tab.Core().Get("Counter")
			for range canaryCalls {
				w.count.Call("add", nil, func(_ delta.Value, err error) {
					if err == nil {
						w.answer()
					}
				})
			}
		})
	})
	err := w.world.Eventually("the canary's calls are answered", canaryWithin, func() bool { return w.answered == canaryCalls })
	if err == nil {
		err = w.world.Settle(settleWithin)
	}
	if err != nil && w.world.Violation() == nil {
		report.Stuck = append(report.Stuck, err.Error())
	}
	if err == nil && w.answered > w.goal {
		report.Failures = append(report.Failures, fmt.Sprintf("canary: on purpose, %d calls were answered, want at most %d", w.answered, w.goal))
	}
}

// answer counts an answer, and shows in the trace the one that is too many.
func (w *canaryWorld) answer() {
	if w.answered++; w.answered == w.goal+1 {
		w.world.Mark(w.tab, fmt.Sprintf("canary: on purpose, answer %d, want at most %d", w.answered, w.goal))
	}
}

// loop has an event come again at once, for ever.
func (w *canaryWorld) loop() {
	var again func()
	again = func() { w.world.At(w.world.Now(), again) }
	again()
}

// panics is a turn that does what no turn may.
func (w *canaryWorld) panics() { panic("canary: a panic on purpose") }

// spin is a turn that does not end.
func (w *canaryWorld) spin() {
	for {
		w.spun++
	}
}

// hogBlock is how many bytes a hog takes at a time.
const hogBlock = 1 << 20

// hog takes memory for ever, and touches it, so that it is taken indeed.
func (w *canaryWorld) hog() {
	for {
		b := make([]byte, hogBlock)
		for i := range b {
			b[i] = 1
		}
		w.hoard = append(w.hoard, b)
	}
}

// canaryPlays is what no world may have: something that outlives it. It makes two runs of a seed differ.
var canaryPlays int

// differ has the run depend on how many there were before it in the process.
func (w *canaryWorld) differ() {
	canaryPlays++
	w.world.Note(fmt.Sprintf("run %d of the process", canaryPlays))
}
