package scenarios

import (
	"strings"

	"chordsim/core/base"
	"chordsim/sim"
	"chordsim/sim/netsim"
)

// sessionPlan is what a session runs over, what happens in it, and what is done to it besides the first thing that goes.
type sessionPlan struct {
	setup   lastingSetup
	script  []sessionStep
	end     base.Time     // when the script is over and all it led to, at the latest
	handler base.Duration // how long the handler runs that does not answer at once
	gone    base.Duration // for how long a machine is gone
	again   []furtherLoss
	drawn   bool
}

// sessionStep is something that the hosts do.
type sessionStep struct {
	at base.Time
	do func(*sessionWorld)
}

// furtherLoss is something that goes a while after what went before is back, or can be dialed.
type furtherLoss struct {
	after base.Duration
	goes  string
	gone  base.Duration
}

// fixedSession is the plan of a case that is not drawn.
func fixedSession(r *sim.Run, c halfOpenCase) *sessionPlan {
	p := &sessionPlan{
		setup: setupOf(r, halfOpenTimes, halfOpenLimits), script: sessionScript, end: base.Time(250 * base.Millisecond),
		handler: 60 * base.Millisecond, gone: machineGone,
	}
	if c.bytes {
		p.setup.link.Stream = &netsim.StreamConfig{Min: 1, Max: 1}
	}
	p.setup.route = p.setup.link
	return p
}

// sessionScript is what the hosts do, in order.
var sessionScript = []sessionStep{
	{base.Time(45 * base.Millisecond), func(w *sessionWorld) {
		w.call("later", "")
		w.call("add", "x")
		w.call("echo", strings.Repeat("a", 150))
		w.call("echo", "in time", 40*base.Millisecond)
	}},
	{base.Time(60 * base.Millisecond), func(w *sessionWorld) { w.commit("b") }},
	{base.Time(70 * base.Millisecond), func(w *sessionWorld) {
		w.call("never", "", 50*base.Millisecond)
		w.callAndCancel()
		w.releaseOther()
	}},
	{base.Time(90 * base.Millisecond), func(w *sessionWorld) { w.commit(strings.Repeat("c", 150)) }},
	{base.Time(110 * base.Millisecond), func(w *sessionWorld) {
		w.holdOther()
		w.call("add", "y")
	}},
	{base.Time(170 * base.Millisecond), func(w *sessionWorld) { // nothing large is under way: they travel as control messages
		w.call("echo", "in time", 40*base.Millisecond)
		w.call("echo", "in time", 40*base.Millisecond)
		w.commit("d") // arrives at one side while they are on their way to the other
	}},
}

// callAndCancel has the tab call what does not answer, and cancel it at once.
func (w *sessionWorld) callAndCancel() {
	given := w.call("never", "")
	w.tab.Do(func() {
		if given.pc != nil {
			given.pc.Cancel()
		}
	})
}

// releaseOther has the tab let go of the other object, if it holds it.
func (w *sessionWorld) releaseOther() {
	w.tab.Do(func() {
		if n := len(w.kept) - 1; n > 0 {
			w.kept[n].Release()
			w.kept = w.kept[:n]
		}
	})
}

// holdOther has the tab hold the other object.
func (w *sessionWorld) holdOther() {
	w.tab.Do(func() { w.kept = append(w.kept, w.tab.Core().Get(w.prefix+"Other")) })
}
