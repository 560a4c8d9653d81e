package delta

import (
	"fmt"
	"reflect"
	"strconv"
)

func toMap(g *goType, v reflect.Value, x Value) *GoError {
	if !isMapKey(g.key) {
		return noMatch(g, x)
	}
	if v.IsNil() {
		v.Set(reflect.MakeMapWithSize(g.typ, x.Len()))
	}
	for name, field := range x.Fields() {
		name = goString(name)
		key := reflect.New(g.key.typ).Elem()
		err := toKey(g.key, key, name)
		if err == nil {
			item := reflect.New(g.elem.typ).Elem()
			if err = toGo(g.elem, item, field); err == nil {
				v.SetMapIndex(key, item)
				continue
			}
		}
		err.below("[" + strconv.Quote(name) + "]")
		return err
	}
	return nil
}

// isMapKey reports whether a key of the type can be read from its text.
func isMapKey(g *goType) bool {
	switch g.way {
	case wayString, wayNumber, wayInt, wayUint:
		return true
	}
	return reflect.PointerTo(g.typ).Implements(textUnmarshalerType)
}

// toKey stores the text of a key in v.
func toKey(g *goType, v reflect.Value, name string) *GoError {
	if m, ok := v.Addr().Interface().(textUnmarshaler); ok {
		if err := m.UnmarshalText([]byte(name)); err != nil {
			return toFail(g, ofMethod(err))
		}
		return nil
	}
	return toDecimal(g, v, name)
}

// toDecimal stores a string, or an integer that it says exactly.
func toDecimal(g *goType, v reflect.Value, s string) *GoError {
	switch g.way {
	case wayInt:
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil || v.OverflowInt(n) {
			return toFail(g, fmt.Errorf("%w: %q", ErrGoValue, s))
		}
		v.SetInt(n)
	case wayUint:
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil || v.OverflowUint(n) {
			return toFail(g, fmt.Errorf("%w: %q", ErrGoValue, s))
		}
		v.SetUint(n)
	default:
		v.SetString(s)
	}
	return nil
}

func toStruct(g *goType, v reflect.Value, x Value) *GoError {
	for name, value := range x.Fields() {
		f := g.find(goString(name))
		if f == nil {
			continue
		}
		at, err := makeField(g, v, f.index)
		if err == nil {
			if f.quoted {
				err = toQuoted(f.plan, at, value)
			} else {
				err = toGo(f.plan, at, value)
			}
		}
		if err != nil {
			err.below("." + fieldName(g.typ, f.index))
			return err
		}
	}
	return nil
}

// find returns the field that a key means, or nil.
func (g *goType) find(name string) *goField {
	if i, ok := g.exact[name]; ok {
		return &g.fields[i]
	}
	if i, ok := g.folded[foldCase(name)]; ok {
		return &g.fields[i]
	}
	return nil
}

// makeField is fieldAt that makes the embedded structs which are not there.
func makeField(g *goType, v reflect.Value, index []int) (reflect.Value, *GoError) {
	for _, i := range index {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				if !v.CanSet() {
					return v, toFail(g, fmt.Errorf("%w: an embedded pointer to an unexported struct", ErrGoType))
				}
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.Field(i)
	}
	return v, nil
}

// toQuoted stores a scalar that stands in a text, by the option "string". An integer there is exact.
func toQuoted(g *goType, v reflect.Value, x Value) *GoError {
	if x.IsNull() {
		return toGo(g, v, x)
	}
	if x.Kind() != KindText {
		return noMatch(g, x)
	}
	s := goString(x.Text().String())
	inner, err := ParseJSON([]byte(s))
	if err != nil || inner.Kind() == KindList || inner.Kind() == KindObject {
		return toFail(g, fmt.Errorf("%w: %q holds no scalar", ErrGoValue, s))
	}
	if inner.Kind() != KindNumber {
		return toGo(g, v, inner)
	}
	method, at, ok := reach(v, false)
	if !ok || method != nil {
		return toGo(g, v, inner)
	}
	switch at := planOf(at.Type()); at.way {
	case wayInt, wayUint, wayNumber:
		g = at
	default:
		return toGo(g, v, inner)
	}
	return toDecimal(g, at, s)
}
