package delta

import (
	"errors"
	"testing"

	"pgregory.net/rapid"
)

// revision is a committed value, how it was when it was committed, and the plain value that it stands for.
type revision struct {
	value Value
	model any
	json  string
	hash  uint64
}

// workingDraft is a draft, the revision that it changes and the plain value that it has come to.
type workingDraft struct {
	draft *Draft
	base  revision
	model any
	kept  []keptCursor
}

// keptCursor is a cursor of an earlier change.
type keptCursor struct {
	cursor Cursor
	path   Path
}

// history is every revision of one value and the drafts that are open on them.
type history struct {
	revisions []revision
	open      []*workingDraft
}

const (
	maxOpenDrafts  = 5
	maxKeptCursors = 4
)

func (h *history) add(value Value, model any) {
	h.revisions = append(h.revisions, revision{value, model, value.String(), value.Hash()})
}

// begin opens a draft, of which several may be open on one revision.
func (h *history) begin(t *rapid.T) {
	if len(h.open) == maxOpenDrafts {
		t.Skip("enough drafts are open")
	}
	base := h.revisions[len(h.revisions)-1]
	if rapid.IntRange(0, 2).Draw(t, "old") == 0 {
		base = rapid.SampledFrom(h.revisions).Draw(t, "revision")
	}
	h.open = append(h.open, &workingDraft{draft: NewDraft(base.value), base: base, model: base.model})
}

func (h *history) pick(t *rapid.T) *workingDraft {
	if len(h.open) == 0 {
		t.Skip("no draft is open")
	}
	return rapid.SampledFrom(h.open).Draw(t, "draft")
}

// change does a few ops.
func (h *history) change(t *rapid.T) {
	w := h.pick(t)
	for range rapid.IntRange(1, 4).Draw(t, "ops") {
		w.change(t)
	}
}

// change does one op through a cursor, a new one or one that was kept.
func (w *workingDraft) change(t *rapid.T) {
	op, items := drawOp(t, w.model)
	c := w.draft.At(segmentsOf(op.Path)...)
	if len(w.kept) > 0 && rapid.IntRange(0, 3).Draw(t, "kept") == 0 {
		k := rapid.SampledFrom(w.kept).Draw(t, "cursor")
		c, op.Path = k.cursor, k.path
		if op.Code == OpReplace {
			op.Code = OpSet
		}
	}
	if op.Code == OpSet && len(op.Path) == 0 {
		op.Code = OpReplace // which is what a cursor at the root does
	}
	next, ok := any(nil), op.check() == nil
	if ok {
		next, ok = modelApply(w.model, op.Path, op, items)
	}
	before, ops := w.draft.Value(), len(w.draft.Ops())
	err := doThrough(c, op)
	if (err == nil) != ok {
		t.Fatalf("%v on %v: error %v, the model accepts: %v", op, before, err, ok)
	}
	if !ok {
		if w.draft.Value() != before || len(w.draft.Ops()) != ops {
			t.Fatalf("%v was refused (%v) and left something", op, err)
		}
		return
	}
	w.model = next
	if len(w.kept) == maxKeptCursors {
		w.kept = w.kept[1:]
	}
	w.kept = append(w.kept, keptCursor{c, op.Path})
	at, there := modelValue(next).Lookup(op.Path)
	if got, ok := c.Value(); ok != there || !got.Equal(at) || c.Len() != at.Len() || c.Text() != at.Text().String() {
		t.Fatalf("after %v the cursor reads %v (%v), want %v (%v)", op, got, ok, at, there)
	}
}

// back leads a draft to where it began: field by field, or at once where that cannot be.
func (h *history) back(t *rapid.T) {
	w := h.pick(t)
	err := w.undoFields()
	if err != nil {
		err = w.draft.At().Set(w.base.value)
	}
	if ops := w.draft.Ops(); err != nil || ops != nil {
		t.Fatalf("a draft that is back where it began has ops %v (%v)", ops, err)
	}
	w.model = w.base.model
}

// undoFields fails if the value or its base is no object, or one with a field that no path can name.
func (w *workingDraft) undoFields() error {
	base, now := w.base.value, w.draft.Value()
	if base.Kind() != KindObject || now.Kind() != KindObject {
		return ErrType
	}
	var errs []error
	for key := range now.Fields() {
		if _, ok := base.Get(key); !ok {
			errs = append(errs, w.draft.At(key).Delete())
		}
	}
	for key, was := range base.Fields() {
		errs = append(errs, w.draft.At(key).Set(was))
	}
	return errors.Join(errs...)
}

