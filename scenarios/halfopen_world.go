package scenarios

import (
	"chordsim/core"
	"chordsim/core/base"
	"chordsim/sim"
)

// liveStep is how often it is looked whether all is live.
const liveStep = 5 * base.Millisecond

// cut plays the session with something going away at a place, and what goes with it coming back.
func (w *sessionWorld) cut(at place) {
	if w.reset {
		w.advance(0)
		c, cut := w.connection(w.goes), false
		c.OnClosed(func(error) {
			if !cut {
				cut, w.healed = true, w.world.Now()
			}
		})
		w.cutEnd().CutAfter(at.after)
		if w.advance(w.plan.end); !cut {
			w.fail("the cut behind %d bytes had no effect", at.after)
		}
		return
	}
	if w.advance(at.at) {
		w.vanish(w.goes, w.plan.gone)
	}
}

// vanish has something go in silence, and what goes with it come back.
func (w *sessionWorld) vanish(goes string, gone base.Duration) {
	w.healed = w.world.Now()
	if host := w.machine(goes); host != nil {
		w.world.Vanish(host, 0)
		w.healed = w.healed.Add(gone)
		if w.advance(w.healed) {
			w.world.Restart(host)
		}
		return
	}
	if c := w.connection(goes); c != nil {
		c.Link.Dialer().Vanish()
		c.Link.Acceptor().Vanish()
	}
}

// vanishAgain has further things go, one after the other.
func (w *sessionWorld) vanishAgain() {
	for _, f := range w.plan.again {
		if !w.advance(w.healed.Add(f.after)) {
			return
		}
		w.vanish(f.goes, f.gone)
	}
}

// machine is the host that goes, or nil.
func (w *sessionWorld) machine(goes string) *sim.Host {
	switch goes {
	case goesTab:
		return w.tab
	case goesServer:
		return w.server
	case goesWorker:
		return w.worker
	}
	return nil
}

// bounds are how long it may take, from when what went is back, until each call has settled and until all is live. On each hop the
// side that dials finds out after two heartbeats without a word, an attempt that was under way may come to nothing, and it waits for
// as long as it ever does before the next one; then hands are shaken and what is held is held again, which behind a server may
// have to wait once more. All bytes of the session may have to cross again.
func (w *sessionWorld) bounds() (settle, live base.Duration) {
	hops, holds := base.Duration(1), base.Duration(0)
	if w.lastingWorld.form != formDirect {
		hops, holds = 2, 2
	}
	t := &w.times
	live = hops*(2*t.Heartbeat+t.Attempt+t.Most) + 4*w.roundTrip() + holds*t.Most + w.crossing(w.traffic()) + liveStep
	return live + w.plan.handler, live
}

// traffic is how many bytes were delivered so far, over all links.
func (w *sessionWorld) traffic() (sum int64) {
	for _, d := range w.delivered {
		sum += int64(d.bytes)
	}
	return sum
}

// live reports whether all that the tab holds is, and shows the newest.
func (w *sessionWorld) live() bool {
	for i, ref := range w.kept {
		doc := w.doc
		if i > 0 {
			doc = w.other
		}
		rev, ok := ref.Revision("notes")
		if ref.State() != core.StateLive || !ok || rev != doc.Revision() {
			return false
		}
	}
	return len(w.kept) > 0 && w.worker.Up()
}

// quiet reports whether the script is over and all it led to.
func (w *sessionWorld) quiet() bool {
	return w.next == len(w.plan.script) && w.waiting() == 0 && w.live()
}

// waiting counts the calls of the tab's present life that have not settled.
func (w *sessionWorld) waiting() (n int) {
	for _, c := range w.calls {
		if c.life == w.tab.Incarnation() && c.settled == 0 {
			n++
		}
	}
	return n
}

// finish follows the world until all is as it should be again, and adds what it found.
func (w *sessionWorld) finish(at int, f *halfOpenFound) {
	began := w.tabWay
	var session uint64
	if began != nil {
		session = began.Uplink().Link().Session()
	}
	w.commit("!") // which has to be seen
	settleBound, liveBound, alone := f.settleBound, f.liveBound, f.settleBound == 0
	if alone { // nothing goes away
		settleBound = base.Second + 8*w.roundTrip() + 2*w.crossing(w.traffic())
		liveBound = settleBound
	}
	shown := base.Time(0)
	deadline := w.healed.Add(max(settleBound, liveBound) + w.plan.end.Sub(0))
	for w.failed == nil && (shown == 0 || w.waiting() > 0 || w.next < len(w.plan.script)) && w.world.Now() < deadline {
		if !w.advance(w.world.Now().Add(liveStep)) {
			break
		}
		switch {
		case !w.live():
			shown = 0
		case shown == 0:
			shown = w.world.Now()
		}
	}
	if w.failed == nil {
		w.run(2*w.times.Heartbeat + w.times.Attempt) // for those that do not know yet
	}
	if err := w.settle(); err != nil {
		w.fail("%v", err)
		return
	}
	if shown == 0 {
		w.fail("not live within %v", liveBound)
		return
	}
	if took := shown.Sub(w.healed); took > f.live {
		f.live, f.liveAt = took, at
	}
	if took := shown.Sub(w.healed); took > liveBound+max(0, w.plan.end.Sub(w.healed)) {
		w.fail("live after %v, at most %v", took, liveBound)
	}
	switch {
	case alone:
	case w.tabWay == began && began.Uplink().Link().Session() == session:
		f.resumed++
	default:
		f.cold++
	}
	w.settledOnce(at, settleBound, f)
}

// settledOnce looks at the calls.
func (w *sessionWorld) settledOnce(at int, bound base.Duration, f *halfOpenFound) {
	for _, c := range w.calls {
		if c.life != w.tab.Incarnation() && c.settled == 0 {
			continue // nobody is there to be told
		}
		f.results[c.code]++
		if c.settled != 1 {
			w.fail("the call of %s at %v settled %d times", c.name, c.made, c.settled)
			continue
		}
		took := c.at.Sub(max(w.healed, c.made))
		if took > f.settle {
			f.settle, f.settleAt = took, at
		}
		if took > bound || c.at > c.deadline {
			w.fail("the call of %s at %v settled at %v, at most %v later", c.name, c.made, c.at, bound)
		}
	}
}
