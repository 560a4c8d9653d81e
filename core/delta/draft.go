package delta

import (
	"fmt"
	"slices"
)

// Draft records changes to one revision of a value. Each call of a cursor is done at once, or fails, records nothing and
// leaves the draft as it was. A draft belongs to one goroutine.
type Draft struct {
	base, value Value
	lone        []Op // the first change while there is no second one: most drafts make one, which needs no fold
	fold        Fold // of all changes, from the second one on
	ops         []Op // of a closed draft
	closed      bool
}

// NewDraft returns a draft that changes base.
func NewDraft(base Value) *Draft { return &Draft{base: base, value: base} }

// At returns a cursor to a place, which need not be there yet. A segment is a string, an int or a [Segment]; with any other, and
// with a negative index, every change through the cursor fails.
func (d *Draft) At(segments ...any) Cursor {
	p, err := Path(nil).extend(segments)
	return Cursor{d, p, err}
}

// Value returns the value as changed so far.
func (d *Draft) Value() Value { return d.value }

// Ops returns the change from the base to the value so far, composed as [Fold] does. There are none if the draft is back
// where it began.
func (d *Draft) Ops() []Op {
	switch {
	case d.lone != nil:
		return slices.Clone(d.loneOps())
	case d.fold.Empty() || d.value.Equal(d.base):
		return nil
	}
	return d.withoutIdle(d.fold.Ops(d.value))
}

// loneOps is Ops of a draft with one change: what a fold makes of it.
func (d *Draft) loneOps() []Op {
	op := &d.lone[0]
	switch {
	case op.mayBeIdle() && d.value.Equal(d.base):
		return nil
	case op.Size() > d.value.Size():
		return []Op{Replace(d.value)}
	}
	return d.lone
}

// mayBeIdle reports whether an op that a cursor does may lead back to where it began: cursors do no set of what is there, no
// delete of what is not, and no op on nothing.
func (o *Op) mayBeIdle() bool {
	return o.Code == OpPermute || o.Code == OpSplice && o.Remove == len(o.Items)
}

// maxIdle is up to how many ops a change is looked through for such that lead back to the base.
const maxIdle = 64

// withoutIdle leaves out sets of what the base has there and deletes of what it has not, where no other op of the change
// moves the place: a field that was set and set back, or set and deleted.
func (d *Draft) withoutIdle(ops []Op) []Op {
	if len(ops) < 2 || len(ops) > maxIdle {
		return ops
	}
	for i := range ops {
		switch ops[i].Code {
		case OpReplace, OpSplice, OpPermute:
			return ops
		case OpDelete:
			if ops[i].Path[len(ops[i].Path)-1].IsIndex() {
				return ops // may be of a list
			}
		}
	}
	var kept []Op
	for i := range ops {
		if !d.idle(ops, i) {
			kept = append(kept, ops[i])
		}
	}
	return kept
}

func (d *Draft) idle(ops []Op, index int) bool {
	op := ops[index]
	at, there := d.base.Lookup(op.Path)
	switch {
	case op.Code == OpSet && there && at.Equal(op.Value):
	case op.Code == OpDelete && !there:
	default:
		return false
	}
	for i := range ops {
		other := ops[i].Path
		if i != index && len(other) <= len(op.Path) && slices.EqualFunc(other, op.Path[:len(other)], mayMeet) {
			return false // it changes the place too, or what is around it
		}
	}
	return true
}

// mayMeet reports whether two segments can name the same place: an index names the field of that decimal key in an object.
func mayMeet(a, b Segment) bool {
	return a == b || a.IsIndex() != b.IsIndex() && a.fieldKey() == b.fieldKey()
}

// Commit closes the draft and returns its value and the change that leads to it. Whatever changes the draft later fails with
// [ErrClosed].
func (d *Draft) Commit() (Value, []Op) {
	switch {
	case d.closed:
	case d.lone != nil:
		d.ops = d.loneOps()
	default:
		d.ops = d.Ops()
	}
	d.closed = true
	return d.value, d.ops
}

