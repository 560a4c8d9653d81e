package scenarios

import (
	"fmt"
	"strings"

	"chordsim/core/base"
	"chordsim/core/wire"
	"chordsim/faults/linkmodel"
	"chordsim/sim"
	"chordsim/sim/check"
	"chordsim/sim/netsim"
)

// ThrottledTab is a tab behind a slow link that stalls, while its view is streamed into: the tab gets the snapshot, is
// streamed to, receives nothing for a while, and catches up.
//
// A step is one token committed at the worker, the link's deliveries, and every host's turns. Caught up is the time from
// the end of the pause to the first step whose end finds the tab at the worker's revision, streaming going on; bytes are
// what was delivered to the tab meanwhile. On a link with latency, jitter or a trace the tab cannot be at the newest
// revision; there it is compared with the worker's of one latency and one step earlier.
func ThrottledTab() *sim.Scenario {
	return &sim.Scenario{
		Name:    "throttled-tab",
		Summary: "a tab at 64 KiB/s follows a 500 KB view at 100 tokens/s through stalls of 1, 10 and 60 s",
		Params: []sim.Param{
			{Name: "size", Kind: sim.ParamChoice, Default: "figure", Choices: []string{"figure", "small"},
				Help: "figure: as the seed document ran it; small: a short document and short pauses, for sweeps"},
			{Name: "case", Kind: sim.ParamText, Default: "all",
				Help: "one case, such as direct-1s or relayed-none, or all of them"},
			{Name: "rate", Kind: sim.ParamRate, Default: "64KiB/s", Min: 1, Help: "of the direction to the tab"},
			{Name: "quantum", Kind: sim.ParamDuration, Default: "10ms", Max: int64(10 * base.Second),
				Help: "the direction to the tab delivers at its multiples; 0 is continuous"},
			{Name: "latency", Kind: sim.ParamDuration, Default: "0s", Max: int64(10 * base.Second), Help: "of both directions of the tab's link"},
			{Name: "jitter", Kind: sim.ParamDuration, Default: "0s", Max: int64(10 * base.Second),
				Help: "extra latency of each message to the tab, drawn from the seed"},
			{Name: "step", Kind: sim.ParamDuration, Default: "10ms", Min: int64(base.Millisecond), Max: int64(base.Second),
				Help: "between two tokens; pauses last whole steps"},
			{Name: "token", Kind: sim.ParamText, Default: " tok", Min: 1, Max: 64 * base.KiB, Help: "what is appended each step; a last letter of a to z goes through the alphabet"},
			{Name: "window", Kind: sim.ParamInt, Default: "4", Min: 1, Max: 64, Help: "state messages outstanding, at most"},
			{Name: "codec", Kind: sim.ParamChoice, Default: "binary", Choices: []string{"binary", "text"}, Help: "of all links"},
			{Name: "chunk", Kind: sim.ParamBytes, Default: "4KiB", Min: 16, Max: 4 * base.KiB, Help: "largest body of a chunk"},
		},
		Invariants: check.IDs,
		Traces:     true,
		Check:      checkThrottledTab,
		Run:        runThrottledTab,
	}
}

// How long each part of a case may take in virtual time before the run is taken for stuck. Catching up has less where the
// link's own limit is known: see tabWorld.patience.
const (
	snapshotWithin = 10 * base.Minute
	catchUpWithin  = 10 * base.Minute
	settleWithin   = 10 * base.Minute
)

// checkThrottledTab refuses what no case can be played with.
func checkThrottledTab(r *sim.Run) error {
	if _, err := planThrottledTab(r); err != nil {
		return err
	}
	down := tabDown(r)
	if err := down.Validate(); err != nil {
		return err
	}
	rate, link := down.Rate, "the link of "+linkmodel.FormatRate(down.Rate)
	if r.Link != nil {
		rate = r.Link.AverageRate()
		link = fmt.Sprintf("the trace %s, on average %s", r.Link.Name(), averageRate(r.Link))
	}
	message := len(r.Values.Text("token")) + tokenHead[codecOf(r)]
	if stream := perSecond(message, r.Values.Duration("step")); stream >= rate {
		return fmt.Errorf("the stream of %s (messages of %d bytes each %v) is not slower than %s: the tab could never catch up",
			linkmodel.FormatRate(stream), message, r.Values.Duration("step"), link)
	}
	return nil
}

