package delta

import (
	"math"
	"math/bits"
	"strconv"
	"unsafe"
)

// Size returns an estimate of the bytes that v takes when it is encoded compactly. It costs O(1), and depends on nothing
// but the value: equal values have equal sizes. It is at least half of the length of v's JSON and at most that twice and 16
// more, as long as texts and keys need no \u escape.
func (v Value) Size() int {
	switch v.Kind() {
	case KindNumber:
		return numberSize(v.Number())
	case KindText:
		return v.Text().EncodedLen() + textQuotes
	case KindList:
		return v.list().sum().size + 2
	case KindObject:
		if v.isPacked() {
			return packed(v.bits).size()
		}
		return v.object().size
	}
	return scalarSize
}

const (
	scalarSize = 3 // of null, true and false
	textQuotes = 2 // what a text takes besides its bytes
)

func numberSize(f float64) int { return numberJSONLen(f)/2 + 1 }

// measure returns the size and the depth of v. Numbers and short texts, which most values are, are measured here.
func (v Value) measure() (size int, depth uint32) {
	switch {
	case v.ref == nil:
		return scalarSize, 0
	case v.ref == unsafe.Pointer(&numberTag):
		return numberSize(math.Float64frombits(v.bits)), 0
	case v.bits > 1: // a piece or a packed object, since bools have 1 at the most; both keep their size in the same place
		return packed(v.bits).size(), v.head().depth
	}
	return v.Size(), v.head().depth
}

// numberJSONLen returns how many bytes the number takes in JSON.
func numberJSONLen(f float64) int {
	if n := int64(f); float64(n) == f && n > -1<<53 && n < 1<<53 {
		sign := 0
		if n < 0 {
			sign, n = 1, -n
		}
		return sign + digits(uint64(n))
	}
	var buf [32]byte
	return len(appendNumber(buf[:0], f))
}

// digits returns how many digits n has in decimal. Invariant: n < 10^19.
func digits(n uint64) int {
	n |= 1 // 0 has a digit too, and no other number gets one more
	// 1233/4096 is log10(2), nearly: d is right for the smallest number that has as many bits.
	d := bits.Len64(n) * 1233 >> 12
	if n >= powersOf10[d] {
		d++
	}
	return d
}

var powersOf10 = func() (powers [20]uint64) {
	powers[0] = 1
	for i := range powers[1:] {
		powers[i+1] = 10 * powers[i]
	}
	return powers
}()

// appendNumber appends the number as JavaScript prints it.
func appendNumber(dst []byte, f float64) []byte {
	if n := int64(f); float64(n) == f && n > -1<<53 && n < 1<<53 {
		return strconv.AppendInt(dst, n, 10) // minus zero too
	}
	abs := max(f, -f)
	if abs >= 1e-6 && abs < 1e21 {
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	// Go writes at least two digits of the exponent, JavaScript does not: 1e-7 is 1e-07 to Go.
	if n := len(dst); dst[n-2] == '0' && (dst[n-3] == '-' || dst[n-3] == '+') {
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst
}
