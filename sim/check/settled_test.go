package check_test

import (
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/wire"
)

// TestC13 settles while somebody waits for what does not come.
func TestC13Liveness(t *testing.T) {
	t.Run("a reference", func(t *testing.T) {
		l := newLab(t, labSetup{})
		l.wire.dialer.mangle = onlyType(wire.TypeHold, dropNth(1))
		l.get()
		l.make(l.echo(1))
		l.settle()
		l.wantViolation("C13", "at tab: settled, and the reference to View still resolves")
		l.wantViolation("C13", "at tab: settled, and call number 1 of the reference to View is not (sent: false)")
	})
	t.Run("a call, through a relay", func(t *testing.T) {
		l := newLab(t, labSetup{relayed: true})
		l.get()
		l.route.acceptor.mangle = onlyType(wire.TypeCall, dropNth(1))
		l.call("x")
		l.settle()
		l.wantViolation("C13", "at tab: settled, and call number 1 of the reference to Session/42/View is not (sent: true)")
	})
	t.Run("a handler that runs", func(t *testing.T) {
		l := newLab(t, labSetup{})
		l.worker.Expose("Slow", core.Object{Methods: core.Methods{"go": func(c *core.Call) (delta.Value, error) {
			c.Defer()
			return delta.Null(), nil
		}}})
		l.do(l.tab, func() { l.tab.Get("Slow").Call("go", nil, nil) })
		l.settle()
		l.wantNone(false)
	})
	t.Run("a way that was cut in silence", func(t *testing.T) {
		l := newLab(t, labSetup{relayed: true})
		l.get()
		l.route.acceptor.mangle = func([]byte) [][]byte { return nil }
		l.call("x")
		l.get()
		l.set.Unlinked(l.route.dialer.conn.Link())
		l.settle()
		l.wantNone(false)
	})
}

// TestC14 has a host close a link on another one of ours.
func TestC14BadInput(t *testing.T) {
	bad := func([]byte) [][]byte { return [][]byte{{0}} }
	const want = "at tab: the link is closed, or origin 0 of it, because of what came: chord: "
	t.Run("damaged", func(t *testing.T) {
		l := newLab(t, labSetup{})
		l.down().mangle = bad
		l.get()
		l.wantViolation("C14", want)
	})
	t.Run("damaged on purpose", func(t *testing.T) {
		l := newLab(t, labSetup{})
		l.set.Damaged(l.down().conn.Link())
		l.down().mangle = bad
		l.get()
		l.settle()
		l.wantNone(false)
		if got := l.looks("C14"); got != 2 {
			t.Errorf("%d looks at C14, want 2: one for each side that closed", got)
		}
	})
	t.Run("damaged on purpose behind the relay", func(t *testing.T) {
		l := newLab(t, labSetup{relayed: true})
		l.set.Damaged(l.route.dialer.conn.Link())
		l.get()
		l.route.dialer.mangle = onlyType(wire.TypeState, func(c []byte) [][]byte {
			c = append([]byte(nil), c...)
			c[len(c)-1] ^= 0xff
			c[len(c)-4] ^= 0xff
			return [][]byte{c}
		})
		l.add("x")
		if l.view.State() != core.StateDown {
			t.Fatalf("the view is %v, want down: the tab closed its link", l.view.State())
		}
		l.wantNoneOf("C14")
	})
	t.Run("thrown out", func(t *testing.T) {
		l := newLab(t, labSetup{relayed: true})
		l.get()
		l.probe.Expelled(l.worker, l.worker.Consumers()[0], base.Errorf(base.CodeProtocol, "twice"))
		l.wantViolation("C14", "at worker: the link is closed, or origin 1 of it, because of what came: chord: protocol: twice")
	})
	t.Run("closed in good order", func(t *testing.T) {
		l := newLab(t, labSetup{})
		l.get()
		l.wire.dialer.conn.Close()
		l.settle()
		l.wantNone(false)
	})
}
