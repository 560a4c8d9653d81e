package relay_test

import (
	"errors"
	"reflect"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/relay"
	"chordsim/core/wire"
	"chordsim/sim"
	"chordsim/sim/netsim"
)

// awaited is how many links holds wait for at a relay.
func awaited(h *core.Host) int {
	return reflect.ValueOf(h).Elem().FieldByName("table").Elem().FieldByName("await").Len()
}

// waiting is how many holds wait for links at a relay.
func waiting(h *core.Host) (n int) {
	await := reflect.ValueOf(h).Elem().FieldByName("table").Elem().FieldByName("await")
	for _, l := range await.MapKeys() {
		n += await.MapIndex(l).Len()
	}
	return n
}

// awaitLab has a server that was dialed by a worker whose hello does not come through, and a route "Soon" to that worker.
func awaitLab(t *testing.T, codec wire.Codec) (*lab, *worker, *tab) {
	l := newLabIn(t, sim.Config{Codec: codec})
	tab := l.tab("tab", netsim.Memory)
	w := l.worker("w", netsim.Memory)
	l.lose(w.conn)
	conn, err := l.world.Connect(w.host, l.server, netsim.Memory)
	if err != nil {
		t.Fatal(err)
	}
	conn.OnAccept(func(*core.Conn) { conn.Link.Acceptor().Stall() })
	l.run(base.Second)
	w.conn = conn
	if conn.Accepted() == nil || conn.Accepted().Link().Up() {
		t.Fatal("the link is up, or not there")
	}
	l.server.Core().Route("Soon", func(q *relay.Request) { q.To(conn.Accepted().Link()) })
	return l, w, tab
}

// TestAHoldWaitsForALinkThatIsNotUp: until the hello nobody knows how the link is written. The hold goes out behind it, in
// the link's codec, and the call that was parked meanwhile behind the hold.
func TestAHoldWaitsForALinkThatIsNotUp(t *testing.T) {
	for _, codec := range []wire.Codec{wire.Binary, wire.Text} {
		t.Run(codec.String(), func(t *testing.T) {
			l, w, tab := awaitLab(t, codec)
			r, s := l.hold(tab, "Soon/1/View"), l.hold(tab, "Soon/2/View")
			var o outcome
			l.at(tab.host, func() { r.Call("name", nil, o.done) })
			l.run(base.Second)
			wantState(t, r, core.StateResolving)
			wantInt(t, "links that are waited for", awaited(l.server.Core()), 1)
			wantInt(t, "holds at the worker", l.count["w hold"], 0)
			w.conn.Link.Acceptor().Resume()
			l.run(0)
			wantState(t, r, core.StateLive)
			wantState(t, s, core.StateLive)
			o.wantOnce(t, "a call that was parked meanwhile", base.CodeNone)
			if link := w.conn.Accepted().Link(); link.Codec() != codec {
				t.Errorf("the link is of the %v codec, want %v", link.Codec(), codec)
			}
			wantInt(t, "holds at the worker", l.count["w hold"], 2)
			wantInt(t, "links that are waited for", awaited(l.server.Core()), 0)
			l.commit(w, "x")
			wantReply(t, r, "x")
			l.wantNoTimer()
		})
	}
}

// TestAHoldWaitsForALinkOfAnotherCodec: what the dialer turns out to speak is not what the hold came in.
func TestAHoldWaitsForALinkOfAnotherCodec(t *testing.T) {
	l := newLabIn(t, sim.Config{Codec: wire.Text})
	tab := l.tab("tab", netsim.Memory)
	odd := l.world.HostWith("odd", func(c *core.Config) { c.Codec = wire.Binary })
	conn, err := l.world.Connect(odd, l.server, netsim.Memory)
	if err != nil {
		t.Fatal(err)
	}
	conn.OnAccept(func(*core.Conn) { conn.Link.Acceptor().Stall() })
	l.run(base.Second)
	l.server.Core().Route("Soon", func(q *relay.Request) { q.To(conn.Accepted().Link()) })
	r := l.hold(tab, "Soon/1/View")
	wantState(t, r, core.StateResolving)
	conn.Link.Acceptor().Resume()
	l.run(0)
	wantFailed(t, "a hold in text for a binary link", r, base.CodeRoute)
	wantInt(t, "links that are waited for", awaited(l.server.Core()), 0)
	wantOpen(t, "the tab's", tab.conn)
	l.settle()
}

