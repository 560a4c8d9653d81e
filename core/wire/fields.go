package wire

import (
	"math"
	"unicode/utf8"

	"chordsim/core/delta"
)

// The methods of a Reader in this file read the fields that a writer wrote, in either codec.

// number reads an unsigned number.
func (r *Reader) number() uint64 {
	if r.codec == Binary {
		return r.Uvarint()
	}
	r.sep()
	return r.digits()
}

// numberTo reads an unsigned number of at most limit.
func (r *Reader) numberTo(limit uint64, what string) int {
	v := r.number()
	if v > limit {
		r.Fail(what + " over its limit")
		return 0
	}
	return int(v)
}

// byte reads a number below 256.
func (r *Reader) byte() byte {
	if r.codec == Binary {
		return r.Byte()
	}
	return byte(r.numberTo(math.MaxUint8, "a byte"))
}

// string reads a text that is not part of a value, as a copy.
func (r *Reader) string(limit int, what string) string {
	if r.codec == Binary {
		s := r.Text(limit, what)
		if !utf8.ValidString(s) {
			r.Fail(what + " is no UTF-8")
		}
		return s
	}
	r.sep()
	s := r.jsonString()
	if len(s) > limit {
		r.Fail(what + " over its limit")
		return ""
	}
	return s
}

// list is a walk through a list that is being read.
type list struct {
	left  int
	what  string
	begun bool
}

// list begins to read a list of at most limit things.
func (r *Reader) list(limit int, what string) list {
	if r.codec == Binary {
		return list{left: r.Uint(uint64(limit), what)}
	}
	r.sep()
	r.expect('[')
	return list{left: limit, what: what}
}

// next reports whether there is another thing in the list.
func (r *Reader) next(l *list) bool {
	switch {
	case r.err != nil:
		return false
	case r.codec == Binary:
		l.left--
		return l.left >= 0
	case r.peek() == ']':
		r.off++
		r.first = false
		return false
	case l.left == 0:
		r.Fail(l.what + " over their limit")
		return false
	}
	r.first = !l.begun
	l.begun = true
	l.left--
	return true
}

// more reports whether fields follow, in a message whose end may be left out.
func (r *Reader) more() bool {
	if r.codec == Binary {
		return r.err == nil && r.Len() > 0
	}
	return r.err == nil && r.peek() == ','
}

// value reads an encoded value that ends the message, as a view. None at all reads as no bytes.
func (r *Reader) value() []byte {
	if r.codec == Binary {
		return r.Rest()
	}
	if !r.more() {
		return nil
	}
	return r.json()
}

// json reads a JSON value as a view. Whoever parses it finds out whether it is one.
func (r *Reader) json() []byte {
	r.sep()
	start := r.off
	if r.err == nil {
		r.off = skipJSON(r.b, r.off)
	}
	if r.off == start {
		r.Fail("no JSON value")
		return nil
	}
	return r.b[start:r.off:r.off]
}

// deflated reads a deflated part that ends the message, as a view.
func (r *Reader) deflated() []byte {
	if r.codec == Binary {
		return r.Rest()
	}
	return r.beside()
}

// beside reads the length of bytes that are behind the array, and returns them as a view. It is for text only.
func (r *Reader) beside() []byte { return r.behind(r.number()) }

// behind returns the next n bytes behind the array as a view.
func (r *Reader) behind(n uint64) []byte {
	if r.tail == 0 && r.err == nil {
		if r.tail = skipToEnd(r.b, r.off); r.tail == 0 {
			r.Fail("the array is not closed")
		}
	}
	if r.err != nil {
		return nil
	}
	if n > uint64(len(r.b)-r.tail) {
		r.Fail("part does not fit")
		return nil
	}
	b := r.b[r.tail : r.tail+int(n) : r.tail+int(n)]
	r.tail += int(n)
	return b
}

// MaxByteParts is how many raw bytes parts a call or a result may have.
const MaxByteParts = 64

// bytes reads raw bytes parts as views, and which of them are deflated.
func (r *Reader) bytes() (parts [][]byte, deflated uint64) {
	var sizes [MaxByteParts]uint64
	n := 0
	for l := r.list(MaxByteParts, "bytes parts"); r.next(&l); n++ {
		size := r.number()
		sizes[n] = size >> 1
		deflated |= size & 1 << n
	}
	if r.err != nil {
		return nil, 0
	}
	parts = make([][]byte, n)
	for i := range parts {
		if r.codec == Text {
			parts[i] = r.behind(sizes[i])
		} else {
			parts[i] = r.Bytes(int(min(sizes[i], math.MaxInt32)))
		}
	}
	return parts, deflated
}

// rest reads all that is left, behind the array in text, as a view.
func (r *Reader) rest() []byte {
	if r.codec == Binary {
		return r.Rest()
	}
	r.closeArray()
	return r.Rest()
}

// The rest is the text codec's.

// sep reads what ends the field before.
func (r *Reader) sep() {
	if r.first {
		r.first = false
	} else {
		r.expect(',')
	}
}

// peek returns the next byte, 0 at the end.
func (r *Reader) peek() byte {
	if r.off < len(r.b) {
		return r.b[r.off]
	}
	return 0
}

// after returns the byte after the next one if that is c, otherwise 0.
func (r *Reader) after(c byte) byte {
	if r.err == nil && r.peek() == c && r.off+1 < len(r.b) {
		return r.b[r.off+1]
	}
	return 0
}

func (r *Reader) expect(c byte) {
	if r.err != nil {
		return
	}
	if r.peek() != c {
		r.Fail("expected " + string(rune(c)))
		return
	}
	r.off++
}

// digits reads a number in its shortest form.
func (r *Reader) digits() uint64 {
	start := r.off
	var v uint64
	for r.off < len(r.b) && r.b[r.off]-'0' <= 9 {
		d := uint64(r.b[r.off] - '0')
		if v > (math.MaxUint64-d)/10 {
			r.Fail("number over 64 bits")
			return 0
		}
		v = v*10 + d
		r.off++
	}
	switch n := r.off - start; {
	case r.off == len(r.b):
		r.Fail("cut short") // whatever it is, something follows it
	case n == 0:
		r.Fail("no number")
	case n > 1 && r.b[start] == '0':
		r.Fail("number not in its shortest form")
	}
	if r.err != nil {
		return 0
	}
	return v
}

// jsonString reads a string.
func (r *Reader) jsonString() string {
	start := r.off
	if r.err == nil && r.peek() == '"' {
		r.off = skipJSON(r.b, r.off)
	}
	if r.off == start {
		r.Fail("no string")
		return ""
	}
	v, err := delta.ParseJSON(r.b[start:r.off])
	if err != nil || !utf8.Valid(r.b[start:r.off]) {
		r.Fail("bad string")
		return ""
	}
	s := v.Text().String()
	if !utf8.ValidString(s) {
		r.Fail("a name with half of a surrogate pair")
		return ""
	}
	return s
}

// closeArray reads the bracket that ends the message's array, and passes over what is behind it and was read out of turn.
func (r *Reader) closeArray() {
	if r.closed {
		return
	}
	r.first, r.closed = false, true
	r.expect(']')
	if r.err == nil && r.tail > 0 {
		r.off = r.tail
	}
}
