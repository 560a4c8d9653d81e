package delta

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// A source is a box that is no text itself. Texts are pieces of its bytes, UTF-8 of pieceLimit bytes at most, and need no
// memory of their own: where the bytes are and how many units they make fits into the word that a [Value] has for a
// number. What a piece lacks is a memo of its hash, and units to look up: one that has other than ASCII is made a rope for
// whatever asks for its units.
type piece uint64 // offset in the source << 32 | units << 16 | bytes; 0 in a text that is no piece

const (
	// pieceLimit keeps it quick to hash a piece.
	pieceLimit = 256
	// pieceReach is up to which offset a piece may begin.
	pieceReach = 1<<32 - 1
)

// pieces is the rope of every source, so that none passes for an ASCII text.
var pieces rope

// newSource returns a source of bytes that must not change.
func newSource(s []byte) *textBox {
	return &textBox{header: header{kind: KindText}, flat: stringOf(s), rope: &pieces}
}

// newPiece tells the piece of n bytes at an offset. Invariant: n is above 0.
func newPiece(from, units, n int) piece { return piece(from)<<32 | piece(units)<<16 | piece(n) }

func (p piece) bytes() int { return int(uint16(p)) }

func (p piece) units() int { return int(uint16(p >> 16)) }

func (p piece) isASCII() bool { return p.bytes() == p.units() }

func (p piece) of(source string) string {
	from := int(p >> 32)
	return source[from : from+p.bytes()]
}

// pieceText returns UTF-8 of a number of units, at most pieceLimit bytes and at least one, as a text with a source of its own.
func pieceText(s []byte, units int) Text { return Text{newSource(s), newPiece(0, units, len(s))} }

// unitsOf returns how many units the bytes make. ok is false if they are not UTF-8: lone surrogates, or worse.
func unitsOf(s []byte) (units int, ok bool) {
	if isASCII(stringOf(s)) {
		return len(s), true
	}
	for i := 0; i < len(s); units++ {
		if i+8 <= len(s) {
			ascii := bits.TrailingZeros64(binary.LittleEndian.Uint64(s[i:])&notASCII) / 8
			i, units = i+ascii, units+ascii
			if ascii == 8 {
				units-- // the loop adds it
				continue
			}
		}
		switch c := s[i]; {
		case c < utf8.RuneSelf:
			i++
		case c >= 0xc2 && c <= 0xdf && i+1 < len(s) && s[i+1]&0xc0 == 0x80:
			i += 2
		default:
			r, n := utf8.DecodeRune(s[i:])
			if r == utf8.RuneError && n == 1 {
				return 0, false
			}
			if i += n; n == utf8.UTFMax {
				units++
			}
		}
	}
	return units, true
}

// pieceRope returns UTF-8 as a rope.
func pieceRope(s string, units int) *rope {
	wide := make([]uint16, 0, units)
	for _, r := range s {
		wide = appendRune(wide, r)
	}
	return &rope{tail: textLeaf{wide: wide}, tailSum: textSum{encoded: len(s)}}
}

// polynomialUTF8 is textLeaf.polynomial of the units of UTF-8.
func polynomialUTF8(s string) uint64 {
	var h uint64
	for _, r := range s {
		if r < 0x10000 {
			h = foldHash(mulHash(h, hashBase) + uint64(r) + 1)
			continue
		}
		high, low := utf16.EncodeRune(r)
		h = foldHash(mulHash(h, hashBase) + uint64(high) + 1)
		h = foldHash(mulHash(h, hashBase) + uint64(low) + 1)
	}
	return h
}
