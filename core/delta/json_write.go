package delta

import (
	"encoding/binary"
	"math/bits"
)

// String returns v as JSON.
func (v Value) String() string { return string(AppendJSON(nil, v)) }

// AppendJSON appends v as JSON, as JSON.stringify writes it: no spaces, numbers as JavaScript prints them, only what must be
// escaped is, and a surrogate without its other half is written as an escape. Fields come in their order.
func AppendJSON(dst []byte, v Value) []byte {
	switch v.Kind() {
	case KindBool:
		if v.Bool() {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	case KindNumber:
		return appendNumber(dst, v.Number())
	case KindText:
		return appendJSONText(dst, v.Text())
	case KindList:
		return appendJSONList(dst, v)
	case KindObject:
		return appendJSONObject(dst, v)
	}
	return append(dst, "null"...)
}

func appendJSONList(dst []byte, v Value) []byte {
	dst = append(dst, '[')
	for i, element := range v.Elements() {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendJSON(dst, element)
	}
	return append(dst, ']')
}

func appendJSONObject(dst []byte, v Value) []byte {
	dst = append(dst, '{')
	first := true
	for key, field := range v.Fields() {
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(appendJSONString(dst, key), ':')
		dst = AppendJSON(dst, field)
	}
	return append(dst, '}')
}

// appendJSONString appends canonical WTF-8 as a JSON string.
func appendJSONString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	return append(appendEscaped(dst, s), '"')
}

func appendJSONText(dst []byte, t Text) []byte {
	if s, ok := t.UTF8(); ok {
		return appendJSONString(dst, s)
	}
	dst = append(dst, '"')
	high := uint16(0) // a first half at the end of the leaf before
	var scratch []byte
	t.leaves(func(l textLeaf) bool {
		if l.wide == nil && high == 0 {
			dst = appendEscaped(dst, stringOf(l.ascii))
			return true
		}
		scratch, high = l.appendWTF8(scratch[:0], high)
		dst = appendEscaped(dst, stringOf(scratch))
		return true
	})
	if high != 0 {
		dst = appendUnitEscape(dst, high)
	}
	return append(dst, '"')
}

// appendEscaped appends WTF-8 as the inside of a JSON string.
func appendEscaped(dst []byte, s string) []byte {
	done := 0
	for i := 0; i < len(s); {
		if i+8 <= len(s) {
			stops := mayEscape(binary.LittleEndian.Uint64(bytesOf(s[i:])))
			if i += bits.TrailingZeros64(stops) / 8; stops == 0 {
				continue
			}
		}
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' && c != 0xed {
			i++
			continue
		}
		if c == 0xed {
			r, n := decodeWTF8(s[i:])
			if r < 0xd800 || r > 0xdfff || n != 3 {
				i += max(n, 1)
				continue
			}
			dst = appendUnitEscape(append(dst, s[done:i]...), uint16(r))
			i += n
			done = i
			continue
		}
		dst = append(dst, s[done:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\f':
			dst = append(dst, '\\', 'f')
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = appendUnitEscape(dst, uint16(c))
		}
		i++
		done = i
	}
	return append(dst, s[done:]...)
}

// mayEscape is endsPlain that stops at surrogates in WTF-8 too, all of which begin with 0xed.
func mayEscape(eight uint64) uint64 {
	const ones = 0x0101010101010101
	ed := eight ^ 0xed*ones
	return endsPlain(eight) | (ed-ones)&^ed&notASCII
}

func appendUnitEscape(dst []byte, u uint16) []byte {
	const hex = "0123456789abcdef"
	return append(dst, '\\', 'u', hex[u>>12], hex[u>>8&15], hex[u>>4&15], hex[u&15])
}
