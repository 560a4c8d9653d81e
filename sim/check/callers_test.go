package check_test

import (
	"fmt"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/link"
	"chordsim/core/wire"
)

// make has the tab call without a turn's end in between.
func (l *lab) make(calls ...func()) {
	l.do(l.tab, func() {
		for _, call := range calls {
			call()
		}
	})
}

// echo is a call that nobody waits for.
func (l *lab) echo(arg any) func() { return func() { l.view.Call("echo", arg, nil) } }

// TestC4 has calls start in another order than they were made in.
func TestC4Order(t *testing.T) {
	for _, relayed := range []bool{false, true} {
		t.Run(fmt.Sprintf("turned round, relayed=%v", relayed), func(t *testing.T) {
			l := newLab(t, labSetup{relayed: relayed})
			l.get()
			l.wire.dialer.mangle = swapped(wire.TypeCall)
			l.make(l.echo(1), l.echo(2))
			l.wantViolation("C4", "starts behind number 2")
			l.wantViolation("C4", "at worker: call number 1 of a reference to ")
		})
	}
	t.Run("a large one overtaken", func(t *testing.T) {
		l := newLab(t, labSetup{})
		l.get()
		up, id := l.wire.dialer.conn.Link(), l.worker.Consumers()[0]
		l.probe.CallSent(l.madeByHand(), up, 9) // of many chunks, and so behind the next one
		l.probe.CallSent(l.madeByHand(), up, 10)
		l.probe.CallStart(l.worker, id, 0, 10)
		l.wantNoneOf("C4")
		l.probe.CallStart(l.worker, id, 0, 9)
		l.wantViolation("C4", "at worker: call number 1 of a reference to View starts behind number 2")
	})
	t.Run("through relays, parked ones, and large ones", func(t *testing.T) {
		l := newLab(t, labSetup{relayed: true, limits: base.Limits{ChunkBytes: 64}, hosts: smallChunks})
		l.wire.dialer.held = true
		l.get()
		for i := range 30 {
			arg := any(i)
			if i%3 == 0 {
				arg = "an argument of more than a chunk, which travels in several of them, in the bulk lane"
			}
			l.make(l.echo(arg))
		}
		l.wire.dialer.free()
		l.settle()
		l.wantNone(false)
		if got := l.looks("C4"); got != 30 {
			t.Errorf("%d looks at C4, want 30", got)
		}
	})
}

func smallChunks(c *core.Config) { c.Limits.ChunkBytes = 64 }

// swapped turns each two chunks of a type round.
func swapped(typ wire.Type) func([]byte) [][]byte {
	var kept []byte
	return onlyType(typ, func(c []byte) [][]byte {
		if kept == nil {
			kept = c
			return nil
		}
		both := [][]byte{c, kept}
		kept = nil
		return both
	})
}

// madeByHand tells the checkers of a call that no host has.
func (l *lab) madeByHand() *core.PendingCall {
	pc := &core.PendingCall{}
	l.probe.CallMade(l.view, pc, base.Never)
	return pc
}

func (l *lab) wantNoneOf(id string) {
	l.t.Helper()
	for _, v := range l.set.Violations() {
		if v.ID == id {
			l.t.Errorf("%v, want none of %s", v, id)
		}
	}
}

// TestC5 has calls start, settle and be answered twice.
func TestC5Once(t *testing.T) {
	t.Run("starts twice", func(t *testing.T) {
		l := newLab(t, labSetup{})
		l.get()
		l.wire.dialer.mangle = onlyType(wire.TypeCall, func(c []byte) [][]byte { return [][]byte{c, c} })
		l.call("x")
		l.wantViolation("C14", "at worker: the link is closed, or origin 0 of it, because of what came: ")
	})
	t.Run("starts twice at its provider", func(t *testing.T) {
		l := newLab(t, labSetup{})
		l.get()
		l.down().held = true
		l.call("x")
		l.probe.CallStart(l.worker, l.worker.Consumers()[0], 0, 0)
		l.wantViolation("C5", "at worker: call 0 on hold 0 starts, which was not made or has started")
	})
	t.Run("was not made", func(t *testing.T) {
		l := newLab(t, labSetup{})
		l.get()
		l.wire.dialer.swap = func(c []byte) []byte {
			h, body, _ := wire.ParseHeader(wire.Binary, c)
			if m, err := wire.ParseCall(wire.Binary, body); h.Type == wire.TypeCall && err == nil {
				m.ID = 7
				return m.Append(wire.Binary, h.Append(wire.Binary, nil))
			}
			return c
		}
		l.call("x")
		l.wantViolation("C5", "at worker: call 7 on hold 0 starts, which was not made or has started")
		l.wantViolation("C5", "at worker: a result of call 7 of origin 0, which did not come or has one")
	})
	t.Run("settles twice", func(t *testing.T) {
		l := newLab(t, labSetup{})
		l.get()
		pc, _ := l.call("x")
		l.probe.Settled(pc, true)
		l.wantViolation("C5", "at tab: a call settles that was not made, or has settled")
	})
	t.Run("made twice", func(t *testing.T) {
		l := newLab(t, labSetup{})
		l.get()
		l.probe.CallMade(l.view, l.madeByHand(), base.Never)
		pc := l.madeByHand()
		l.probe.CallMade(l.view, pc, base.Never)
		l.wantViolation("C5", "at tab: a call is made twice")
	})
	t.Run("sent twice", func(t *testing.T) {
		l := newLab(t, labSetup{})
		l.get()
		pc := l.madeByHand()
		l.probe.CallSent(pc, l.wire.dialer.conn.Link(), 3)
		l.probe.CallSent(pc, l.wire.dialer.conn.Link(), 4)
		l.wantViolation("C5", "at tab: call 4 is sent twice, or under the id of another")
	})
	t.Run("two results", func(t *testing.T) {
		l := newLab(t, labSetup{})
		l.get()
		l.call("x")
		m := wire.Result{ID: 0}
		l.set.Wrote(l.worker, l.down().conn.Link(), m.Append(wire.Binary, wire.Header{Type: wire.TypeResult}.Append(wire.Binary, nil)))
		l.wantViolation("C5", "at worker: a result of call 0 of origin 0, which did not come or has one")
	})
}

