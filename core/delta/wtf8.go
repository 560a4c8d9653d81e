package delta

import (
	"encoding/binary"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// NewText returns the text of s, which is read as [String] reads it.
func NewText(s string) Text {
	// A short string that was cut from a long one must not keep it.
	if len(s) <= textLeafLimit && isASCII(s) {
		return flatText(strings.Clone(s))
	}
	if len(s) <= pieceLimit {
		if units, ok := unitsOf(bytesOf(s)); ok {
			return pieceText([]byte(s), units)
		}
	}
	var leaves []textLeaf
	for s != "" {
		if n := asciiPrefix(s[:min(len(s), textLeafLimit)]); n == textLeafLimit || n == len(s) {
			leaves = append(leaves, textLeaf{ascii: []byte(s[:n])})
			s = s[n:]
			continue
		}
		units := make([]uint16, 0, textLeafLimit)
		for s != "" && len(units)+2 <= textLeafLimit {
			r, n := decodeWTF8(s)
			units = appendRune(units, r)
			s = s[n:]
		}
		leaves = append(leaves, newTextLeaf(units))
	}
	return ropeText(rope{root: grow[textLeaf, textSum](leaves)})
}

// TextFromUTF16 returns the text of the units, which are copied.
func TextFromUTF16(units []uint16) Text {
	var leaves []textLeaf
	for len(units) > 0 {
		n := min(len(units), textLeafLimit)
		leaves = append(leaves, newTextLeaf(units[:n]))
		units = units[n:]
	}
	if len(leaves) == 1 && leaves[0].wide == nil {
		return flatText(string(leaves[0].ascii))
	}
	return ropeText(rope{root: grow[textLeaf, textSum](leaves)})
}

// String returns the text in WTF-8: UTF-8 where every surrogate without its other half takes three bytes.
func (t Text) String() string {
	if s, ok := t.UTF8(); ok {
		return s
	}
	return string(t.AppendTo(make([]byte, 0, t.EncodedLen())))
}

// AppendTo appends what [Text.String] returns.
func (t Text) AppendTo(dst []byte) []byte {
	if s, ok := t.UTF8(); ok {
		return append(dst, s...)
	}
	high := uint16(0) // a first half at the end of the leaf before
	t.leaves(func(l textLeaf) bool {
		dst, high = l.appendWTF8(dst, high)
		return true
	})
	if high != 0 {
		dst = appendWTF8(dst, rune(high))
	}
	return dst
}

// appendWTF8 appends the leaf's units after a first half that is still to be written (or 0), and returns the one that the
// leaf ends with.
func (l textLeaf) appendWTF8(dst []byte, high uint16) ([]byte, uint16) {
	if l.len() == 0 {
		return dst, high
	}
	if high != 0 && (l.wide == nil || !isLow(l.wide[0])) {
		dst, high = appendWTF8(dst, rune(high)), 0
	}
	dst = append(dst, l.ascii...)
	for _, u := range l.wide {
		switch {
		case u < 0x80:
			if high != 0 {
				dst, high = appendWTF8(dst, rune(high)), 0
			}
			dst = append(dst, byte(u))
		case high != 0 && isLow(u):
			dst = utf8.AppendRune(dst, utf16.DecodeRune(rune(high), rune(u)))
			high = 0
		default:
			if high != 0 {
				dst, high = appendWTF8(dst, rune(high)), 0
			}
			if isHigh(u) {
				high = u
			} else {
				dst = appendWTF8(dst, rune(u))
			}
		}
	}
	return dst, high
}

// Units returns a copy of the text's UTF-16 units.
func (t Text) Units() []uint16 {
	units := make([]uint16, 0, t.Len())
	t.leaves(func(l textLeaf) bool {
		units = l.appendUnits(units)
		return true
	})
	return units
}

// appendWTF8 is utf8.AppendRune that takes surrogates.
func appendWTF8(dst []byte, r rune) []byte {
	if utf16.IsSurrogate(r) {
		return append(dst, 0xe0|byte(r>>12), 0x80|byte(r>>6)&0x3f, 0x80|byte(r)&0x3f)
	}
	return utf8.AppendRune(dst, r)
}

func appendRune(units []uint16, r rune) []uint16 {
	if r < 0x10000 {
		return append(units, uint16(r))
	}
	high, low := utf16.EncodeRune(r)
	return append(units, uint16(high), uint16(low))
}

// decodeWTF8 is utf8.DecodeRuneInString that takes surrogates.
func decodeWTF8(s string) (rune, int) {
	r, n := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && n == 1 && len(s) >= 3 && s[0] == 0xed && s[1]&0xe0 == 0xa0 && s[2]&0xc0 == 0x80 {
		return rune(s[0]&0x0f)<<12 | rune(s[1]&0x3f)<<6 | rune(s[2]&0x3f), 3
	}
	return r, n
}

// canonical returns s as the WTF-8 that [Text.String] would give: halves of a pair joined, bytes that are no WTF-8 replaced.
// It makes keys comparable as strings.
func canonical(s string) string {
	if isASCII(s) || utf8.ValidString(s) {
		return s
	}
	return NewText(s).String()
}

// notASCII is the bit of each of eight bytes that an ASCII byte does not have.
const notASCII = 0x8080808080808080

func isASCII(s string) bool {
	b := bytesOf(s)
	switch {
	case len(b) >= 8:
	case len(b) >= 4:
		all := binary.LittleEndian.Uint32(b) | binary.LittleEndian.Uint32(b[len(b)-4:])
		return all&(notASCII>>32) == 0
	default:
		var all byte
		for _, c := range b {
			all |= c
		}
		return all < utf8.RuneSelf
	}
	all := binary.LittleEndian.Uint64(b[len(b)-8:])
	for ; len(b) >= 32; b = b[32:] {
		all |= binary.LittleEndian.Uint64(b) | binary.LittleEndian.Uint64(b[8:]) |
			binary.LittleEndian.Uint64(b[16:]) | binary.LittleEndian.Uint64(b[24:])
		if all&notASCII != 0 {
			return false
		}
	}
	for ; len(b) >= 8; b = b[8:] {
		all |= binary.LittleEndian.Uint64(b)
	}
	return all&notASCII == 0
}

// asciiPrefix returns how many bytes of s are ASCII before the first that is not.
func asciiPrefix(s string) int {
	i := 0
	for b := bytesOf(s); i+8 <= len(b); i += 8 {
		if binary.LittleEndian.Uint64(b[i:])&notASCII != 0 {
			break
		}
	}
	for ; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return i
		}
	}
	return len(s)
}
