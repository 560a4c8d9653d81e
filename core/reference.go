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
	StateDown                   // the way to the object is lost; what was seen last stays readable
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
	id      uint64
	state   State
	err     error
	bound   bool // the snapshot arrived
	members []*replica
	methods map[string]int
	watches []watch
	entries uint64         // state entries that came since the bind
	parked  []*PendingCall // made before the reference was live
	order   callOrder
	gone    bool           // not in client.refs any more
	held    []*PendingCall // answered, wait for an entry
}

// Address returns what the reference was made with.
func (r *Reference) Address() string { return r.address }

// Host returns the host that the reference belongs to.
func (r *Reference) Host() *Host { return r.host }

// Hold returns the link that the object is held over and the id of the hold there. The link is nil if there is none.
func (r *Reference) Hold() (*link.Link, uint64) {
	if r.client == nil {
		return nil, 0
	}
	return r.client.peer.link, r.id
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
	names := make([]string, len(r.members))
	for i, p := range r.members {
		names[i] = p.name
	}
	return names
}

func (r *Reference) member(name string) *replica {
	for _, p := range r.members {
		if p.name == name {
			return p
		}
	}
	return nil
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
	w.told, w.since = true, p.rev
	r.watches = append(r.watches, w)
	fn(r.snapshot(p))
}

func (r *Reference) snapshot(p *replica) Frame {
	return Frame{
		Reference: r, Member: p.name, Base: p.rev, Revision: p.rev, Value: p.value, Snapshot: true,
		Ops: []delta.Op{{Code: delta.OpReplace, Value: p.value}},
	}
}

// Release lets go of the object. Calls that were not sent settle as released; those that were, settle as they would.
func (r *Reference) Release() {
	r.host.mustTurn("Reference.Release")
	if r.state == StateReleased {
		return
	}
	holding := r.state == StateResolving || r.state == StateLive
	r.state = StateReleased
	r.watches, r.members, r.methods = nil, nil, nil
	r.settleAll(base.Errorf(base.CodeReleased, "the reference to %q was released", r.address))
	if holding {
		l := r.client.peer.link
		l.SendControl(wire.TypeRelease, 0, wire.AppendHoldID(l.Codec(), l.Buffer(), r.id))
	}
}

func (r *Reference) bind(methods []string, members []*replica) {
	r.members, r.bound, r.state = members, true, StateLive
	r.methods = make(map[string]int, len(methods))
	for i, name := range methods {
		r.methods[name] = i
	}
	// Before anybody is told that the reference is live: what they call goes behind what was parked (C4).
	parked := r.parked
	r.parked = nil
	for _, pc := range parked {
		if !pc.settled && !pc.late() {
			pc.send()
		}
	}
	if r.host.probe.Live != nil {
		r.host.probe.Live(r)
	}
	for _, p := range members {
		if r.state != StateLive {
			return // released by a watch
		}
		r.host.stats.Frames++
		r.notify(r.snapshot(p))
	}
}

// notify tells the watches of a frame. One that was set on the live reference meanwhile has seen its value already.
func (r *Reference) notify(f Frame) {
	if r.state != StateLive {
		return // released by a watch on another frame of the same message
	}
	if r.host.probe.Frame != nil {
		r.host.probe.Frame(f)
	}
	for _, w := range r.watches {
		if r.state != StateLive {
			return // released by a watch
		}
		if w.member == f.Member && !(w.told && w.since == f.Revision) {
			w.fn(f)
		}
	}
}

func (r *Reference) fail(err error) {
	if r.state != StateReleased {
		r.state, r.err = StateFailed, err
	}
	r.settleAll(err)
}

func (r *Reference) down(err error) {
	r.lose(err)
	r.settleAll(err)
}

// lose makes the reference down, without a word to those who wait at it.
func (r *Reference) lose(err error) {
	if r.state == StateResolving || r.state == StateLive {
		r.state, r.err = StateDown, err
		if r.host.probe.Down != nil {
			r.host.probe.Down(r)
		}
	}
}

// settleAll ends the calls that wait at the reference, or for their turn to be sent.
func (r *Reference) settleAll(err error) {
	parked, held := r.parked, r.held
	r.parked, r.held = nil, nil
	if r.order.waiting > 0 {
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
	for _, pc := range held { // their results are known; the state that they wait for here will not come
		if !pc.waits() {
			pc.show()
		}
	}
}

// settleWaiting settles calls whose entries have come.
func (r *Reference) settleWaiting() {
	held := r.held
	keep := held[:0]
	for _, pc := range held {
		if pc.waits() {
			keep = append(keep, pc)
		} else {
			pc.show()
		}
	}
	clear(held[len(keep):])
	r.held = keep
}
