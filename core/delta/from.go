package delta

import "reflect"

// From returns the value of v. It is [FromGo] for a type that is known, as documents have one; [To] is the way back.
func From[T any](v T) (Value, error) { return FromGo(v) }

// FromGo returns the value of a Go value, with the meaning that encoding/json gives it: FromGo(x) equals ParseJSON of
// what json.Marshal(x) writes. In short:
//
//   - bools, integers, floats and strings are themselves. An integer beyond 2^53 is the nearest double; a float32 is
//     the double of its shortest decimal form; NaN and infinities are errors.
//   - Slices and arrays are lists, a nil slice is null, and a []byte is text in base64. (Calls carry raw bytes as
//     parts.)
//   - Maps are objects with their keys in order; a nil map is null. Keys are strings, integers or have a MarshalText;
//     two keys with the same text are an error.
//   - Structs are objects of their exported fields, in their order and with their json tags: a name, "-", omitempty,
//     omitzero, string. Embedded structs are flattened. Objects of one struct type share their [Keys].
//   - Pointers and interfaces are what they lead to, or null.
//   - A type with MarshalJSON is what [ParseJSON] makes of that, one with MarshalText a text. A method of the pointer
//     type counts where the value can be addressed: behind a pointer or in a slice.
//
// A [Value] and a [Text] are taken as they are, wherever they stand. Strings are read as [String] reads them, which
// keeps surrogates that are encoded in three bytes where json.Marshal replaces them.
//
// Errors are a [*GoError]. More than [MaxDepth] containers, which is what a cycle has, are one that wraps [ErrDepth].
func FromGo(x any) (Value, error) {
	switch x := x.(type) {
	case nil:
		return Value{}, nil
	case Value:
		if x.Depth() <= MaxDepth {
			return x, nil
		}
	case Text:
		return TextValue(x), nil
	case bool:
		return Bool(x), nil
	case string:
		return String(x), nil
	case int:
		return Int(x), nil
	case uint64:
		return Number(float64(x)), nil
	}
	var r goReader
	v := reflect.ValueOf(x)
	out, err := r.value(planOf(v.Type()), v, MaxDepth, false)
	return out, err.placed()
}
