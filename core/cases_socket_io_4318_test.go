package core_test

import (
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/sim"
	"chordsim/sim/netsim"
)

// twoSecondsDown is how long a host waits at least before it dials again.
var twoSecondsDown = core.Reconnect{First: 4 * base.Second, Most: 4 * base.Second}

// TestSocketIO4318ACallThatTimedOutIsStillSent: with a deadline of one second, and no connection for two, nothing arrives. That
// goes for a call that was made meanwhile, and for one that was on its way when the connection broke: it goes again as a void.
func TestSocketIO4318ACallThatTimedOutIsStillSent(t *testing.T) {
	u := newUplinkLab(t, sim.Config{Reconnect: twoSecondsDown}, netsim.Memory)
	k := &desk{}
	u.worker.Core().Expose("Desk", k.object())
	r := u.get("Desk")
	u.settle()
	var lost, meanwhile outcome
	call := func(s string, o *outcome) func() {
		return func() { r.Call("now", s, o.done, core.Deadline(u.world.Now().Add(base.Second))) }
	}
	u.way.Connection().Link.Acceptor().BlackHole(true)
	u.at(u.tab, call("lost", &lost))
	u.drop()
	dropped := u.world.Now()
	u.at(u.tab, call("meanwhile", &meanwhile))
	u.run(base.Second)
	lost.wantOnce(t, "the call that was under way", base.CodeTimeout)
	meanwhile.wantOnce(t, "the call that was made meanwhile", base.CodeTimeout)
	u.settle()
	if down := u.world.Now().Sub(dropped); down < 2*base.Second || !u.way.Uplink().Connected() {
		t.Fatalf("connected %v, after %v", u.way.Uplink().Connected(), down)
	}
	wantStarts(t, k)
	wantInt(t, "calls that arrived", u.log.count["worker call"], 0)
	wantInt(t, "voids that arrived", u.log.count["worker void"], 1)
	wantInt(t, "settled", lost.settled+meanwhile.settled, 2)
	u.wantNoCalls()
}

// TestSocketIO5334RetriesMultiplyACall: a caller who tries again whenever its call times out, while there is no connection, has
// one call that arrives: the last one.
func TestSocketIO5334RetriesMultiplyACall(t *testing.T) {
	u := newUplinkLab(t, sim.Config{Reconnect: core.Reconnect{Grace: base.Second, First: base.Minute, Most: base.Minute}}, netsim.Memory)
	k := &desk{}
	u.worker.Core().Expose("Desk", k.object())
	r := u.get("Desk")
	u.settle()
	tries, settled := 0, 0
	var try func()
	try = func() {
		tries++
		r.Call("now", "x", func(_ delta.Value, err error) {
			if settled++; base.CodeOf(err) == base.CodeTimeout {
				try()
			} else if err != nil {
				t.Errorf("try %d: %v", tries, err)
			}
		}, core.Deadline(u.world.Now().Add(base.Second)))
	}
	u.drop()
	u.at(u.tab, try)
	u.settle()
	if tries < 20 || settled != tries {
		t.Errorf("%d tries, of which %d settled; want some for half a minute", tries, settled)
	}
	wantStarts(t, k, "x")
	wantInt(t, "calls that arrived", u.log.count["worker call"], 1)
	wantInt(t, "voids that arrived", u.log.count["worker void"], 0)
	u.wantNoCalls()
}
