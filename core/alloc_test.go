package core_test

import (
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/wire"
)

// sink is a transport that keeps the last chunk and counts.
type sink struct {
	chunks int
	last   []byte
}

func (s *sink) Write(chunk []byte) bool { s.chunks++; s.last = chunk; return true }
func (s *sink) Close()                  {}

// TestCommitAllocations bounds what a commit costs from Change to a state message in the transport's hands, and what its
// credit costs: a regression shows here before it shows in a benchmark.
func TestCommitAllocations(t *testing.T) {
	h, doc := rawView(t)
	s := &sink{}
	conn := h.Accept(s)
	conn.Receive(append(header(wire.TypeHello).Append(wire.Binary, nil), wire.Hello{Identity: rawIdentity, Generation: 1}.Append(wire.Binary, nil)...))
	conn.Receive(append(header(wire.TypeHold).Append(wire.Binary, nil), wire.Hold{Address: "View"}.Append(wire.Binary, nil)...))
	conn.Receive(append(header(wire.TypeCredit).Append(wire.Binary, nil), wire.Credit{Bulk: 1}.Append(wire.Binary, nil)...))
	credit := append(wire.Header{Type: wire.TypeCredit, Ack: 1}.Append(wire.Binary, nil), wire.Credit{State: 1}.Append(wire.Binary, nil)...)
	edit := func(d *delta.Draft) error { return d.At("reply").Append(" tok") }
	turn := func() { doc.Change(nil, edit) }
	commit := func() {
		h.Do(turn)
		h.sched.run()
	}
	conn.Receive(wire.Header{Type: wire.TypeAck, Ack: uint64(s.chunks - 1)}.Append(wire.Binary, nil)) // all but the welcome
	before := s.chunks
	allocs := testing.AllocsPerRun(1000, func() {
		commit()
		conn.Receive(credit)
	})
	wantInt(t, "chunks", s.chunks-before, 1001)
	t.Logf("%v allocations for a commit, its state message of %d bytes and its credit", allocs, len(s.last))
	if allocs > 26 {
		t.Errorf("%v allocations for a commit and its message, want 26 at most", allocs)
	}
}

// TestFrameAllocations bounds what it costs to take a state message in: parsing, applying, a watch, the credit.
func TestFrameAllocations(t *testing.T) {
	provider, doc := rawView(t)
	p := provider.dial()
	p.hold(0, "View")
	bound := p.body(wire.TypeBound)
	p.creditAll()

	h := newRawHost(t, "tab", base.Limits{})
	s := &sink{}
	conn := h.Connect(s)
	conn.Receive(append(header(wire.TypeWelcome).Append(wire.Binary, nil), wire.Welcome{Identity: rawIdentity, Session: 1}.Append(wire.Binary, nil)...))
	frames := 0
	h.do(func() { h.Get("View").Watch("notes", func(core.Frame) { frames++ }) })
	conn.Receive(append(header(wire.TypeBound).Append(wire.Binary, nil), bound...))

	const n = 1000
	var chunks [][]byte
	for range n + 1 {
		p.out = nil
		provider.do(func() { change(t, doc, " tok") })
		chunks = append(chunks, p.out[0])
		p.creditAll()
	}
	i := 0
	allocs := testing.AllocsPerRun(n, func() {
		conn.Receive(chunks[i])
		i++
	})
	wantInt(t, "frames", frames, n+2)
	t.Logf("%v allocations for a state message of %d bytes", allocs, len(chunks[n]))
	if allocs > 8 {
		t.Errorf("%v allocations for a state message, want 8 at most", allocs)
	}
}

// TestFoldedCommitAllocations bounds what a commit costs while the window is full.
func TestFoldedCommitAllocations(t *testing.T) {
	h, doc := rawView(t)
	p := h.dial()
	p.hold(0, "View")
	p.creditAll()
	edit := func(d *delta.Draft) error { return d.At("reply").Append(" tok") }
	turn := func() { doc.Change(nil, edit) }
	commit := func() {
		h.Do(turn)
		h.sched.run()
	}
	for range 10 {
		commit()
	}
	wantInt(t, "messages", len(p.states(t)), 4)
	allocs := testing.AllocsPerRun(1000, commit)
	t.Logf("%v allocations for a commit that folds", allocs)
	if allocs > 20 {
		t.Errorf("%v allocations for a commit that folds, want 20 at most", allocs)
	}
}
