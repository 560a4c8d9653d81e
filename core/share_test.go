package core_test

import (
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/sim"
	"chordsim/sim/netsim"
)

// get makes a reference that shares the hold of others.
func (l *lab) get(address string) (r *core.Reference) {
	l.t.Helper()
	l.at(l.tab, func() { r = l.tab.Core().Get(address) })
	return r
}

// TestReferencesShareAHold: one hold, one snapshot and one entry a commit, whatever the number of references.
func TestReferencesShareAHold(t *testing.T) {
	l := newLab(t, base.Limits{}, netsim.Config{})
	first, second := l.get("View"), l.get("View")
	l.settle()
	third := l.get("View")
	wantState(t, third, core.StateLive) // at once, with what the others have
	var frames [3]int
	l.at(l.tab, func() {
		for i, r := range []*core.Reference{first, second, third} {
			r.Watch("notes", func(f core.Frame) {
				if frames[i]++; f.Reference != r {
					t.Errorf("a frame of reference %d names another one", i)
				}
			})
		}
	})
	l.commit("abc")
	l.settle()
	for i, r := range []*core.Reference{first, second, third} {
		wantReply(t, r, "abc")
		wantInt(t, "frames", frames[i], 2)
	}
	wantInt(t, "holds", l.log.count["worker hold"], 1)
	wantInt(t, "snapshots", l.log.count["tab bound"], 1)
	wantInt(t, "encodes", l.stats().Encodes, 1)

	own := l.hold(l.tab, "View")
	l.settle()
	wantReply(t, own, "abc")
	wantInt(t, "holds, one of them not shared", l.log.count["worker hold"], 2)

	l.at(l.tab, first.Release)
	l.at(l.tab, third.Release)
	l.commit("d")
	l.settle()
	wantReply(t, second, "abcd")
	wantReply(t, first, "")
	wantInt(t, "frames of one that was released", frames[0], 2)
	wantInt(t, "releases, while one is left", l.log.count["worker release"], 0)
	l.at(l.tab, second.Release)
	anew := l.get("View") // before the word that the first hold is over
	l.settle()
	wantReply(t, anew, "abcd")
	wantInt(t, "releases", l.log.count["worker release"], 1)
	wantInt(t, "holds in all", l.log.count["worker hold"], 3)
}

// TestSharedReferencesFailTogether, and who comes later asks again.
func TestSharedReferencesFailTogether(t *testing.T) {
	l := newLab(t, base.Limits{}, netsim.Config{})
	var first, second *core.Reference
	var parked [2]outcome
	l.at(l.tab, func() {
		first, second = l.tab.Core().Get("Late"), l.tab.Core().Get("Late")
		first.Call("echo", "x", parked[0].done)
		second.Call("echo", "x", parked[1].done)
	})
	l.settle()
	for i, r := range []*core.Reference{first, second} {
		wantState(t, r, core.StateFailed)
		wantInt(t, "settled", parked[i].settled, 1)
		wantCode(t, "the parked call", parked[i].err, base.CodeNotFound)
	}
	wantInt(t, "holds", l.log.count["worker hold"], 1)
	l.at(l.worker, func() { l.worker.Core().Expose("Late", core.Object{Methods: core.Methods{"echo": echo}}) })
	third := l.get("Late")
	l.settle()
	wantState(t, third, core.StateLive)
	wantState(t, first, core.StateFailed)
}

// TestAWatchChangesWhoShares: one that releases another reference, or gets one more, in the midst of a frame.
func TestAWatchChangesWhoShares(t *testing.T) {
	l := newLab(t, base.Limits{}, netsim.Config{})
	first, second := l.get("View"), l.get("View")
	l.settle()
	var late *core.Reference
	var told, toldLate int
	l.at(l.tab, func() {
		first.Watch("notes", func(f core.Frame) {
			if f.Snapshot {
				return
			}
			second.Release()
			late = l.tab.Core().Get("View")
			late.Watch("notes", func(f core.Frame) { toldLate++ })
		})
		second.Watch("notes", func(core.Frame) { told++ })
	})
	l.commit("x")
	l.settle()
	wantInt(t, "frames of the released one", told, 1) // as it was set
	wantInt(t, "frames of the late one", toldLate, 1) // as it was set, with the value after the commit
	wantReply(t, late, "x")
	l.at(l.tab, first.Release)
	l.settle()
	wantReply(t, late, "x")
	wantInt(t, "releases", l.log.count["worker release"], 0)
}

// TestSharedReferencesAreDownTogether, and live again with one hold.
func TestSharedReferencesAreDownTogether(t *testing.T) {
	u := newUplinkLab(t, sim.Config{Reconnect: core.Reconnect{Grace: base.Second}}, netsim.Memory)
	second := u.get("View")
	wantState(t, second, core.StateLive)
	var order []int
	u.world.Vanish(u.worker, 100)
	u.run(base.Minute)
	wantState(t, u.ref, core.StateDown)
	wantState(t, second, core.StateDown)
	third := u.get("View") // joins what waits
	wantState(t, third, core.StateDown)
	u.at(u.tab, func() {
		for i, r := range []*core.Reference{second, u.ref, third} {
			r.Call("stream", "x", func(_ delta.Value, err error) {
				wantCode(t, "a parked call", err, base.CodeNone)
				order = append(order, i)
			})
		}
	})
	u.worker.OnStart(u.expose)
	u.world.Restart(u.worker)
	u.settle()
	for _, r := range []*core.Reference{u.ref, second, third} {
		wantReply(t, r, "anew: xxx")
	}
	wantInt(t, "snapshots", u.log.count["tab bound"], 1)
	wantInt(t, "calls that settled", len(order), 3)
}
