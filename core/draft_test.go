package core_test

import (
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/sim/netsim"
)

func TestTheFirstDraftOfARevisionWins(t *testing.T) {
	l := newLab(t, base.Limits{}, netsim.Memory)
	ref := l.hold(l.tab, "View")
	l.settle()
	var first, second, same *core.Draft
	l.at(l.worker, func() { // opened in one turn, committed in others
		first, second, same = l.doc.Draft(), l.doc.Draft(), l.doc.Draft()
	})
	set := func(d *core.Draft, text string) {
		if err := d.At("reply").Set(text); err != nil {
			t.Error(err)
		}
	}
	l.at(l.worker, func() {
		set(first, "first")
		set(second, "second")
		set(same, "")
		if v, _ := l.doc.Value().At("reply"); v.Len() != 0 {
			t.Errorf("an open draft shows: %v", v)
		}
		rev, err := second.Commit(nil)
		if rev != 1 || err != nil {
			t.Errorf("the first to be committed: revision %d, %v", rev, err)
		}
	})
	l.at(l.worker, func() {
		rev, err := first.Commit(nil)
		if rev != 1 || base.CodeOf(err) != base.CodeConflict {
			t.Errorf("the second: revision %d, %v, want a conflict", rev, err)
		}
		if rev, err := same.Commit(nil); rev != 1 || err != nil {
			t.Errorf("a draft that changes nothing: revision %d, %v", rev, err)
		}
	})
	l.settle()
	if v, _ := ref.Value("notes"); !v.Equal(l.doc.Value()) {
		t.Errorf("the replica is %v", v)
	}
	if v, _ := l.doc.Value().At("reply"); v.Text().String() != "second" {
		t.Errorf("the document is %v", l.doc.Value())
	}
}

func TestADraftLosesToAChange(t *testing.T) {
	doc := core.NewDocument(delta.Object(delta.Field{Key: "n", Value: delta.Int(1)}))
	open, inside := doc.Draft(), doc.Draft()
	if err := open.At("n").Set(2); err != nil {
		t.Fatal(err)
	}
	if err := inside.At("n").Set(4); err != nil {
		t.Fatal(err)
	}
	_, err := doc.Change(nil, func(d *delta.Draft) error {
		if _, err := inside.Commit(nil); base.CodeOf(err) != base.CodeRefused {
			t.Errorf("a draft within a change: %v, want it refused", err)
		}
		return d.At("n").Set(3)
	})
	if err != nil {
		t.Fatal(err)
	}
	if rev, err := open.Commit(nil); rev != 1 || base.CodeOf(err) != base.CodeConflict {
		t.Errorf("revision %d, %v, want a conflict at 1", rev, err)
	}
	if rev, err := inside.Commit(nil); rev != 1 || base.CodeOf(err) != base.CodeRefused {
		t.Errorf("a draft that was refused, again: revision %d, %v, want it refused", rev, err)
	}
	if err := open.At("n").Set(5); err == nil {
		t.Error("a draft that was committed takes changes")
	}
	if n, _ := doc.Value().At("n"); n.Number() != 3 {
		t.Errorf("the document is %v", doc.Value())
	}
}

// The call on whose behalf a draft is committed is answered behind it (C15, which the lab's checkers watch).
func TestADraftOfACallIsSeenBeforeItsResult(t *testing.T) {
	l := newLab(t, base.Limits{}, netsim.Memory)
	l.worker.Core().Expose("Desk", core.Object{State: core.Members{"notes": l.doc}, Methods: core.Methods{
		"later": func(c *core.Call) (delta.Value, error) {
			c.Defer()
			draft := l.doc.Draft()
			l.worker.Do(func() {
				err := draft.At("reply").Append("!")
				if err == nil {
					_, err = draft.Commit(c)
				}
				c.Settle(delta.Null(), err)
			})
			return delta.Null(), nil
		},
	}})
	ref := l.hold(l.tab, "Desk")
	seen := ""
	l.at(l.tab, func() {
		ref.Call("later", nil, func(_ delta.Value, err error) {
			v, _ := ref.Value("notes")
			reply, _ := v.At("reply")
			seen = reply.Text().String()
			if err != nil {
				t.Error(err)
			}
		})
	})
	l.settle()
	if seen != "!" {
		t.Errorf("the caller saw %q with the result", seen)
	}
}