// tokenHead is what a streamed token takes on a link besides its text, in bytes, by codec.
var tokenHead = [...]int{wire.Binary: 7, wire.Text: 25}

// averageRate prints what a recorded link carries on average.
func averageRate(t *linkmodel.Trace) string {
	if rate := t.AverageRate(); rate > 0 {
		return linkmodel.FormatRate(rate)
	}
	return "under 1B/s"
}

// tabDown is the direction to the tab.
func tabDown(r *sim.Run) linkmodel.Config {
	c := linkmodel.Config{
		Rate: r.Values.Int("rate"), Quantum: r.Values.Duration("quantum"),
		Latency: r.Values.Duration("latency"), Jitter: r.Values.Duration("jitter"),
	}
	if r.Link != nil {
		c.Rate, c.Quantum, c.Trace = 0, 0, r.Link
	}
	return c
}

// tabLink is the link of the tab: what a quantum carries fits into the buffer.
func tabLink(r *sim.Run) netsim.Config {
	down := tabDown(r)
	tick, _ := base.MulDiv(uint64(down.Rate), uint64(down.Quantum), uint64(base.Second))
	cfg := netsim.Config{Up: linkmodel.Config{Latency: down.Latency}, Down: down}
	if tick > netsim.DefaultBuffer {
		cfg.Buffer = int64(tick)
	}
	return cfg
}

// streamRate is how much text is streamed, in bytes per second.
func streamRate(r *sim.Run) int64 {
	return perSecond(len(r.Values.Text("token")), r.Values.Duration("step"))
}

func perSecond(bytes int, step base.Duration) int64 {
	rate, _ := base.MulDiv(uint64(bytes), uint64(base.Second), uint64(step))
	return int64(rate)
}

// tabLag is how many steps the tab may be behind and still be caught up: 0 where what is committed in a step is there at
// its end. Elsewhere a message is under way for a while, and what is streamed meanwhile cannot be in it: its latency; what
// a quantum takes that is longer than a step, or in which the window fills; and its own bytes, as it may bring the fold of
// a round trip.
func tabLag(r *sim.Run) int {
	down, step := tabDown(r), r.Values.Duration("step")
	way := down.Latency + down.Jitter
	if down.Quantum > step || base.Duration(r.Values.Int("window"))*step <= down.Quantum {
		way += down.Quantum
	}
	if way == 0 && r.Link == nil {
		return 0
	}
	if r.Link == nil {
		fold, _ := base.MulDiv(uint64(way+down.Latency), uint64(streamRate(r)), uint64(down.Rate))
		way += base.Duration(fold)
	}
	return 1 + int((way+step-1)/step)
}

// tabCase is one run of the scenario: a way to the worker, and a pause.
type tabCase struct {
	name    string // as in the setting case=
	id      string // as in the ids of figures
	label   string // for people
	relayed bool
	pause   base.Duration
	stalled bool
}

// tabPlan is the sizes of all cases of a run.
type tabPlan struct {
	entries, characters int
	before, after       base.Duration // streaming around the pause
	cases               []tabCase
	figures             bool // everything is as the seed document ran it, so that its figures stand beside
}

