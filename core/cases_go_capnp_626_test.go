package core_test

import (
	"fmt"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/link"
	"chordsim/faults/linkmodel"
	"chordsim/sim"
	"chordsim/sim/netsim"
)

// TestGoCapnp626AnIDReusedBeforeItWasRetired: a call is given up on and the next one made at once, over and over. No two that are
// under way have one id, an id comes back with its answer unless its call was given up on, and nothing waits for that.
func TestGoCapnp626AnIDReusedBeforeItWasRetired(t *testing.T) {
	for why, latency := range map[string]base.Duration{"at once": 0, "with answers under way": base.Millisecond} {
		t.Run(why, func(t *testing.T) {
			l := newLabIn(t, sim.Config{}, netsim.Config{
				Up: linkmodel.Config{Latency: latency}, Down: linkmodel.Config{Latency: latency},
			})
			k := &desk{}
			l.worker.Core().Expose("Desk", k.object())
			taken, highest := map[uint64]bool{}, uint64(0)
			tab := l.world.HostWith("watched", func(c *core.Config) {
				probe := *c.Probe
				sent, answered := probe.CallSent, probe.Answered
				probe.CallSent = func(pc *core.PendingCall, way *link.Link, id uint64) {
					if taken[id] {
						t.Errorf("id %d is taken twice", id)
					}
					taken[id], highest = true, max(highest, id)
					sent(pc, way, id)
				}
				probe.Answered = func(way *link.Link, id uint64, pc *core.PendingCall) {
					delete(taken, id)
					answered(way, id, pc)
				}
				c.Probe = &probe
			})
			l.connect(tab, l.worker, netsim.Config{Up: linkmodel.Config{Latency: latency}, Down: linkmodel.Config{Latency: latency}})
			r := l.hold(tab, "Desk")
			l.settle()
			const rounds = 500
			var kept [rounds]outcome
			for i := range rounds {
				var pc *core.PendingCall
				l.at(tab, func() { pc = r.Call("now", fmt.Sprint(i, " finished"), nil) })
				l.at(tab, func() {
					pc.Cancel()
					r.Call("now", fmt.Sprint(i), kept[i].done)
				})
				l.run(latency / 4)
			}
			l.settle()
			for i := range kept {
				kept[i].wantOnce(t, "the call behind one that was given up on", base.CodeNone)
				if got := kept[i].value.Text().String(); got != fmt.Sprint(i) {
					t.Fatalf("call %d was answered with %q", i, got)
				}
			}
			if len(taken) > 0 || highest > rounds+40 { // one for each that was given up on, and few for the others
				t.Errorf("%d ids are taken at the end, the highest was %d", len(taken), highest)
			}
		})
	}
}

// TestGoCapnp626ACancelOfAVoidMeetsTheNextCall: calls are lost with their connection and given up on while there is none, so that
// they go again as voids, and their cancels wait in the control lane. A large call that is made then, on another reference, is not
// to have an id that one of those cancels names: it would pass them.
func TestGoCapnp626ACancelOfAVoidMeetsTheNextCall(t *testing.T) {
	const lost = 20
	u := newUplinkLab(t, sim.Config{}, netsim.Config{Buffer: 1, Up: linkmodel.Config{Rate: 10 * base.KiB}})
	k := &desk{}
	u.worker.Core().Expose("Desk", k.object())
	first, second := u.hold(u.tab, "Desk"), u.hold(u.tab, "Desk")
	u.settle()
	clear(u.log.count)
	var pending [lost]*core.PendingCall
	if err := u.way.Connection().Link.Acceptor().SetBuffer(base.KiB); err != nil {
		t.Fatal(err)
	}
	u.at(u.tab, func() {
		for i := range pending {
			pending[i] = first.Call("now", fmt.Sprint(i), nil)
		}
	})
	u.drop()
	u.at(u.tab, func() {
		for _, pc := range pending {
			pc.Cancel()
		}
	})
	for u.log.count["worker void"] < lost {
		u.run(100 * base.Microsecond)
	}
	if n := u.log.count["worker cancel"]; n > 2 {
		t.Fatalf("%d cancels have come, want some that wait", n)
	}
	var o outcome
	u.at(u.tab, func() { second.Call("later", text(5000), o.done) })
	u.run(2 * base.Second)
	if len(k.open) != 1 || k.open[0].Cancelled() || o.settled > 0 {
		t.Errorf("%d handlers run, want one that nobody cancelled; the call settled %d times: %v", len(k.open), o.settled, o.err)
	}
	u.at(u.worker, k.settleAll)
	u.settle()
	o.wantOnce(t, "the large call", base.CodeNone)
	u.wantNoCalls()
}
