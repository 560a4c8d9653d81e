package delta

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestEndsPlain looks for the end of plain bytes eight at a time as it is done one by one.
func TestEndsPlain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom([]byte("\"\\\x00\x1f !#[]\x7f\x80\xa2\xdc\xff")), rapid.Byte()), 0, 40).Draw(t, "in")
		from := rapid.IntRange(0, len(in)).Draw(t, "from")
		end, ascii := from, true
		for ; end < len(in) && in[end] != '"' && in[end] != '\\' && in[end] >= 0x20; end++ {
			ascii = ascii && in[end] < 0x80
		}
		p := parser{in: in}
		if got, only := p.plain(from); got != end || only != ascii {
			t.Fatalf("%q from %d: %d, ASCII %v; want %d, %v", in, from, got, only, end, ascii)
		}
	})
}

// textLengths are around the lengths at which a text is kept another way.
func textLengths() (all []int) {
	for _, limit := range []int{0, 8, borrowedText, pieceLimit, textLeafLimit, textChunkBytes} {
		for n := max(0, limit-2); n < limit+3; n++ {
			all = append(all, n)
		}
	}
	return all
}

// TestParsedTexts reads texts of every length that matters, plain, with escapes and with other than ASCII, many in one input.
// Nothing of them is a view of the input, and each has the hash of the text that is made at once.
func TestParsedTexts(t *testing.T) {
	const runs = 3
	for _, what := range []struct{ in, units string }{{"x", "x"}, {`\n`, "\n"}, {`\u00e4`, "ä"}, {"ä", "ä"}, {"😀", "😀"}, {`\ud83d`, "\xed\xa0\xbd"}, {"\xff", "\ufffd"}} {
		var in []byte
		var want []Value
		for range runs {
			for _, n := range textLengths() {
				for _, front := range []string{"", "y"} {
					in = append(append(append(in, ',', '"'), front+strings.Repeat("x", max(0, n-len(what.in)))+what.in...), '"')
					want = append(want, String(front+strings.Repeat("x", max(0, n-len(what.in)))+what.units))
				}
			}
		}
		in[0] = '['
		in = append(in, ']')
		v, err := ParseJSON(in)
		if err != nil || v.Len() != len(want) {
			t.Fatalf("%s: %d texts (%v)", what.in, v.Len(), err)
		}
		clear(in)
		for i, text := range v.Elements() {
			if !text.Equal(want[i]) || text.Hash() != want[i].Hash() || text.Len() != want[i].Len() || text.Size() != want[i].Size() {
				t.Errorf("%s: text %d is %.60q, want %.60q", what.in, i, text.Text(), want[i].Text())
			}
		}
	}
}

// TestParsedIsNoView overwrites the input of values and ops that have keys, texts and paths.
func TestParsedIsNoView(t *testing.T) {
	const in = `[["s",["a key","日"],{"one":1}],["s",["b"],{"one":"` + "a text of more than thirty-two bytes" + `","日":["short",{"\n":0}]}],["a",["c"],"tok"],["a",["c"],"日本"]]`
	b := []byte(in)
	v, err := ParseJSON(b)
	var d WireDecoder
	ops, opErr := d.ParseJSON(b)
	whole, wholeErr := ParseOpsJSON(b)
	copy(b, bytes.Repeat([]byte("!"), len(b)))
	if got := string(AppendOpsJSON(nil, ops)); err != nil || opErr != nil || wholeErr != nil || got != in || v.String() != in || string(AppendOpsJSON(nil, whole)) != in {
		t.Errorf("got %v (%v), %s (%v), %v (%v)", v, err, got, opErr, whole, wholeErr)
	}
	again, err := d.ParseJSON([]byte(`[["s",["d"],{"one":1}]]`))
	if got := string(AppendOpsJSON(nil, again)); err != nil || got != `[["s",["d"],{"one":1}]]` {
		t.Errorf("after it: %s (%v)", got, err)
	}
}
