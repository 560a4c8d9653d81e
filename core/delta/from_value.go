package delta

import (
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxGoHops is how many pointers and interfaces may be nested in a Go value, those between containers and those around
// them. It is several for each container, and ends a pointer that leads to itself.
const maxGoHops = 4 * MaxDepth

// goReader makes one value out of a Go value.
type goReader struct {
	hops  int
	room  []Value // of the block that fields and elements are put into
	block int     // how many values that block was made for
}

// goBlock is how many values a block of a conversion has at the most; the first has as many as are asked for.
const goBlock = 128

// values returns room for n values; those of one block are freed together.
func (r *goReader) values(n int) []Value {
	if n > goBlock/4 {
		return make([]Value, n)
	}
	if n > len(r.room) {
		r.block = min(max(4*r.block, n), goBlock)
		r.room = make([]Value, r.block)
	}
	out := r.room[:n:n]
	r.room = r.room[n:]
	return out
}

func goFail(g *goType, err error) (Value, *GoError) {
	return Value{}, &GoError{Type: g.typ.String(), Err: err}
}

// value returns the value of v, in which depth containers may be nested. A quoted scalar is put into a text.
func (r *goReader) value(g *goType, v reflect.Value, depth int, quoted bool) (Value, *GoError) {
	if g.marshals || g.marshalsPtr || g.marshalsText || g.marshalsTextPtr {
		if out, done, err := r.method(g, v, depth); done {
			return out, err
		}
	}
	switch g.way {
	case wayPointer, wayAny:
		return r.behind(g, v, depth, quoted)
	case wayValue:
		out := v.Interface().(Value)
		if out.Depth() > depth {
			return goFail(g, ErrDepth)
		}
		return out, nil
	case wayText:
		return TextValue(v.Interface().(Text)), nil
	case waySlice, wayBytes, wayMap:
		if v.IsNil() {
			return Value{}, nil
		}
	case wayArray, wayStruct:
	default:
		return r.scalar(g, v, quoted)
	}
	if g.way == wayBytes {
		return TextValue(NewText(base64.StdEncoding.EncodeToString(v.Bytes()))), nil
	}
	if depth == 0 {
		return goFail(g, fmt.Errorf("%w: more than %d levels of a Go value", ErrDepth, MaxDepth))
	}
	switch g.way {
	case wayMap:
		return r.mapping(g, v, depth-1)
	case wayStruct:
		return r.structure(g, v, depth-1)
	}
	return r.list(g, v, depth-1)
}

// behind returns what a pointer or an interface leads to.
func (r *goReader) behind(g *goType, v reflect.Value, depth int, quoted bool) (Value, *GoError) {
	if v.IsNil() {
		return Value{}, nil
	}
	if r.hops == maxGoHops {
		return goFail(g, fmt.Errorf("%w: more than %d pointers in a row", ErrDepth, maxGoHops))
	}
	r.hops++
	defer func() { r.hops-- }()
	v = v.Elem()
	if g.elem != nil {
		return r.value(g.elem, v, depth, quoted)
	}
	return r.value(planOf(v.Type()), v, depth, quoted)
}

func (r *goReader) list(g *goType, v reflect.Value, depth int) (Value, *GoError) {
	n := v.Len()
	items := r.values(n)
	for i := range n {
		item, err := r.value(g.elem, v.Index(i), depth, false)
		if err != nil {
			err.below("[" + strconv.Itoa(i) + "]")
			return Value{}, err
		}
		items[i] = item
	}
	return ListOf(items), nil
}

// scalar returns the value of what is no container.
func (r *goReader) scalar(g *goType, v reflect.Value, quoted bool) (Value, *GoError) {
	var plain string // what stands in the quotes
	var out Value
	switch g.way {
	case wayBool:
		out = Bool(v.Bool())
	case wayInt:
		if out = Number(float64(v.Int())); quoted {
			plain = strconv.FormatInt(v.Int(), 10)
		}
	case wayUint:
		if out = Number(float64(v.Uint())); quoted {
			plain = strconv.FormatUint(v.Uint(), 10)
		}
	case wayFloat:
		f := v.Float()
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return goFail(g, fmt.Errorf("%w: %v", ErrGoValue, f))
		}
		if g.typ.Bits() == 32 {
			f = shortest(float32(f))
		}
		if out = Number(f); quoted {
			plain = goFloat(v.Float(), g.typ.Bits())
		}
	case wayString:
		if !quoted {
			return String(v.String()), nil
		}
		plain = htmlQuote(v.String())
	case wayNumber:
		var ok bool
		if plain, out, ok = goNumber(v.String()); !ok {
			return goFail(g, fmt.Errorf("%w: %q is no number", ErrGoValue, v.String()))
		}
	default:
		return goFail(g, ErrGoType)
	}
	if !quoted {
		return out, nil
	}
	if g.way == wayBool {
		plain = out.String()
	}
	return String(plain), nil
}

