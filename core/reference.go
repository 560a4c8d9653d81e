package core

import (
	"slices"

	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/link"
	"chordsim/core/wire"
)

// State says what a reference is good for.
type State uint8

// The states of a reference.
const (
	StateResolving State = iota // waits for the object's snapshot; calls wait too
	StateLive                   // follows the object
	StateDown                   // the way to the object is lost; what was seen last stays readable, and over an Uplink calls wait
	StateRetired                // the object is gone for good
	StateFailed                 // the hold was refused
	StateReleased               // let go of
)

var stateNames = [...]string{"resolving", "live", "down", "retired", "failed", "released"}

// String returns the state's name.
func (s State) String() string { return stateNames[s] }

// Reference is what a program has of an object of another host: live replicas of its members, and a way to call it.
type Reference struct {
	host    *Host
	client  *client // nil where there is no link to it
	address string
	grip    *grip      // nil where there is no link to it
	order   *callOrder // of the present hold
	state   State
	err     error
	watches []watch
	parked  []*PendingCall // made before the reference was live
	waiting int            // calls in client.waiting
	made    uint64         // calls
	onState func(StateChange)
	episode uint64 // how often it went down
}

// Address returns what the reference was made with.
func (r *Reference) Address() string { return r.address }

// Host returns the host that the reference belongs to.
func (r *Reference) Host() *Host { return r.host }

// Hold returns the link that the object is held over and the id of the hold there. The link is nil if there is none.
func (r *Reference) Hold() (*link.Link, uint64) {
	if r.grip == nil || r.grip.use == nil {
		return nil, 0
	}
	return r.client.peer.link, r.grip.id
}

// State returns what the reference is good for now.
func (r *Reference) State() State { return r.state }

// Err returns why the reference is down or failed, or nil.
func (r *Reference) Err() error { return r.err }

// Value returns a member's newest value, as last seen. It returns false for a member that was never seen.
func (r *Reference) Value(member string) (delta.Value, bool) {
	if p := r.member(member); p != nil {
		return p.value, true
	}
	return delta.Null(), false
}

// Revision returns the revision of a member's newest value.
func (r *Reference) Revision(member string) (wire.Revision, bool) {
	if p := r.member(member); p != nil {
		return p.rev, true
	}
	return wire.Revision{}, false
}

// Members lists the names of the members that were seen.
func (r *Reference) Members() []string {
	if r.grip == nil || r.state == StateReleased {
		return nil
	}
	names := make([]string, len(r.grip.members))
	for i, p := range r.grip.members {
		names[i] = p.name
	}
	return names
}

func (r *Reference) member(name string) *replica {
	if r.grip == nil || r.state == StateReleased {
		return nil
	}
	return r.grip.member(name)
}

// Watch has fn told of each frame of a member. It may be set in any state: on a live reference the first frame, with the
// value as it is now, comes before Watch returns; else once the reference is live.
func (r *Reference) Watch(member string, fn func(Frame)) {
	r.host.mustTurn("Reference.Watch")
	w := watch{member: member, fn: fn}
	p := r.member(member)
	if p == nil || r.state != StateLive {
		r.watches = append(r.watches, w)
		return
	}
	w.told, w.since, w.seen = true, p.rev, true
	r.watches = append(r.watches, w)
	fn(r.snapshot(p))
}

func (r *Reference) snapshot(p *replica) Frame {
	f := p.snapshot()
	f.Reference = r
	return f
}

// Release lets go of the object. Calls that were not sent settle as released; those that were, settle as they would.
func (r *Reference) Release() {
	r.host.mustTurn("Reference.Release")
	if r.state == StateReleased {
		return
	}
	r.become(StateReleased, nil)
	r.watches = nil
	r.settleAll(base.Errorf(base.CodeReleased, "the reference to %q was released", r.address))
	if r.grip != nil {
		r.grip.leave(r)
	}
}

// notify tells the watches of a frame. One that was set on the live reference meanwhile has seen its value already; one that has
// seen none yet gets all of it.
func (r *Reference) notify(f Frame) {
	for i, n := 0, len(r.watches); i < n; i++ {
		if r.state != StateLive {
			return // released by a watch
		}
		w := &r.watches[i]
		if w.member != f.Member || w.told && w.since == f.Revision {
			continue
		}
		seen := w.seen
		w.seen = true // before it sets others, for which the list may be moved
		switch {
		case f.Snapshot || seen && f.changes():
			w.fn(f)
		case !seen:
			w.fn(r.snapshot(r.grip.member(f.Member)))
		}
	}
}

// settleAll ends the calls that wait at the reference, or for their turn to be sent.
func (r *Reference) settleAll(err error) {
	parked := r.parked
	r.parked = nil
	if r.waiting > 0 {
		r.client.waiting = slices.DeleteFunc(r.client.waiting, func(pc *PendingCall) bool {
			if pc.ref == r {
				parked = append(parked, pc)
			}
			return pc.ref == r
		})
	}
	for _, pc := range parked {
		pc.settle(delta.Null(), err)
	}
}
