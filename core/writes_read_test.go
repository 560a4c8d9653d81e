package core_test

import (
	"fmt"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/relay"
	"chordsim/core/wire"
	"chordsim/faults/linkmodel"
	"chordsim/sim/netsim"
)

// streamAndLook calls stream and, when its result is seen, wants the reference to show what the call wrote (C15).
func streamAndLook(l *lab, r *core.Reference, token string, seen *int) {
	r.Call("stream", token, func(v delta.Value, err error) {
		*seen++
		if err != nil {
			l.t.Error(err)
			return
		}
		if rev, _ := r.Revision("notes"); float64(rev.Number) < v.Number() {
			l.t.Errorf("the result of revision %v was seen with revision %d", v.Number(), rev.Number)
		}
	})
}

// TestAResultCostsNothingWithRoom compares the bytes of results, of a call that wrote and of one that did not.
func TestAResultCostsNothingWithRoom(t *testing.T) {
	h, _ := rawView(t)
	p := h.dial()
	p.hold(0, "View")
	p.creditAll()
	p.call(0, 0, "stream", "x")
	if got := fmt.Sprint(p.types()); got != "[state result-ordered]" {
		t.Fatalf("%s, want the state and the result behind it", got)
	}
	wrote := p.body(wire.TypeResultOrdered)
	p.creditAll()
	p.call(0, 0, "echo", 1)
	read := p.body(wire.TypeResult)
	if len(wrote) != len(read) {
		t.Errorf("the result of a call that wrote has %d bytes, another %d", len(wrote), len(read))
	}
}

func TestResultsWithAFullWindow(t *testing.T) {
	h, doc := rawView(t)
	p := h.dial()
	p.hold(0, "View")
	p.creditAll()
	for range 4 {
		h.do(func() { change(t, doc, ".") })
	}
	p.out = nil
	p.call(0, 0, "stream", "x") // its commit pends
	m, err := wire.ParseResult(wire.Binary, p.body(wire.TypeResult))
	if err != nil || len(m.After) != 1 || m.After[0] != (wire.After{Hold: 0, Entry: 5}) {
		t.Errorf("the result is after %v (%v), want entry 5 of hold 0", m.After, err)
	}
	p.out = nil
	p.call(0, 1, "echo", "y") // changed nothing
	if m, err = wire.ParseResult(wire.Binary, p.body(wire.TypeResult)); err != nil || len(m.After) != 0 {
		t.Errorf("a call that changed nothing waits for %v (%v)", m.After, err)
	}
	p.out = nil
	p.say(wire.TypeCredit, wire.Credit{State: 1}.Append(wire.Binary, nil))
	if got := p.states(t); len(got) != 1 || got[0][0].hold != 0 {
		t.Errorf("credit sent %v, want the fold of hold 0", got)
	}
}

// TestAWriteBehindAFullWindow sees the result only with its frame, and a read at once.
func TestAWriteBehindAFullWindow(t *testing.T) {
	l := newLab(t, base.Limits{}, slow(2*base.KiB))
	r := l.hold(l.tab, "View")
	l.settle()
	for range 8 {
		l.commit(text(500))
	}
	var order []string
	seen := 0
	l.at(l.tab, func() {
		r.Watch("notes", func(f core.Frame) { order = append(order, fmt.Sprint("frame ", f.Revision.Number)) })
		streamAndLook(l, r, "mine", &seen)
		r.Call("echo", nil, func(delta.Value, error) { order = append(order, "read") })
	})
	l.settle()
	wantInt(t, "results", seen, 1)
	wantReply(t, r, ownReply(l))
	if len(order) < 3 || order[len(order)-1] == "read" {
		t.Errorf("%q: the read waited for the window", order)
	}
}

// TestWritesOfARelayedCallWithABacklog streams and calls through a server over a slow link.
func TestWritesOfARelayedCallWithABacklog(t *testing.T) {
	l := newLab(t, base.Limits{}, netsim.Memory)
	server := l.world.Host("server")
	up := l.connect(server, l.worker, netsim.Memory)
	server.Core().Route("S", func(q *relay.Request) { q.To(up.Dialed().Link()) })
	l.tab = l.world.Host("far")
	l.conn = l.connect(l.tab, server, slow(4*base.KiB))
	r := l.hold(l.tab, "S/1/View")
	l.settle()
	seen := 0
	for i := range 60 {
		l.commit(text(20 + 400*(i%3)))
		l.run(17 * base.Millisecond)
		l.at(l.tab, func() { streamAndLook(l, r, fmt.Sprint("<", i, ">"), &seen) })
	}
	l.settle()
	wantInt(t, "results", seen, 60)
	wantReply(t, r, ownReply(l))
}

