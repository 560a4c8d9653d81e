package sim_test

import (
	"fmt"
	"strings"
	"testing"

	"chordsim/faults"
	"chordsim/sim/netsim"
)

// endingRow is an ending of the worker's connection by the fault language. Both ends send a message of 10 bytes at 1.0, 1.1 and
// 1.2 s, the server 3 ms later; a message takes 10 ms. So at 1.205 s one is under way each way, and at 1.25 s none.
type endingRow struct {
	plan           string
	server, worker int    // messages that arrived there
	told           string // "server, worker": closed, reset or nothing
	effect         faults.Effect
}

var endingRows = []endingRow{
	{"at 1.25s close worker", 3, 3, "closed, closed", faults.Effect{Connections: 1}},
	{"at 1.25s close worker by server", 3, 3, "closed, closed", faults.Effect{Connections: 1}},
	{"at 1.205s close worker", 3, 2, "reset, closed", faults.Effect{Messages: 1, Bytes: 10, Connections: 1}},
	{"at 1.205s close worker by server", 2, 3, "closed, reset", faults.Effect{Messages: 1, Bytes: 10, Connections: 1}},
	{"at 1.205s reset worker", 2, 2, "reset, reset", faults.Effect{Messages: 2, Bytes: 20, Connections: 1}},
	{"at 1.205s drop worker", 2, 2, "reset, reset", faults.Effect{Messages: 2, Bytes: 20, Connections: 1}},
	{"at 1.205s drop worker loses 1 message", 2, 2, "reset, reset", faults.Effect{Messages: 2, Bytes: 20, Connections: 1}},
	{"at 1.205s half-open worker", 3, 2, "nothing, reset", faults.Effect{Messages: 1, Bytes: 10, Connections: 1}},
	{"at 1.205s half-open worker by server", 2, 3, "reset, nothing", faults.Effect{Messages: 1, Bytes: 10, Connections: 1}},
	{"at 1.205s cut worker.up after 5 bytes", 2, 2, "reset, reset", faults.Effect{Messages: 2, Bytes: 20, Connections: 1}},
	{"at 1.205s cut worker.down after 5 bytes", 3, 2, "reset, reset", faults.Effect{Messages: 1, Bytes: 10, Connections: 1}},
	{"at 1.205s crash worker", 3, 2, "reset, nothing", faults.Effect{Messages: 1, Bytes: 10, Connections: 1, Hosts: 1}},
	{"at 1.205s crash server", 2, 3, "nothing, reset", faults.Effect{Messages: 1, Bytes: 10, Connections: 2, Hosts: 1}},
	{"at 1.205s black hole worker for 1s", 2, 2, "nothing, nothing", faults.Effect{Messages: 2, Bytes: 20}},
}

func (l *faultLab) told(name string) string {
	ended := l.nodes[name].ended
	switch {
	case len(ended) == 0:
		return "nothing"
	case len(ended) > 1:
		return fmt.Sprint(ended)
	case strings.HasPrefix(ended[0], netsim.ErrReset.Error()):
		return "reset"
	}
	how, _, _ := strings.Cut(ended[0], "@")
	return how
}

// Connections end by the fault language as those of TCP do, in messages and in byte streams, by either end.
func TestInjectedEndings(t *testing.T) {
	for _, row := range endingRows {
		for _, cfg := range []netsim.Config{{}, {Stream: &netsim.StreamConfig{Min: 1, Max: 1}}, {Stream: &netsim.StreamConfig{Min: 1, Max: 20}}} {
			l := newFaultLab(t, cfg)
			l.sends("worker", "w", 10, 1000, 1100, 1200)
			l.sends("server", "s", 10, 1003, 1103, 1203) // over its newest connection, the worker's
			server, worker := l.nodes["server"], l.nodes["worker"]
			e := l.effect(row.plan)
			if len(server.got) != row.server || len(worker.got) != row.worker {
				t.Errorf("%s, %+v: server got %q, worker %q, want %d and %d", row.plan, cfg.Stream, server.got, worker.got, row.server, row.worker)
			}
			if told := l.told("server") + ", " + l.told("worker"); told != row.told {
				t.Errorf("%s, %+v: told %q, want %q", row.plan, cfg.Stream, told, row.told)
			}
			want := row.effect
			want.Fired = 1
			l.wantEffect(e, want)
		}
	}
}

// The tab dials a second time at 1 s: at 1.005 s the request is under way, at 1.015 s the answer.
func TestInjectedEndingsWhileConnecting(t *testing.T) {
	for _, c := range []struct {
		plan, server, tab string
		accepted          bool
		effect            faults.Effect
	}{
		{"at 1.005s reset tab-server#2", "nothing", "sim: connection refused", false, faults.Effect{Connections: 1}},
		{"at 1.015s reset tab-server#2", "reset", "sim: connection refused", true, faults.Effect{Connections: 1}},
		{"at 1.005s close tab-server#2 by server", "nothing", "sim: connection refused", false, faults.Effect{Connections: 1}},
		{"at 1.015s close tab-server#2", "closed", "sim: connection refused", true, faults.Effect{Connections: 1}},
		{"at 1.005s half-open tab-server#2 by server", "nothing", "nothing", false, faults.Effect{Connections: 1}},
		{"at 1.005s black hole tab-server#2.up for 1s", "nothing", "nothing", false, faults.Effect{Messages: 1}},
		{"at 1.015s black hole tab-server#2.down for 1s", "nothing", "nothing", true, faults.Effect{Messages: 1}},
		{"at 1.005s stall tab-server#2 for 1s", "nothing", "nothing", true, faults.Effect{Messages: 1}},
	} {
		for _, stream := range []*netsim.StreamConfig{nil, {Min: 1, Max: 9}} {
			l := newFaultLab(t, netsim.Config{Stream: stream})
			l.w.At(1000*ms, func() {
				l.dial("tab", netsim.Config{Name: "tab-server", Stream: stream, Up: l.tab.Link.Acceptor().Model(), Down: l.tab.Link.Dialer().Model()})
			})
			l.run(1001 * ms)
			e := l.effect(c.plan)
			if got := l.nodes["server"].connected == 3; got != c.accepted {
				t.Errorf("%s: accepted %v", c.plan, got)
			}
			if l.told("server") != c.server || l.told("tab") != c.tab {
				t.Errorf("%s: server was told %q, tab %q; want %q and %q", c.plan, l.told("server"), l.told("tab"), c.server, c.tab)
			}
			want := c.effect
			want.Fired = 1
			l.wantEffect(e, want)
		}
	}
}
