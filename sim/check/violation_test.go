package check_test

import (
	"testing"

	"chordsim/core/base"
	"chordsim/core/wire"
)

// TestC1 breaks convergence: a change that never came, and one that came altered.
func TestC1Convergence(t *testing.T) {
	t.Run("lost", func(t *testing.T) {
		l := newLab(t, labSetup{})
		l.get()
		l.down().mangle = onlyType(wire.TypeState, dropNth(1))
		l.add("x")
		l.settle()
		l.wantViolation("C1", "notes is at revision 0 of View.notes, which is at 1: the values differ (hashes ")
	})
	t.Run("altered", func(t *testing.T) {
		l := newLab(t, labSetup{})
		l.get()
		l.down().swap = func(chunk []byte) []byte { return replaced(chunk, "needle", "noodle") }
		l.add("needle")
		l.settle()
		l.wantViolation("C1", "notes is at revision 1 of View.notes, which is at 1: the values differ")
	})
}

// TestC2 breaks the exact prefix in each way that a link can.
func TestC2ExactPrefix(t *testing.T) {
	var kept []byte
	for name, c := range map[string]struct {
		mangle func([]byte) [][]byte
		want   string
	}{
		"altered": {
			func(c []byte) [][]byte { return [][]byte{replaced(c, "second", "secund")} },
			"violated at 3ms at tab: the value of View.notes at revision 2 is not the committed one",
		},
		"lost":  {dropNth(2), "a change of View.notes leads from revision ..2, what was sent before it ended at 1"},
		"twice": {func(c []byte) [][]byte { return [][]byte{c, c} }, "leads from revision ..0, what was sent before it ended at 1"},
		"turned round": {func(c []byte) [][]byte {
			if kept == nil {
				kept = c
				return nil
			}
			both := [][]byte{c, kept}
			kept = nil
			return both
		}, "leads from revision ..3, what was sent before it ended at 2"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, labSetup{})
			l.get()
			if name == "turned round" {
				l.add("zeroth")
				l.add("first")
			}
			l.down().mangle = onlyType(wire.TypeState, c.mangle)
			if name != "turned round" {
				l.add("first")
			}
			l.add("second")
			l.add("third")
			l.settle()
			l.wantViolation("C2", c.want)
		})
	}
}

// TestC3 breaks the rule of one message: hosts with another window than the checkers were told, and entries too many.
func TestC3OneMessage(t *testing.T) {
	t.Run("without room", func(t *testing.T) {
		l := newLab(t, labSetup{limits: base.Limits{WindowMessages: 5}})
		l.get()
		l.down().held = true
		for range 6 {
			l.add("x")
		}
		l.wantViolation("C3", "at worker: a state message without room: 4 messages, ")
		l.wantViolation("C8", "at worker: 5 state messages are outstanding, the window has 4")
	})
	t.Run("held back with room", func(t *testing.T) {
		l := newLab(t, labSetup{limits: base.Limits{WindowMessages: 3}})
		l.get()
		l.down().held = true
		for range 4 {
			l.add("x")
		}
		l.wantViolation("C3", "at worker: hold 0 is behind at the end of a turn, and the window has room")
	})
	t.Run("twice in a turn", func(t *testing.T) {
		l := newLab(t, labSetup{})
		l.get()
		id := l.worker.Consumers()[0]
		l.probe.Encode(l.worker, id, 0)
		l.probe.Encode(l.worker, id, 0)
		l.wantViolation("C3", "hold 0 is encoded twice in a turn")
		l.probe.StateSent(l.worker, id, 1, 5)
		l.probe.StateSent(l.worker, id, 1, 5)
		l.wantViolation("C3", "2 state messages in one turn")
	})
	t.Run("before the snapshot", func(t *testing.T) {
		l := newLab(t, labSetup{})
		l.wire.dialer.held = true // no credit
		l.get()
		l.wire.dialer.free()
		id := l.worker.Consumers()[0]
		l.probe.Released(l.worker, id, 0)
		l.probe.Bound(l.worker, id, 0, nil)
		l.probe.Encode(l.worker, id, 0)
		l.wantViolation("C3", "hold 0 is encoded before its snapshot was taken in")
	})
}

