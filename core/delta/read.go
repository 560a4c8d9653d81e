package delta

import (
	"iter"
	"strconv"
)

// Index returns element i of a list. ok is false if v is no list or has no such element.
func (v Value) Index(i int) (element Value, ok bool) {
	if v.Kind() != KindList || i < 0 || i >= v.list().len() {
		return Value{}, false
	}
	return v.list().at(i), true
}

// Get returns a field of an object. ok is false if v is no object or has no such field.
func (v Value) Get(key string) (field Value, ok bool) {
	if v.Kind() != KindObject {
		return Value{}, false
	}
	return v.field(canonical(key))
}

// Elements goes over the elements of a list in order, over nothing if v is no list.
func (v Value) Elements() iter.Seq2[int, Value] {
	return func(yield func(int, Value) bool) {
		if v.Kind() == KindList {
			v.list().each(yield)
		}
	}
}

// Fields goes over the fields of an object in the order in which they were first set, over nothing if v is no object.
func (v Value) Fields() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		if v.Kind() != KindObject {
			return
		}
		if v.isPacked() {
			p, o, _ := v.packed()
			p.each(o, yield)
			return
		}
		v.object().each(yield)
	}
}

// Shape returns the key set of a small object, which other objects may share, and nil for any other value.
func (v Value) Shape() *Keys {
	switch {
	case v.Kind() != KindObject:
		return nil
	case v.isPacked():
		_, _, k := v.packed()
		return k
	}
	return v.object().keys // none of a tree
}

// Lookup returns what is at a path. ok is false if there is nothing.
func (v Value) Lookup(p Path) (at Value, ok bool) {
	for _, s := range p {
		if v, ok = v.step(s); !ok {
			return Value{}, false
		}
	}
	return v, true
}

// At is [Value.Lookup] with a path of segments, each a string or an int. It panics for any other type.
func (v Value) At(segments ...any) (at Value, ok bool) { return v.Lookup(PathOf(segments...)) }

// step returns what a segment addresses in v: an index on an object is the key with that decimal form, a key on a list is
// nothing.
func (v Value) step(s Segment) (Value, bool) {
	switch v.Kind() {
	case KindList:
		if !s.IsIndex() {
			return Value{}, false
		}
		return v.Index(s.Index())
	case KindObject:
		return v.field(s.fieldKey())
	}
	return Value{}, false
}

// fieldKey returns the key that the segment addresses in an object.
func (s Segment) fieldKey() string {
	if s.IsIndex() {
		return strconv.Itoa(s.Index())
	}
	return s.key
}
