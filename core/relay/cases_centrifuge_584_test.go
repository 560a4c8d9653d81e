package relay_test

import (
	"strings"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/wire"
	"chordsim/sim"
	"chordsim/sim/netsim"
)

// TestCentrifuge584ThroughARelay: a worker's zeros reach the tab that takes as many of them as there are, and close the link of one
// that takes a byte less. The relay between them inflates nothing, and its links to others stay.
func TestCentrifuge584ThroughARelay(t *testing.T) {
	const limit = base.MiB
	for over, taken := range map[int]bool{0: true, 1: false} {
		l := newLabIn(t, sim.Config{Deflate: true, Limits: base.Limits{InflatedBytes: limit + 1}})
		w, other := l.worker("w", netsim.Memory), l.tab("other", netsim.Memory)
		o := l.hold(other, "W/w/View")
		characters := limit + over
		for len(wire.AppendValue(nil, delta.String(strings.Repeat("0", characters)))) > limit+over {
			characters--
		}
		w.host.Core().Expose("Zeros", core.Object{State: core.Members{"m": core.NewDocument(delta.String(strings.Repeat("0", characters)))}})
		bounded := &tab{host: l.world.HostWith("bounded", func(c *core.Config) { c.Limits.InflatedBytes = limit })}
		bounded.conn = l.connect(bounded.host, l.server, netsim.Memory)
		r := l.hold(bounded, "W/w/Zeros")
		l.settle()
		if taken {
			wantState(t, r, core.StateLive)
			v, _ := r.Value("m")
			wantInt(t, "characters", v.Text().Len(), characters)
		} else {
			wantState(t, r, core.StateDown)
			if base.CodeOf(r.Err()) != base.CodeLimit || !bounded.conn.Dialed().Link().Closed() {
				t.Errorf("one byte more: %v, the link is closed: %v", r.Err(), bounded.conn.Dialed().Link().Closed())
			}
		}
		wantOpen(t, "the worker's", w.conn)
		wantOpen(t, "another tab's", other.conn)
		l.commit(w, "x")
		wantReply(t, o, "x")
		s := l.server.Core().Stats()
		wantInt(t, "parts that the relay inflated, deflated or parsed", s.Inflated+s.Deflated+s.PartsParsed, 0)
	}
}