// TestC6 breaks what is said of calls that wait.
func TestC6Parked(t *testing.T) {
	parked := func(t *testing.T, told base.Limits) *lab {
		l := newLab(t, labSetup{told: told})
		l.wire.dialer.held = true
		l.get()
		return l
	}
	t.Run("too many", func(t *testing.T) {
		l := parked(t, base.Limits{ParkedCalls: 2})
		l.make(l.echo(1), l.echo(2), l.echo(3))
		l.wantViolation("C6", "at tab: 3 calls wait with ")
	})
	t.Run("too large", func(t *testing.T) {
		l := parked(t, base.Limits{ParkedBytes: 20})
		l.make(l.echo("an argument over twenty bytes"))
		l.wantViolation("C6", "at tab: 1 calls wait with ")
	})
	t.Run("sent when it has settled", func(t *testing.T) {
		l := parked(t, base.Limits{})
		var pc *core.PendingCall
		l.make(func() { pc = l.view.Call("echo", 1, nil) }, func() { pc.Cancel() })
		l.probe.CallSent(pc, l.wire.dialer.conn.Link(), 0)
		l.wantViolation("C6", "at tab: call 0 is sent, and has settled")
	})
	t.Run("sent past its deadline", func(t *testing.T) {
		l := parked(t, base.Limits{}) // whose timers never fire
		var pc *core.PendingCall
		l.make(func() { pc = l.view.Call("echo", 1, nil, core.Deadline(base.Time(3*base.Millisecond))) })
		l.now = base.Time(5 * base.Millisecond)
		l.probe.CallSent(pc, l.wire.dialer.conn.Link(), 0)
		l.wantViolation("C6", "at tab: call 0 is sent at 5ms, its deadline was 3ms")
	})
	t.Run("waits past its deadline", func(t *testing.T) {
		l := parked(t, base.Limits{})
		l.make(func() { l.view.Call("echo", 1, nil, core.Deadline(base.Time(3*base.Millisecond))) })
		l.now = base.Time(5 * base.Millisecond)
		l.settle()
		l.wantViolation("C6", "at tab: call number 1 of the reference to View waits, its deadline was 3ms")
	})
	t.Run("not counted", func(t *testing.T) {
		l := newLab(t, labSetup{rewire: func(p *core.Probe) { p.CallWaits = nil }})
		l.wire.dialer.held = true
		l.get()
		l.make(l.echo(1))
		l.wantViolation("C6", "at tab: a call waits and is not counted")
	})
	t.Run("counted for ever", func(t *testing.T) {
		var set *lab
		l := newLab(t, labSetup{rewire: func(p *core.Probe) { // for the checkers each call is sent at once
			told := *p
			p.CallMade = func(r *core.Reference, pc *core.PendingCall, at base.Time) {
				told.CallMade(r, pc, at)
				told.CallSent(pc, set.wire.dialer.conn.Link(), 0)
			}
			p.CallSent = func(*core.PendingCall, *link.Link, uint64) {}
		}})
		set = l
		l.wire.dialer.held = true
		l.get()
		l.make(l.echo(1))
		l.settle()
		l.wantViolation("C6", "at tab: 1 waiting calls are counted, with ")
	})
}

// TestC6Clean has calls wait, be sent and be given up on, within the limits.
func TestC6Clean(t *testing.T) {
	l := newLab(t, labSetup{})
	l.wire.dialer.held = true
	l.get()
	results := 0
	for i := range 20 {
		l.make(func() {
			pc := l.view.Call("echo", i, func(delta.Value, error) { results++ })
			if i%3 == 0 {
				pc.Cancel()
			}
		})
	}
	l.wire.dialer.free()
	l.settle()
	l.wantNone(false)
	if results != 20 {
		t.Errorf("%d results, want 20", results)
	}
}
