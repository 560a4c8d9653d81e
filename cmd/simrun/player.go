package main

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"chordsim/core/base"
	"chordsim/sim"
	"chordsim/sim/sweep"
	"chordsim/sim/sweep/repro"
	"chordsim/sim/trace"
)

// player plays runs of one scenario in this process, under a guard: none of them takes the process with it when it panics, and
// none goes on for ever. When one breaks off, the player knows what came before.
type player struct {
	scenario *sim.Scenario
	given    func() *sim.Run // what a run is given, the same each time
	header   trace.FileHeader
	guard    sweep.Guard
	progress *progress
	keep     *recorder // takes the events; nil: nobody does

	events int64          // of the run that was played last
	broken *repro.Failure // how it broke off; nil: it did not
	last   []trace.Event  // the events before that
}

// newPlayer makes a player. Release gives the signals back.
func newPlayer(e *env, l limits, scenario *sim.Scenario, h trace.FileHeader, given func() *sim.Run) (p *player, release func(), err error) {
	budget, err := l.budget()
	if err != nil {
		return nil, nil, err
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	p = &player{
		scenario: scenario, given: given, header: h, progress: newProgress(e.stderr),
		guard: sweep.Guard{Budget: budget, Interrupt: signals},
	}
	return p, func() { signal.Stop(signals) }, nil
}

// play plays a run. Of one that broke off the report is nil, and broken says how.
func (p *player) play(play func(*sim.Run) (*sim.Report, error), r *sim.Run) (*sim.Report, error) {
	r.Checkpoints = &trace.Checkpoints{Each: p.guard.Alive}
	r.Progress = p.progress.show
	if p.keep != nil {
		r.Sink = p.keep
	}
	before := p.guard.Signs()
	report, failure, err := p.guard.Play(play, r)
	p.progress.done()
	p.events = p.guard.Signs() - before
	if failure != nil {
		p.broken = failure
		p.last = p.before()
	}
	return report, err
}

// before returns the last events of the run that broke off. If nobody kept them it is played again, as far as there.
func (p *player) before() []trace.Event {
	if p.keep != nil {
		return p.keep.end()
	}
	again := &recorder{until: p.events}
	if p.events == 0 {
		return nil
	}
	r := p.given()
	r.Sink, r.Checkpoints = again, &trace.Checkpoints{Each: p.guard.Alive}
	_, _, _ = p.guard.Play(p.scenario.Run, r) // which the recorder ends
	if again.count != p.events {
		return nil // it is another run
	}
	return again.end()
}

// what names the run in one word or two.
func (p *player) what() string {
	return strings.Join(append([]string{fmt.Sprintf("%s@%d", p.header.Scenario, p.header.Seed)}, p.header.Settings...), " ")
}

// verdict says how the run broke off.
func (p *player) verdict() trace.Verdict {
	f := p.broken
	place := p.what()
	if f.Place != "" {
		place += " at " + f.Place
	}
	return trace.Verdict{Ran: p.events, Findings: []trace.Finding{{
		Kind: string(f.Kind), Count: 1, Texts: []string{repro.Line(f.Text, repro.MaxText)}, Place: place, Stack: f.Stack,
	}}}
}

// print shows a run that broke off: what came before it, how it did, and how to have it again.
func (p *player) print(w io.Writer) {
	fmt.Fprintf(w, "%s · it did not come to its end\n", p.what())
	if n := len(p.last); n > 0 {
		fmt.Fprintf(w, "the last %d of %d events\n", n, p.events)
		columns := trace.NewColumns(trace.DefaultWidth)
		for i := range p.last {
			columns.Measure(&p.last[i])
		}
		fmt.Fprintln(w, columns.Heading())
		for i := range p.last {
			fmt.Fprintln(w, columns.Line(&p.last[i]))
		}
	} else {
		fmt.Fprintf(w, "%s\n", amount(p.events, "event"))
	}
	v := p.verdict()
	printVerdict(w, &v, p.header.Command, trace.DefaultWidth)
}

// at is the virtual time of the last event that is known.
func (p *player) at() base.Time {
	if n := len(p.last); n > 0 {
		return p.last[n-1].At
	}
	return 0
}
