package relay_test

import (
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/relay"
	"chordsim/faults/linkmodel"
	"chordsim/sim"
	"chordsim/sim/netsim"
)

// front adds a relay that dials the server, and a tab that dials it. "F/x/" leads to the server.
func (l *lab) front(link netsim.Config) (front *sim.Host, conn *sim.Connection, t *tab) {
	l.t.Helper()
	front = l.world.Host("front")
	conn = l.connect(front, l.server, link)
	front.Core().Route("F", func(q *relay.Request) { q.To(conn.Dialed().Link()) })
	t = &tab{host: l.world.Host("tab")}
	t.conn = l.connect(t.host, front, netsim.Memory)
	return front, conn, t
}

// TestAResultIsCutOffBeforeASecondRelay: the word that the call has no known outcome comes behind what waits of its result,
// which a relay on the way would else take for a result of no call.
func TestAResultIsCutOffBeforeASecondRelay(t *testing.T) {
	l := newLab(t, base.Limits{})
	w := l.worker("w", netsim.Config{Up: linkmodel.Config{Rate: 64 * base.KiB}})
	_, conn, tab := l.front(netsim.Config{Down: linkmodel.Config{Rate: 16 * base.KiB}})
	r := l.hold(tab, "F/x/W/w/View")
	l.settle()
	wantState(t, r, core.StateLive)
	var first, cutOff, whole, running outcome
	l.at(tab.host, func() {
		r.Call("text", 100_000, first.done)
		r.Call("later", nil, running.done)
	})
	l.run(base.Second)
	l.at(tab.host, func() { r.Call("text", 100_000, cutOff.done) })
	for l.count["server result-bulk"] < 2 {
		l.run(base.Millisecond)
	}
	if l.count["front result-bulk"] != 1 {
		t.Fatal("the second result has begun to leave the server")
	}
	l.lose(w.conn)
	l.settle()
	first.wantOnce(t, "the call whose result was cut off", base.CodeUnknown)
	cutOff.wantOnce(t, "the call whose result had not left the server", base.CodeUnknown)
	running.wantOnce(t, "the call that ran", base.CodeUnknown)
	wantState(t, r, core.StateDown)
	wantOpen(t, "between the relays", conn)
	wantInt(t, "aborts of what front has a part of", l.count["front bulk-abort"], 2)

	l.worker("w2", netsim.Memory)
	next := l.hold(tab, "F/x/W/w2/View")
	l.at(tab.host, func() { next.Call("text", 100_000, whole.done) })
	l.settle()
	whole.wantOnce(t, "the next call", base.CodeNone)
}

// TestTheConsumerOfACutOffResultGoesAway before all that waits of the result has left: nobody is told of it then.
func TestTheConsumerOfACutOffResultGoesAway(t *testing.T) {
	for why, leave := range map[string]func(l *lab, tab *tab, r *core.Reference){
		"closes its link":         func(_ *lab, tab *tab, _ *core.Reference) { tab.conn.Dialed().Close() },
		"lets go of all it holds": func(l *lab, tab *tab, r *core.Reference) { l.at(tab.host, r.Release) },
	} {
		t.Run(why, func(t *testing.T) {
			l := newLab(t, base.Limits{})
			w := l.worker("w", netsim.Config{Up: linkmodel.Config{Rate: 64 * base.KiB}})
			_, conn, tab := l.front(netsim.Config{Down: linkmodel.Config{Rate: 16 * base.KiB}})
			r := l.hold(tab, "F/x/W/w/View")
			l.settle()
			var o outcome
			l.at(tab.host, func() { r.Call("text", 100_000, o.done) })
			l.run(base.Second)
			l.lose(w.conn)
			leave(l, tab, r)
			l.settle()
			wantInt(t, "settlements", o.settled, 1)
			wantOpen(t, "between the relays", conn)
		})
	}
}

// TestAnOriginIsUsedAgain whose consumer went away in the middle of a result: the next one's snapshot takes the same slot while
// its own call runs, which has nothing to do with the result.
func TestAnOriginIsUsedAgain(t *testing.T) {
	l := newLab(t, base.Limits{})
	w := l.worker("w", netsim.Config{Up: linkmodel.Config{Rate: 64 * base.KiB}})
	gone, next := l.tab("gone", slow(16*base.KiB)), l.tab("next", netsim.Memory)
	r := l.hold(gone, "W/w/View")
	l.settle()
	var cutOff, late outcome
	l.at(gone.host, func() { r.Call("text", 100_000, cutOff.done) })
	l.run(base.Second)
	l.lose(gone.conn)
	l.settle()
	s := l.hold(next, "W/w/View")
	l.at(next.host, func() { s.Call("later", nil, late.done) })
	l.settle()
	l.commit(w, text(50_000))
	l.hold(next, "W/w/View") // its snapshot is a message of several chunks
	l.settle()
	l.at(w.host, w.settleAll)
	l.settle()
	late.wantOnce(t, "the call of the next consumer", base.CodeNone)
}
