package wire

import (
	"encoding/binary"
	"math/bits"

	"chordsim/core/base"
	"chordsim/core/delta"
)

// Reader takes a message apart. Its first error sticks: whatever is read after it is zero, and Err tells what was wrong
// and where, so that a parser reads all its fields and looks once.
type Reader struct {
	b     []byte
	off   int
	name  string
	err   error
	codec Codec
	// Of text: the next field is the first one of its list; the array was read to its end; and where the bytes behind it
	// go on, 0 if nothing of them was read yet.
	first  bool
	closed bool
	tail   int
	// Values that lists and objects under way have still to bring, a byte each at least. Invariant: promised ≤ Len.
	promised   int
	containers int           // lists and objects so far
	build      delta.Builder // makes the values of the message
}

// NewReader reads b. The name says in errors what was being read.
func NewReader(name string, b []byte) Reader { return Reader{b: b, name: name} }

// newMessage reads the body of a message in a codec.
func newMessage(c Codec, name string, b []byte) Reader { return Reader{b: b, name: name, codec: c} }

// Err returns the first error, or nil.
func (r *Reader) Err() error { return r.err }

// Len returns how many bytes are left.
func (r *Reader) Len() int { return len(r.b) - r.off }

// Offset returns how many bytes were read.
func (r *Reader) Offset() int { return r.off }

// Fail records an error at the current place, unless there is one already.
func (r *Reader) Fail(what string) {
	if r.err == nil {
		r.err = base.Errorf(base.CodeProtocol, "%s: %s at byte %d of %d", r.name, what, r.off, len(r.b))
		r.off = len(r.b)
	}
}

// End checks that nothing is left and returns the first error.
func (r *Reader) End() error {
	if r.codec == Text {
		r.closeArray()
	}
	return r.trailing()
}

// Byte reads one byte.
func (r *Reader) Byte() byte {
	if r.off >= len(r.b) {
		r.Fail("cut short")
		return 0
	}
	c := r.b[r.off]
	r.off++
	return c
}

// Uvarint reads an unsigned varint. Only the shortest form of a number is valid, so that each message has one encoding.
func (r *Reader) Uvarint() uint64 {
	if r.off < len(r.b) && r.b[r.off] < 0x80 {
		r.off++
		return uint64(r.b[r.off-1])
	}
	v, n := binary.Uvarint(r.b[r.off:])
	switch {
	case n == 0:
		r.Fail("cut short")
		return 0
	case n < 0:
		r.Fail("number over 64 bits")
		return 0
	case n > 1 && n != (bits.Len64(v)+6)/7:
		r.Fail("number not in its shortest form")
		return 0
	}
	r.off += n
	return v
}

// Uint reads an unsigned varint of at most limit.
func (r *Reader) Uint(limit uint64, what string) int {
	v := r.Uvarint()
	if v > limit {
		r.Fail(what + " over its limit")
		return 0
	}
	return int(v)
}

// Count reads the number of things that follow and take at least one byte each.
func (r *Reader) Count(what string) int {
	n := r.Uvarint()
	if n > uint64(r.Len()) {
		r.Fail(what + " do not fit")
		return 0
	}
	return int(n)
}

// Bytes reads n bytes as a view of the input.
func (r *Reader) Bytes(n int) []byte {
	if n < 0 || n > r.Len() {
		r.Fail("cut short")
		return nil
	}
	b := r.b[r.off : r.off+n : r.off+n]
	r.off += n
	return b
}

// Rest reads all that is left as a view of the input.
func (r *Reader) Rest() []byte { return r.Bytes(r.Len()) }

// Text reads a length and that many bytes, as a copy.
func (r *Reader) Text(limit int, what string) string {
	n := r.Count(what)
	if n > limit {
		r.Fail(what + " over its limit")
		return ""
	}
	return string(r.Bytes(n))
}

// part reads a part of a binary message: its length doubled, plus one when it is deflated, and its bytes as a view.
func (r *Reader) part() (part []byte, deflated bool) {
	n := r.Uvarint()
	if n>>1 > uint64(r.Len()) {
		r.Fail("part does not fit")
		return nil, false
	}
	return r.Bytes(int(n >> 1)), n&1 != 0
}

func appendText(dst []byte, s string) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(s)))
	return append(dst, s...)
}

// appendPart appends a part of a binary message.
func appendPart(dst, part []byte, deflated bool) []byte {
	n := uint64(len(part)) << 1
	if deflated {
		n |= 1
	}
	dst = binary.AppendUvarint(dst, n)
	return append(dst, part...)
}
