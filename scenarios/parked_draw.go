package scenarios

import (
	"strconv"

	"chordsim/core/base"
	"chordsim/sim"
)

// drawnParked is how many cases a run of the small size has.
const drawnParked = 4

// Of what is drawn, in percent: all kinds of calls in one, and otherwise one of the parts.
const mixedShare = 60

// drawParked draws a case and what it runs over.
func drawParked(r *sim.Run, number int) (plan parkedPlan, part parkedPart, form, kind string) {
	d := newLastingDraws(r, "parked "+strconv.Itoa(number))
	plan = parkedPlan{setup: d.setup(), calls: 1 + d.below("calls", 200), message: 4 * callBytes} // of text, too
	plan.short = d.between("short", 40*base.Millisecond, plan.setup.times.Grace*9/10-1500*base.Millisecond)
	form, kind = d.one("form", lastingForms...), d.one("kind", outageShort, outageLong)
	part = parkedPart{partMixed, (*parkedWorld).playMixed}
	if only := r.Values.Text("part"); only != "all" || d.below("part", 100) >= mixedShare {
		part = parkedParts[d.below("part", len(parkedParts))]
		for _, p := range parkedParts {
			if p.what == only {
				part = p
			}
		}
	}
	limits := base.Limits{}
	if part.what == partMixed {
		plan.mixed = d.mixed(plan.setup.times.Grace)
		kind = plan.mixed.loss
		limits.RunningCalls = []int{1, 2, 16, 256}[d.below("running", 4)]
		limits.WindowMessages = []int{1, 2, 4, 8}[d.below("window", 4)]
		limits.ChunkBytes = []int{128, 1024, 4096, 4096}[d.below("chunk", 4)]
	} else {
		limits.ParkedCalls, limits.ParkedBytes = 16+d.below("parked", 500), 8*base.KiB+d.below("parked bytes", 120*base.KiB)
		plan.flood = 2 * limits.ParkedCalls
		plan.calls = min(plan.calls, limits.ParkedCalls-1, limits.ParkedBytes/parkedEach)
	}
	plan.setup.limits = limits.WithDefaults()
	return plan, part, form, kind
}

// parkedEach is more than a call takes while it waits, in bytes of the limit on those, whose argument has a few.
const parkedEach = 128

// mixed draws the calls of a mixed part, of hosts that keep sessions for a while.
func (d *lastingDraws) mixed(grace base.Duration) *mixedPlan {
	p := &mixedPlan{loss: d.one("loss", lossResumed, lossCold, lossNear), references: 1 + d.below("references", 3)}
	p.shared = d.in("shared", 2)
	p.gone = d.gone(p.loss, grace)
	p.handlers = d.between("handlers", 0, 2*base.Millisecond) * base.Duration(d.below("handlers", 2))
	at := func(purpose string) base.Duration {
		switch d.below(purpose+" when", 4) {
		case 0: // as the way goes
			return d.between(purpose+" at", 0, 2*mixedBefore)
		case 1: // as it is back
			return mixedBefore + p.gone + d.between(purpose+" at", 0, 200*base.Millisecond) - min(p.gone, 100*base.Millisecond)
		}
		return d.between(purpose+" at", mixedBefore, mixedBefore+p.gone)
	}
	for range 1 + d.below("calls", 40) {
		c := mixedCall{ref: d.below("reference", p.references), what: d.one("what", "note", "note", "later", "commit"), at: at("call")}
		c.bytes, c.within, c.cancel = d.bytes("argument"), base.Forever, base.Forever
		switch d.below("deadline", 6) {
		case 0:
			c.within = d.between("within", base.Microsecond, p.gone+base.Millisecond)
		case 1:
			c.within = max(base.Microsecond, mixedBefore+p.gone-c.at+d.between("within", 0, 200*base.Millisecond)-100*base.Millisecond)
		case 2:
			c.within = base.Minute
		}
		if d.in("cancel", 10) {
			c.cancel = d.between("cancel after", 0, p.gone+base.Millisecond)
		}
		if c.what == "later" {
			c.takes = d.between("takes", 0, 80*base.Millisecond)
		}
		p.calls = append(p.calls, c)
	}
	for range d.below("commits", 8) {
		p.commits = append(p.commits, mixedCommit{at("commit"), d.bytes("text")})
	}
	return p
}
