package check_test

import (
	"testing"

	"chordsim/core/base"
	"chordsim/core/wire"
)

// TestC12 has something of a hold come, or be kept, when it is over.
func TestC12Release(t *testing.T) {
	t.Run("state behind the word", func(t *testing.T) {
		l := newLab(t, labSetup{})
		l.get()
		l.down().mangle = behind(wire.TypeState, wire.TypeReleased)
		l.down().held = true
		l.add("x")
		l.do(l.tab, l.view.Release)
		l.down().mangle = nil
		l.set.Arrived(l.tab, l.wire.dialer.conn.Link(), wire.AppendHoldID(wire.Binary, wire.Header{Type: wire.TypeReleased}.Append(wire.Binary, nil), 0))
		l.down().held = false
		l.add("y")
		late := wire.AppendEntry(wire.Binary, wire.Header{Type: wire.TypeState}.Append(wire.Binary, nil), 0)
		l.set.Arrived(l.tab, l.wire.dialer.conn.Link(), late)
		l.wantViolation("C12", "at tab: state of hold 0 comes behind the word that it is over")
	})
	t.Run("encoded when it is over", func(t *testing.T) {
		l := newLab(t, labSetup{})
		l.get()
		l.do(l.tab, l.view.Release)
		l.wantNone(false)
		l.probe.Encode(l.worker, l.worker.Consumers()[0], 0)
		l.wantViolation("C12", "at worker: hold 0 is encoded, and is not held")
	})
	t.Run("written when it is over", func(t *testing.T) {
		l := newLab(t, labSetup{})
		l.get()
		id := l.worker.Consumers()[0]
		l.probe.Encode(l.worker, id, 0)
		l.probe.StateSent(l.worker, id, 1, 5)
		l.probe.Released(l.worker, id, 0)
		l.set.Wrote(l.worker, id.Link, wire.Header{Type: wire.TypeState}.Append(wire.Binary, nil))
		l.wantViolation("C12", "at worker: state of hold 0 is written, which is released")
	})
	t.Run("bound twice", func(t *testing.T) {
		l := newLab(t, labSetup{})
		l.get()
		l.probe.Bound(l.worker, l.worker.Consumers()[0], 0, nil)
		l.wantViolation("C12", "at worker: hold 0 is bound, and was not released before")
	})
	t.Run("kept", func(t *testing.T) {
		l := newLab(t, labSetup{})
		l.get()
		l.probe.Released(l.worker, l.worker.Consumers()[0], 0)
		l.settle()
		l.wantViolation("C12", "at worker: 1 holds of an origin are kept, 0 are held")
		l.wantViolation("C12", "at worker: View.notes is followed by 1 holds, 0 are held")
	})
	t.Run("kept by who asked", func(t *testing.T) {
		l := newLab(t, labSetup{})
		l.get()
		l.set.Arrived(l.tab, l.wire.dialer.conn.Link(), wire.AppendHoldID(wire.Binary, wire.Header{Type: wire.TypeReleased}.Append(wire.Binary, nil), 0))
		l.settle()
		l.wantViolation("C12", "at tab: 1 references are kept, 0 holds are not over")
	})
}

// TestC12Clean lets go of views at any time of their lives, directly and behind a relay, and takes them again.
func TestC12Clean(t *testing.T) {
	for _, relayed := range []bool{false, true} {
		l := newLab(t, labSetup{relayed: relayed, limits: base.Limits{ChunkBytes: 16}})
		for i := range 40 {
			l.down().held = i%2 == 0
			l.get()
			if i%4 < 2 {
				l.add("a text of more than one chunk")
			}
			if i%3 == 0 {
				l.down().free()
				l.add("another text of more than one chunk")
			}
			l.do(l.tab, l.view.Release)
			l.add("x")
			l.down().free()
		}
		l.settle()
		l.wantNone(false)
	}
}