// do applies an op and records it.
func (d *Draft) do(op Op) error {
	ops := []Op{op}
	next, err := Apply(d.value, ops)
	if err != nil {
		return err
	}
	switch {
	case d.lone != nil:
		d.fold.Add(d.lone, d.value)
		d.fold.Add(ops, next)
		d.lone = nil
	case d.fold.Batches() > 0:
		d.fold.Add(ops, next)
	default:
		d.lone = ops
	}
	d.value = next
	return nil
}

// Cursor addresses a place in a draft. It is cheap, and may be kept as long as the draft.
type Cursor struct {
	draft *Draft
	path  Path
	err   error
}

// ready returns why nothing can be changed.
func (c Cursor) ready() error {
	if c.draft.closed {
		return ErrClosed
	}
	return c.err
}

// Value returns what is at the place. ok is false if there is nothing.
func (c Cursor) Value() (at Value, ok bool) {
	if c.err != nil {
		return Value{}, false
	}
	return c.draft.value.Lookup(c.path)
}

// Text returns the text at the place, "" if there is none.
func (c Cursor) Text() string {
	v, _ := c.Value()
	return v.Text().String()
}

// Len returns the length of what is at the place, as [Value.Len] does.
func (c Cursor) Len() int {
	v, _ := c.Value()
	return v.Len()
}

// Set makes v, which [FromGo] takes, the field or element at the place; at the root, the whole value. An index may be the
// length of its list, which appends.
func (c Cursor) Set(v any) error {
	if err := c.ready(); err != nil {
		return err
	}
	value, err := FromGo(v)
	if err != nil {
		return err
	}
	op := Op{Code: OpSet, Path: c.path, Value: value}
	if len(c.path) == 0 {
		op = Replace(value)
	}
	if old, ok := c.Value(); ok && op.check() == nil && old.Equal(value) {
		return nil
	}
	return c.draft.do(op)
}

// Delete removes the field at the place, if there is one, or the element.
func (c Cursor) Delete() error {
	if err := c.ready(); err != nil {
		return err
	}
	if _, ok := c.Value(); !ok {
		_, err := Apply(c.draft.value, []Op{{Code: OpDelete, Path: c.path}})
		return err
	}
	return c.draft.do(Op{Code: OpDelete, Path: c.path})
}

// Append appends s, which is read as [String] reads it, to the text at the place.
func (c Cursor) Append(s string) error {
	return c.change(Op{Code: OpAppend, Text: NewText(s)}, s == "")
}

// Truncate drops n UTF-16 units from the front of the text at the place, all if there are fewer.
func (c Cursor) Truncate(n int) error {
	n = min(n, c.Len())
	return c.change(Op{Code: OpTruncate, N: n}, n == 0)
}

// Push appends items, which [FromGo] takes, to the list at the place.
func (c Cursor) Push(items ...any) error { return c.Splice(c.Len(), 0, items...) }

// Splice replaces remove elements of the list at the place, from index on, by items, which [FromGo] takes. Index and remove
// are clamped to what is there, and may not be negative.
func (c Cursor) Splice(index, remove int, items ...any) error {
	if err := c.ready(); err != nil {
		return err
	}
	values := make([]Value, len(items))
	for i, item := range items {
		v, err := FromGo(item)
		if err != nil {
			return fmt.Errorf("%w (item %d)", err, i)
		}
		values[i] = v
	}
	if n := c.Len(); index >= 0 && remove >= 0 {
		index = min(index, n)
		remove = min(remove, n-index)
	}
	return c.change(Op{Code: OpSplice, N: index, Remove: remove, Items: values}, remove == 0 && len(items) == 0)
}

// Permute reorders the list at the place: new[i] = old[perm[i]].
func (c Cursor) Permute(perm []int) error {
	same := true
	for i, n := range perm {
		same = same && i == n
	}
	return c.change(Op{Code: OpPermute, Perm: slices.Clone(perm)}, same)
}

// change does an op at the place. One that changes nothing is only checked.
func (c Cursor) change(op Op, same bool) error {
	if err := c.ready(); err != nil {
		return err
	}
	op.Path = c.path
	if same {
		_, err := Apply(c.draft.value, []Op{op})
		return err
	}
	return c.draft.do(op)
}
