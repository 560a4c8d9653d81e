package core_test

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
)

// documentModel is a document and a plain list that it must equal, with every revision that there was and the drafts that
// were kept beyond their Change.
type documentModel struct {
	doc  *core.Document
	list []int
	rev  uint64
	past []pastRevision
	kept []*delta.Draft
}

// pastRevision is a value of the document and how it was then.
type pastRevision struct {
	value delta.Value
	json  string
}

// editList does one or more changes to a draft and returns the list that it comes to.
func editList(t *rapid.T, d *delta.Draft, list []int) []int {
	list = slices.Clone(list)
	for range rapid.IntRange(1, 3).Draw(t, "edits") {
		n := rapid.IntRange(0, 9).Draw(t, "n")
		at := rapid.IntRange(0, len(list)).Draw(t, "at")
		var err error
		switch {
		case at == len(list):
			list, err = append(list, n), d.At("list").Push(n)
		case rapid.Bool().Draw(t, "delete"):
			list, err = slices.Delete(list, at, at+1), d.At("list", at).Delete()
		default:
			list[at], err = n, d.At("list", at).Set(n)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// committed takes note of a Change that was to succeed.
func (m *documentModel) committed(t *rapid.T, rev uint64, err error, list []int) {
	if !slices.Equal(list, m.list) {
		m.rev++
	}
	m.list = list
	if err != nil || rev != m.rev {
		t.Fatalf("revision %d (%v), want %d", rev, err, m.rev)
	}
}

func (m *documentModel) change(t *rapid.T) {
	var list []int
	rev, err := m.doc.Change(nil, func(d *delta.Draft) error {
		m.kept = append(m.kept, d)
		list = editList(t, d, m.list)
		return nil
	})
	m.committed(t, rev, err, list)
}

// back leads there and back, which is no commit.
func (m *documentModel) back(t *rapid.T) {
	rev, err := m.doc.Change(nil, func(d *delta.Draft) error {
		was, _ := d.At("list").Value()
		editList(t, d, m.list)
		return d.At("list").Set(was)
	})
	m.committed(t, rev, err, m.list)
}

func (m *documentModel) fail(t *rapid.T) {
	stop := errors.New("stop")
	rev, err := m.doc.Change(nil, func(d *delta.Draft) error {
		m.kept = append(m.kept, d)
		editList(t, d, m.list)
		return stop
	})
	if !errors.Is(err, stop) || rev != m.rev {
		t.Fatalf("revision %d (%v), want %d and the error of the function", rev, err, m.rev)
	}
}

// within opens a second draft on a revision that has one: only the first can be committed, whatever becomes of it.
func (m *documentModel) within(t *rapid.T) {
	stop := errors.New("stop")
	fails := rapid.Bool().Draw(t, "outer fails")
	list := m.list
	rev, err := m.doc.Change(nil, func(d *delta.Draft) error {
		list = editList(t, d, m.list)
		rev, err := m.doc.Change(nil, func(*delta.Draft) error {
			t.Fatal("a second draft is open on one revision")
			return nil
		})
		if base.CodeOf(err) != base.CodeRefused || rev != m.rev {
			t.Fatalf("a change within a change: revision %d (%v)", rev, err)
		}
		if fails {
			return stop
		}
		return nil
	})
	if fails {
		list = m.list
		if !errors.Is(err, stop) {
			t.Fatal(err)
		}
		err = nil
	}
	m.committed(t, rev, err, list)
}

// late uses a draft after its Change, and one that somebody made for himself.
func (m *documentModel) late(t *rapid.T) {
	if len(m.kept) == 0 {
		t.Skip("no draft was kept")
	}
	d := rapid.SampledFrom(m.kept).Draw(t, "draft")
	for _, err := range []error{d.At("list").Push(1), d.At("list").Set(1), d.At().Delete()} {
		if !errors.Is(err, delta.ErrClosed) {
			t.Fatalf("a draft can be used after its Change: %v", err)
		}
	}
	own := delta.NewDraft(m.doc.Value())
	editList(t, own, m.list)
	own.Commit()
}

func (m *documentModel) check(t *rapid.T) {
	items := make([]any, len(m.list))
	for i, n := range m.list {
		items[i] = n
	}
	want, err := delta.FromGo(map[string]any{"list": items})
	if err != nil {
		t.Fatal(err)
	}
	if got := m.doc.Value(); !got.Equal(want) || m.doc.Revision().Number != m.rev {
		t.Fatalf("revision %d is %v, want %d and %v", m.doc.Revision().Number, got, m.rev, want)
	}
	m.past = append(m.past, pastRevision{m.doc.Value(), m.doc.Value().String()})
}

// TestDocumentModel changes a document in every way, also such that must not change it, against a plain list.
func TestDocumentModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &documentModel{doc: core.NewDocument(delta.Object(delta.Field{Key: "list", Value: delta.List()}))}
		t.Repeat(map[string]func(*rapid.T){
			"change": m.change, "back": m.back, "fail": m.fail, "within": m.within, "late": m.late, "": m.check,
		})
		for _, p := range m.past {
			if now := p.value.String(); now != p.json {
				t.Fatalf("an old revision changed from %s to %s", p.json, now)
			}
		}
	})
}
