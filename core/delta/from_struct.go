package delta

import (
	"reflect"
	"slices"
)

const (
	// maxGoShapes is how many key sets a struct type keeps, besides that of all its fields: one for each choice of
	// fields that was left out. Objects of further choices have keys of their own.
	maxGoShapes = 32
	// maxMaskedFields is how many fields a struct type may have for that. Objects of more fields than a flat one may
	// have share no keys anyway.
	maxMaskedFields = 64
)

// goShape is the key set of the objects in which certain fields of a struct are.
type goShape struct {
	mask uint64 // bit i is set if field i is there
	keys *Keys
}

func (r *goReader) structure(g *goType, v reflect.Value, depth int) (Value, *GoError) {
	vals := r.values(len(g.fields))
	mask, n := uint64(0), 0
	var names []string // of a type with many fields
	for i := range g.fields {
		f := &g.fields[i]
		fv, ok := fieldAt(v, f.index)
		if !ok || f.omitEmpty && isEmpty(fv) || f.omitZero && isZero(f, fv) {
			continue
		}
		out, err := r.value(f.plan, fv, depth, f.quoted)
		if err != nil {
			err.below("." + fieldName(g.typ, f.index))
			return Value{}, err
		}
		vals[n] = out
		if n++; len(g.fields) > maxMaskedFields {
			names = append(names, g.keys.names[i])
		} else {
			mask |= 1 << i
		}
	}
	keys := g.keys
	switch {
	case n == len(g.fields):
	case len(g.fields) > maxMaskedFields:
		keys = newShape(names)
	default:
		keys = g.shape(mask)
	}
	return ObjectOf(keys, vals[:n:n]), nil
}

// fieldAt returns a field of a struct. ok is false if it is in an embedded struct that is not there.
func fieldAt(v reflect.Value, index []int) (field reflect.Value, ok bool) {
	for _, i := range index {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return v, false
			}
			v = v.Elem()
		}
		v = v.Field(i)
	}
	return v, true
}

// isZero reports whether the option "omitzero" leaves a field out.
func isZero(f *goField, v reflect.Value) bool {
	if f.zero != nil {
		return f.zero(v)
	}
	return v.IsZero()
}

// fieldName returns the name of a field in Go.
func fieldName(t reflect.Type, index []int) string {
	if len(index) > 1 {
		t = fieldType(t, index[:len(index)-1])
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
	}
	return t.Field(index[len(index)-1]).Name
}

// shape returns the key set of the fields in the mask. Goroutines that ask at once may get different ones the first
// time; what they make is equal all the same.
func (g *goType) shape(mask uint64) *Keys {
	var known []goShape
	if list := g.shapes.Load(); list != nil {
		known = *list
	}
	for i := range known {
		if known[i].mask == mask {
			return known[i].keys
		}
	}
	var names []string
	for i, name := range g.keys.names {
		if mask&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	keys := newShape(names)
	if len(known) < maxGoShapes {
		longer := append(slices.Clone(known), goShape{mask, keys})
		g.shapes.Store(&longer) // one that was stored in between is lost, and made again when it is asked for
	}
	return keys
}
