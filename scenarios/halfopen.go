package scenarios

import (
	"fmt"
	"strings"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/sim"
	"chordsim/sim/check"
)

// HalfOpen is a short session in which one thing after another goes away without a word: a connection, or the machine of a host,
// after each message; or a connection after each byte, be it in silence or with a reset. Each such place is a world of its own,
// which is the same up to there.
//
// What went is back, or can be dialed, at once or a while later. From then on there are bounds: each call settles once, and
// everything that is held is live and shows the newest.
func HalfOpen() *sim.Scenario {
	return &sim.Scenario{
		Name:    "half-open",
		Summary: "a connection or a host vanishes at every message and every byte of a session, and all settles and is live again",
		Params: []sim.Param{
			{Name: "size", Kind: sim.ParamChoice, Default: sizeFigure, Choices: lastingSizes,
				Help: "figure: after each byte; cases: after each message, and some of the bytes; small: a drawn session, links and times, for sweeps"},
			{Name: "rate", Kind: sim.ParamRate, Default: "64KiB/s", Min: 1, Help: "of both directions of all links"},
			{Name: "latency", Kind: sim.ParamDuration, Default: "5ms", Max: int64(base.Second), Help: "of all of them"},
			{Name: "codec", Kind: sim.ParamChoice, Default: "binary", Choices: []string{"binary", "text"}, Help: "of all links"},
			{Name: "case", Kind: sim.ParamText, Default: "", Help: "only this one, such as direct worker; empty: all"},
			{Name: "cut", Kind: sim.ParamInt, Default: "-1", Min: -1, Help: "only this place of each, from 0; -1: all"},
		},
		Invariants: check.IDs,
		Check:      checkHalfOpen,
		Run:        runHalfOpen,
	}
}

// halfOpenTimes are short, so that there is little to wait for.
var halfOpenTimes = core.Reconnect{
	Grace: 5 * base.Second, Heartbeat: 500 * base.Millisecond, First: 50 * base.Millisecond, Most: 400 * base.Millisecond,
	Attempt: 500 * base.Millisecond,
}

// halfOpenLimits has messages of a hundred bytes travel in several chunks.
var halfOpenLimits = base.Limits{ChunkBytes: 64}

// machineGone is for how long a machine is gone.
const machineGone = 700 * base.Millisecond

// What goes, and how.
const (
	goesLink   = "link"   // the tab's connection
	goesRoute  = "route"  // the one between server and worker
	goesTab    = "tab"    // the machines
	goesServer = "server" //
	goesWorker = "worker" //
)

// halfOpenCase is one way of going away, at all places of a session.
type halfOpenCase struct {
	form, goes string
	bytes      bool // at each byte, over byte streams; otherwise behind each message
	reset      bool // with a reset: towards the end that dialed, or else the other one
	dialer     bool
}

func (c halfOpenCase) label() string {
	text := c.form + " " + c.goes
	switch {
	case c.reset && c.dialer:
		text += " cut down"
	case c.reset:
		text += " cut up"
	case c.bytes:
		text += " bytes"
	}
	return text
}

func halfOpenCases() (list []halfOpenCase) {
	for _, form := range lastingForms {
		what, links := []string{goesLink, goesTab, goesWorker}, []string{goesLink}
		if form != formDirect {
			what, links = append(what, goesRoute, goesServer), append(links, goesRoute)
		}
		for _, goes := range what {
			list = append(list, halfOpenCase{form: form, goes: goes})
		}
		for _, goes := range links {
			list = append(list, halfOpenCase{form: form, goes: goes, bytes: true},
				halfOpenCase{form: form, goes: goes, bytes: true, reset: true, dialer: true},
				halfOpenCase{form: form, goes: goes, bytes: true, reset: true})
		}
	}
	return list
}

// strideOfCases is how many bytes the places are apart where not each is played.
const strideOfCases = 37

// halfOpenFound is what all places of a case found.
type halfOpenFound struct {
	halfOpenCase
	cuts          int
	resumed, cold int // places after which the tab's session went on, or was another one
	settle, live  base.Duration
	settleAt      int // the places of the longest
	liveAt        int
	settleBound   base.Duration
	liveBound     base.Duration
	results       map[base.Code]int
	wrong         []string // at most maxWrong
	wrongs        int
}

