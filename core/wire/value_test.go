package wire

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"chordsim/core/delta"
	"pgregory.net/rapid"
)

func TestValuesHaveTheirBytes(t *testing.T) {
	object := func(keys ...string) delta.Value {
		var fields []delta.Field
		for i, k := range keys {
			fields = append(fields, delta.Field{Key: k, Value: delta.Int(i)})
		}
		return delta.Object(fields...)
	}
	cases := []struct {
		why string
		v   delta.Value
		hex string
	}{
		{"null", delta.Null(), "80"},
		{"false", delta.Bool(false), "81"},
		{"true", delta.Bool(true), "82"},
		{"0", delta.Int(0), "00"},
		{"63", delta.Int(63), "3f"},
		{"64", delta.Int(64), "83 8001"},
		{"-1", delta.Int(-1), "83 01"},
		{"2^53", delta.Number(1 << 53), "83 8080808080808020"},
		{"-2^53", delta.Number(-(1 << 53)), "83 ffffffffffffff1f"},
		{"2^53+2, which is no exact integer's neighbour", delta.Number(1<<53 + 2), "84 0100000000004043"},
		{"minus zero", delta.Number(math.Copysign(0, -1)), "84 0000000000000080"},
		{"a half", delta.Number(0.5), "84 000000000000e03f"},
		{"NaN is null", delta.Number(math.NaN()), "80"},
		{"infinity is null", delta.Number(math.Inf(1)), "80"},
		{"the empty text", delta.String(""), "40"},
		{"a short text", delta.String("héy"), "44 68c3a979"},
		{"63 bytes", delta.String(strings.Repeat("x", 63)), "7f" + strings.Repeat("78", 63)},
		{"64 bytes", delta.String(strings.Repeat("x", 64)), "85 40" + strings.Repeat("78", 64)},
		{"a lone first half", delta.TextValue(delta.TextFromUTF16([]uint16{0xd83d})), "43 eda0bd"},
		{"a pair", delta.TextValue(delta.TextFromUTF16([]uint16{0xd83d, 0xde00})), "44 f09f9880"},
		{"the empty list", delta.List(), "a0"},
		{"a list", delta.List(delta.Int(1), delta.Null()), "a2 01 80"},
		{"16 items", delta.ListOf(make([]delta.Value, 16)), "86 10" + strings.Repeat("80", 16)},
		{"the empty object", delta.Object(), "87 00"},
		{"an object", object("a", "b"), "88 00 02 0161 0162 00 01"},
		{"two of a shape", delta.List(object("a"), object("a")), "a2 88 00 01 0161 00 90 00"},
		{"two shapes", delta.List(object("a"), object("b"), object("b")), "a3 88 00 01 0161 00 88 01 01 0162 00 91 00"},
		{"the same keys in another order", delta.List(object("a", "b"), object("b", "a")), "a2 88 00 02 0161 0162 00 01 88 01 02 0162 0161 00 01"},
	}
	for _, c := range cases {
		want := unhex(t, c.hex)
		got := AppendValue([]byte("x"), c.v)[1:]
		if !bytes.Equal(got, want) {
			t.Errorf("%s: wrote % x, want % x", c.why, got, want)
		}
		back, err := ParseValue(want)
		if err != nil || back.String() != c.v.String() || !bytes.Equal(AppendValue(nil, back), want) {
			t.Errorf("%s: read %v (%v)", c.why, back, err)
		}
	}
}

func TestNoBytesAreNull(t *testing.T) {
	if v, err := ParseValue(nil); err != nil || !v.IsNull() {
		t.Errorf("%v (%v)", v, err)
	}
}

