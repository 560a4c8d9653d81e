package main

import (
	"fmt"
	"io"
	"time"

	"chordsim/sim/sweep"
)

// sweepProgress shows on a terminal how a sweep goes on. In a pipe it is silent.
type sweepProgress struct {
	progress
	cfg  *sweep.Config
	last time.Time
}

// refresh is how often the line is written afresh.
const refresh = 200 * time.Millisecond

func newSweepProgress(w io.Writer, cfg *sweep.Config) *sweepProgress {
	return &sweepProgress{progress: *newProgress(w), cfg: cfg, last: time.Now()}
}

func (p *sweepProgress) show(t *sweep.Tally) {
	now := time.Now()
	if p.w == nil || now.Sub(p.start) < quiet || now.Sub(p.last) < refresh {
		return
	}
	p.last, p.shown = now, true
	wall := now.Sub(p.start)
	fmt.Fprintf(p.w, "\r\x1b[K%s", sweepLine(t, p.cfg, wall))
}

// sweepLine is the line of progress.
func sweepLine(t *sweep.Tally, cfg *sweep.Config, wall time.Duration) string {
	of := cfg.Jobs()
	line := thousands(float64(t.Runs)) + " of " + jobsText(of) + " runs"
	if cfg.For > 0 {
		line += fmt.Sprintf(", %v of %v", wall.Round(time.Second), cfg.For)
	}
	return line + fmt.Sprintf(" · %s seeds/s · %s s of virtual time/s · %s", rateText(sweep.Rate(t.Runs, wall)),
		thousands(sweep.Rate(t.Virtual, wall)/float64(time.Second)), amount(t.Failed, "failure"))
}