// maxWrong is how many places at which something went wrong a case names.
const maxWrong = 3

func checkHalfOpen(r *sim.Run) error {
	if err := lastingLink(r).Up.Validate(); err != nil {
		return err
	}
	if only := r.Values.Text("case"); only != "" {
		var labels []string
		for _, c := range halfOpenCases() {
			if c.label() == only {
				return nil
			}
			labels = append(labels, c.label())
		}
		return fmt.Errorf("there is no case %q; there are %s", only, strings.Join(labels, ", "))
	}
	return nil
}

func runHalfOpen(r *sim.Run) (*sim.Report, error) {
	if err := checkHalfOpen(r); err != nil {
		return nil, err
	}
	report := &sim.Report{Headline: fmt.Sprintf("half-open · heartbeat %v, latency %v · seed %d", halfOpenTimes.Heartbeat,
		r.Values.Duration("latency"), r.Seed)}
	var found []*halfOpenFound
	if r.Values.Text("size") == sizeSmall {
		c, plan := drawHalfOpen(r)
		f := &halfOpenFound{halfOpenCase: c, results: map[base.Code]int{}}
		f.playDrawn(r, plan, report)
		report.Headline = fmt.Sprintf("half-open · drawn: heartbeat %v · seed %d", plan.setup.times.Heartbeat, r.Seed)
		reportHalfOpen(plan.setup.codec.String(), []*halfOpenFound{f}, report)
		return report, nil
	}
	cases := halfOpenCases()
	for i, c := range cases {
		if only := r.Values.Text("case"); only != "" && c.label() != only {
			continue
		}
		if r.Progress != nil {
			r.Progress(i, len(cases), c.label())
		}
		f := &halfOpenFound{halfOpenCase: c, results: map[base.Code]int{}}
		found = append(found, f)
		f.play(r, report)
	}
	reportHalfOpen(codecOf(r).String(), found, report)
	return report, nil
}

// play plays the session alone, to learn its places, and then with each of them.
func (f *halfOpenFound) play(r *sim.Run, report *sim.Report) {
	plan := fixedSession(r, f.halfOpenCase)
	places := f.clean(r, plan, report)
	stride := 1
	if f.bytes && r.Values.Text("size") == sizeCases {
		stride = strideOfCases
	}
	only := r.Values.Int("cut")
	for i := 0; i < len(places); i += stride {
		if only >= 0 && int64(i) != only {
			continue
		}
		f.cutAt(r, plan, i, places[i], report)
	}
}

// clean plays the session alone and returns its places: none, if something is wrong with it already.
func (f *halfOpenFound) clean(r *sim.Run, plan *sessionPlan, report *sim.Report) []place {
	w := newSessionWorld(r, f.halfOpenCase, plan, f.label())
	if plan.drawn {
		for w.advance(w.world.Now().Add(liveStep)) && w.world.Now() < plan.end && !w.quiet() {
		}
		plan.end = w.world.Now().Add(liveStep)
	}
	w.advance(plan.end)
	w.healed = plan.end
	places := w.places()
	w.finish(0, f)
	report.Add(w.world)
	if w.wrong != "" {
		f.note(w.wrong)
		return nil
	}
	f.settleBound, f.liveBound = w.bounds()
	return places
}

// cutAt plays the session with something going away at a place.
func (f *halfOpenFound) cutAt(r *sim.Run, plan *sessionPlan, i int, at place, report *sim.Report) {
	w := newSessionWorld(r, f.halfOpenCase, plan, fmt.Sprintf("%s %d", f.label(), i))
	w.cut(at)
	w.vanishAgain()
	w.finish(i, f)
	f.cuts++
	report.Add(w.world)
	if w.wrong != "" {
		f.note(fmt.Sprintf("place %d, at %v: %s", i, at.at, w.wrong))
	}
}

// note keeps what went wrong.
func (f *halfOpenFound) note(text string) {
	if f.wrongs++; len(f.wrong) < maxWrong {
		f.wrong = append(f.wrong, text)
	}
}
