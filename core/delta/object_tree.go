package delta

import (
	"slices"
	"strings"
)

// fieldLeafLimit is how many fields a leaf of a large object may have.
const fieldLeafLimit = 32

// fieldTree holds the fields of a large object twice: in their order, which is that of their serial numbers, and as an index
// from key to serial number. Both trees are sorted, so no choice of keys makes either one slow.
type fieldTree struct {
	fields *fieldNode
	index  *indexNode
	serial uint64 // of the next field that is added
}

type (
	fieldNode = node[fieldLeaf, fieldSum]
	indexNode = node[indexLeaf, indexSum]
)

type fieldEntry struct {
	serial uint64
	key    string
	value  Value
}

type fieldLeaf []fieldEntry

type fieldSum struct {
	listSum
	last uint64 // the largest serial number
}

func (s fieldSum) plus(t fieldSum) fieldSum { return fieldSum{s.listSum.plus(t.listSum), t.last} }

func (l fieldLeaf) len() int { return len(l) }

func (l fieldLeaf) limit() int { return fieldLeafLimit }

func (l fieldLeaf) cut(i, j int) fieldLeaf { return slices.Clone(l[i:j]) }

func (l fieldLeaf) merge(m fieldLeaf) fieldLeaf { return slices.Concat(l, m) }

func (l fieldLeaf) sum() fieldSum {
	s := fieldSum{last: l[len(l)-1].serial}
	for _, f := range l {
		s.listSum = s.with(f.value)
		s.size += len(f.key) + 2
	}
	return s
}

type indexEntry struct {
	key    string
	serial uint64
}

type indexLeaf []indexEntry

type indexSum struct{ last string } // the largest key

func (s indexSum) plus(t indexSum) indexSum { return t }

func (l indexLeaf) len() int { return len(l) }

func (l indexLeaf) limit() int { return fieldLeafLimit }

func (l indexLeaf) cut(i, j int) indexLeaf { return slices.Clone(l[i:j]) }

func (l indexLeaf) merge(m indexLeaf) indexLeaf { return slices.Concat(l, m) }

func (l indexLeaf) sum() indexSum { return indexSum{l[len(l)-1].key} }

func newFieldTree(k *Keys, vals []Value) *fieldTree {
	fields, serials := make(fieldLeaf, len(vals)), make(map[string]uint64, len(vals))
	for i, v := range vals {
		fields[i] = fieldEntry{uint64(i), k.names[i], v}
		serials[k.names[i]] = uint64(i)
	}
	index := make(indexLeaf, len(vals))
	for i, key := range slices.Sorted(slices.Values(k.names)) {
		index[i] = indexEntry{key, serials[key]}
	}
	t := &fieldTree{serial: uint64(len(vals))}
	t.fields = grow[fieldLeaf, fieldSum](chunks(fields))
	t.index = grow[indexLeaf, indexSum](chunks(index))
	return t
}

func chunks[S ~[]E, E any](all S) []S {
	var out []S
	for part := range slices.Chunk(all, fieldLeafLimit) {
		out = append(out, slices.Clone(part))
	}
	return out
}

// place returns where in the index a key is or belongs, and its serial number.
func (t *fieldTree) place(key string) (at int, serial uint64, ok bool) {
	n := t.index
	for !n.isLeaf() {
		if key <= n.left.sum.last {
			n = n.left
		} else {
			at, n = at+n.left.count, n.right
		}
	}
	i, ok := slices.BinarySearchFunc(n.leaf, key, func(e indexEntry, key string) int {
		return strings.Compare(e.key, key)
	})
	if ok {
		serial = n.leaf[i].serial
	}
	return at + i, serial, ok
}

// rank returns where in the order a serial number is.
func (t *fieldTree) rank(serial uint64) int {
	n, at := t.fields, 0
	for !n.isLeaf() {
		if serial <= n.left.sum.last {
			n = n.left
		} else {
			at, n = at+n.left.count, n.right
		}
	}
	return at + slices.IndexFunc(n.leaf, func(f fieldEntry) bool { return f.serial == serial })
}

func (t *fieldTree) get(key string) (Value, bool) {
	_, serial, ok := t.place(key)
	if !ok {
		return Value{}, false
	}
	leaf, at := t.fields.find(t.rank(serial))
	return leaf[at].value, true
}

func (t *fieldTree) each(yield func(string, Value) bool) {
	t.fields.each(func(l fieldLeaf) bool {
		for _, f := range l {
			if !yield(f.key, f.value) {
				return false
			}
		}
		return true
	})
}

func (t *fieldTree) with(key string, v Value) *fieldTree {
	at, serial, ok := t.place(key)
	if !ok {
		entry := fieldEntry{t.serial, key, v}
		return &fieldTree{
			fields: edit(t.fields, t.fields.count, func(l fieldLeaf, at int) (a, b fieldLeaf) {
				return insert(l, at, entry)
			}),
			index: edit(t.index, at, func(l indexLeaf, at int) (a, b indexLeaf) {
				return insert(l, at, indexEntry{key, t.serial})
			}),
			serial: t.serial + 1,
		}
	}
	fields := edit(t.fields, t.rank(serial), func(l fieldLeaf, at int) (a, b fieldLeaf) {
		l = slices.Clone(l)
		l[at].value = v
		return l, nil
	})
	return &fieldTree{fields: fields, index: t.index, serial: t.serial}
}

func (t *fieldTree) without(key string) (*fieldTree, bool) {
	at, serial, ok := t.place(key)
	if !ok {
		return t, false
	}
	return &fieldTree{
		fields: edit(t.fields, t.rank(serial), func(l fieldLeaf, at int) (a, b fieldLeaf) {
			return slices.Delete(slices.Clone(l), at, at+1), nil
		}),
		index: edit(t.index, at, func(l indexLeaf, at int) (a, b indexLeaf) {
			return slices.Delete(slices.Clone(l), at, at+1), nil
		}),
		serial: t.serial,
	}, true
}

// insert puts an entry into a leaf, and parts the leaf if it is full.
func insert[S ~[]E, E any](l S, at int, e E) (a, b S) {
	if at == fieldLeafLimit {
		return l, S{e} // fields that come in order leave full leaves behind
	}
	out := append(append(append(make(S, 0, len(l)+1), l[:at]...), e), l[at:]...)
	if len(out) <= fieldLeafLimit {
		return out, nil
	}
	half := len(out) / 2
	return slices.Clone(out[:half]), slices.Clone(out[half:])
}

// flat returns the fields as a flat object.
func (t *fieldTree) flat() Value {
	names, vals := make([]string, 0, t.fields.count), make([]Value, 0, t.fields.count)
	for key, v := range t.each {
		names, vals = append(names, key), append(vals, v)
	}
	return objectOf(newShape(names), vals)
}