// TestALargeResultComesBehindItsWrites returns 50 KB, which goes by another lane than the state.
func TestALargeResultComesBehindItsWrites(t *testing.T) {
	for why, fill := range map[string]int{"room": 0, "full": 6} {
		t.Run(why, func(t *testing.T) {
			// The state needs eight round trips, the result one.
			l := newLab(t, base.Limits{WindowBytes: 4 * base.KiB}, netsim.Config{Down: linkmodel.Config{Latency: base.Second}})
			l.worker.Core().Expose("Wide", core.Object{
				State: core.Members{"notes": l.doc},
				Methods: core.Methods{"wide": func(c *core.Call) (delta.Value, error) {
					l.doc.Change(c, func(d *delta.Draft) error { return d.At("reply").Append(text(30_000)) })
					return delta.String(text(50_000)), nil
				}},
			})
			r := l.hold(l.tab, "Wide")
			l.settle()
			for range fill {
				l.commit(".")
			}
			seen := 0
			l.at(l.tab, func() {
				r.Call("wide", nil, func(v delta.Value, err error) {
					seen++
					if n := len(reply(r)); n < 30_000 || v.Len() != 50_000 {
						t.Errorf("the result of %d characters (%v) was seen with a reply of %d", v.Len(), err, n)
					}
				})
			})
			l.settle()
			wantInt(t, "results", seen, 1)
		})
	}
}

// TestAWriteToAHoldThatIsBeingBound: the snapshot under way is older than the write, and the result waits for what is
// behind it.
func TestAWriteToAHoldThatIsBeingBound(t *testing.T) {
	l := newLab(t, base.Limits{}, slow(64*base.KiB))
	l.worker.Core().Expose("Writer", core.Object{Methods: core.Methods{"stream": l.stream}})
	l.commit(text(100_000))
	w := l.hold(l.tab, "Writer")
	l.settle()
	r := l.hold(l.tab, "View")
	l.run(base.Second / 2)
	wantState(t, r, core.StateResolving)
	seen := 0
	l.at(l.tab, func() {
		w.Call("stream", "mine", func(v delta.Value, _ error) {
			seen++
			if rev, _ := r.Revision("notes"); float64(rev.Number) < v.Number() {
				t.Errorf("the result of revision %v was seen with revision %d", v.Number(), rev.Number)
			}
		})
	})
	l.settle()
	wantInt(t, "results", seen, 1)
}

// TestAWriteOfTwoDocuments has one commit sent and large, the other pending: the result waits for both, and still for the
// first when the second's reference is let go of.
func TestAWriteOfTwoDocuments(t *testing.T) {
	for why, release := range map[string]bool{"both held": false, "one let go of": true} {
		t.Run(why, func(t *testing.T) { writeTwoDocuments(t, release) })
	}
}

func writeTwoDocuments(t *testing.T, release bool) {
	l := newLab(t, base.Limits{WindowMessages: 1}, slow(16*base.KiB))
	first, second := core.NewDocument(delta.Object()), core.NewDocument(delta.Object())
	l.worker.Core().Expose("First", core.Object{State: core.Members{"m": first}})
	l.worker.Core().Expose("Second", core.Object{State: core.Members{"m": second}})
	var open *core.Call
	l.worker.Core().Expose("Both", core.Object{Methods: core.Methods{"both": func(c *core.Call) (delta.Value, error) {
		first.Change(c, func(d *delta.Draft) error { return d.At("x").Set(text(40_000)) })
		c.Defer()
		open = c
		return delta.Null(), nil
	}}})
	a, b, both := l.hold(l.tab, "First"), l.hold(l.tab, "Second"), l.hold(l.tab, "Both")
	l.settle()
	seen := 0
	l.at(l.tab, func() {
		both.Call("both", nil, func(delta.Value, error) {
			seen++
			for _, r := range []*core.Reference{a, b} {
				if release && r == b {
					continue
				}
				if rev, _ := r.Revision("m"); rev.Number != 1 {
					t.Errorf("the result was seen with %s at revision %d", r.Address(), rev.Number)
				}
			}
		})
	})
	l.at(l.worker, func() {
		second.Change(open, func(d *delta.Draft) error { return d.At("x").Set(1) })
		open.Settle(delta.Null(), nil)
	})
	if release {
		l.run(base.Second / 2) // the result is there, the state of the first is not
		l.at(l.tab, b.Release)
		wantInt(t, "results before the state", seen, 0)
	}
	l.settle()
	wantInt(t, "results", seen, 1)
}
