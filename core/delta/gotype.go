package delta

import (
	"maps"
	"reflect"
	"sync/atomic"
)

// maxGoTypes is how many plans are kept. A program that converts values of more types, which takes types made by
// reflection, has the others planned anew by each conversion.
const maxGoTypes = 4096

// goWay is how values of a Go type become JSON and back.
type goWay uint8

const (
	wayNone goWay = iota // no JSON at all: a channel, a function, a complex number
	wayBool
	wayInt
	wayUint
	wayFloat
	wayString
	wayNumber // json.Number: a string that says a number
	wayBytes
	waySlice
	wayArray
	wayMap
	wayPointer
	wayAny // an interface
	wayStruct
	wayValue
	wayText
)

// goType is the plan of one Go type: what about it does not depend on the value. Plans are made once for a process and
// never changed, shapes apart.
type goType struct {
	typ reflect.Type
	way goWay

	// What the type says of itself, by its own methods and by those of a pointer to it.
	marshals, marshalsPtr         bool // MarshalJSON
	marshalsText, marshalsTextPtr bool // MarshalText
	unmarshals                    bool // UnmarshalJSON or UnmarshalText, of the type or of a pointer to it

	elem *goType // of a slice, an array, a map or a pointer
	key  *goType // of a map

	fields []goField      // of a struct, in the order in which they are written
	exact  map[string]int // places in fields by name
	folded map[string]int // by name without regard to case: the first one
	keys   *Keys          // of all fields
	shapes atomic.Pointer[[]goShape]
}

// The methods that encoding/json asks for. They are spelled out here, since the package itself is not needed.
type (
	jsonMarshaler   interface{ MarshalJSON() ([]byte, error) }
	textMarshaler   interface{ MarshalText() ([]byte, error) }
	jsonUnmarshaler interface{ UnmarshalJSON([]byte) error }
	textUnmarshaler interface{ UnmarshalText([]byte) error }
	zeroer          interface{ IsZero() bool }
)

var (
	valueType           = reflect.TypeFor[Value]()
	textType            = reflect.TypeFor[Text]()
	jsonMarshalerType   = reflect.TypeFor[jsonMarshaler]()
	textMarshalerType   = reflect.TypeFor[textMarshaler]()
	jsonUnmarshalerType = reflect.TypeFor[jsonUnmarshaler]()
	textUnmarshalerType = reflect.TypeFor[textUnmarshaler]()
	zeroerType          = reflect.TypeFor[zeroer]()
)

// goTypes are the plans that are known. The map is never changed: whoever adds to it stores another one.
var goTypes atomic.Pointer[map[reflect.Type]*goType]

// planOf returns the plan of a type. Goroutines that ask at once get the same one.
func planOf(t reflect.Type) *goType {
	for {
		known := goTypes.Load()
		if known != nil {
			if g := (*known)[t]; g != nil {
				return g
			}
		}
		p := planner{made: map[reflect.Type]*goType{}}
		if known != nil {
			p.known = *known
		}
		g := p.plan(t)
		if len(p.known)+len(p.made) > maxGoTypes {
			return g
		}
		maps.Copy(p.made, p.known)
		if goTypes.CompareAndSwap(known, &p.made) {
			return g
		}
		// Somebody else stored plans in between, which may be of the same types: these are to be used.
	}
}

// planner makes the plans of a type and of all that it is made of, which may lead back to itself.
type planner struct {
	known, made map[reflect.Type]*goType
}

func (p *planner) plan(t reflect.Type) *goType {
	if g := p.known[t]; g != nil {
		return g
	}
	if g := p.made[t]; g != nil {
		return g
	}
	g := &goType{typ: t, way: wayOf(t)}
	p.made[t] = g
	g.findMethods()
	switch g.way {
	case wayPointer, waySlice, wayArray, wayBytes:
		g.elem = p.plan(t.Elem())
	case wayMap:
		g.key, g.elem = p.plan(t.Key()), p.plan(t.Elem())
	case wayStruct:
		p.planFields(g)
	}
	return g
}

func (g *goType) findMethods() {
	t := g.typ
	g.marshals, g.marshalsText = t.Implements(jsonMarshalerType), t.Implements(textMarshalerType)
	ptr := t
	if t.Kind() != reflect.Pointer {
		ptr = reflect.PointerTo(t)
		g.marshalsPtr, g.marshalsTextPtr = ptr.Implements(jsonMarshalerType), ptr.Implements(textMarshalerType)
	}
	g.unmarshals = ptr.Implements(jsonUnmarshalerType) || ptr.Implements(textUnmarshalerType)
}

func wayOf(t reflect.Type) goWay {
	switch t {
	case valueType:
		return wayValue
	case textType:
		return wayText
	}
	switch t.Kind() {
	case reflect.Bool:
		return wayBool
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return wayInt
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return wayUint
	case reflect.Float32, reflect.Float64:
		return wayFloat
	case reflect.String:
		if t.PkgPath() == "encoding/json" && t.Name() == "Number" {
			return wayNumber
		}
		return wayString
	case reflect.Slice:
		if isBytes(t) {
			return wayBytes
		}
		return waySlice
	case reflect.Array:
		return wayArray
	case reflect.Map:
		if isKeyType(t.Key()) {
			return wayMap
		}
	case reflect.Pointer:
		return wayPointer
	case reflect.Interface:
		return wayAny
	case reflect.Struct:
		return wayStruct
	}
	return wayNone
}

// isBytes reports whether a slice is written as base64: one of bytes that have no form of their own.
func isBytes(t reflect.Type) bool {
	if t.Elem().Kind() != reflect.Uint8 {
		return false
	}
	ptr := reflect.PointerTo(t.Elem())
	return !ptr.Implements(jsonMarshalerType) && !ptr.Implements(textMarshalerType)
}

// isKeyType reports whether a map's keys may be of the type, in one direction at least.
func isKeyType(t reflect.Type) bool {
	switch wayOf(t) {
	case wayString, wayNumber, wayInt, wayUint:
		return true
	}
	return t.Implements(textMarshalerType) || reflect.PointerTo(t).Implements(textUnmarshalerType)
}
