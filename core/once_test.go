package core_test

import (
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/faults/linkmodel"
	"chordsim/sim"
	"chordsim/sim/netsim"
)

// TestAConnectionThatIsDialedOnceIsWatched where hosts are told to: both ends are closed after two heartbeats of silence, and not by an
// idle time in which each is there.
func TestAConnectionThatIsDialedOnceIsWatched(t *testing.T) {
	for _, once := range []bool{false, true} {
		cfg := sim.Config{Reconnect: core.Reconnect{Heartbeat: base.Second, Once: once}}
		far := linkmodel.Config{Latency: 10 * base.Millisecond}
		l := newLabIn(t, cfg, netsim.Config{Up: far, Down: far})
		r := l.hold(l.tab, "View")
		l.settle() // which the heartbeat does not keep from coming to its end
		l.run(base.Minute)
		wantState(t, r, core.StateLive)
		l.conn.Link.Dialer().Vanish()
		l.conn.Link.Acceptor().Vanish()
		l.run(2*base.Second + 100*base.Millisecond)
		for _, c := range []*core.Conn{l.conn.Dialed(), l.conn.Accepted()} {
			if c.Link().Closed() != once {
				t.Errorf("with Once %v, %s: closed %v", once, c.Host().Name(), c.Link().Closed())
			}
		}
		want := core.StateLive
		if once {
			want = core.StateDown
			wantCode(t, "the reference", r.Err(), base.CodeDown)
		}
		wantState(t, r, want)
	}
}
