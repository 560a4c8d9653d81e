package check_test

import (
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/relay"
	"chordsim/core/wire"
)

// notAs alters what a relay gets of the chunks of a type, after the checkers saw them come.
func notAs(typ wire.Type, old, with string) func([]byte) []byte {
	return func(chunk []byte) []byte {
		if h, _, err := wire.ParseHeader(wire.Binary, chunk); err == nil && h.Type == typ {
			return replaced(chunk, old, with)
		}
		return chunk
	}
}

// TestC9 breaks the relay's rules: bytes, origins, and what it reads.
func TestC9Relay(t *testing.T) {
	relayed := labSetup{relayed: true}
	t.Run("altered state", func(t *testing.T) {
		l := newLab(t, relayed)
		l.get()
		l.route.dialer.swap = notAs(wire.TypeState, "needle", "noodle")
		l.add("needle")
		l.wantViolation("C9", "at server: state of ")
		l.wantViolation("C9", "is not what was to be forwarded next in its lane (1 chunks wait)")
	})
	t.Run("altered snapshot", func(t *testing.T) {
		l := newLab(t, relayed)
		l.route.dialer.swap = notAs(wire.TypeBound, "abc", "abd")
		l.get()
		l.wantViolation("C9", "at server: bound of ")
	})
	t.Run("altered call", func(t *testing.T) {
		l := newLab(t, relayed)
		l.get()
		l.wire.dialer.swap = notAs(wire.TypeCall, "needle", "noodle")
		l.do(l.tab, func() { l.view.Call("echo", "needle", nil) })
		l.wantViolation("C9", "at server: call of ")
	})
	t.Run("altered result", func(t *testing.T) {
		l := newLab(t, relayed)
		l.get()
		l.route.dialer.swap = notAs(wire.TypeResult, "needle", "noodle")
		l.do(l.tab, func() { l.view.Call("echo", "needle", nil) })
		l.wantViolation("C9", "at server: result of ")
	})
	t.Run("kept back", func(t *testing.T) {
		l := newLab(t, relayed)
		l.get()
		l.route.dialer.swap = func(chunk []byte) []byte {
			if h, _, _ := wire.ParseHeader(wire.Binary, chunk); h.Type == wire.TypeState {
				return nil
			}
			return chunk
		}
		l.add("x")
		l.settle()
		l.wantViolation("C9", "at server: settled, and 1 chunks were never forwarded")
		l.wantViolation("C1", "at tab: notes is at revision 0 of View.notes, which is at 1")
	})
}

// TestC9Origins breaks the rules of origins.
func TestC9Origins(t *testing.T) {
	relayed := labSetup{relayed: true}
	t.Run("an origin that nobody opened", func(t *testing.T) {
		l := newLab(t, relayed)
		l.get()
		l.route.dialer.mangle = onlyType(wire.TypeState, func(c []byte) [][]byte {
			h, body, _ := wire.ParseHeader(wire.Binary, c)
			h.Origin = 9
			return [][]byte{append(h.Append(wire.Binary, nil), body...)}
		})
		l.add("x")
		l.wantViolation("C9", "at server: state for origin 9, which nobody opened")
	})
	t.Run("an origin taken twice", func(t *testing.T) {
		l := newLab(t, relayed)
		l.get()
		server := l.route.acceptor.conn
		l.probe.OriginOpened(server.Host(), relay.Pair{
			Source: relay.Source{Link: l.wire.acceptor.conn.Link()}, Target: server.Link(), Origin: 1,
		})
		l.wantViolation("C9", "at server: origin 1 is taken while it is in use")
	})
	t.Run("bound for nobody", func(t *testing.T) {
		l := newLab(t, relayed)
		l.get()
		id := core.ConsumerID{Link: l.route.dialer.conn.Link(), Origin: 7}
		l.probe.Bound(l.worker, id, 0, []*core.Document{l.doc})
		l.wantViolation("C9", "at worker: hold 0 is bound for origin 7, which nobody opened")
	})
}

// TestC9Reading breaks what a relay and a reader may read.
func TestC9Reading(t *testing.T) {
	t.Run("live and not bound", func(t *testing.T) {
		l := newLab(t, labSetup{rewire: func(p *core.Probe) { p.Bound = nil }})
		l.get()
		l.wantViolation("C9", "at tab: hold 0 is live and nobody bound it")
	})
	t.Run("unreadable", func(t *testing.T) {
		l := newLab(t, labSetup{})
		l.set.Wrote(l.worker, l.wire.acceptor.conn.Link(), []byte{0})
		l.wantViolation("C9", "at worker: an unreadable chunk was written: ")
	})
	for name, rewire := range map[string]func(*core.Probe){
		"a relay that parsed": func(p *core.Probe) { p.Live = nil }, // its references are kept from the checkers
		"a relay that refers": func(*core.Probe) {},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, labSetup{relayed: true, rewire: rewire})
			l.get()
			server := l.route.acceptor.conn.Host()
			far := l.host("far", base.Limits{})
			far.Expose("Other", core.Object{State: core.Members{"n": core.NewDocument(delta.Null())}})
			l.connect(server, far)
			l.run()
			var ref *core.Reference
			l.do(server, func() { ref = server.Get("Other") })
			l.do(server, func() { ref.Release() })
			l.settle()
			if name == "a relay that refers" {
				l.wantNone(false)
				return
			}
			l.wantViolation("C9", "at server: a relay parsed 1 parts")
		})
	}
}