func TestValuesAreRefused(t *testing.T) {
	cases := []struct{ why, hex string }{
		{"an unknown tag", "8a"},
		{"a tag beyond all", "b0"},
		{"a shape that was not defined", "90"},
		{"a shape that was defined under another id", "a2 88 01 01 0161 00 90 00"},
		{"an integer beyond 2^53", "83 8280808080808020"},
		{"a text that is cut short", "85 05 61"},
		{"more items than bytes", "86 ffff03 00"},
		{"a key twice", "87 02 0161 00 0161 00"},
		{"a key twice in a shape", "88 00 02 0161 0161 00 00"},
		{"two values", "00 00"},
		{"a double that is cut short", "84 00"},
	}
	for _, c := range cases {
		v, err := ParseValue(unhex(t, c.hex))
		wantRefusal(t, c.why, v, err)
	}
}

// TestNaNOfAPeerIsNull checks that bits that delta has no number for become what delta makes of them.
func TestNaNOfAPeerIsNull(t *testing.T) {
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		v, err := ParseValue(binary.LittleEndian.AppendUint64([]byte{tagDouble}, math.Float64bits(f)))
		if err != nil || !v.IsNull() {
			t.Errorf("%v: %v (%v)", f, v, err)
		}
	}
}

// TestDepth checks that what delta takes can be sent, at any kind of bottom, and that one level more is refused.
func TestDepth(t *testing.T) {
	wrap := map[string]func(delta.Value) delta.Value{
		"list":   func(v delta.Value) delta.Value { return delta.List(v) },
		"shape":  func(v delta.Value) delta.Value { return delta.Object(delta.Field{Key: "k", Value: v}) },
		"inline": func(v delta.Value) delta.Value { return wideObject(v) },
	}
	for name, around := range wrap {
		for _, bottom := range []delta.Value{delta.Int(1), delta.List(), delta.Object()} {
			v := bottom
			for v.Depth() < delta.MaxDepth {
				v = around(v)
			}
			back, err := ParseValue(AppendValue(nil, v))
			if err != nil || !back.Equal(v) {
				t.Errorf("%s around %v, %d deep: %v", name, bottom, v.Depth(), err)
			}
			_, err = ParseValue(AppendValue(nil, around(v)))
			wantRefusal(t, name+" one level too deep", nil, err)
		}
	}
}

// wideObject returns an object that is too large to have a shape.
func wideObject(v delta.Value) delta.Value {
	fields := []delta.Field{{Key: "v", Value: v}}
	for i := range 33 {
		fields = append(fields, delta.Field{Key: fmt.Sprint(i)})
	}
	return delta.Object(fields...)
}

var keyPool = []string{"", "a", "id", "text", "é", "__proto__", "\xed\xa0\x80", "k0", "k1", "a-much-longer-key-than-the-others"}

func texts() *rapid.Generator[delta.Text] {
	unit := rapid.OneOf(rapid.Uint16Range('a', 'z'), rapid.SampledFrom([]uint16{0, 0x7f, 0x80, 0x7ff, 0x800, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xffff}))
	return rapid.Custom(func(t *rapid.T) delta.Text {
		text := delta.TextFromUTF16(rapid.SliceOfN(unit, 0, 70).Draw(t, "units"))
		if rapid.IntRange(0, 9).Draw(t, "long") == 0 { // several leaves, and halves that meet at their seams
			for range 40 {
				text = text.Append(text.Slice(0, min(60, text.Len()))).AppendString("0123456789é")
			}
		}
		return text
	})
}

func numbers() *rapid.Generator[float64] {
	return rapid.OneOf(
		rapid.Float64(), rapid.Map(rapid.IntRange(-70, 70), func(n int) float64 { return float64(n) }),
		rapid.Map(rapid.Int64(), func(n int64) float64 { return float64(n) }),
		rapid.SampledFrom([]float64{math.Copysign(0, -1), 1 << 53, 1<<53 - 1, 1<<53 + 2, -(1 << 53), math.NaN(), math.Inf(-1), math.MaxFloat64, 5e-324, 1e21}),
	)
}

