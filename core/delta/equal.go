package delta

import "slices"

// Equal reports whether both values are the same JSON: numbers by value (-0 is 0), texts by their units, objects without
// regard to the order of their fields. What the two share is not compared, so values that differ by a small change cost
// little.
func (v Value) Equal(w Value) bool {
	if v == w {
		return true
	}
	kind := v.Kind()
	if kind != w.Kind() {
		return false
	}
	switch kind {
	case KindNumber:
		return v.Number() == w.Number()
	case KindText:
		return v.Text().Equal(w.Text())
	case KindList:
		return v.list().equal(w.list())
	case KindObject:
		switch {
		case v.isPacked():
			return equalPacked(v, w)
		case w.isPacked():
			return equalPacked(w, v)
		}
		return v.object().equal(w.object())
	}
	return false // two bools that are not the same
}

func (l *listBox) equal(m *listBox) bool {
	switch {
	case l.len() != m.len() || l.depth != m.depth:
		return false
	case l.len() == 0:
		return true
	}
	return compare(l.tree(), m.tree(), func(la listLeaf, ia int, lb listLeaf, ib, n int) bool {
		return slices.EqualFunc(la[ia:ia+n], lb[ib:ib+n], Value.Equal)
	})
}

func (o *objectBox) equal(p *objectBox) bool {
	if o.len() != p.len() || o.size != p.size || o.depth != p.depth {
		return false
	}
	switch {
	case o.tree != nil && p.tree != nil:
		return o.tree.equal(p.tree)
	case o.tree == nil && p.tree == nil && o.keys == p.keys:
		return slices.EqualFunc(o.vals, p.vals, Value.Equal)
	}
	for key, v := range o.each {
		if w, ok := p.get(key); !ok || !v.Equal(w) {
			return false
		}
	}
	return true
}

// equalByKeys compares two objects of as many fields, whatever their order.
func (v Value) equalByKeys(w Value) bool {
	if v.Len() != w.Len() {
		return false
	}
	for key, a := range v.Fields() {
		if b, ok := w.field(key); !ok || !a.Equal(b) {
			return false
		}
	}
	return true
}

// equal compares field by field in the order of the first, and looks up in the second what is not at the same place there.
func (t *fieldTree) equal(u *fieldTree) bool {
	return compare(t.fields, u.fields, func(la fieldLeaf, ia int, lb fieldLeaf, ib, n int) bool {
		for i := range n {
			f, g := la[ia+i], lb[ib+i]
			w, ok := g.value, true
			if f.key != g.key {
				w, ok = u.get(f.key)
			}
			if !ok || !f.value.Equal(w) {
				return false
			}
		}
		return true
	})
}
