package delta

import (
	"slices"
	"sync/atomic"
	"unsafe"
)

// flatLimit is how many fields an object may have as a flat one: a shared key set and a slice of values. Beyond it is a
// tree, which turns flat again at half of that.
const flatLimit = 32

// objectBox is an object. Its fields keep the order in which they were first set.
type objectBox struct {
	header
	hash atomic.Uint64 // memo of the value's hash, 0 while it is not known
	size int           // of the whole object, as Value.Size estimates it

	keys *Keys // of a flat object
	vals []Value

	tree *fieldTree // of any other, else nil
}

// Field is one field of an object.
type Field struct {
	Key   string
	Value Value
}

// emptyObject is the object without fields, shared by all.
var emptyObject = ObjectOf(nil, nil)

// Object returns an object of the fields. If a key is there twice, the later value is taken at the place of the first, as
// in JavaScript. Keys are read as [String] reads a text.
func Object(fields ...Field) Value {
	if len(fields) == 0 {
		return emptyObject
	}
	names, vals := make([]string, 0, len(fields)), make([]Value, 0, len(fields))
	var at map[string]int
	if len(fields) > flatLimit {
		at = make(map[string]int, len(fields))
	}
	for _, f := range fields {
		key := canonical(f.Key)
		i := -1
		if at == nil {
			i = slices.Index(names, key)
		} else if j, ok := at[key]; ok {
			i = j
		}
		if i >= 0 {
			vals[i] = f.Value
			continue
		}
		if at != nil {
			at[key] = len(names)
		}
		names, vals = append(names, key), append(vals, f.Value)
	}
	return objectOf(newShape(names), vals)
}

// newShape returns the key set of names that are canonical and distinct, and takes the slice over.
func newShape(names []string) *Keys {
	k := &Keys{names: names}
	for _, name := range names {
		k.bytes += len(name)
	}
	return k
}

// ObjectOf returns an object of the keys and their values, and takes the slice of values over: the caller must not change
// it any more. It panics unless there are as many values as keys.
func ObjectOf(k *Keys, values []Value) Value {
	if k.Len() != len(values) {
		panic("delta: an object with other than one value for each key")
	}
	if k == nil {
		k = &Keys{}
	}
	return objectOf(k, values)
}

func objectOf(k *Keys, vals []Value) Value {
	if len(vals) > flatLimit {
		return treeObject(newFieldTree(k, vals))
	}
	size, depth := flatMeasure(k, vals)
	return Value{ref: unsafe.Pointer(&objectBox{
		header: header{kind: KindObject, depth: depth + 1}, size: size, keys: k, vals: vals,
	})}
}

// flatMeasure returns the size of a flat object and the depth of what is in it.
func flatMeasure(k *Keys, vals []Value) (size int, depth uint32) {
	size = 2 + k.bytes + 2*len(vals)
	for _, v := range vals {
		more, under := v.measure()
		size, depth = size+more, max(depth, under)
	}
	return size, depth
}

func treeObject(t *fieldTree) Value {
	sum := t.fields.total()
	return Value{ref: unsafe.Pointer(&objectBox{
		header: header{kind: KindObject, depth: sum.depth + 1}, size: 2 + sum.size, tree: t,
	})}
}

func (o *objectBox) len() int {
	if o.tree != nil {
		return o.tree.fields.size()
	}
	return len(o.vals)
}

func (o *objectBox) get(key string) (Value, bool) {
	if o.tree != nil {
		return o.tree.get(key)
	}
	if i := o.keys.Find(key); i >= 0 {
		return o.vals[i], true
	}
	return Value{}, false
}

// FieldAt returns the field of key i of v's shape. It panics unless v has a shape and 0 ≤ i < v.Shape().Len(). In an object
// that was read from a message it may cost O(i).
func (v Value) FieldAt(i int) Value {
	if v.Kind() != KindObject {
		panic("delta: a field of no object")
	}
	if v.isPacked() {
		return v.packedAt(i)
	}
	return (*objectBox)(v.ref).vals[i]
}

// field returns a field of an object. Invariants: v is an object, and the key is canonical.
func (v Value) field(key string) (Value, bool) {
	if !v.isPacked() {
		return v.object().get(key)
	}
	p, o, k := v.packed()
	if i := k.Find(key); i >= 0 {
		return p.index(o, i), true
	}
	return Value{}, false
}

// withField returns an object with a field set. Invariants: v is an object, and the key is canonical.
func (v Value) withField(key string, field Value) Value {
	if v.isPacked() {
		p, o, k := v.packed()
		if i := k.Find(key); i >= 0 {
			vals := p.values(o)
			vals[i] = field
			return objectOf(k, vals)
		}
	}
	return v.object().with(key, field)
}

// each calls yield for every field in order until it returns false.
func (o *objectBox) each(yield func(string, Value) bool) {
	if o.tree != nil {
		o.tree.each(yield)
		return
	}
	for i, v := range o.vals {
		if !yield(o.keys.names[i], v) {
			return
		}
	}
}

// with returns the object with a field set. Invariant: the key is canonical.
func (o *objectBox) with(key string, v Value) Value {
	if o.tree != nil {
		return treeObject(o.tree.with(key, v))
	}
	if i := o.keys.Find(key); i >= 0 {
		vals := slices.Clone(o.vals)
		vals[i] = v
		return objectOf(o.keys, vals)
	}
	vals := append(slices.Clone(o.vals), v)
	if len(vals) > flatLimit {
		return objectOf(newShape(append(slices.Clone(o.keys.names), key)), vals)
	}
	return objectOf(o.keys.plus(key), vals)
}

// without returns the object without a field, and whether there was one.
func (o *objectBox) without(key string) (Value, bool) {
	if o.tree != nil {
		t, ok := o.tree.without(key)
		if ok && t.fields.size() <= flatLimit/2 {
			return t.flat(), true
		}
		return treeObject(t), ok
	}
	i := o.keys.Find(key)
	if i < 0 {
		return Value{}, false
	}
	return objectOf(o.keys.minus(i), slices.Delete(slices.Clone(o.vals), i, i+1)), true
}
