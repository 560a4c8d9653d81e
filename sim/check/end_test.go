package check_test

import (
	"errors"
	"fmt"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
)

// crash ends a host without a word. With told the other ends of its links are told that they are reset.
func (l *lab) crash(h *core.Host, told bool, pipes ...*pipe) {
	l.set.Crashed(h)
	for _, p := range pipes {
		for _, e := range []*end{&p.dialer, &p.acceptor} {
			e.queue = nil
			if e.conn.Host() == h {
				e.closed = true
				continue
			}
			e.mangle = func([]byte) [][]byte { return nil }
			if told {
				l.work = append(l.work, func() { e.conn.Closed(errors.New("reset")) })
			}
		}
	}
	l.run()
}

// TestCrash has each host crash while everything is under way, told and untold, and come back with new links.
func TestCrash(t *testing.T) {
	for _, who := range []string{"tab", "worker", "server"} {
		for _, told := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, told=%v", who, told), func(t *testing.T) {
				l := newLab(t, labSetup{relayed: true, limits: base.Limits{ChunkBytes: 16}})
				for range 3 {
					l.get()
					l.call("written, in more than a chunk")
					l.down().held = true
					for range 6 {
						l.add("a text of more than one chunk")
					}
					l.call("pends")
					l.get()
					server, worker := l.route.acceptor.conn.Host(), l.worker
					switch who {
					case "tab":
						l.crash(l.tab, told, l.wire)
					case "worker":
						l.crash(worker, told, l.route)
					case "server":
						l.crash(server, told, l.wire, l.route)
					}
					l.down().free()
					l.settleOf(who, server)
					l.wantNone(false)
					l = l.again(who)
				}
				l.get()
				l.call("written")
				l.settle()
				l.wantNone(true)
			})
		}
	}
}

// settleOf has the checkers look at all hosts but one.
func (l *lab) settleOf(crashed string, server *core.Host) {
	l.run()
	var hosts []*core.Host
	for _, h := range []*core.Host{l.tab, l.worker, server} {
		if h.Name() != crashed {
			hosts = append(hosts, h)
		}
	}
	l.set.Settled(hosts)
}

// again makes all hosts anew; those that did not crash go in good order.
func (l *lab) again(crashed string) *lab {
	for _, p := range []*pipe{l.wire, l.route} {
		for _, e := range []*end{&p.dialer, &p.acceptor} {
			if e.conn.Host().Name() != crashed && !e.closed {
				l.set.Crashed(e.conn.Host())
				e.closed = true
			}
		}
	}
	fresh := newLab(l.t, labSetup{relayed: true, limits: base.Limits{ChunkBytes: 16}, set: l.set})
	return fresh
}
