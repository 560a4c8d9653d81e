package delta

import (
	"encoding/base64"
	"fmt"
	"reflect"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

func toFail(g *goType, err error) *GoError { return &GoError{Type: g.typ.String(), Err: err} }

// noMatch is the error of a value of a kind that the type does not take.
func noMatch(g *goType, x Value) *GoError {
	return toFail(g, fmt.Errorf("%w: a %v", ErrGoType, x.Kind()))
}

// toGo stores x in v, which is of the type and can be set, or is a pointer.
func toGo(g *goType, v reflect.Value, x Value) *GoError {
	if g.unmarshals || g.way == wayPointer || g.way == wayAny {
		method, at, ok := reach(v, x.IsNull())
		switch {
		case !ok:
			return toFail(g, fmt.Errorf("%w: more than %d pointers in a row", ErrDepth, maxGoHops))
		case method != nil:
			return callMethod(g, method, x)
		}
		if v = at; v.Type() != g.typ {
			g = planOf(v.Type())
		}
	}
	switch g.way {
	case wayValue:
		*v.Addr().Interface().(*Value) = x
		return nil
	case wayAny:
		if x.IsNull() || v.NumMethod() > 0 {
			break
		}
		v.Set(reflect.ValueOf(toAny(x)))
		return nil
	}
	switch x.Kind() {
	case KindBool:
		if g.way != wayBool {
			return noMatch(g, x)
		}
		v.SetBool(x.Bool())
	case KindNumber:
		return toNumber(g, v, x)
	case KindText:
		return toText(g, v, x)
	case KindList:
		return toList(g, v, x)
	case KindObject:
		switch g.way {
		case wayMap:
			return toMap(g, v, x)
		case wayStruct:
			return toStruct(g, v, x)
		}
		return noMatch(g, x)
	default:
		switch g.way {
		case wayPointer, wayMap, waySlice, wayBytes, wayAny:
			v.SetZero()
		}
	}
	return nil
}

// reach follows pointers, which it allocates, and pointers in interfaces to what a value is to be stored in, or to the
// first on the way that has a method for it: UnmarshalJSON, or UnmarshalText unless the value is null. For null it
// stops at a pointer that can be set. ok is false if there is no end.
func reach(v reflect.Value, null bool) (method any, at reflect.Value, ok bool) {
	named, byAddress := v, false
	if v.Kind() != reflect.Pointer && v.Type().Name() != "" && v.CanAddr() {
		v, byAddress = v.Addr(), true
	}
	for range maxGoHops {
		if v.Kind() == reflect.Interface && !v.IsNil() {
			if e := v.Elem(); e.Kind() == reflect.Pointer && !e.IsNil() && (!null || e.Elem().Kind() == reflect.Pointer) {
				v, byAddress = e, false
				continue
			}
		}
		if v.Kind() != reflect.Pointer || null && v.CanSet() {
			return nil, v, true
		}
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		if v.NumMethod() > 0 && v.CanInterface() {
			switch m := v.Interface().(type) {
			case jsonUnmarshaler:
				return m, v, true
			case textUnmarshaler:
				if !null {
					return m, v, true
				}
			}
		}
		if byAddress {
			v, byAddress = named, false // which can be set even where its address says it cannot
		} else {
			v = v.Elem()
		}
	}
	return nil, v, false
}

// callMethod hands x to a type's own method.
func callMethod(g *goType, method any, x Value) *GoError {
	var err error
	switch m := method.(type) {
	case jsonUnmarshaler:
		err = m.UnmarshalJSON(AppendJSON(nil, x))
	case textUnmarshaler:
		if x.Kind() != KindText {
			return noMatch(g, x)
		}
		err = m.UnmarshalText([]byte(goString(x.Text().String())))
	}
	if err != nil {
		return toFail(g, ofMethod(err))
	}
	return nil
}

func toNumber(g *goType, v reflect.Value, x Value) *GoError {
	f := x.Number()
	fits := false
	switch g.way {
	case wayInt:
		if f >= -1<<63 && f < 1<<63 {
			n := int64(f)
			if fits = float64(n) == f && !v.OverflowInt(n); fits {
				v.SetInt(n)
			}
		}
	case wayUint:
		if f >= 0 && f < 1<<64 {
			n := uint64(f)
			if fits = float64(n) == f && !v.OverflowUint(n); fits {
				v.SetUint(n)
			}
		}
	case wayFloat:
		if g.typ.Bits() == 32 {
			// By way of the decimal form, so that what a float32 became becomes that float32.
			var err error
			if f, err = strconv.ParseFloat(strconv.FormatFloat(f, 'g', -1, 64), 32); err != nil {
				break
			}
		}
		v.SetFloat(f)
		return nil
	case wayNumber:
		v.SetString(x.String())
		return nil
	default:
		return noMatch(g, x)
	}
	if !fits {
		return toFail(g, fmt.Errorf("%w: %v", ErrGoValue, x))
	}
	return nil
}

func toText(g *goType, v reflect.Value, x Value) *GoError {
	if g.way == wayText {
		*v.Addr().Interface().(*Text) = x.Text()
		return nil
	}
	s := goString(x.Text().String())
	switch g.way {
	case wayString:
		v.SetString(s)
		return nil
	case wayNumber:
		if _, _, ok := goNumber(s); !ok || s == "" {
			return toFail(g, fmt.Errorf("%w: %q is no number", ErrGoValue, s))
		}
		v.SetString(s)
		return nil
	case wayBytes, waySlice:
		if g.typ.Elem().Kind() != reflect.Uint8 {
			break
		}
		b, err := base64.StdEncoding.DecodeString(s)
		if err != nil {
			return toFail(g, fmt.Errorf("%w: %w", ErrGoValue, err))
		}
		v.SetBytes(b)
		return nil
	}
	return noMatch(g, x)
}

func toList(g *goType, v reflect.Value, x Value) *GoError {
	n := x.Len()
	switch g.way {
	case wayArray:
	case waySlice, wayBytes:
		if n == 0 || v.Len() < n {
			longer := reflect.MakeSlice(g.typ, n, n)
			reflect.Copy(longer, v)
			v.Set(longer)
		}
		v.SetLen(n)
	default:
		return noMatch(g, x)
	}
	for i, item := range x.Elements() {
		if i == v.Len() {
			break
		}
		if err := toGo(g.elem, v.Index(i), item); err != nil {
			err.below("[" + strconv.Itoa(i) + "]")
			return err
		}
	}
	for i := n; i < v.Len(); i++ {
		v.Index(i).SetZero()
	}
	return nil
}

// toAny returns x as an interface without methods holds it.
func toAny(x Value) any {
	switch x.Kind() {
	case KindBool:
		return x.Bool()
	case KindNumber:
		return x.Number()
	case KindText:
		return goString(x.Text().String())
	case KindList:
		out := make([]any, 0, x.Len())
		for _, item := range x.Elements() {
			out = append(out, toAny(item))
		}
		return out
	case KindObject:
		out := make(map[string]any, x.Len())
		for key, field := range x.Fields() {
			out[goString(key)] = toAny(field)
		}
		return out
	}
	return nil
}

// goString returns WTF-8 as UTF-8: each surrogate, which is without its other half, becomes U+FFFD.
func goString(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	out := make([]byte, 0, len(s))
	for s != "" {
		r, n := decodeWTF8(s)
		if utf16.IsSurrogate(r) {
			r = utf8.RuneError
		}
		out, s = utf8.AppendRune(out, r), s[n:]
	}
	return string(out)
}
