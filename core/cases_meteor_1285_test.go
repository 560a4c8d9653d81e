package core_test

import (
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/faults/linkmodel"
	"chordsim/sim"
	"chordsim/sim/netsim"
)

// TestMeteor1285AnUpdateAppliedTwice: a call runs, the connection is cut before its result came, and the caller connects again.
// The update is there once. The caller gets the result where the session went on, and "outcome unknown" where it is another one.
func TestMeteor1285AnUpdateAppliedTwice(t *testing.T) {
	late := netsim.Config{Down: linkmodel.Config{Latency: base.Second}}
	for why, row := range map[string]struct {
		reconnect core.Reconnect
		code      base.Code
	}{
		"resumed": {core.Reconnect{}, base.CodeNone},
		"cold":    {core.Reconnect{Grace: base.Minute, First: base.Hour, Most: base.Hour}, base.CodeUnknown},
	} {
		t.Run(why, func(t *testing.T) {
			u := newUplinkLab(t, sim.Config{Reconnect: row.reconnect}, late)
			var o outcome
			u.at(u.tab, func() { u.ref.Call("stream", "x", o.done) })
			u.run(base.Second / 2)
			wantInt(t, "calls that ran before the cut", u.stats().CallsRun, 1)
			wantInt(t, "settled before the cut", o.settled, 0)
			u.drop()
			if err := u.world.Settle(3 * base.Hour); err != nil {
				t.Fatal(err)
			}
			wantState(t, u.ref, core.StateLive)
			o.wantOnce(t, "the call", row.code)
			wantInt(t, "calls that ran", u.stats().CallsRun, 1)
			wantReply(t, u.ref, "x")
		})
	}
}