func values(depth int) *rapid.Generator[delta.Value] {
	scalars := rapid.OneOf(
		rapid.Just(delta.Null()), rapid.Map(rapid.Bool(), delta.Bool),
		rapid.Map(numbers(), delta.Number), rapid.Map(texts(), delta.TextValue),
	)
	if depth == 0 {
		return scalars
	}
	return rapid.Custom(func(t *rapid.T) delta.Value {
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0:
			return delta.ListOf(rapid.SliceOfN(values(depth-1), 0, 20).Draw(t, "items"))
		case 1:
			var fields []delta.Field
			for range rapid.IntRange(0, 6).Draw(t, "fields") {
				fields = append(fields, delta.Field{Key: rapid.SampledFrom(keyPool).Draw(t, "key"), Value: values(depth-1).Draw(t, "field")})
			}
			return delta.Object(fields...)
		case 2:
			return wideObject(values(depth-1).Draw(t, "in a wide object"))
		}
		return scalars.Draw(t, "scalar")
	})
}

func TestValuesComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := values(3).Draw(t, "value")
		b := AppendValue(nil, v)
		back, err := ParseValue(b)
		if err != nil || !back.Equal(v) || back.String() != v.String() {
			t.Fatalf("%v came back as %v (%v)", v, back, err)
		}
		if again := AppendValue(nil, back); !bytes.Equal(again, b) { // minus zero equals zero, but not here
			t.Fatalf("% x, written again as % x", b, again)
		}
	})
}

// manyShapes returns a list of objects of n shapes that nobody else has, each of which comes twice and holds another.
func manyShapes(from, n int) delta.Value {
	var items []delta.Value
	for i := range n {
		inner := delta.Object(delta.Field{Key: fmt.Sprint("inner", from+i), Value: delta.Int(i)})
		outer := delta.Object(delta.Field{Key: fmt.Sprint("outer", from+i), Value: inner}, delta.Field{Key: "again", Value: inner})
		items = append(items, outer, outer)
	}
	return delta.ListOf(items)
}

func TestMoreShapesThanADictionaryHas(t *testing.T) {
	for _, n := range []int{MaxNames/2 - 1, MaxNames / 2, MaxNames/2 + 1, 2 * MaxNames} {
		v := manyShapes(0, n)
		back, err := ParseValue(AppendValue(nil, v))
		if err != nil || !back.Equal(v) || back.String() != v.String() {
			t.Errorf("%d shapes: %v", 2*n, err)
		}
	}
}

// TestALongShapeIsWrittenInFull checks that a shape over MaxNameBytes travels, and takes no place in a dictionary.
func TestALongShapeIsWrittenInFull(t *testing.T) {
	var d Dict
	var told Told
	var n Names
	for _, size := range []int{MaxNameBytes - 1, MaxNameBytes} {
		v := delta.Object(delta.Field{Key: strings.Repeat("k", size), Value: delta.List(delta.Object(delta.Field{Key: "a"}))})
		for range 2 {
			back, err := n.ParseSnapshot(AppendSnapshot(nil, v, &d, &told, &Used{}))
			if err != nil || !back.Equal(v) {
				t.Errorf("a key of %d bytes: %v", size, err)
			}
		}
	}
	if len(d.shapes) != 2 { // the short shape and {a}
		t.Errorf("%d shapes are interned", len(d.shapes))
	}
}

// TestShapesAreToldApart gives key sets that run into each other when their lengths are written without a mark.
func TestShapesAreToldApart(t *testing.T) {
	one, three := "4abcd5efghi", []string{"1", "abcd", "efghi"}
	v := delta.List(
		delta.Object(delta.Field{Key: one}),
		delta.Object(delta.Field{Key: three[0]}, delta.Field{Key: three[1]}, delta.Field{Key: three[2]}),
	)
	if back, err := ParseValue(AppendValue(nil, v)); err != nil || back.String() != v.String() {
		t.Errorf("%v came back as %v (%v)", v, back, err)
	}
}