// TestC8 breaks the window: in bytes, in credit, and in what pends.
func TestC8Window(t *testing.T) {
	t.Run("bytes on the way", func(t *testing.T) {
		l := newLab(t, labSetup{told: base.Limits{WindowBytes: 16}})
		l.get()
		l.down().held = true
		l.add("a text that is longer")
		l.wantViolation("C8", "bytes of state are on the way, the window has 16")
	})
	t.Run("credit twice", func(t *testing.T) {
		l := newLab(t, labSetup{})
		l.get()
		l.wire.dialer.mangle = onlyType(wire.TypeCredit, func(c []byte) [][]byte { return [][]byte{c, c} })
		l.add("x")
		l.wantViolation("C8", "credit of 1 state and 0 bulk chunks, 0 and 0 are out")
	})
	t.Run("credit lost", func(t *testing.T) {
		l := newLab(t, labSetup{})
		l.get()
		l.wire.dialer.mangle = onlyType(wire.TypeCredit, dropNth(1))
		l.add("x")
		l.settle()
		l.wantViolation("C8", "at worker: settled with 1 state messages (")
	})
	t.Run("credit of the snapshot lost", func(t *testing.T) {
		l := newLab(t, labSetup{})
		l.wire.dialer.mangle = onlyType(wire.TypeCredit, dropNth(1))
		l.get()
		l.settle()
		l.wantViolation("C8", "(0 bytes, 0 chunks) and 1 bulk chunks that were not credited")
	})
	t.Run("pends without bound", func(t *testing.T) {
		l := newLab(t, labSetup{})
		l.get()
		// For the checkers the consumer holds nothing any more, so nothing may pend for it.
		l.probe.Released(l.worker, l.worker.Consumers()[0], 0)
		l.down().held = true
		for range 5 {
			l.add("text")
		}
		l.probe.StateSent(l.worker, l.worker.Consumers()[0], 1, 1)
		l.add("text")
		l.wantViolation("C8", "bytes pend, the values have 0")
	})
}

// TestC11 breaks the snapshot, and what comes after it.
func TestC11Snapshot(t *testing.T) {
	t.Run("altered", func(t *testing.T) {
		l := newLab(t, labSetup{})
		l.down().swap = func(chunk []byte) []byte { return replaced(chunk, "abc", "abd") }
		l.get()
		l.wantViolation("C11", "at tab: the value of View.notes at revision 0 is not the committed one")
	})
	t.Run("newer one missed", func(t *testing.T) {
		l := newLab(t, labSetup{})
		l.get()
		l.down().mangle = onlyType(wire.TypeState, dropNth(1))
		l.add("lost")
		l.add("comes")
		l.wantViolation("C11", "at tab: a change of View.notes leads from revision ..1, what was sent before it ended at 0")
	})
	t.Run("nothing came after it", func(t *testing.T) {
		l := newLab(t, labSetup{})
		l.get()
		l.down().mangle = onlyType(wire.TypeState, dropNth(1))
		l.add("lost")
		l.settle()
		l.wantViolation("C11", "at tab: notes has its snapshot of revision 0 and nothing after it; View.notes is at 1")
	})
	t.Run("of no hold", func(t *testing.T) {
		l := newLab(t, labSetup{})
		l.get()
		l.down().mangle = onlyType(wire.TypeState, func(c []byte) [][]byte {
			h, body, _ := wire.ParseHeader(wire.Binary, c)
			return [][]byte{append(append(h.Append(wire.Binary, nil), 5), body[1:]...)}
		})
		l.add("x")
		l.wantViolation("C11", "at tab: state of hold 5, which was not bound")
	})
	t.Run("of a revision to come", func(t *testing.T) {
		l := newLab(t, labSetup{})
		l.down().swap = func(chunk []byte) []byte {
			h, body, _ := wire.ParseHeader(wire.Binary, chunk)
			if m, err := wire.ParseBound(wire.Binary, body, l.wire.dialer.conn.Link().Limits()); h.Type == wire.TypeBound && err == nil {
				m.Members[0].Number = 3
				return m.Append(wire.Binary, h.Append(wire.Binary, nil))
			}
			return chunk
		}
		l.get()
		l.wantViolation("C11", "at tab: a frame of View.notes at revision 3, the document is at 0")
	})
}
