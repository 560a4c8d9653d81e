package core_test

import (
	"errors"
	"fmt"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/sim/netsim"
)

func TestChangeIsAtomic(t *testing.T) {
	l := newLab(t, base.Limits{}, netsim.Memory)
	r := l.hold(l.tab, "View")
	before, rev := l.doc.Value(), l.doc.Revision()
	stop := errors.New("stop")
	l.at(l.worker, func() {
		_, err := l.doc.Change(nil, func(d *delta.Draft) error {
			d.At("reply").Append("half")
			return stop
		})
		if !errors.Is(err, stop) {
			t.Errorf("the error of fn came back as %v", err)
		}
		func() {
			defer func() { recover() }()
			l.doc.Change(nil, func(d *delta.Draft) error {
				d.At("reply").Append("half")
				panic("within")
			})
		}()
	})
	if l.doc.Revision() != rev || !l.doc.Value().Equal(before) {
		t.Error("a change that failed changed something")
	}
	wantInt(t, "state messages of failed changes", l.stats().StateMessages, 0)
	l.commit("whole")
	l.settle()
	wantReply(t, r, "whole")
}

func TestEmptyChangePublishesNothing(t *testing.T) {
	l := newLab(t, base.Limits{}, netsim.Memory)
	l.hold(l.tab, "View")
	for why, fn := range map[string]func(*delta.Draft) error{
		"nothing":    func(*delta.Draft) error { return nil },
		"equal":      func(d *delta.Draft) error { return d.At("reply").Set("") },
		"there back": func(d *delta.Draft) error { return errors.Join(d.At("reply").Append("x"), d.At("reply").Truncate(1)) },
	} {
		l.at(l.worker, func() {
			if rev, err := l.doc.Change(nil, fn); rev != 0 || err != nil {
				t.Errorf("%s: revision %d, %v; want 0 and no error", why, rev, err)
			}
		})
	}
	wantInt(t, "commits", l.stats().Commits, 0)
	wantInt(t, "state messages", l.stats().StateMessages, 0)
	l.settle()
}

func TestPanicLaterInTheTurnUndoesNothing(t *testing.T) {
	l := newLab(t, base.Limits{}, netsim.Memory)
	r := l.hold(l.tab, "View")
	l.worker.Do(func() {
		l.change("kept")
		panic("later")
	})
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
		}()
		l.world.RunFor(0)
	}()
	// The world's queue goes on where the panic left it, with the host in order.
	if v, _ := l.doc.Value().At("reply"); v.Text().String() != "kept" {
		t.Error("the change before the panic was undone")
	}
	wantInt(t, "state messages", l.stats().StateMessages, 1)
	if r.State() != core.StateLive {
		t.Errorf("the reference is %v", r.State())
	}
}

func TestErrorLaterInTheCallUndoesNothing(t *testing.T) {
	l := newLab(t, base.Limits{}, netsim.Memory)
	l.worker.Core().Expose("Half", core.Object{
		State: core.Members{"notes": l.doc},
		Methods: core.Methods{"half": func(c *core.Call) (delta.Value, error) {
			if _, err := l.doc.Change(c, func(d *delta.Draft) error { return d.At("reply").Append("kept") }); err != nil {
				return delta.Null(), err
			}
			return delta.Null(), errors.New("later")
		}},
	})
	var o outcome
	r := l.hold(l.tab, "Half")
	l.at(l.tab, func() {
		r.Call("half", nil, func(v delta.Value, err error) {
			o.done(v, err)
			wantReply(t, r, "kept") // C15 holds for errors too
		})
	})
	l.settle()
	o.wantOnce(t, "half", base.CodeApp)
}

func TestChangeWithinChangeIsRefused(t *testing.T) {
	l := newLab(t, base.Limits{}, netsim.Memory)
	r := l.hold(l.tab, "View")
	l.at(l.worker, func() {
		_, err := l.doc.Change(nil, func(d *delta.Draft) error {
			_, inner := l.doc.Change(nil, func(d *delta.Draft) error { return d.At("reply").Append("inner") })
			wantCode(t, "the inner change", inner, base.CodeRefused)
			return d.At("reply").Append("outer")
		})
		if err != nil {
			t.Error(err)
		}
	})
	l.settle()
	wantReply(t, r, "outer")
}

func TestCommitsOfATurnAreOneMessage(t *testing.T) {
	l := newLab(t, base.Limits{}, netsim.Memory)
	r := l.hold(l.tab, "View")
	l.at(l.worker, func() {
		for i := range 5 {
			l.change(fmt.Sprint(i))
		}
	})
	l.settle()
	wantReply(t, r, "01234")
	s := l.stats()
	wantInt(t, "commits", s.Commits, 5)
	wantInt(t, "state messages", s.StateMessages, 1)
	wantInt(t, "encodes", s.Encodes, 1)
	wantInt(t, "frames: the snapshot and one", l.tab.Core().Stats().Frames, 2)
}

func TestTenHoldsAreOneMessage(t *testing.T) {
	l := newLab(t, base.Limits{}, netsim.Memory)
	other := l.world.Host("other")
	l.connect(other, l.worker, netsim.Memory)
	var refs []*core.Reference
	for range 10 {
		refs = append(refs, l.hold(l.tab, "View"))
	}
	refs = append(refs, l.hold(other, "View"))
	one := len(l.log.order)
	for range 3 { // the third names its path by an id
		l.commit("token")
	}
	l.settle()
	for _, r := range refs {
		wantReply(t, r, "tokentokentoken")
	}
	wantInt(t, "state messages: one for each commit and link", l.stats().StateMessages, 6)
	wantInt(t, "chunks at the tab", l.log.count["tab state"], 3)
	wantInt(t, "chunks at the other", l.log.count["other state"], 3)
	if one == 0 {
		t.Error("nothing was logged before")
	}
}

// TestSharedEntriesAreTheSameBytes looks at the message itself: ten entries, whose ops are equal byte for byte.
func TestSharedEntriesAreTheSameBytes(t *testing.T) {
	host, doc := rawView(t)
	p := host.dial()
	for id := range uint64(10) {
		p.hold(id, "View")
	}
	p.creditAll()
	p.out = nil
	host.do(func() { change(t, doc, "token") })
	entries := p.states(t)
	if len(entries) != 1 || len(entries[0]) != 10 {
		t.Fatalf("%d messages, want one with 10 entries: %v", len(entries), entries)
	}
	for id, e := range entries[0] {
		if e.hold != uint64(id) || string(e.ops) != string(entries[0][0].ops) {
			t.Errorf("entry %d is of hold %d with %x, want %x", id, e.hold, e.ops, entries[0][0].ops)
		}
	}
}

func TestExposeRefusesWhatNoPeerCouldRead(t *testing.T) {
	many := core.Methods{}
	for i := range core.MaxMethods + 1 {
		many[fmt.Sprint(i)] = echo
	}
	for why, o := range map[string]core.Object{
		"too many methods":  {Methods: many},
		"a nameless method": {Methods: core.Methods{"": echo}},
		"a long name":       {Methods: core.Methods{text(257): echo}},
		"no handler":        {Methods: core.Methods{"x": nil}},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s was exposed", why)
				}
			}()
			newLab(t, base.Limits{}, netsim.Memory).worker.Core().Expose("X", o)
		}()
	}
}
