package delta

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"
)

// TestWrittenTexts writes texts in which anything may stand at any of eight places as it is done unit by unit.
func TestWrittenTexts(t *testing.T) {
	some := []uint16{'"', '\\', 0, '\b', '\t', '\n', '\f', '\r', 0x1f, 0x20, '!', '#', '[', ']', 0x7f, 0xed, 0x34c, 0x8000, 0xd7ff, 0xd83d, 0xde00, 0xdfff, 0xe000, 0xffff}
	rapid.Check(t, func(t *rapid.T) {
		units := rapid.SliceOfN(rapid.OneOf(rapid.Uint16Range('a', 'z'), rapid.Uint16Range('a', 'z'), rapid.SampledFrom(some)), 0, 40).Draw(t, "units")
		var want strings.Builder
		for i := 0; i < len(units); i++ {
			u := units[i]
			short := strings.IndexByte("\"\\\b\t\n\f\r", byte(u))
			switch {
			case isHigh(u) && i+1 < len(units) && isLow(units[i+1]):
				want.WriteRune(utf16.DecodeRune(rune(u), rune(units[i+1])))
				i++
			case u < 0x80 && short >= 0:
				want.WriteString(`\` + `"\btnfr`[short:short+1])
			case u < 0x20 || isHigh(u) || isLow(u):
				fmt.Fprintf(&want, `\u%04x`, u)
			default:
				want.WriteRune(rune(u))
			}
		}
		text := TextFromUTF16(units)
		for _, got := range []string{TextValue(text).String(), String(text.String()).String()} {
			if got != `"`+want.String()+`"` {
				t.Fatalf("%x is written as %s, want %s", units, got, want.String())
			}
		}
	})
}
