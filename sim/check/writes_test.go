package check_test

import (
	"fmt"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/wire"
)

// behind lets the chunks of one type pass those of another: the latter are kept until one of the former came.
func behind(kept, first wire.Type) func([]byte) [][]byte {
	var waits [][]byte
	return func(chunk []byte) [][]byte {
		h, _, _ := wire.ParseHeader(wire.Binary, chunk)
		switch h.Type {
		case kept:
			waits = append(waits, chunk)
			return nil
		case first:
			out := append([][]byte{chunk}, waits...)
			waits = nil
			return out
		}
		return [][]byte{chunk}
	}
}

// withoutMarks takes the watermarks off results.
func withoutMarks(chunk []byte) [][]byte {
	h, body, _ := wire.ParseHeader(wire.Binary, chunk)
	m, err := wire.ParseResult(wire.Binary, body)
	if err != nil {
		return [][]byte{chunk}
	}
	m.After = nil
	return [][]byte{m.Append(wire.Binary, h.Append(wire.Binary, nil))}
}

// full takes the window's room and keeps the tab's credit: what is committed from now on pends. It returns what gives the
// credit back.
func (l *lab) full() (credit func()) {
	up := &l.wire.dialer
	up.held = true
	for range 5 {
		l.add("x")
	}
	l.set.Unreliable(up.conn.Link())
	kept := up.queue
	up.queue, up.held = nil, false
	return func() {
		up.queue = kept
		up.free()
	}
}

// looks returns how often an invariant was looked at.
func (l *lab) looks(id string) int64 {
	for _, c := range l.set.Counts() {
		if c.ID == id {
			return c.Checks
		}
	}
	l.t.Fatalf("no invariant %s", id)
	return 0
}

// TestC15 breaks the order of a call's commits and its result in each way that one can go before the other.
func TestC15WritesRead(t *testing.T) {
	const want = "at tab: a result is seen with View.notes at revision 0, the call committed 1"
	for _, relayed := range []bool{false, true} {
		t.Run(fmt.Sprintf("the result passes the state, relayed=%v", relayed), func(t *testing.T) {
			l := newLab(t, labSetup{relayed: relayed})
			l.get()
			l.down().mangle = behind(wire.TypeState, wire.TypeResultOrdered)
			l.call("y")
			l.wantViolation("C15", want)
		})
	}
	t.Run("the watermark is lost", func(t *testing.T) {
		l := newLab(t, labSetup{})
		l.get()
		l.down().mangle = onlyType(wire.TypeResult, withoutMarks)
		l.full()
		l.call("y")
		l.wantViolation("C15", "at tab: a result is seen with View.notes at revision 4, the call committed 6")
	})
	t.Run("an error of another object", func(t *testing.T) {
		l := newLab(t, labSetup{})
		l.worker.Expose("Other", core.Object{Methods: core.Methods{"add": func(c *core.Call) (delta.Value, error) {
			for range 2 {
				if _, err := l.doc.Change(c, func(d *delta.Draft) error { return d.At("text").Append("y") }); err != nil {
					t.Error(err)
				}
			}
			return delta.Null(), base.Errorf(base.CodeRefused, "and yet it changed")
		}}})
		l.get()
		l.down().mangle = behind(wire.TypeState, wire.TypeResultOrdered)
		var other *core.Reference
		l.do(l.tab, func() { other = l.tab.Get("Other") })
		l.do(l.tab, func() { other.Call("add", nil, nil) })
		l.wantViolation("C15", "at tab: a result is seen with View.notes at revision 0, the call committed 2")
	})
}

// TestC15Seen has results come when they may, though another call's commits pend.
func TestC15Seen(t *testing.T) {
	t.Run("each is looked at", func(t *testing.T) {
		l := newLab(t, labSetup{})
		l.get()
		_, results := l.call("y")
		l.do(l.tab, func() { l.view.Call("echo", "nothing is committed", nil) })
		l.settle()
		l.wantNone(false)
		if got := l.looks("C15"); *results != 1 || got != 1 {
			t.Errorf("%d results, %d looks; want 1, 1", *results, got)
		}
	})
	t.Run("an id used again", func(t *testing.T) {
		// The first call's result waits for its state; the second call has its id, and is answered at once.
		l := newLab(t, labSetup{})
		l.get()
		credit := l.full()
		_, first := l.call("y")
		later := 0
		for _, method := range []string{"no method", "echo"} { // refused, and run
			l.do(l.tab, func() { l.view.Call(method, nil, func(delta.Value, error) { later++ }) })
		}
		if *first != 0 || later != 2 {
			t.Fatalf("%d and %d results before the credit, want 0 and 2", *first, later)
		}
		if got := l.looks("C15"); got != 0 {
			t.Errorf("%d looks before the state, want none", got)
		}
		credit()
		l.settle()
		l.wantNone(false)
		if got := l.looks("C15"); *first != 1 || got != 1 {
			t.Errorf("%d results, %d looks; want 1, 1", *first, got)
		}
	})
}

// TestC15NotSeen has commits that nobody waits for, or can see any more, or of which the provider never told.
func TestC15NotSeen(t *testing.T) {
	t.Run("given up on", func(t *testing.T) {
		l := newLab(t, labSetup{})
		l.get()
		l.down().mangle = behind(wire.TypeState, wire.TypeResultOrdered)
		l.down().held = true
		pc, results := l.call("y")
		l.do(l.tab, pc.Cancel)
		l.down().free()
		l.wantNone(false)
		if *results != 1 {
			t.Errorf("%d results, want 1", *results)
		}
	})
	t.Run("given up on when it was answered", func(t *testing.T) {
		l := newLab(t, labSetup{})
		l.get()
		credit := l.full()
		pc, results := l.call("y")
		l.do(l.tab, pc.Cancel)
		l.wantNone(false)
		credit()
		l.settle()
		l.wantNone(false)
		if *results != 1 || l.looks("C15") != 0 {
			t.Errorf("%d results, %d looks; want 1, 0", *results, l.looks("C15"))
		}
	})
	t.Run("let go of", func(t *testing.T) {
		l := newLab(t, labSetup{})
		l.get()
		l.down().mangle = behind(wire.TypeState, wire.TypeResultOrdered)
		l.down().held = true
		_, results := l.call("y")
		l.do(l.tab, l.view.Release)
		l.down().free()
		l.wantNone(false)
		if *results != 1 {
			t.Errorf("%d results, want 1", *results)
		}
	})
	t.Run("the way was lost", func(t *testing.T) {
		// The worker commits and answers, and is gone before the relay has anything of it. The relay's word that the
		// outcome is unknown comes while the tab's reference is still live.
		l := newLab(t, labSetup{relayed: true})
		l.get()
		l.route.dialer.held = true
		_, results := l.call("y")
		l.route.dialer.queue, l.route.dialer.held = nil, false
		l.route.dialer.conn.Close()
		l.run()
		l.wantNone(false)
		if *results != 1 || l.view.State() != core.StateDown {
			t.Errorf("%d results, the view is %v; want 1, down", *results, l.view.State())
		}
	})
}
