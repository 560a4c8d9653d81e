package delta

import "math"

// Diff returns ops that lead from old to new: Apply(old, Diff(old, new)) equals new. There are none if the two are
// equal, and one replace where no smaller change is found or more than [MaxOps] ops would be needed. Fields that differ
// are set, one by one and deep inside; lists are aligned by what they have in common, and spliced; a text that goes on
// is appended to, one that moves on (its front is gone, its end grew) is truncated and appended to. By the measure of
// [Op.Size] no change of a container takes more than setting it anew.
//
// What old and new share is not looked at, so for two revisions of one value the cost follows what differs. For values
// that were made apart it is that of comparing them. The order of fields is no difference. A new value that is nested
// deeper than [MaxDepth] has no ops that Apply takes.
func Diff(old, new Value) []Op {
	var d differ
	if d.value(old, new); len(d.ops) > MaxOps {
		return []Op{Replace(new)}
	}
	return d.ops
}

// Become makes v the draft's value by what [Diff] gives: ops that are small where v differs little.
func (d *Draft) Become(v Value) error {
	if d.closed {
		return ErrClosed
	}
	return d.doAll(Diff(d.value, v))
}

// doAll applies ops and records them, all or none.
func (d *Draft) doAll(ops []Op) error {
	next, err := Apply(d.value, ops)
	if err != nil || len(ops) == 0 {
		return err
	}
	d.value = next
	d.fold.Add(ops, next)
	return nil
}

// differ collects ops. Each of its methods appends those of one place and returns their size.
type differ struct {
	ops  []Op
	path Path // of the place
}

// tooMuch is the size of a change that cannot be said by smaller ones.
const tooMuch = math.MaxInt / 2

func (d *differ) push(op Op) int {
	op.Path = append(Path(nil), d.path...)
	d.ops = append(d.ops, op)
	return op.Size()
}

func (d *differ) below(s Segment, old, new Value) int {
	d.path = append(d.path, s)
	size := d.value(old, new)
	d.path = d.path[:len(d.path)-1]
	return size
}

func (d *differ) value(old, new Value) int {
	if old == new {
		return 0
	}
	from, size := len(d.ops), tooMuch
	if old.Kind() == new.Kind() {
		switch old.Kind() {
		case KindNumber:
			if old.Equal(new) {
				return 0
			}
		case KindText:
			size = d.text(old.Text(), new.Text())
		case KindList:
			size = d.list(old.list(), new.list())
		case KindObject:
			size = d.object(old.object(), new.object())
		}
	}
	whole := Op{Code: OpSet, Path: d.path, Value: new}
	if len(d.path) == 0 {
		whole.Code = OpReplace
	}
	if size <= whole.Size() {
		return size
	}
	d.ops = d.ops[:from]
	return d.push(whole)
}

// same is [Value.Equal] for values that are mostly compared with several others: it remembers their hashes.
func same(v, w Value) bool {
	switch {
	case v == w:
		return true
	case v.Kind() != w.Kind() || v.Size() != w.Size():
		return false
	case v.Kind() <= KindNumber:
		return v.Equal(w)
	}
	return v.Hash() == w.Hash() && v.Equal(w)
}