// TestReleasedHoldsAwaitNothing: what is let go of is forgotten at once, however often that is.
func TestReleasedHoldsAwaitNothing(t *testing.T) {
	l, _, tab := awaitLab(t, wire.Binary)
	stays := l.hold(tab, "Soon/1/View")
	for range 100 {
		r := l.hold(tab, "Soon/2/View")
		l.at(tab.host, r.Release)
		l.run(0)
		wantState(t, r, core.StateReleased)
	}
	wantInt(t, "holds that wait", waiting(l.server.Core()), 1)
	wantState(t, stays, core.StateResolving)
	l.at(tab.host, stays.Release)
	l.run(0)
	wantInt(t, "holds that wait", waiting(l.server.Core()), 0)
	wantInt(t, "links that are waited for", awaited(l.server.Core()), 0)
}

// TestTheAwaitedLinkCloses: what waited for it is answered as for any closed link, and forgotten.
func TestTheAwaitedLinkCloses(t *testing.T) {
	l, w, tab := awaitLab(t, wire.Binary)
	r, s, released := l.hold(tab, "Soon/1/View"), l.hold(tab, "Soon/2/View"), l.hold(tab, "Soon/3/View")
	var o outcome
	l.at(tab.host, func() {
		r.Call("name", nil, o.done)
		released.Release()
	})
	wantState(t, s, core.StateResolving)
	w.conn.Accepted().Closed(errors.New("cut"))
	l.run(0)
	wantFailed(t, "the link closed", r, base.CodeRoute)
	wantFailed(t, "the link closed", s, base.CodeRoute)
	wantState(t, released, core.StateReleased)
	o.wantOnce(t, "a parked call", base.CodeRoute)
	wantInt(t, "links that are waited for", awaited(l.server.Core()), 0)
	wantInt(t, "refusals: none for the one that was released", l.count["tab refused"], 2)
	wantFailed(t, "a hold that comes later", l.hold(tab, "Soon/1/View"), base.CodeRoute)
	wantOpen(t, "the tab's", tab.conn)
	l.wantNoTimer()
}

// TestTheAwaitedLinkNeverComesUp: a hold waits for it as long as for a route, and counts among the consumer's holds.
func TestTheAwaitedLinkNeverComesUp(t *testing.T) {
	l, w, tab := awaitLab(t, wire.Binary)
	r := l.hold(tab, "Soon/1/View")
	l.run(relay.DefaultResolveTimeout - base.Second)
	wantState(t, r, core.StateResolving)
	l.run(base.Second)
	wantFailed(t, "the link did not come up", r, base.CodeTimeout)
	second := l.hold(tab, "Soon/1/View") // has the id of the first
	w.conn.Link.Acceptor().Resume()
	l.run(0)
	wantState(t, second, core.StateLive)
	wantInt(t, "holds at the worker", l.count["w hold"], 1)
	wantInt(t, "links that are waited for", awaited(l.server.Core()), 0)
	l.settle()
}

// TestTheConsumerGoesWhileALinkIsAwaited: the link comes up, and nothing is left to be sent over it.
func TestTheConsumerGoesWhileALinkIsAwaited(t *testing.T) {
	l, w, tab := awaitLab(t, wire.Binary)
	l.hold(tab, "Soon/1/View")
	l.lose(tab.conn)
	w.conn.Link.Acceptor().Resume()
	l.run(0)
	wantInt(t, "holds at the worker", l.count["w hold"], 0)
	wantInt(t, "links that are waited for", awaited(l.server.Core()), 0)
	l.wantNoTimer()
}
