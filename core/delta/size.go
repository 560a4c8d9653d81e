package delta

import "strconv"

// Size returns an estimate of the bytes that v takes when it is encoded compactly. It costs O(1), and depends on nothing
// but the value: equal values have equal sizes. It is at least half of the length of v's JSON and at most that twice and 16
// more, as long as texts and keys need no \u escape.
func (v Value) Size() int {
	switch v.Kind() {
	case KindNumber:
		return numberJSONLen(v.Number())/2 + 1
	case KindText:
		return v.Text().EncodedLen() + 2
	case KindList:
		return v.list().sum().size + 2
	case KindObject:
		return v.object().size
	}
	return 3
}

// numberJSONLen returns how many bytes the number takes in JSON.
func numberJSONLen(f float64) int {
	if n := int64(f); float64(n) == f && n > -1<<53 && n < 1<<53 {
		digits := 1
		if n < 0 {
			digits, n = 2, -n
		}
		for ; n >= 10; n /= 10 {
			digits++
		}
		return digits
	}
	var buf [32]byte
	return len(appendNumber(buf[:0], f))
}

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
