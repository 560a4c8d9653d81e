package delta

import (
	"fmt"
	"reflect"
)

// To returns v as a T, as [Value.Decode] reads it into a zero T. With an error comes the zero T.
func To[T any](v Value) (T, error) {
	var out T
	if err := v.Decode(&out); err != nil {
		var zero T
		return zero, err
	}
	return out, nil
}

// Decode reads v into what a pointer points to, with the meaning of json.Unmarshal on v's JSON. In short:
//
//   - Numbers go into integers only if they are integral and in range, into floats if they are in range.
//   - Texts go into strings, in which each surrogate without its other half becomes U+FFFD; into a []byte if they are
//     base64.
//   - Lists go into slices, which get their length, and arrays, whose rest is zeroed and which drop what is too much.
//   - Objects go into structs and maps. A key finds the field of that name, else the first whose name differs in case
//     only; what finds none is ignored. A map keeps the entries that are not in the object.
//   - Null makes a pointer, a map, a slice or an interface nil and leaves anything else as it is. Pointers are
//     allocated otherwise.
//   - What goes into an interface without methods is nil, a bool, a float64, a string, a []any or a map[string]any,
//     unless a pointer is in it.
//   - A type with UnmarshalJSON gets the JSON, one with UnmarshalText a text. A [Value] takes anything, a [Text] any
//     text as it is.
//
// Errors are a [*GoError]; in contrast to json.Unmarshal the first one ends the reading, and what was read before
// stays.
func (v Value) Decode(into any) error {
	target := reflect.ValueOf(into)
	if target.Kind() != reflect.Pointer || target.IsNil() {
		return &GoError{Type: fmt.Sprintf("%T", into), Err: fmt.Errorf("%w: no pointer to read into", ErrGoType)}
	}
	g := planOf(target.Type())
	if v.Depth() > MaxDepth {
		return toFail(g, ErrDepth).placed()
	}
	return toGo(g, target, v).placed()
}
