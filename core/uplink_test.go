package core_test

import (
	"fmt"
	"slices"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/faults/linkmodel"
	"chordsim/sim"
	"chordsim/sim/netsim"
)

// uplinkLab is a lab whose tab has a lasting way to the worker.
type uplinkLab struct {
	*lab
	way *sim.Way
	ref *core.Reference
}

func newUplinkLab(t *testing.T, cfg sim.Config, link netsim.Config) *uplinkLab {
	t.Helper()
	l := newLabIn(t, cfg, netsim.Memory)
	l.conn.Dialed().Close()
	l.run(0)
	u := &uplinkLab{lab: l}
	way, err := l.world.Dial(l.tab, l.worker, link, nil)
	if err != nil {
		t.Fatal(err)
	}
	u.way = way
	u.ref = l.get("View")
	u.settle()
	wantState(t, u.ref, core.StateLive)
	clear(l.log.count)
	clear(l.log.bytes)
	return u
}

// drop resets the connection, and has the worker refuse others for a while.
func (u *uplinkLab) drop() {
	u.t.Helper()
	u.way.Connection().Link.Reset()
	u.run(0)
}

// expose is what a worker that starts again has: nothing of before.
func (u *uplinkLab) expose(h *sim.Host) {
	u.doc = core.NewDocument(delta.Object(delta.Field{Key: "entries", Value: delta.List()}, delta.Field{Key: "reply", Value: delta.String("anew: ")}))
	h.Core().Expose("View", core.Object{State: core.Members{"notes": u.doc}, Methods: core.Methods{"stream": u.stream}})
}

// TestAShortDropIsAStall: the session goes on, nothing is held again, and calls settle with their results.
func TestAShortDropIsAStall(t *testing.T) {
	u := newUplinkLab(t, sim.Config{}, netsim.Memory)
	var sent, later outcome
	u.at(u.tab, func() { u.ref.Call("stream", "a", sent.done) })
	u.drop()
	wantState(t, u.ref, core.StateLive)
	u.commit("b")
	u.at(u.tab, func() { u.ref.Call("stream", "c", later.done) })
	if u.way.Uplink().Connected() || u.way.Uplink().Err() == nil {
		t.Errorf("connected %v, err %v", u.way.Uplink().Connected(), u.way.Uplink().Err())
	}
	u.settle()
	wantReply(t, u.ref, "abc")
	wantInt(t, "settled", sent.settled+later.settled, 2)
	wantCode(t, "the call that was sent", sent.err, base.CodeNone)
	wantCode(t, "the call that was made meanwhile", later.err, base.CodeNone)
	wantInt(t, "snapshots", u.log.count["tab bound"], 0)
	wantInt(t, "holds", u.log.count["worker hold"], 0)
	if !u.way.Uplink().Connected() || u.way.Uplink().Err() != nil {
		t.Errorf("connected %v, err %v", u.way.Uplink().Connected(), u.way.Uplink().Err())
	}
}

// TestAProviderThatIsAnotherOne has lost the session: objects are held again, calls that were sent have no known outcome, and
// those that were made since run in order.
func TestAProviderThatIsAnotherOne(t *testing.T) {
	u := newUplinkLab(t, sim.Config{}, netsim.Config{Up: linkmodel.Config{Latency: base.Second}})
	var running outcome
	var order []string
	u.at(u.tab, func() { u.ref.Call("stream", "x", running.done) })
	u.world.Crash(u.worker, 100)
	u.run(0)
	for i := range 20 {
		u.at(u.tab, func() {
			u.ref.Call("stream", fmt.Sprint(i, " "), func(_ delta.Value, err error) { order = append(order, fmt.Sprint(i, " ", err)) })
		})
	}
	u.run(base.Second / 2)
	wantState(t, u.ref, core.StateLive) // a stall, for all that the tab knows
	wantInt(t, "settled", running.settled, 0)
	u.worker.OnStart(u.expose)
	u.world.Restart(u.worker)
	u.settle()
	wantState(t, u.ref, core.StateLive)
	wantInt(t, "settled", running.settled, 1)
	wantCode(t, "the call that was sent", running.err, base.CodeUnknown)
	want, text := []string{}, "anew: "
	for i := range 20 {
		want, text = append(want, fmt.Sprint(i, " <nil>")), text+fmt.Sprint(i, " ")
	}
	if !slices.Equal(order, want) {
		t.Errorf("settled as %v", order)
	}
	wantReply(t, u.ref, text)
	wantInt(t, "snapshots", u.log.count["tab bound"], 1)
}

// TestTheGraceIsOver at both sides: the dialer's first.
func TestTheGraceIsOver(t *testing.T) {
	u := newUplinkLab(t, sim.Config{}, netsim.Memory)
	var lost base.Time
	u.way.OnChange(func() { lost = u.world.Now() })
	var sent, parked outcome
	began := u.world.Now()
	u.world.Vanish(u.worker, 100) // and never comes back
	u.at(u.tab, func() { u.ref.Call("stream", "x", sent.done) })
	u.run(21 * base.Second)
	wantState(t, u.ref, core.StateLive)
	if silent := lost.Sub(began); silent < 10*base.Second || silent > 20*base.Second || u.way.Uplink().Connected() {
		t.Errorf("the heartbeat took %v to find out", silent)
	}
	u.at(u.tab, func() { u.ref.Call("stream", "y", parked.done, core.Deadline(u.world.Now().Add(base.Hour))) })
	u.run(lost.Add(54*base.Second - 1).Sub(u.world.Now()))
	wantState(t, u.ref, core.StateLive)
	wantInt(t, "settled", sent.settled, 0)
	u.run(1)
	wantState(t, u.ref, core.StateDown)
	wantCode(t, "the reference", u.ref.Err(), base.CodeDown)
	wantCode(t, "the call that was sent", sent.err, base.CodeUnknown)
	wantReply(t, u.ref, "")
	wantInt(t, "the parked call", parked.settled, 0)
	u.run(base.Hour)
	wantCode(t, "the parked call", parked.err, base.CodeTimeout)
}

// TestTheNextLinkIsTheParent once the first one is closed.
func TestTheNextLinkIsTheParent(t *testing.T) {
	l := newLab(t, base.Limits{}, netsim.Memory)
	l.connect(l.tab, l.worker, netsim.Memory)
	l.conn.Dialed().Close()
	l.run(0)
	r := l.hold(l.tab, "View")
	l.settle()
	wantState(t, r, core.StateLive)
}
