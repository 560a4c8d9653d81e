package delta

import (
	"math"
	"unsafe"
)

// Kind says what a value is.
type Kind uint8

// The kinds of JSON values.
const (
	KindNull Kind = iota // the zero value
	KindBool
	KindNumber
	KindText
	KindList
	KindObject
)

var kindNames = [...]string{"null", "bool", "number", "text", "list", "object"}

// String returns the kind's name, such as "text".
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown"
}

// Value is an immutable JSON value. The zero value is null. Copying one copies two words; containers share what they have
// in common with the values that they were made from. Values may be read, and new ones made from them, by any number of
// goroutines.
//
// Two values are the same JSON when [Value.Equal] says so; == only tells whether they share their representation.
type Value struct {
	// Invariant: nil for null, else it points to a struct that starts with a header.
	ref unsafe.Pointer
	// The bits of a number, 1 for true, the piece that a text is of its source, what an object is of its pack, else 0.
	bits uint64
}

// header starts everything that a Value may point to.
type header struct {
	kind Kind
	// Containers under containers: 0 for a scalar, 1 for a list of scalars or an empty one.
	depth uint32
}

var (
	boolTag   = header{kind: KindBool}
	numberTag = header{kind: KindNumber}
)

// Null returns null, the zero value.
func Null() Value { return Value{} }

// Bool returns true or false.
func Bool(b bool) Value {
	v := Value{ref: unsafe.Pointer(&boolTag)}
	if b {
		v.bits = 1
	}
	return v
}

// Number returns a number. JSON has no NaN and no infinities: they become null, as in JSON.stringify. Minus zero is kept,
// equals zero and prints as 0.
func Number(f float64) Value {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return Value{}
	}
	return Value{ref: unsafe.Pointer(&numberTag), bits: math.Float64bits(f)}
}

// Int returns the number n. Beyond 2^53 it is the double that is nearest.
func Int(n int) Value { return Number(float64(n)) }

// String returns a text. s is read as WTF-8: a surrogate that is encoded in three bytes stays a lone unit (or joins its
// other half), and every other invalid byte becomes U+FFFD.
func String(s string) Value { return TextValue(NewText(s)) }

// TextValue returns t as a value.
func TextValue(t Text) Value {
	if t.box == nil {
		return Value{ref: unsafe.Pointer(emptyText)}
	}
	return Value{ref: unsafe.Pointer(t.box), bits: uint64(t.piece)}
}

func (v Value) head() *header { return (*header)(v.ref) }

// Kind returns what v is.
func (v Value) Kind() Kind {
	if v.ref == nil {
		return KindNull
	}
	return v.head().kind
}

// IsNull reports whether v is null.
func (v Value) IsNull() bool { return v.ref == nil }

// Bool returns v's truth, false if v is not a bool.
func (v Value) Bool() bool { return v.Kind() == KindBool && v.bits == 1 }

// Number returns v's number, 0 if v is not a number.
func (v Value) Number() float64 {
	if v.Kind() != KindNumber {
		return 0
	}
	return math.Float64frombits(v.bits)
}

// Text returns v's text, the empty text if v is not one.
func (v Value) Text() Text {
	if v.Kind() != KindText {
		return Text{}
	}
	return Text{(*textBox)(v.ref), piece(v.bits)}
}

// Len returns how many elements a list has, fields an object, UTF-16 units a text, and 0 for anything else.
func (v Value) Len() int {
	switch v.Kind() {
	case KindText:
		return v.Text().Len()
	case KindList:
		return v.list().len()
	case KindObject:
		if v.isPacked() {
			_, _, k := v.packed()
			return k.Len()
		}
		return v.object().len()
	}
	return 0
}

// Depth returns how many containers are nested in v at most: 0 for a scalar, 1 for an empty list.
func (v Value) Depth() int {
	if v.ref == nil {
		return 0
	}
	return int(v.head().depth)
}

// Invariant: v is a list.
func (v Value) list() *listBox { return (*listBox)(v.ref) }

// object returns the box of an object. One that is packed has none, and gets one for the occasion. Invariant: v is an object.
func (v Value) object() *objectBox {
	if v.isPacked() {
		return v.unpacked()
	}
	return (*objectBox)(v.ref)
}