func planThrottledTab(r *sim.Run) (tabPlan, error) {
	plan := tabPlan{entries: 500, characters: 960, before: 2 * base.Second, after: 10 * base.Second, figures: true}
	pauses := []base.Duration{base.Second, 10 * base.Second, 60 * base.Second}
	if r.Values.Text("size") == "small" {
		plan = tabPlan{entries: 20, characters: 96, before: base.Second / 2, after: base.Second} // no figures
		pauses = []base.Duration{base.Second / 10, base.Second, 3 * base.Second}
	}
	for _, name := range r.Values.Changed() {
		if !strings.HasPrefix(name, "case=") && !strings.HasPrefix(name, "strategy=") {
			plan.figures = false
		}
	}
	if r.Link != nil {
		plan.figures = false
	}
	step := r.Values.Duration("step")
	names := []string{"all"}
	for _, way := range []string{"direct", "relayed"} {
		for i := range len(pauses) + 1 {
			last := pauses[len(pauses)-1]
			c := tabCase{relayed: way == "relayed", pause: last, name: way + "-none", label: way + " " + spaced(last) + " control"}
			if i < len(pauses) {
				c.stalled, c.pause = true, (pauses[i]+step-1)/step*step
				c.name, c.label = way+"-"+pauses[i].String(), way+" "+spaced(pauses[i])
			}
			c.id = "stall." + way + "." + c.name[len(way)+1:]
			names = append(names, c.name)
			if want := r.Values.Text("case"); want == "all" || want == c.name {
				plan.cases = append(plan.cases, c)
			}
		}
	}
	if len(plan.cases) == 0 {
		return plan, fmt.Errorf("--set case=%s: there is no such case; there are %s", r.Values.Text("case"), strings.Join(names, ", "))
	}
	return plan, nil
}

func spaced(d base.Duration) string { return sim.Seconds(d) + " s" }

// measured is what one case found.
type measured struct {
	tabCase
	snapshot  base.Duration // from asking for the view to having it
	caughtUp  base.Duration
	limit     base.Duration // the link's own: missed text over what the link has left for it
	hasLimit  bool
	reach     base.Duration // the limit with headers; over a trace: when the fold and one message after it can have come
	bytes     int64         // delivered to the tab until caught up
	missed    int64         // text that the tab lacked at the end of the pause
	pending   int           // peak of bytes in folds
	ops       int           // peak of ops in folds
	messages  int64         // state messages from the start of the pause until caught up
	folded    int64         // commits folded meanwhile
	encodes   int64         // encodings of the document in the pause
	afterFull int64         // of those, once the window was full
	token     int64         // bytes of a streamed token's message; 0: none came alone
	heap      int64         // growth in the pause
	out, in   sim.Wall
	handle    int64 // longest turn of the worker for a message, after the pause, in ns
	stuck     string
	broken    string // a host closed the link, though no fault did
}

func runThrottledTab(r *sim.Run) (*sim.Report, error) {
	if err := checkThrottledTab(r); err != nil {
		return nil, err
	}
	plan, err := planThrottledTab(r)
	if err != nil {
		return nil, err
	}
	report := &sim.Report{Headline: headline(r, plan)}
	var results []measured
	for i, c := range plan.cases {
		if r.Progress != nil {
			r.Progress(i, len(plan.cases), c.label)
		}
		t, err := newTabWorld(r, plan, c)
		if err != nil {
			return nil, err
		}
		m := t.play()
		report.Add(t.world)
		if m.broken != "" {
			report.Failures = append(report.Failures, c.label+": "+m.broken)
		} else if m.stuck != "" && t.world.Violation() == nil {
			report.Stuck = append(report.Stuck, c.label+": "+m.stuck)
		}
		results = append(results, m)
	}
	reportThrottledTab(r, plan, results, report)
	return report, nil
}

func headline(r *sim.Run, plan tabPlan) string {
	link := linkmodel.FormatRate(r.Values.Int("rate"))
	if r.Link != nil {
		link = fmt.Sprintf("trace %s (average %s)", r.Link.Name(), averageRate(r.Link))
	}
	doc := documentOf(plan)
	return fmt.Sprintf("throttled tab · %s · a token every %v into a view of %d bytes of JSON · seed %d",
		link, r.Values.Duration("step"), len(doc.String()), r.Seed)
}
