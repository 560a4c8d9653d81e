package delta

import "iter"

func (d *differ) object(old, new *objectBox) int {
	if old.tree != nil && new.tree != nil {
		was, is := apart(old.tree.fields, new.tree.fields)
		return d.fields(old, new, entries(was), entries(is))
	}
	return d.fields(old, new, old.each, new.each)
}

func entries(list []fieldEntry) iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		for _, f := range list {
			if !yield(f.key, f.value) {
				return
			}
		}
	}
}

// fields compares those fields of two objects that may differ. A key that no path may have makes the object be set as a
// whole.
func (d *differ) fields(old, new *objectBox, was, is iter.Seq2[string, Value]) int {
	size := 0
	for key := range was {
		if _, ok := new.get(key); !ok {
			segment := Key(key)
			if segment.reserved() {
				return tooMuch
			}
			d.path = append(d.path, segment)
			size += d.push(Op{Code: OpDelete})
			d.path = d.path[:len(d.path)-1]
		}
	}
	for key, v := range is {
		before, ok := old.get(key)
		if ok && before == v {
			continue
		}
		segment := Key(key)
		switch {
		case segment.reserved():
			if !ok || !same(before, v) {
				return tooMuch
			}
		case ok:
			size += d.below(segment, before, v)
		default:
			d.path = append(d.path, segment)
			size += d.push(Op{Code: OpSet, Value: v})
			d.path = d.path[:len(d.path)-1]
		}
	}
	return size
}

// apart returns the fields of two large objects that are not in a subtree which both have. Where one of the objects
// came of the other, both have their serial numbers in common, and walking by these finds all subtrees that are shared.
func apart(a, b *fieldNode) (inA, inB []fieldEntry) {
	wa, wb := walker[fieldLeaf, fieldSum]{stack: []*fieldNode{a}}, walker[fieldLeaf, fieldSum]{stack: []*fieldNode{b}}
	step := func(w *walker[fieldLeaf, fieldSum], out []fieldEntry) []fieldEntry {
		n := w.top()
		if !n.isLeaf() {
			w.expand()
			return out
		}
		w.pop()
		return append(out, n.leaf...)
	}
	for len(wa.stack) > 0 && len(wb.stack) > 0 {
		na, nb := wa.top(), wb.top()
		firstA, firstB := na.first()[0].serial, nb.first()[0].serial
		switch {
		case na == nb:
			wa.pop()
			wb.pop()
		case firstA < firstB || firstA == firstB && na.count >= nb.count:
			inA = step(&wa, inA)
		default:
			inB = step(&wb, inB)
		}
	}
	for len(wa.stack) > 0 {
		inA = step(&wa, inA)
	}
	for len(wb.stack) > 0 {
		inB = step(&wb, inB)
	}
	return inA, inB
}