// goNumber reads a json.Number, of which the empty one is 0.
func goNumber(s string) (plain string, out Value, ok bool) {
	if s == "" {
		s = "0"
	}
	out, err := ParseJSON([]byte(s))
	ok = err == nil && out.Kind() == KindNumber && strings.TrimSpace(s) == s
	return s, out, ok
}

// shortest returns the double that the shortest decimal form of f says: 0.1 and not 0.10000000149.
func shortest(f float32) float64 {
	if n := int64(f); float32(n) == f && n > -1<<24 && n < 1<<24 {
		return float64(f)
	}
	out, err := strconv.ParseFloat(strconv.FormatFloat(float64(f), 'g', -1, 32), 64)
	if err != nil {
		return float64(f) // what is finite is in the range of a double
	}
	return out
}

// goFloat returns the number as encoding/json writes it.
func goFloat(f float64, bits int) string {
	if bits == 32 {
		f = shortest(float32(f))
	}
	if f == 0 && math.Signbit(f) {
		return "-0"
	}
	return string(appendNumber(nil, f))
}

// method returns what the type's own MarshalJSON or MarshalText gives. done is false if there is none for this value.
func (r *goReader) method(g *goType, v reflect.Value, depth int) (out Value, done bool, e *GoError) {
	byPtr := v.CanAddr()
	switch {
	case !v.CanInterface():
		return Value{}, false, nil
	case g.marshalsPtr && byPtr, !g.marshals && !g.marshalsPtr && g.marshalsTextPtr && byPtr:
		v = v.Addr()
	case !g.marshals && !g.marshalsText:
		return Value{}, false, nil
	case (v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface) && v.IsNil():
		return Value{}, true, nil
	}
	if m, ok := v.Interface().(jsonMarshaler); ok {
		b, err := m.MarshalJSON()
		if err == nil {
			out, err = parseJSON(b, depth)
		}
		if err != nil {
			out, e = goFail(g, ofMethod(err))
		}
		return out, true, e
	}
	b, err := v.Interface().(textMarshaler).MarshalText()
	if err != nil {
		out, e = goFail(g, ofMethod(err))
		return out, true, e
	}
	return String(string(b)), true, nil
}

// ofMethod returns the error of a value's own method as one of this package.
func ofMethod(err error) error {
	if errors.Is(err, ErrDepth) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrGoValue, err)
}

// htmlQuote returns the string as JSON the way encoding/json writes it, which escapes < > & and two line separators,
// and what is no UTF-8: inside of a text it shows.
func htmlQuote(s string) string {
	dst := append(make([]byte, 0, len(s)+2), '"')
	for s != "" {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 || strings.ContainsRune("<>&\u2028\u2029", r) {
			dst = appendUnitEscape(dst, uint16(r))
		} else {
			dst = appendEscaped(dst, s[:n])
		}
		s = s[n:]
	}
	return string(append(dst, '"'))
}
