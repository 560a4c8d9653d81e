package scenarios

import (
	"strconv"

	"chordsim/core/base"
	"chordsim/sim"
)

// drawnReconnects is how many cases a run of the small size has.
const drawnReconnects = 3

// drawReconnect draws a case and what it runs over.
func drawReconnect(r *sim.Run, number int) (reconnectPlan, reconnectCase) {
	d := newLastingDraws(r, "reconnect "+strconv.Itoa(number))
	plan := reconnectPlan{setup: d.setup(), entries: d.below("entries", 60), characters: d.below("characters", 300)}
	if d.in("large", 8) {
		plan.characters *= 8
	}
	c := reconnectCase{form: d.one("form", lastingForms...), references: 1 + d.below("references", 6), shared: d.in("shared", 2)}
	c.drawn = strconv.Itoa(number) + " "
	losses := []string{lossResumed, lossCold, lossNear, lossRestarted}
	if c.form != formDirect {
		losses = append(losses, lossRoute)
	}
	c.loss = d.one("loss", losses...)
	for range d.below("commits", 9) {
		plan.commits = append(plan.commits, d.bytes("commit"))
	}
	for range d.below("calls", 6) {
		plan.calls = append(plan.calls, d.bytes("argument"))
	}
	if size := sumOf(plan.commits); size*c.references > drawnResume {
		c.shared = true
	}
	gone := d.gone(c.loss, plan.setup.times.Grace)
	if c.loss == lossCold {
		gone -= plan.setup.times.Grace // which passes before anything else
	}
	plan.gone = gone / 2
	plan.every = (gone - plan.gone) / base.Duration(max(1, len(plan.commits)))
	if len(plan.commits) == 0 {
		plan.gone = gone
	}
	return plan, c
}

// drawnResume is how many bytes are committed at most while a way is lost, for all holds together: less than is kept for a session to
// go on.
const drawnResume = 512 * base.KiB

func sumOf(list []int) (sum int) {
	for _, n := range list {
		sum += n
	}
	return sum
}

// gone draws for how long the way is lost, of hosts that keep sessions for a while.
func (d *lastingDraws) gone(loss string, grace base.Duration) base.Duration {
	switch loss {
	case lossCold:
		return grace + d.between("gone", 100*base.Millisecond, 3*base.Second)
	case lossNear:
		return grace*9/10 + d.between("gone", 0, base.Second) - base.Second/2
	}
	least := base.Duration(0)
	if loss == lossRestarted {
		least = 200 * base.Millisecond // the tab knows by then, over every link that is drawn
	}
	// To connect and to shake hands takes a while, too.
	return d.between("gone", least, grace*9/10-1500*base.Millisecond)
}
