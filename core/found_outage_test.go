package core_test

import (
	"errors"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/wire"
	"chordsim/faults/linkmodel"
	"chordsim/sim"
	"chordsim/sim/netsim"
)

// TestACallThatGoesAgainAsAVoidMakesRoom: the only call that may be unanswered is given up on while there is no transport, after its
// bytes were lost. The one that waits behind it goes with the next transport.
func TestACallThatGoesAgainAsAVoidMakesRoom(t *testing.T) {
	far := linkmodel.Config{Latency: 10 * base.Millisecond}
	u := newUplinkLab(t, sim.Config{Limits: base.Limits{RunningCalls: 1}}, netsim.Config{Up: far, Down: far})
	var lost, waits outcome
	u.at(u.tab, func() {
		u.ref.Call("stream", "a", lost.done, core.Deadline(u.world.Now().Add(base.Millisecond)))
		u.ref.Call("stream", "b", waits.done)
	})
	u.drop()
	u.run(base.Millisecond)
	lost.wantOnce(t, "the call that was lost", base.CodeTimeout)
	u.settle()
	waits.wantOnce(t, "the call that waited", base.CodeNone)
	wantReply(t, u.ref, "b")
}

// TestAResultWaitsForAnObjectThatIsHeldAgain: two references with a hold each are held again by another session. The one is bound, and a
// call of it is answered that committed to what the other is about to be bound to: the snapshot that is under way is older.
func TestAResultWaitsForAnObjectThatIsHeldAgain(t *testing.T) {
	h := newRawHost(t, "tab", base.Limits{})
	d := &rawDialer{host: h}
	h.Dial(d)
	p := d.welcomed(1)
	var first, second *core.Reference
	h.do(func() { first, second = h.Get("A", core.Unshared()), h.Get("A", core.Unshared()) })
	bound := func(p *rawPeer, id uint64) {
		p.say(wire.TypeBound, wire.Bound{ID: id, Members: []wire.BoundMember{
			{Name: "m", Revision: wire.Revision{Epoch: 1, Number: 1}, Part: wire.AppendValue(nil, delta.Int(1))},
		}}.Append(wire.Binary, nil))
	}
	bound(p, 0)
	bound(p, 1)
	p.conn.Closed(errors.New("cut"))
	h.sched.advance(base.Second)
	p = d.newest()
	p.welcome(2) // another session
	bound(p, 0)
	wantState(t, first, core.StateLive)
	wantState(t, second, core.StateDown)
	var o outcome
	h.do(func() { first.Call("x", nil, o.done) })
	p.say(wire.TypeResult, wire.Result{After: []wire.After{{Hold: 1, Entry: 1}}}.Append(wire.Binary, nil))
	wantInt(t, "settled before the state", o.settled, 0)
	bound(p, 1)
	wantState(t, second, core.StateLive)
	wantInt(t, "settled with the old snapshot", o.settled, 0)
	ops := wire.AppendOps(nil, []delta.Op{delta.Replace(delta.Int(2))}, &wire.Dict{}, &wire.Told{}, &wire.Used{})
	body := wire.AppendEntry(wire.Binary, nil, 1)
	body = wire.Section{Base: 1, Span: 1, Ops: ops}.Append(wire.Binary, body, false)
	p.say(wire.TypeState, wire.EndState(wire.Binary, body))
	o.wantOnce(t, "the call", base.CodeNone)
}

// TestACallNotSentSettlesWithItsReference: calls are behind one another in front of a slow way, their reference is released behind them,
// as one of several that share a hold or as the last, and then the session is lost. Nobody will hold the object for those calls again.
func TestACallNotSentSettlesWithItsReference(t *testing.T) {
	for name, shares := range map[string]bool{"the last reference": false, "one of two": true} {
		t.Run(name, func(t *testing.T) {
			u := newUplinkLab(t, sim.Config{}, netsim.Config{Buffer: 1, Up: linkmodel.Config{Rate: base.KiB}})
			released := u.ref
			if shares {
				released = u.get("View")
				u.settle()
				wantState(t, released, core.StateLive)
			}
			var written, unsent outcome
			u.at(u.tab, func() {
				released.Call("stream", "a", written.done)
				released.Call("stream", "b", unsent.done)
				released.Release()
			})
			u.world.Crash(u.worker, 100)
			u.run(base.Millisecond)
			u.world.Restart(u.worker)
			u.expose(u.worker)
			u.settle()
			written.wantOnce(t, "the call that was being written", base.CodeUnknown)
			unsent.wantOnce(t, "the call that was not", base.CodeReleased)
			if shares {
				wantReply(t, u.ref, "anew: ")
			}
		})
	}
}
