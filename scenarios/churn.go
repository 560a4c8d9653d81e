package scenarios

import (
	"fmt"

	"chordsim/core/base"
	"chordsim/faults"
	"chordsim/sim"
	"chordsim/sim/check"
)

// Churn is everything at once: two workers, a server that relays, and tabs that hold, watch, call, let go and come back, over
// links of all kinds, while workers commit on their own and a plan of faults goes through all of it. What is there, how it
// is and what goes wrong is drawn from the seed, each thing under a label of its own. What tabs and workers do is drawn before
// the run and then only played, so that it can be recorded; what they do about what happens to them is drawn as it happens.
//
// The safety phase ends with the heal of the plan. Then everybody goes on holding what they hold and nothing new is begun;
// within a stated time every wanted reference must be live, every call settled and every replica equal to its document.
//
// Whose connection was dialed once and is over reloads, or dials again and holds again. Such hosts also ask whether they are heard, and
// give up on who does not answer. Hosts with ways that last do nothing of this.
func Churn() *sim.Scenario {
	return &sim.Scenario{
		Name:    "churn",
		Summary: "workers, a relay and tabs that hold, call and reload over links of all kinds but recorded ones, while a drawn plan of faults goes through",
		Plans:   true, Workloads: true,
		Params: []sim.Param{
			{Name: "size", Kind: sim.ParamChoice, Default: "small", Choices: []string{"small", "large"},
				Help: "small: 3 or 4 tabs, for sweeps; large: 8"},
			{Name: "span", Kind: sim.ParamDuration, Default: "3500ms", Min: int64(100 * base.Millisecond), Max: int64(churnLongest),
				Help: "of the safety phase, unless the plan says when it heals"},
			{Name: "ways", Kind: sim.ParamChoice, Default: "drawn", Choices: []string{"once", "drawn", "lasting"},
				Help: "once: hosts dial one connection after another themselves; lasting: the core does, and sessions go on; drawn: each host either"},
		},
		Invariants: check.IDs,
		Check:      checkChurn,
		Run:        runChurn,
	}
}

const (
	// churnLongest is how long the safety phase may take.
	churnLongest = 10 * base.Minute
	// churnLiveWithin is how long after the heal everything must be well: a host gives up on one that does not answer
	// after at most churnPatience, doubled each time that this was too soon, and the slowest link carries all that a tab holds
	// in a few seconds.
	churnLiveWithin = 60 * base.Second
	// churnQuietWithin is how long what is under way may take then, until nothing is. It is long, since a deadline may be far away
	// by a clock that is slow.
	churnQuietWithin = 24 * base.Hour
	// churnEvents bounds the events of a run, of which a usual one has 20,000.
	churnEvents = 20_000_000
)

// checkChurn says what is wrong with the plan that a run is given.
func checkChurn(r *sim.Run) error {
	plan, err := faults.Parse(r.Plan)
	if err != nil {
		return err
	}
	if plan.Heal.Sub(0) > churnLongest {
		return fmt.Errorf("the plan heals at %v; want at most %v", plan.Heal, churnLongest)
	}
	_, err = parseChurnWorkload(r.Workload)
	return err
}

func runChurn(r *sim.Run) (*sim.Report, error) { return playChurn(r, nil) }

// playChurn plays a run. Tests may look at the generator of its workload before it generates.
func playChurn(r *sim.Run, tests func(*churnGenerator)) (*sim.Report, error) {
	if err := checkChurn(r); err != nil {
		return nil, err
	}
	w, err := newChurnWorld(r, tests)
	if err != nil {
		return nil, err
	}
	report := &sim.Report{Headline: w.headline()}
	if stuck := w.play(); stuck != nil && w.world.Violation() == nil {
		report.Stuck = append(report.Stuck, stuck.Error())
	}
	w.report(report)
	return report, nil
}

// play runs both phases, and waits until nothing is left to happen.
func (w *churnWorld) play() error {
	w.progress(0, "safety")
	if err := w.world.RunUntil(w.heal); err != nil {
		return err
	}
	if err := w.world.Violation(); err != nil {
		return err // what comes after it says little
	}
	w.progress(1, "liveness")
	w.healed()
	if err := w.world.EventuallyEach(churnLook, "all is well after the heal", w.liveWithin(), w.well); err != nil {
		if why := w.ails(); why != "" {
			err = fmt.Errorf("%w: %s", err, why)
		}
		return err
	}
	w.lived = w.world.Now().Sub(w.heal)
	w.over = true
	if err := w.world.Settle(churnQuietWithin); err != nil {
		return err
	}
	if why := w.ails(); why != "" {
		return fmt.Errorf("C13: once all was settled: %s", why)
	}
	w.progress(2, "release")
	for _, t := range w.tabs {
		t.host.Do(t.releaseAll)
	}
	return w.world.Settle(churnQuietWithin)
}

// liveWithin is how long the liveness phase may take: longer where a window of a few bytes lets few of them cross in each
// round trip.
func (w *churnWorld) liveWithin() base.Duration { return churnLiveWithin * base.Duration(w.weight) }

// churnLook is how often the liveness phase looks whether it is over.
const churnLook = 20 * base.Millisecond

// healed begins the liveness phase.
func (w *churnWorld) healed() {
	w.calm = true
	w.world.Heal()
	for _, h := range w.world.Hosts() {
		// A clock that was set back stands still until it is there again, and lets no deadline pass.
		if h.ClockOff() < 0 {
			h.SkewRight()
		}
		if still := h.StandsStill(); still > 0 { // it was fast before, and may be so still
			h.Skew(still)
		}
	}
}

// well reports whether everything is as it must be in the end.
func (w *churnWorld) well() bool { return w.ails() == "" }

// ails says what is not as it must be in the end, or "".
func (w *churnWorld) ails() string {
	for _, p := range w.workers {
		if why := p.ails(); why != "" {
			return why
		}
	}
	for _, t := range w.tabs {
		if why := t.ails(); why != "" {
			return why
		}
	}
	return ""
}

func (w *churnWorld) progress(done int, what string) {
	if w.run.Progress != nil {
		w.run.Progress(done, 3, what)
	}
}