// rivals are two drafts on the newest revision that push to one list. Each commits what it pushed itself.
func (h *history) rivals(t *rapid.T) {
	base := h.revisions[len(h.revisions)-1]
	path := PathOf("xs")
	if _, ok := base.value.Get("pad"); ok {
		path = PathOf("doc", "xs")
	}
	if list, ok := base.value.Lookup(path); !ok || list.Kind() != KindList {
		t.Skip("there is no list")
	}
	var both []*workingDraft
	for _, item := range []any{1.0, 2.0} {
		w := &workingDraft{draft: NewDraft(base.value), base: base}
		if err := w.draft.At(segmentsOf(path)...).Push(item); err != nil {
			t.Fatal(err)
		}
		n, _ := base.value.Lookup(path)
		w.model, _ = modelApply(base.model, path, Op{Code: OpSplice, N: n.Len()}, []any{item})
		both = append(both, w)
	}
	for _, w := range both {
		h.close(t, w)
	}
}

// commit closes one of the drafts.
func (h *history) commit(t *rapid.T) { h.close(t, h.pick(t)) }

// close commits a draft. Its ops lead from its base to its value, in process and through the text codec.
func (h *history) close(t *rapid.T, w *workingDraft) {
	for i := range h.open {
		if h.open[i] == w {
			h.open = append(h.open[:i:i], h.open[i+1:]...)
			break
		}
	}
	v, ops := w.draft.Commit()
	wantSame(t, v, modelValue(w.model))
	if len(ops) == 0 != v.Equal(w.base.value) || len(ops) > MaxOps {
		t.Fatalf("%d ops lead from %v to %v", len(ops), w.base.value, v)
	}
	sent, err := ParseOpsJSON(AppendOpsJSON(nil, ops))
	if err != nil {
		t.Fatalf("%v: %v", ops, err)
	}
	for _, batch := range [][]Op{ops, sent} {
		got, err := Apply(w.base.value, batch)
		if err != nil || !got.Equal(v) || len(ops) > 0 && got.String() != v.String() {
			t.Fatalf("%v lead to %v (%v), not to %v", batch, got, err, v)
		}
	}
	if err := w.draft.At().Set(1); !errors.Is(err, ErrClosed) {
		t.Fatalf("a committed draft can be changed: %v", err)
	}
	if len(ops) > 0 {
		h.add(v, w.model)
	}
}

// check looks at every open draft and the base that it must not change.
func (h *history) check(t *rapid.T) {
	for _, w := range h.open {
		if want := modelValue(w.model); !w.draft.Value().Equal(want) {
			t.Fatalf("a draft is %v, want %v", w.draft.Value(), want)
		}
		w.base.check(t)
	}
}

// check reads the revision again. Its hash is taken of what is read, since a value remembers its own.
func (r revision) check(t *rapid.T) {
	now := r.value.String()
	again, err := ParseJSON([]byte(now))
	if now != r.json || err != nil || again.Hash() != r.hash || r.value.Hash() != r.hash {
		t.Fatalf("an old revision changed (%v)\nfrom %s\n  to %s", err, r.json, now)
	}
}

// TestDraftModel has several drafts open on the revisions of one value, each against a plain value, and keeps all revisions.
func TestDraftModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		model := any(richModel())
		if rapid.Bool().Draw(t, "any") {
			model = drawModel(t, 3)
		}
		if rapid.IntRange(0, 3).Draw(t, "padded") > 0 {
			model = padded(model)
		}
		h := &history{}
		h.add(maybePacked(t, modelValue(model)), model)
		t.Repeat(map[string]func(*rapid.T){
			"begin": h.begin, "change": h.change, "change more": h.change, "change still more": h.change,
			"back": h.back, "rivals": h.rivals, "commit": h.commit, "": h.check,
		})
		for _, r := range h.revisions {
			r.check(t)
			if !r.value.Equal(modelValue(r.model)) {
				t.Fatalf("an old revision is no more what it stands for")
			}
		}
	})
}

// richModel has something for every op, which what is drawn has seldom.
func richModel() map[string]any {
	return map[string]any{
		"xs": []any{1.0, []uint16{'a'}, []any{2.0, 3.0}, map[string]any{"a": nil}}, "a": []uint16{'x', 0xd83d, 0xde00, 'y'},
		"b": map[string]any{"0": []uint16{}, "1": []any{4.0, 5.0, 6.0}},
	}
}

func segmentsOf(p Path) []any {
	segments := make([]any, len(p))
	for i, s := range p {
		segments[i] = s
	}
	return segments
}

// doThrough does an op by the cursor's method for it. A splice at the end is now and then a push.
func doThrough(c Cursor, op Op) error {
	items := make([]any, len(op.Items))
	for i, v := range op.Items {
		items[i] = v
	}
	switch op.Code {
	case OpDelete:
		return c.Delete()
	case OpAppend:
		return c.Append(op.Text.String())
	case OpTruncate:
		return c.Truncate(op.N)
	case OpSplice:
		if op.N == c.Len() {
			return c.Push(items...)
		}
		return c.Splice(op.N, op.Remove, items...)
	case OpPermute:
		return c.Permute(op.Perm)
	}
	return c.Set(op.Value)
}
