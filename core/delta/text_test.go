package delta

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"
)

// TestTextModel runs texts against slices of units: many versions at once, long enough to have trees.
func TestTextModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := []Text{{}}
		models := [][]uint16{{}}
		pick := func(label string) int { return rapid.IntRange(0, len(texts)-1).Draw(t, label) }
		draw := func() []uint16 {
			units := drawUnits(t, 12)
			if rapid.IntRange(0, 4).Draw(t, "long") == 0 {
				units = slices.Repeat(units, rapid.IntRange(1, 700).Draw(t, "times"))
			}
			return units
		}
		t.Repeat(map[string]func(*rapid.T){
			"new": func(t *rapid.T) {
				u := draw()
				texts, models = append(texts, TextFromUTF16(u)), append(models, u)
			},
			"append": func(t *rapid.T) {
				i, j := pick("to"), pick("what")
				texts = append(texts, texts[i].Append(texts[j]))
				models = append(models, slices.Concat(models[i], models[j]))
			},
			"append to the newest": func(t *rapid.T) {
				i, u := len(texts)-1, draw()
				if n := rapid.IntRange(1, 40).Draw(t, "tokens"); len(u) < 20 {
					u = slices.Repeat(u, n)
				}
				texts[i] = texts[i].AppendString(wtf8(u))
				models[i] = slices.Concat(models[i], u)
			},
			"slice": func(t *rapid.T) {
				i := pick("of")
				from := rapid.IntRange(0, len(models[i])).Draw(t, "from")
				to := rapid.IntRange(from, len(models[i])).Draw(t, "to")
				texts, models = append(texts, texts[i].Slice(from, to)), append(models, models[i][from:to])
			},
			"": func(t *rapid.T) {
				i := pick("check")
				wantText(t, texts[i], models[i])
				j := pick("against")
				if texts[i].Equal(texts[j]) != slices.Equal(models[i], models[j]) {
					t.Fatalf("equal is wrong")
				}
				if len(texts) > 12 {
					texts, models = texts[6:], models[6:]
				}
			},
		})
		for i := range texts {
			wantText(t, texts[i], models[i])
		}
	})
}

// wtf8 encodes units one by one, so that halves of a pair are not joined.
func wtf8(units []uint16) string {
	var b []byte
	for _, u := range units {
		b = appendWTF8(b, rune(u))
	}
	return string(b)
}

func wantText(t *rapid.T, got Text, want []uint16) {
	t.Helper()
	if got.Len() != len(want) || !slices.Equal(got.Units(), want) {
		t.Fatalf("got %d units, want %d", got.Len(), len(want))
	}
	for _, i := range []int{0, len(want) / 2, len(want) - 1} {
		if i >= 0 && i < len(want) && got.Unit(i) != want[i] {
			t.Fatalf("unit %d", i)
		}
	}
	s := got.String()
	if len(s) != got.EncodedLen() {
		t.Fatalf("encoded in %d bytes, not %d", len(s), got.EncodedLen())
	}
	if other := TextFromUTF16(want); !got.Equal(other) || TextValue(got).Hash() != TextValue(other).Hash() {
		t.Fatalf("not equal to what has the same units")
	}
	if !NewText(s).Equal(got) {
		t.Fatalf("not the same through WTF-8")
	}
	if runes := utf16.Decode(want); !slices.Contains(runes, 0xfffd) && s != string(runes) {
		t.Fatalf("not UTF-8")
	}
	if again, err := ParseJSON(AppendJSON(nil, TextValue(got))); err != nil || !again.Text().Equal(got) {
		t.Fatalf("not the same through JSON: %v", err)
	}
}

func TestNewText(t *testing.T) {
	cases := []struct {
		in   string
		want []uint16
	}{
		{"", []uint16{}},
		{"aä日", []uint16{'a', 0xe4, 0x65e5}},
		{"😀", []uint16{0xd83d, 0xde00}},
		{"\xed\xa0\xbd", []uint16{0xd83d}},                     // a lone first half
		{"\xed\xa0\xbd\xed\xb8\x80", []uint16{0xd83d, 0xde00}}, // both halves alone
		{"\xed\xa0", []uint16{0xfffd, 0xfffd}},
		{"\xff\x80a", []uint16{0xfffd, 0xfffd, 'a'}},
		{"\xc0\x80", []uint16{0xfffd, 0xfffd}},
	}
	for _, c := range cases {
		if got := NewText(c.in).Units(); !slices.Equal(got, c.want) {
			t.Errorf("%q: got %x, want %x", c.in, got, c.want)
		}
	}
	if got := NewText("\xed\xa0\xbd\xed\xb8\x80").String(); got != "😀" {
		t.Errorf("halves are not joined: %q", got)
	}
}

// TestTextBranches appends to one text twice: the second must not see what the first wrote.
func TestTextBranches(t *testing.T) {
	base := NewText("a").AppendString("b")
	one, two := base.AppendString("one"), base.AppendString("two")
	if base.String() != "ab" || one.String() != "abone" || two.String() != "abtwo" {
		t.Errorf("got %q, %q and %q", base, one, two)
	}
	wide := base.AppendString("ä")
	if base.String() != "ab" || wide.String() != "abä" {
		t.Errorf("got %q and %q", base, wide)
	}
}

func TestTextSplitPair(t *testing.T) {
	long := strings.Repeat("x", 5000)
	text := NewText(long + "😀" + long)
	head, tail := text.Slice(0, 5001), text.Slice(5001, text.Len())
	if head.EncodedLen() != 5003 || tail.EncodedLen() != 5003 {
		t.Errorf("halves are encoded in %d and %d bytes", head.EncodedLen(), tail.EncodedLen())
	}
	if joined := head.Append(tail); !joined.Equal(text) || joined.String() != text.String() || joined.EncodedLen() != 10004 {
		t.Errorf("halves do not join: %d bytes", joined.EncodedLen())
	}
	short := TextFromUTF16([]uint16{'a', 0xd83d}).Append(TextFromUTF16([]uint16{0xde00}))
	if short.String() != "a😀" || short.EncodedLen() != 5 {
		t.Errorf("halves do not join in a short text: %q in %d bytes", short, short.EncodedLen())
	}
}

// TestTextStaysNarrow checks that ASCII takes a byte a unit whatever is appended to it.
func TestTextStaysNarrow(t *testing.T) {
	text := NewText(strings.Repeat("x", 1000)).AppendString("y").AppendString("ä").AppendString("z")
	if head := text.box.rope.root.first(); head.wide != nil || head.len() != 1001 {
		t.Errorf("%d units of ASCII were widened", head.len())
	}
	if text.Len() != 1003 || !strings.HasSuffix(text.String(), "xyäz") {
		t.Errorf("got %q", text)
	}
}
