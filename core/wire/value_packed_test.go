package wire

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"chordsim/core/base"
	"chordsim/core/delta"
	"pgregory.net/rapid"
)

// behind is a value for the end of a message that is long enough for small objects before it to be packed.
var behind = delta.String(strings.Repeat("z", 2000))

// TestPackedValuesComeBack reads values that stand before much else, and writes them again, in both codecs.
func TestPackedValuesComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := values(3).Draw(t, "value")
		all := delta.List(v, v, behind)
		for _, c := range []Codec{Binary, Text} {
			in := c.AppendValue(nil, all)
			back, err := c.ParseValue(bytes.Clone(in))
			if err != nil || !back.Equal(all) || !all.Equal(back) || back.Hash() != all.Hash() || back.Size() != all.Size() {
				t.Fatalf("%s: %v came back as %v (%v)", c, all, back, err)
			}
			if again := c.AppendValue(nil, back); !bytes.Equal(again, in) { // minus zero equals zero, but not here
				t.Fatalf("%s: %q, written again as %q", c, in, again)
			}
		}
	})
}

// TestPackedValuesAreRefusedAsOthers spoils a field of an object that would be packed: what is said of it is what is said of one
// that is among the last of its message.
func TestPackedValuesAreRefusedAsOthers(t *testing.T) {
	for why, field := range map[string]string{
		"an integer beyond 2^53": "83 8280808080808020", "a varint that is not in its shortest form": "83 8000", "a varint over 64 bits": "83 ffffffffffffffffffff01",
		"an unknown tag": "8a", "a tag beyond all": "b0", "a shape that was not defined": "9f", "a text beyond the end": "85 ffff7f", "a length that is not in its shortest form": "85 8100 61",
		"a list beyond the end": "86 ffff7f",
	} {
		message := func(behind int) []byte {
			// A list of two objects of one shape, the second of which is spoiled in its last field but one, and a text.
			in := unhex(t, "a3 88 00 03 0161 0162 0163 05 4161 06 90 4178 "+field+" 4179")
			return append(appendTextTag(in, behind), strings.Repeat("z", behind)...)
		}
		_, want := ParseValue(message(20))
		got, err := ParseValue(message(2000))
		wantRefusal(t, why, got, err)
		if place := func(err error) string { s, _, _ := strings.Cut(err.Error(), " of "); return s }; want == nil || place(err) != place(want) || base.CodeOf(err) != base.CodeOf(want) {
			t.Errorf("%s: %v, want %v", why, err, want)
		}
	}
}

// packedTexts returns a list of objects that end with a text.
func packedTexts(n int) delta.Value {
	items := make([]delta.Value, n)
	for i := range items {
		items[i] = delta.Object(delta.Field{Key: "n", Value: delta.Int(i)}, delta.Field{Key: "text", Value: delta.String(strings.Repeat("x", 40))})
	}
	return delta.ListOf(items)
}

// TestPackedValuesTakeNoRoomOfOthers has a list behind packed objects whose items take all the bytes that are left.
func TestPackedValuesTakeNoRoomOfOthers(t *testing.T) {
	var fields []delta.Field // more than have a shape, so that each is read by itself
	for i := range 40 {
		fields = append(fields, delta.Field{Key: fmt.Sprint(i), Value: delta.Object(delta.Field{Key: "a", Value: delta.Int(i)})})
	}
	v := delta.Object(append(fields, delta.Field{Key: "z", Value: delta.ListOf(make([]delta.Value, 2000))})...)
	if back, err := ParseValue(AppendValue(nil, v)); err != nil || !back.Equal(v) {
		t.Errorf("it did not come back: %v", err)
	}
}

// TestPackedValuesAreNoDeeper checks the limit on levels for an object that would be packed.
func TestPackedValuesAreNoDeeper(t *testing.T) {
	for levels, fits := range map[int]bool{delta.MaxDepth - 1: true, delta.MaxDepth: false} {
		item := delta.Object(delta.Field{Key: "a", Value: delta.Int(1)})
		deep := delta.List(item, item)
		for range levels - 2 {
			deep = delta.List(deep)
		}
		all := delta.List(deep, behind)
		for _, c := range []Codec{Binary, Text} {
			back, err := c.ParseValue(c.AppendValue(nil, all))
			if (err == nil) != fits || fits && !back.Equal(all) {
				t.Errorf("%s, %d levels around an object: %v", c, levels, err)
			}
		}
	}
}

// TestNotesDoNotKeepTheirMessage spoils a message once it was read: small objects have copies of what they need.
func TestNotesDoNotKeepTheirMessage(t *testing.T) {
	for _, c := range []Codec{Binary, Text} {
		for _, text := range []string{strings.Repeat("x", 80), strings.Repeat("ö", 80)} {
			want := notesOf(1000, text)
			in := c.AppendValue(nil, want)
			got, err := c.ParseValue(in)
			clear(in[:len(in)-1000]) // the last ones may be views
			for i := range 980 {
				item, _ := got.Index(i)
				if wanted, _ := want.Index(i); err != nil || !item.Equal(wanted) {
					t.Fatalf("%s: item %d is %v (%v)", c, i, item, err)
				}
			}
		}
	}
}
