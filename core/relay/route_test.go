package relay_test

import (
	"errors"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/relay"
	"chordsim/sim/netsim"
)

func TestRouteAnswersAtOnce(t *testing.T) {
	l := newLab(t, base.Limits{})
	w, tab := l.worker("w", netsim.Memory), l.tab("tab", netsim.Memory)
	r := l.hold(tab, "W/w/View")
	wantState(t, r, core.StateLive)
	l.commit(w, "x")
	wantReply(t, r, "x")
	l.settle()
}

func TestRouteAnswersLater(t *testing.T) {
	l := newLab(t, base.Limits{})
	w, tab := l.worker("w", netsim.Memory), l.tab("tab", netsim.Memory)
	var asked []*relay.Request
	l.server.Core().Route("Later", func(q *relay.Request) { asked = append(asked, q) })
	r := l.hold(tab, "Later/42/View")
	var o outcome
	l.at(tab.host, func() { r.Call("name", nil, o.done) })
	l.run(9 * base.Second)
	wantState(t, r, core.StateResolving)
	if q := asked[0]; q.Address != "Later/42/View" || q.Key != "42" || q.Rest != "View" {
		t.Errorf("the route was asked for %+v", q)
	}
	l.at(l.server, func() {
		asked[0].To(w.conn.Accepted().Link())
		asked[0].Fail(errors.New("twice")) // the first answer counts
	})
	wantState(t, r, core.StateLive)
	o.wantOnce(t, "a call that was parked meanwhile", base.CodeNone)
	l.settle()
}

func TestRoutesThatFail(t *testing.T) {
	l := newLab(t, base.Limits{})
	w, tab := l.worker("w", netsim.Memory), l.tab("tab", netsim.Memory)
	gone := l.worker("gone", netsim.Memory)
	link := gone.conn.Accepted().Link()
	l.lose(gone.conn)
	server := l.server.Core()
	server.Route("Coded", func(q *relay.Request) { q.Fail(base.Errorf(base.CodeRefused, "not you")) })
	server.Route("Plain", func(q *relay.Request) { q.Fail(errors.New("no")) })
	server.Route("Closed", func(q *relay.Request) { q.To(link) })
	server.Route("Nil", func(q *relay.Request) { q.To(nil) })
	server.Route("Never", func(*relay.Request) {})
	never := l.hold(tab, "Never/1/View")
	for address, code := range map[string]base.Code{
		"Coded/1/View":   base.CodeRefused,
		"Plain/1/View":   base.CodeRoute,
		"Closed/1/View":  base.CodeRoute,
		"Nil/1/View":     base.CodeRoute,
		"Unknown/1/View": base.CodeNotFound,
		"W/other/View":   base.CodeNotFound,
		"W/w/Nothing":    base.CodeNotFound, // the worker's own answer
		"W/w":            base.CodeNotFound,
		"W//View":        base.CodeNotFound,
	} {
		wantFailed(t, address, l.hold(tab, address), code)
	}
	wantState(t, never, core.StateResolving)
	l.run(relay.DefaultResolveTimeout)
	wantFailed(t, "a route that never answers", never, base.CodeTimeout)
	l.settle()
	wantState(t, l.hold(tab, "W/w/View"), core.StateLive)
	wantOpen(t, "after all that failed", w.conn)
}

// TestReleaseWhileTheRouteIsAsked: the release is answered at once, and the route's answer comes too late.
func TestReleaseWhileTheRouteIsAsked(t *testing.T) {
	l := newLab(t, base.Limits{})
	w, tab := l.worker("w", netsim.Memory), l.tab("tab", netsim.Memory)
	var asked []*relay.Request
	l.server.Core().Route("Later", func(q *relay.Request) { asked = append(asked, q) })
	r := l.hold(tab, "Later/1/View")
	l.at(tab.host, r.Release)
	wantInt(t, "released", l.count["tab released"], 1)
	l.wantNoTimer()
	second := l.hold(tab, "Later/2/View") // has the id of the first
	l.at(l.server, func() { asked[0].To(w.conn.Accepted().Link()) })
	wantState(t, second, core.StateResolving)
	wantInt(t, "holds at the worker", len(w.host.Core().Consumers()), 0)
	l.at(l.server, func() { asked[1].To(w.conn.Accepted().Link()) })
	wantState(t, second, core.StateLive)
	l.settle()
}

// TestTheConsumerGoesWhileTheRouteIsAsked: nothing is left that the answer could reach, not even a timer.
func TestTheConsumerGoesWhileTheRouteIsAsked(t *testing.T) {
	l := newLab(t, base.Limits{})
	w, tab := l.worker("w", netsim.Memory), l.tab("tab", netsim.Memory)
	var asked *relay.Request
	l.server.Core().Route("Later", func(q *relay.Request) { asked = q })
	l.hold(tab, "Later/1/View")
	l.lose(tab.conn)
	l.wantNoTimer()
	l.at(l.server, func() { asked.To(w.conn.Accepted().Link()) })
	l.settle()
	wantInt(t, "holds at the worker", len(w.host.Core().Consumers()), 0)
}

// wantNoTimer settles the world and wants the server to have no turn meanwhile.
func (l *lab) wantNoTimer() {
	l.t.Helper()
	before := l.server.Core().Stats().Turns
	l.settle()
	wantInt(l.t, "turns of the server, for a timer that was left", l.server.Core().Stats().Turns-before, 0)
}

func TestHoldsThatWaitForARouteAreBounded(t *testing.T) {
	l := newLab(t, base.Limits{Holds: 3})
	tab := l.tab("tab", netsim.Memory)
	l.server.Core().Route("Never", func(*relay.Request) {})
	var refs []*core.Reference
	for range 4 {
		refs = append(refs, l.hold(tab, "Never/1/View"))
	}
	wantState(t, refs[2], core.StateResolving)
	wantFailed(t, "the fourth of three", refs[3], base.CodeLimit)
	l.settle()
}

// TestReleaseCrossesTheRefusal: the worker's refusal and the tab's release pass each other.
func TestReleaseCrossesTheRefusal(t *testing.T) {
	l := newLab(t, base.Limits{})
	w, tab := l.worker("w", netsim.Memory), l.tab("tab", netsim.Memory)
	l.at(tab.host, func() {
		tab.host.Core().Get("W/w/Nothing").Release()
		tab.host.Core().Get("Unknown/1/View").Release()
	})
	l.settle()
	wantOpen(t, "the tab's", tab.conn)
	wantOpen(t, "the worker's", w.conn)
	wantState(t, l.hold(tab, "W/w/View"), core.StateLive)
}
