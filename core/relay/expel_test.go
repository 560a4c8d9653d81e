package relay_test

import (
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/wire"
	"chordsim/faults/linkmodel"
	"chordsim/sim"
	"chordsim/sim/netsim"
)

// TestAnExpelledOriginBehindASecondRelay: the server finds a fault with the tab of another relay while a result and a snapshot
// of it are under way to there. The word that the call failed and the hold is down comes behind what was sent of them, which
// the relay in front would else take for answers to nothing, and close the link of all its tabs.
func TestAnExpelledOriginBehindASecondRelay(t *testing.T) {
	l := newLabIn(t, sim.Config{Unchecked: true}) // the checkers know of nobody who breaks the protocol
	w := l.worker("w", netsim.Memory)
	front, conn, bad := l.front(netsim.Config{Down: linkmodel.Config{Rate: 16 * base.KiB}})
	good := &tab{host: l.world.Host("good")}
	good.conn = l.connect(good.host, front, netsim.Memory)
	r, other := l.hold(bad, "F/x/W/w/View"), l.hold(good, "F/x/W/w/View")
	l.settle()
	var whole, cutOff, waits, running outcome
	l.at(bad.host, func() {
		r.Call("text", 100_000, cutOff.done)
		r.Call("later", nil, running.done)
	})
	l.at(good.host, func() { other.Call("text", 50_000, whole.done) })
	l.run(base.Second)
	l.commit(w, text(50_000))
	s := l.hold(bad, "F/x/W/w/View")
	l.at(bad.host, func() { r.Call("text", 100_000, waits.done) })
	l.run(base.Second)
	if l.count["server result-bulk"] != 3 || l.count["server bound"] != 3 || l.count["front result-bulk"] != 2 || l.count["front bound"] != 2 {
		t.Fatalf("what came meanwhile: %v", l.count)
	}
	const origin = 1 // the first that front took there
	trunk := conn.Dialed().Link()
	l.at(front, func() { trunk.SendControl(wire.TypeHold, origin, append(trunk.Buffer(), 0xff)) })
	l.settle()
	cutOff.wantOnce(t, "the call whose result was cut off", base.CodeProtocol)
	waits.wantOnce(t, "the call whose result had not begun to leave", base.CodeProtocol)
	running.wantOnce(t, "the call that ran", base.CodeProtocol)
	whole.wantOnce(t, "a call of another tab", base.CodeNone)
	wantState(t, r, core.StateDown)
	wantState(t, s, core.StateDown)
	wantState(t, other, core.StateLive)
	wantOpen(t, "between the relays", conn)
	wantOpen(t, "the tab's", bad.conn)
}
