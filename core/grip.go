package core

import (
	"slices"

	"chordsim/core/base"
)

// grip is a hold as its consumer has it: the replicas of an object, and the references that show them.
type grip struct {
	client  *client
	address string
	shared  bool   // others that get the address join
	number  uint64 // among those of its client, in the order made

	id      uint64         // of the hold
	use     *holdUse       // of the id; nil: there is no hold
	bound   bool           // its snapshot arrived
	named   bool           // it named what the replicas have
	whole   bool           // the next one names nothing: who was told what the replicas have broke the protocol
	entries uint64         // state entries that came since
	held    []*PendingCall // answered, wait for an entry

	members []*replica
	methods map[string]int
	refs    []*Reference // never changed in place but at the end: who goes through it may release some

	tries int       // holds in a row that came to nothing, or to something that did not last
	since base.Time // when it was bound last
	due   base.Time // when the object is held again, while there is no hold
}

// over reports whether nobody wants the object any more.
func (g *grip) over() bool { return len(g.refs) == 0 }

// live reports whether the references show what the object has.
func (g *grip) live() bool { return !g.over() && g.refs[0].state == StateLive }

// seen reports whether the object was ever live.
func (g *grip) seen() bool { return g.methods != nil }

func (g *grip) member(name string) *replica {
	for _, p := range g.members {
		if p.name == name {
			return p
		}
	}
	return nil
}

// join gives a reference what the others have.
func (g *grip) join(r *Reference) {
	r.grip, r.order = g, &callOrder{use: g.use}
	if !g.over() {
		r.state, r.err, r.episode = g.refs[0].state, g.refs[0].err, g.refs[0].episode
	}
	g.refs = append(g.refs, r)
}

// leave takes a reference out. The last one lets go of the object.
func (g *grip) leave(r *Reference) {
	g.refs = slices.DeleteFunc(slices.Clone(g.refs), func(o *Reference) bool { return o == r })
	if g.over() {
		g.members, g.methods = nil, nil
		g.client.letGo(g)
		g.showHeld()
	}
}

// bind makes the object's replicas visible.
func (g *grip) bind(methods []string, members []boundMember) {
	g.members, g.bound, g.since, g.whole = make([]*replica, len(members)), true, g.client.host.Now(), false
	for i := range members {
		g.members[i] = members[i].replica
	}
	g.methods = make(map[string]int, len(methods))
	for i, name := range methods {
		g.methods[name] = i
	}
	// Before anybody is told that a reference is live: what they call goes behind what was parked (C4).
	for _, r := range g.refs {
		r.become(StateLive, nil)
		parked := r.parked
		r.parked = nil
		for _, pc := range parked {
			if !pc.settled && !pc.late() {
				pc.send()
			}
		}
	}
	if p := g.client.host.probe; p.Live != nil {
		p.Live(g.refs[0])
	}
	for i := range members {
		if g.over() {
			return // released by a watch
		}
		g.notify(members[i].frame)
	}
}

// notify tells the watches of a frame.
func (g *grip) notify(f Frame) {
	probe := g.client.host.probe.Frame
	if f.changes() {
		g.client.host.stats.Frames++
	} else {
		probe = nil
	}
	for _, r := range g.refs {
		if r.state != StateLive {
			continue // released by a watch on another frame of the same message, or just now
		}
		f.Reference = r
		if probe != nil {
			probe(f)
			probe = nil // one of a replica, whoever looks at it
		}
		r.notify(f)
	}
}

// fail ends the references: there is no such object.
func (g *grip) fail(err error) {
	refs := g.refs
	for _, r := range refs {
		r.become(StateFailed, err)
	}
	g.client.unshare(g)
	for _, r := range refs {
		r.settleAll(err)
	}
	g.showHeld()
}

// down ends what was on its way to the object for good.
func (g *grip) down(err error) {
	g.lose(err)
	g.client.unshare(g)
	for _, r := range g.refs {
		r.settleAll(err)
	}
	g.showHeld()
}

// lose makes the references down, without a word to those who wait at them.
func (g *grip) lose(err error) {
	if h := g.client.host; g.live() && h.Now().Sub(g.since) >= h.reconnect.Most {
		g.tries = 0
	}
	told := false
	for _, r := range g.refs {
		if r.state != StateResolving && r.state != StateLive {
			continue
		}
		r.become(StateDown, err)
		for i := range r.watches {
			r.watches[i].told = false
		}
		if p := r.host.probe; p.Down != nil && !told {
			p.Down(r)
			told = true
		}
	}
}

// waitsFor reports whether an entry was not seen yet and may still come: to an object that is bound, or is being held, be it for the
// first time or again, and will be bound before the entry comes.
func (g *grip) waitsFor(entry uint64) bool {
	return g.entries < entry && !g.over() && g.use != nil && g.refs[0].state <= StateDown
}

// showHeld settles the calls whose results are known: the state that they wait for here will not come.
func (g *grip) showHeld() {
	held := g.held
	g.held = nil
	for _, pc := range held {
		pc.after = slices.DeleteFunc(pc.after, func(a awaited) bool { return a.grip == g })
		if !pc.waits() {
			pc.show()
		}
	}
}

// settleWaiting settles calls whose entries have come.
func (g *grip) settleWaiting() {
	held := g.held
	keep := held[:0]
	for _, pc := range held {
		if pc.waits() {
			keep = append(keep, pc)
		} else {
			pc.show()
		}
	}
	clear(held[len(keep):])
	g.held = keep
}
