package core_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/wire"
	"chordsim/sim/netsim"
)

func TestWithRoomEachCommitIsAMessage(t *testing.T) {
	l := newLab(t, base.Limits{}, netsim.Memory)
	l.hold(l.tab, "View")
	for i := range 4 {
		l.commit(fmt.Sprint(i))
		wantInt(t, "state messages", l.stats().StateMessages, int64(i+1))
		wantInt(t, "encodes", l.stats().Encodes, int64(i+1))
	}
	wantInt(t, "folded", l.stats().Folded, 0)
	l.settle()
}

func TestWithoutRoomCommitsFold(t *testing.T) {
	l := newLab(t, base.Limits{}, netsim.Memory)
	r := l.hold(l.tab, "View")
	l.stall()
	for i := range 1000 {
		l.commit(fmt.Sprintf("%04d", i))
	}
	s := l.stats()
	wantInt(t, "state messages while stalled", s.StateMessages, 4)
	wantInt(t, "encodes while stalled", s.Encodes, 4)
	wantInt(t, "folded", s.Folded, 996)
	w := l.window()
	wantInt(t, "outstanding", w.Outstanding, 4)
	wantInt(t, "ops that pend: appends fold into one", w.PendingOps, 1)
	if w.Pending < 996*4 || w.Pending > 996*4+64 {
		t.Errorf("%d bytes pend, want about %d", w.Pending, 996*4)
	}
	l.resume()
	wantInt(t, "state messages: one with the fold", l.stats().StateMessages, 5)
	l.settle()
	var want strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&want, "%04d", i)
	}
	wantReply(t, r, want.String())
	wantInt(t, "frames: snapshot, four, the fold", l.tab.Core().Stats().Frames, 6)
}

// TestCreditSendsOneMessage credits one message of a full window and looks for exactly one that takes its place.
func TestCreditSendsOneMessage(t *testing.T) {
	h, doc := rawView(t)
	p := h.dial()
	p.hold(0, "View")
	p.creditAll()
	for i := range 9 {
		h.do(func() { change(t, doc, fmt.Sprint(i)) })
	}
	if got := len(p.states(t)); got != 4 {
		t.Fatalf("%d state messages in a window of 4", got)
	}
	p.out = nil
	p.say(wire.TypeCredit, wire.Credit{State: 1}.Append(wire.Binary, nil))
	if got := p.states(t); len(got) != 1 || got[0][0].span != 5 {
		t.Fatalf("after one credit: %v, want one message of five revisions", got)
	}
	p.out = nil
	p.say(wire.TypeCredit, wire.Credit{State: 2}.Append(wire.Binary, nil))
	if got := p.states(t); len(got) != 0 {
		t.Fatalf("after more credit and no commit: %v, want nothing", got)
	}
}

func TestChangesThatCancelOutMoveTheRevisionOnly(t *testing.T) {
	l := newLab(t, base.Limits{WindowMessages: 1}, netsim.Memory)
	r := l.hold(l.tab, "View")
	l.stall()
	l.commit("x")
	l.commit("y")
	l.at(l.worker, func() {
		l.doc.Change(nil, func(d *delta.Draft) error { return d.At("reply").Set("x") })
	})
	l.resume()
	l.settle()
	if rev, _ := r.Revision("notes"); rev.Number != 3 {
		t.Errorf("revision %d, want 3", rev.Number)
	}
}

func TestWindowBytesHoldBackLargeMessages(t *testing.T) {
	limits := base.Limits{WindowBytes: 16 * base.KiB, ChunkBytes: base.KiB}
	l := newLab(t, limits, netsim.Memory)
	doc := core.NewDocument(delta.Object())
	l.worker.Core().Expose("Big", core.Object{State: core.Members{"notes": doc}})
	r := l.hold(l.tab, "Big")
	l.stall()
	put := func(key string, n int) {
		l.at(l.worker, func() {
			doc.Change(nil, func(d *delta.Draft) error { return d.At(key).Set(text(n)) })
		})
	}
	put("a", 10*base.KiB)
	wantInt(t, "messages: one of 10 KiB", l.stats().StateMessages, 1)
	put("b", 40*base.KiB)
	wantInt(t, "messages: a large one begins while there is room for a byte", l.stats().StateMessages, 2)
	put("c", 10)
	wantInt(t, "messages: the bytes are full", l.stats().StateMessages, 2)
	w := l.window()
	if w.Outstanding != 2 || w.Bytes < 50*base.KiB || w.Bytes > 51*base.KiB {
		t.Errorf("the window is %+v, want two messages of 50 KiB", w)
	}
	queued := l.conn.Link.Dialer().Queued() // of a memory link: nothing waits to leave, it is under way
	if written := l.conn.Accepted().Link().Stats().BytesOut; written > 17*base.KiB {
		t.Errorf("%d bytes were written (%d queued), the window has 16 KiB", written, queued)
	}
	l.resume()
	l.settle() // the checkers watch the bytes on the way
	v, _ := r.Value("notes")
	if !v.Equal(doc.Value()) {
		t.Error("the replica differs")
	}
	wantInt(t, "bytes outstanding at the end", l.window().Bytes, 0)
}

// TestPendingIsBoundedByTheState folds more than the value has bytes: a mark is left that holds nothing.
func TestPendingIsBoundedByTheState(t *testing.T) {
	l := newLab(t, base.Limits{WindowMessages: 1}, netsim.Memory)
	list := make([]any, 64)
	for i := range list {
		list[i] = 0
	}
	value, err := delta.FromGo(list)
	if err != nil {
		t.Fatal(err)
	}
	doc := core.NewDocument(value)
	l.worker.Core().Expose("Ring", core.Object{State: core.Members{"ring": doc}})
	r := l.hold(l.tab, "Ring")
	l.stall()
	peak := 0
	for i := range 5000 {
		l.at(l.worker, func() {
			doc.Change(nil, func(d *delta.Draft) error { return errors.Join(d.At(i%64).Set(i), d.At((i+7)%64).Set(-i)) })
		})
		peak = max(peak, l.window().Pending)
	}
	if bound := doc.Value().Size() + 256; peak > bound {
		t.Errorf("%d bytes pended at the peak, the value has %d", peak, bound)
	}
	if w := l.window(); w.Pending != 0 || w.PendingOps != 1 {
		t.Errorf("%+v pends, want a replace mark that holds nothing", w)
	}
	l.resume()
	l.settle()
	v, _ := r.Value("ring")
	if !v.Equal(doc.Value()) {
		t.Error("the replica differs")
	}
	wantInt(t, "state messages", l.stats().StateMessages, 2)
}

func TestWindowsOfTwoTabsAreTheirOwn(t *testing.T) {
	l := newLab(t, base.Limits{}, netsim.Memory)
	other := l.world.Host("other")
	l.connect(other, l.worker, netsim.Memory)
	r, o := l.hold(l.tab, "View"), l.hold(other, "View")
	l.stall()
	for range 20 {
		l.commit("t")
		wantReply(t, o, ownReply(l))
	}
	wantReply(t, r, "")
	wantInt(t, "state messages", l.stats().StateMessages, 4+20)
	l.resume()
	l.settle()
	wantReply(t, r, ownReply(l))
}

func ownReply(l *lab) string {
	v, _ := l.doc.Value().At("reply")
	return v.Text().String()
}
