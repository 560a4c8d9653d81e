package scenarios

import (
	"fmt"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/faults/linkmodel"
	"chordsim/sim"
	"chordsim/sim/check"
)

// ParkedCalls is a tab that goes on calling while the way to what it holds is gone. The calls wait at the tab, within limits; once
// the way is there again they go in the order in which they were made, but for those whose deadline has passed.
//
// The way is gone for a second, after which the session goes on; or for longer than sessions are kept, so that the object is
// held again first.
func ParkedCalls() *sim.Scenario {
	return &sim.Scenario{
		Name:    "parked-calls",
		Summary: "1,000 calls are made while the link is down, then it returns; some expire, and 100,000 are too many",
		Params: []sim.Param{
			{Name: "size", Kind: sim.ParamChoice, Default: sizeFigure, Choices: lastingSizes,
				Help: "figure: 1,000 calls, and 100,000; cases: 300 and 3,000; small: a few cases, links and times that are drawn, for sweeps"},
			{Name: "rate", Kind: sim.ParamRate, Default: "64KiB/s", Min: 1, Help: "of both directions of the tab's link"},
			{Name: "latency", Kind: sim.ParamDuration, Default: "5ms", Max: int64(10 * base.Second), Help: "of both of them"},
			{Name: "part", Kind: sim.ParamChoice, Default: "all", Choices: []string{"all", "order", "listener", "expired", "flood", "heap"},
				Help: "order: all run; listener: more are made as the link is back; expired: most are too late; flood, heap: too many, too large"},
			{Name: "codec", Kind: sim.ParamChoice, Default: "binary", Choices: []string{"binary", "text"}, Help: "of all links"},
		},
		Invariants: check.IDs,
		Check:      checkParked,
		Run:        runParked,
	}
}

// The two outages: one that a session outlasts, and one that it does not.
const (
	outageShort = "resumed"
	outageLong  = "cold"
)

// parkedTimes keeps sessions for five seconds, of which a dialer waits nine tenths.
var parkedTimes = core.Reconnect{Grace: 5 * base.Second, Heartbeat: 2 * base.Second}

// parkedPlan is what a case runs over, its sizes and its times.
type parkedPlan struct {
	setup lastingSetup
	calls int // parked in order
	flood int // far too many
	short base.Duration

	message int64      // more than a call and its result take on the link, in bytes
	mixed   *mixedPlan // of a part that is drawn
}

// outage is how long the link is gone.
func (p *parkedPlan) outage(kind string) base.Duration {
	if kind == outageShort {
		return p.short
	}
	return p.setup.times.Grace + base.Second
}

func planParked(r *sim.Run) parkedPlan {
	plan := parkedPlan{calls: 1000, flood: 100_000, short: base.Second, message: callBytes, setup: setupOf(r, parkedTimes, base.Limits{}.WithDefaults())}
	if r.Values.Text("size") != sizeFigure {
		plan.calls, plan.flood = 300, 3000
		plan.setup.limits.ParkedCalls, plan.setup.limits.ParkedBytes = 1024, 256*base.KiB
	}
	return plan
}

// leastCall is less than a call takes on the link, in bytes.
const leastCall = 5

func checkParked(r *sim.Run) error {
	link := lastingLink(r)
	if err := link.Up.Validate(); err != nil {
		return err
	}
	plan := planParked(r)
	bytes := int64(plan.setup.limits.ParkedCalls) * callBytes
	if need, ok := linkmodel.CatchUpLimit(bytes, link.Up.Rate, 0); !ok || need > crossingWithin/2 {
		return fmt.Errorf("the link of %s needs over %v for the %d calls that may wait", linkmodel.FormatRate(link.Up.Rate), crossingWithin/2,
			plan.setup.limits.ParkedCalls)
	}
	return nil
}

// pipelined reports whether the calls that may be unanswered fill the link for as long as an answer takes, so that the last
// result is held to the link's limit.
func (p *parkedPlan) pipelined() bool {
	running := p.setup.limits.RunningCalls
	carries, _ := base.MulDiv(uint64(p.setup.link.Up.Rate), uint64(tripOf(p.setup.link)), uint64(base.Second))
	return p.calls <= running || carries <= uint64(running)*leastCall
}

// parkedFound is what one world found.
type parkedFound struct {
	label      string
	plan       parkedPlan
	form, kind string
	what       string // the part that was played

	made, settled int
	seen          []string // what the provider ran, in order
	want          []string // and should have; nil: it is not looked at
	codes         map[base.Code]int
	last, limit   base.Duration // from the bind to the last result
	down, up      int64         // bytes from the bind on

	arrived  int // calls that came to the provider
	refused  int // of too many calls
	kept     core.Asked
	keptWant int
	// The bytes that so many calls have, from what one has, and what is kept once all have settled.
	bytesWant int
	left      core.Asked
	timers    int64 // at the end, but for the heartbeat's
	stuck     string

	// Of a mixed part: until all was live again, and what else went wrong.
	live, liveLimit base.Duration
	wrong           []string // at most maxWrong
}

func runParked(r *sim.Run) (*sim.Report, error) {
	if err := checkParked(r); err != nil {
		return nil, err
	}
	plan := planParked(r)
	report := &sim.Report{Headline: fmt.Sprintf("parked-calls · %s, latency %v · %d calls while the link is down · seed %d",
		linkmodel.FormatRate(r.Values.Int("rate")), r.Values.Duration("latency"), plan.calls, r.Seed)}
	var found []*parkedFound
	play := func(plan parkedPlan, number string, part parkedPart, form, kind string, of int) {
		w := newParkedWorld(r, plan, number, part.what, form, kind)
		if r.Progress != nil {
			r.Progress(len(found), of, w.found.label)
		}
		w.world.Note("case " + w.found.label)
		part.play(w)
		w.end()
		report.Add(w.world)
		if w.found.stuck != "" && w.world.Violation() == nil {
			report.Stuck = append(report.Stuck, w.found.label+": "+w.found.stuck)
		}
		found = append(found, w.found)
	}
	if r.Values.Text("size") == sizeSmall {
		report.Headline = fmt.Sprintf("parked-calls · drawn · seed %d", r.Seed)
		for i := range drawnParked {
			plan, part, form, kind := drawParked(r, i)
			play(plan, fmt.Sprint(i, " "), part, form, kind, drawnParked)
		}
	} else {
		playAllParked(r, plan, play)
	}
	reportParked(plan, found, report)
	return report, nil
}

// parkedPart is what may be played of parked calls.
type parkedPart struct {
	what string
	play func(*parkedWorld)
}

var parkedParts = []parkedPart{
	{"order", (*parkedWorld).order}, {"listener", (*parkedWorld).listener}, {"expired", (*parkedWorld).expired},
	{"flood", (*parkedWorld).flood}, {"heap", (*parkedWorld).heap},
}

// playAllParked plays each part, or the one that the run asks for, in every form and with both outages.
func playAllParked(r *sim.Run, plan parkedPlan, play func(parkedPlan, string, parkedPart, string, string, int)) {
	for _, part := range parkedParts {
		if only := r.Values.Text("part"); only != "all" && only != part.what {
			continue
		}
		for _, form := range lastingForms {
			for _, kind := range []string{outageShort, outageLong} {
				play(plan, "", part, form, kind, len(parkedParts)*2*len(lastingForms))
			}
		}
	}
}
