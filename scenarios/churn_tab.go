package scenarios

import (
	"fmt"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/sim"
)

// churnMostWants is how many objects a tab wants at a time.
const churnMostWants = 4

// churnTab is a host that holds objects of workers, watches and calls them.
type churnTab struct {
	w      *churnWorld
	host   *sim.Host
	line   *churnLine
	direct int // the worker that it dials; -1: it dials the server
	wants  []*churnWant
	open   []*churnCall // of the present life that did not settle, oldest first
	began  bool
	place  map[string]*base.Stream // the draws, by purpose
}

// churnWant is an object that a tab wants, whatever becomes of references to it.
type churnWant struct {
	worker int
	object int // of churnObjects
	ref    *core.Reference
	got    base.Time // when the reference was made
	asked  base.Time // a ping that is not answered; 0: none
	heard  base.Time // when the last one that was answered had been asked
}

func newChurnTab(w *churnWorld, name, to string) *churnTab {
	t := &churnTab{w: w, host: w.host(name), direct: -1, place: map[string]*base.Stream{}}
	dialed := w.server.host
	for i, p := range w.workers {
		if p.host.Name() == to {
			t.direct, dialed = i, p.host
		}
	}
	t.line = w.line(t.host, dialed)
	t.host.OnStart(t.start)
	return t
}

// draw draws below a number, for a purpose.
func (t *churnTab) draw(purpose string, n int) int {
	s := t.place[purpose]
	if s == nil {
		s = t.w.draws(t.host.Name(), purpose)
		t.place[purpose] = s
	}
	return int(s.Below(uint64(n)))
}

// begin makes the first connection, and has the tab look after it.
func (t *churnTab) begin() {
	t.line.connect()
	t.began = true
	t.w.paced(t.w.draws(t.host.Name(), "look"), 100*base.Millisecond, 300*base.Millisecond, t.w.tended, t.look)
}

// start begins a life. What the one before had is gone, calls that were not answered included.
func (t *churnTab) start(*sim.Host) {
	t.w.tally.dropped += len(t.open)
	t.open = nil
	for _, want := range t.wants {
		want.ref = nil
	}
	if t.began && !t.line.mine() {
		t.line.connect()
	}
}

// address is where the tab finds what it wants.
func (t *churnTab) address(want *churnWant) string {
	address := churnObjects[want.object].address
	if t.direct < 0 {
		address = fmt.Sprintf("Session/%d/%s", want.worker+1, address)
	}
	return address
}

// hold gets a reference to what is wanted and watches it, within a turn.
func (t *churnTab) hold(want *churnWant) {
	want.ref = t.host.Core().Get(t.address(want))
	want.got, want.asked = t.w.world.Now(), 0
	for _, member := range churnObjects[want.object].members {
		want.ref.Watch(member, t.frame)
	}
}

func (t *churnTab) frame(f core.Frame) {
	t.w.tally.frames++
	if f.Snapshot {
		t.w.tally.snapshots++
	}
}

// forget wants something no more, within a turn.
func (t *churnTab) forget(want *churnWant) {
	for i, other := range t.wants {
		if other == want {
			t.wants = append(t.wants[:i:i], t.wants[i+1:]...)
			break
		}
	}
	t.release(want)
}

func (t *churnTab) release(want *churnWant) {
	if want.ref != nil {
		want.ref.Release()
		want.ref = nil
	}
}

// releaseAll lets go of everything, in the end.
func (t *churnTab) releaseAll() {
	for _, want := range t.wants {
		t.release(want)
	}
}

// look sees to the tab's connection and references: what is over is made again, and what does not answer is given up.
func (t *churnTab) look() {
	l := t.line
	switch {
	case !t.host.Up() || l.due:
		return
	case l.lasting && l.mine():
		t.host.Do(t.tend)
		return
	case l.lost():
		if t.draw("reload", 4) == 0 {
			l.again()
		} else {
			l.restart()
		}
		return
	case !l.up():
		if l.late(l.since) {
			l.wait()
			l.restart()
		}
		return
	}
	if len(t.open) > 0 && l.late(t.open[0].made) { // by a reference that was let go of since, over a dead way
		l.wait()
		l.restart()
		return
	}
	for _, want := range t.wants {
		if want.ref == nil {
			continue
		}
		if l.orphaned(want.ref) {
			return
		}
		if late := want.asked != 0 && l.late(want.asked); late || want.ref.State() == core.StateResolving && l.late(want.got) {
			l.wait()
			l.restart()
			return
		}
	}
	t.host.Do(t.tend)
}

// tend holds again what is not held any more, and asks those who are whether they are there, within a turn.
func (t *churnTab) tend() {
	for _, want := range t.wants {
		switch {
		case want.ref != nil && t.line.lasting && want.ref.State() == core.StateDown: // it will be live again
		case want.ref == nil || want.ref.State() > core.StateLive:
			if want.ref == nil || t.draw("hold again", 2) == 0 {
				t.release(want)
				t.hold(want)
			}
		case want.ref.State() == core.StateLive && want.asked == 0 && (!t.w.calm || want.heard < t.w.heal):
			t.ping(want)
		}
	}
}

// ails says what is not as it must be in the end, or "".
func (t *churnTab) ails() string {
	name := t.host.Name()
	switch {
	case !t.host.Up():
		return name + " is down"
	case !t.line.up():
		return name + " is not connected"
	}
	for _, want := range t.wants {
		if why := t.lacks(want); why != "" {
			return fmt.Sprintf("%s: %s %s", name, t.address(want), why)
		}
	}
	for _, c := range t.open {
		if c.method == "ping" && c.made >= t.w.heal && !t.w.over {
			continue // what it is for was looked at, or will be
		}
		return fmt.Sprintf("%s: %d calls did not settle, the first is %s of %s, made at %v", name, len(t.open), c.method, c.ref.Address(), c.made)
	}
	return ""
}

// lacks says what is not as it must be with something that is wanted, or "".
func (t *churnTab) lacks(want *churnWant) string {
	switch {
	case want.ref == nil:
		return "is not held"
	case want.ref.State() != core.StateLive:
		return fmt.Sprintf("is %v: %v", want.ref.State(), want.ref.Err())
	case want.heard < t.w.heal:
		return "did not answer since the heal"
	}
	for _, member := range churnObjects[want.object].members {
		doc := t.w.workers[want.worker].docs[member]
		value, _ := want.ref.Value(member)
		if revision, ok := want.ref.Revision(member); !ok || revision != doc.Revision() || !value.Equal(doc.Value()) {
			return fmt.Sprintf("has %s at revision %v, which is at %v", member, revision, doc.Revision())
		}
	}
	return ""
}
