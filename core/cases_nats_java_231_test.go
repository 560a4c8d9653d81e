package core_test

import (
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/sim"
	"chordsim/sim/netsim"
)

// TestNatsJava231NewMessagesMixWithQueuedOnes: A and B are called while there is no connection, C by who is told that there is one
// again, and D by who is told that the object is there again. The provider sees A, B, C, whether the session went on or is another
// one, and D behind them.
func TestNatsJava231NewMessagesMixWithQueuedOnes(t *testing.T) {
	for why, vanish := range map[string]bool{"resumed": false, "cold": true} {
		want := []string{"A", "B", "C"}
		if vanish {
			want = append(want, "D") // a session that goes on brings no frame
		}
		t.Run(why, func(t *testing.T) {
			u := newUplinkLab(t, sim.Config{Reconnect: core.Reconnect{Grace: base.Second}}, netsim.Memory)
			k := &desk{}
			expose := func(h *sim.Host) {
				object := k.object()
				object.State = core.Members{"count": core.NewDocument(delta.Int(1))}
				h.Core().Expose("Desk", object)
			}
			expose(u.worker)
			r := u.get("Desk")
			wantState(t, r, core.StateLive)
			u.way.OnChange(func() {
				if u.way.Uplink().Connected() {
					r.Call("now", "C", nil)
				}
			})
			u.at(u.tab, func() {
				first := true
				r.Watch("count", func(core.Frame) {
					if !first {
						r.Call("now", "D", nil)
					}
					first = false
				})
			})
			if vanish {
				u.world.Vanish(u.worker, 100)
				u.run(base.Minute)
				wantState(t, r, core.StateDown)
				u.worker.OnStart(u.expose)
				u.worker.OnStart(expose)
			} else {
				u.drop()
			}
			u.at(u.tab, func() {
				r.Call("now", "A", nil)
				r.Call("now", "B", nil)
			})
			if u.world.Restart(u.worker) != vanish {
				t.Fatal("the worker was up, or down")
			}
			u.settle()
			wantStarts(t, k, want...)
		})
	}
}
