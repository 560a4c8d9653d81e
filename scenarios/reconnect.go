package scenarios

import (
	"fmt"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/faults/linkmodel"
	"chordsim/sim"
	"chordsim/sim/check"
)

// Reconnect is a tab whose way to a list of notes is gone for a while: for a second, after which the session goes on; for longer than
// sessions are kept, where the provider sends the whole list again, or what it still knows to have changed; or since the provider started anew, with nothing of what it knew. Behind a server the way between that and the
// provider is lost as well, each in cases of its own.
//
// One reference, a hundred that share a hold, and a hundred that have one each, follow the list. Meanwhile the provider goes on
// committing, and a few calls were under way.
func Reconnect() *sim.Scenario {
	return &sim.Scenario{
		Name:    "reconnect",
		Summary: "1 and 100 references of 1,000 items lose their way: the session goes on, or is lost, or the provider is a new one",
		Params: []sim.Param{
			{Name: "size", Kind: sim.ParamChoice, Default: sizeFigure, Choices: lastingSizes,
				Help: "figure: a list of 1,000 items, 100 references; cases: 50 and 10; small: a few cases, links and times that are drawn, for sweeps"},
			{Name: "rate", Kind: sim.ParamRate, Default: "10MB/s", Min: 1, Help: "of both directions of the tab's link"},
			{Name: "latency", Kind: sim.ParamDuration, Default: "1ms", Max: int64(10 * base.Second), Help: "of both of them"},
			{Name: "codec", Kind: sim.ParamChoice, Default: "binary", Choices: []string{"binary", "text"}, Help: "of all links"},
		},
		Invariants: check.IDs,
		Check:      checkReconnect,
		Run:        runReconnect,
	}
}

// withoutHistory has hosts keep no commits: who holds again gets a snapshot, as the seed document counts it.
const withoutHistory = -1 // Limits.HistoryBytes

// reconnectTimes keeps sessions for ten seconds, of which a dialer waits nine tenths.
var reconnectTimes = core.Reconnect{Grace: 10 * base.Second, Heartbeat: 2 * base.Second, First: 100 * base.Millisecond}

// What becomes of the way.
const (
	lossResumed   = "resumed"   // the tab's link is gone for a second
	lossCold      = "cold"      // for longer than sessions are kept, and the provider keeps no history
	lossKnown     = "known"     // the same, and it has what was committed since
	lossRestarted = "restarted" // the provider crashes, and is back a second later
	lossRoute     = "route"     // behind a server: the provider's link is gone for a second
	lossNear      = "near"      // drawn: for about as long as sessions are kept, so that the one or the other may be
)

// The calls that are under way when the way is lost, and the commits that the tab misses, but for cases that are drawn.
const (
	sentCalls     = 3
	missedCommits = 5
)

// reconnectPlan is what a case runs over, its sizes and its times.
type reconnectPlan struct {
	setup                           lastingSetup
	entries, characters, references int

	commits []int         // that the tab misses: bytes of text beside the mark
	calls   []int         // that are under way when the way is lost: bytes of arguments
	gone    base.Duration // for how long the way is lost before the first of the commits
	every   base.Duration // and after each of them
}

func planReconnect(r *sim.Run) reconnectPlan {
	plan := reconnectPlan{
		setup: setupOf(r, reconnectTimes, base.Limits{}), entries: 1000, characters: 80, references: 100,
		commits: make([]int, missedCommits), calls: make([]int, sentCalls), every: 200 * base.Millisecond,
	}
	if r.Values.Text("size") != sizeFigure {
		plan.entries, plan.references = 50, 10
	}
	return plan
}

func checkReconnect(r *sim.Run) error {
	link := lastingLink(r)
	if err := link.Up.Validate(); err != nil {
		return err
	}
	plan := planReconnect(r)
	bytes := int64(len(entries(plan.entries, plan.characters).String())) * int64(plan.references)
	if need, ok := linkmodel.CatchUpLimit(bytes, link.Up.Rate, 0); !ok || need > crossingWithin/2 {
		return fmt.Errorf("the link of %s needs over %v for %d snapshots", linkmodel.FormatRate(link.Up.Rate), crossingWithin/2, plan.references)
	}
	return nil
}

// reconnectCase is one world of a run.
type reconnectCase struct {
	form, loss string
	references int
	shared     bool
	drawn      string // which of those that were drawn it is; empty: it was not
}

func (c reconnectCase) label() string {
	text := fmt.Sprintf("%s%s %s %d", c.drawn, c.form, c.loss, c.references)
	if !c.shared && c.references > 1 {
		text += " unshared"
	}
	return text
}

// id is as in the ids of figures, which say nothing of how the way was lost.
func (c reconnectCase) id() string {
	id := fmt.Sprintf("reconnect%d.%s.%s", c.references, c.form, c.loss)
	if !c.shared && c.references > 1 {
		id += ".unshared"
	}
	return id
}

// reconnectFound is what one world found.
type reconnectFound struct {
	reconnectCase
	plan      reconnectPlan
	near      bool  // the loss was about as long as sessions are kept
	down, up  int64 // over the tab's link, from when it was back until all was live
	missed    int64 // bytes of what was committed meanwhile, had it been followed
	snapshots int64 // that came to the tab
	deltas    int64 // binds of what was committed since
	took      base.Duration
	limit     base.Duration
	goal      base.Duration
	unknown   int // calls that were sent, and whose outcome is not known
	results   int // calls that were sent, and have one
	sent      int // calls that were sent
	settled   int
	stuck     string
}

func reconnectCases(plan reconnectPlan) (list []reconnectCase) {
	for _, form := range lastingForms {
		losses := []string{lossResumed, lossCold, lossKnown, lossRestarted}
		if form != formDirect {
			losses = append(losses, lossRoute)
		}
		for _, loss := range losses {
			list = append(list, reconnectCase{form: form, loss: loss, references: 1, shared: true},
				reconnectCase{form: form, loss: loss, references: plan.references, shared: true},
				reconnectCase{form: form, loss: loss, references: plan.references})
		}
	}
	return list
}

func runReconnect(r *sim.Run) (*sim.Report, error) {
	if err := checkReconnect(r); err != nil {
		return nil, err
	}
	plan := planReconnect(r)
	report := &sim.Report{Headline: fmt.Sprintf("reconnect · %s, latency %v · a list of %d items, %d bytes of JSON · seed %d",
		linkmodel.FormatRate(r.Values.Int("rate")), r.Values.Duration("latency"), plan.entries,
		len(entries(plan.entries, plan.characters).String()), r.Seed)}
	var found []*reconnectFound
	play := func(plan reconnectPlan, c reconnectCase, of int) {
		if r.Progress != nil {
			r.Progress(len(found), of, c.label())
		}
		w := newReconnectWorld(r, plan, c)
		w.world.Note("case " + c.label())
		w.play()
		report.Add(w.world)
		if found = append(found, w.found); w.found.stuck != "" && w.world.Violation() == nil {
			report.Stuck = append(report.Stuck, c.label()+": "+w.found.stuck)
		}
	}
	if r.Values.Text("size") == sizeSmall {
		report.Headline = fmt.Sprintf("reconnect · drawn · seed %d", r.Seed)
		for i := range drawnReconnects {
			plan, c := drawReconnect(r, i)
			play(plan, c, drawnReconnects)
		}
	} else {
		cases := reconnectCases(plan)
		for _, c := range cases {
			play(plan, c, len(cases))
		}
	}
	reportReconnect(found, report)
	return report, nil
}
