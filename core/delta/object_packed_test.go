package delta

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// packAll makes the value anew as a decoder does that has a long message before it, so that all objects are packed that can be.
func packAll(v Value) Value {
	var b Builder
	b.Left(1 << 20)
	return packUnder(&b, v)
}

func packUnder(b *Builder, v Value) Value {
	switch {
	case v.Kind() == KindList:
		var items []Value
		for _, item := range v.Elements() {
			items = append(items, packUnder(b, item))
		}
		return ListOf(items)
	case v.Kind() == KindObject && v.Len() > flatLimit:
		var fields []Field
		for key, field := range v.Fields() {
			fields = append(fields, Field{key, packUnder(b, field)})
		}
		return Object(fields...)
	case v.Kind() == KindObject:
		fields := b.Fields(v.Len())
		for i := range fields {
			fields[i] = packUnder(b, v.FieldAt(i))
		}
		return b.Object(v.Shape(), fields)
	}
	return v
}

// maybePacked draws whether a value's objects are packed.
func maybePacked(t *rapid.T, v Value) Value {
	if rapid.Bool().Draw(t, "packed") {
		return packAll(v)
	}
	return v
}

// drawScalar draws a scalar of every form that a pack has, and texts that it has none for.
func drawScalar(t *rapid.T) Value {
	switch rapid.IntRange(0, 7).Draw(t, "scalar") {
	case 0:
		return Null()
	case 1:
		return Bool(rapid.Bool().Draw(t, "bool"))
	case 2:
		return Int(rapid.IntRange(-70, 70).Draw(t, "small"))
	case 3:
		return Int(rapid.Int().Draw(t, "int") >> rapid.IntRange(0, 63).Draw(t, "shift"))
	case 4:
		return Number(rapid.SampledFrom([]float64{math.Copysign(0, -1), 0.5, 1 << 53, 1<<53 + 2, -(1 << 53), 1e300, math.NaN()}).Draw(t, "number"))
	case 5:
		n := rapid.SampledFrom([]int{0, 1, 63, 64, pieceLimit, pieceLimit + 1}).Draw(t, "length")
		return String(strings.Repeat("x", n))
	case 6:
		return String(strings.Repeat("ä€😀", rapid.IntRange(1, 30).Draw(t, "wide")))
	}
	return TextValue(TextFromUTF16(drawUnits(t, 6)))
}

// drawFlat draws a shape and a value for each key.
func drawFlat(t *rapid.T, most int) (*Keys, []Value) {
	values := make([]Value, rapid.IntRange(1, most).Draw(t, "fields"))
	names := make([]string, len(values))
	for i := range values {
		names[i], values[i] = fmt.Sprint("key", i), drawScalar(t)
	}
	return newShape(names), values
}

// TestPackedObjectsAreAsOthers compares objects that a builder makes, whose neighbours are of any kind, with those that the
// constructors make of the same fields, and what comes of them when they change.
func TestPackedObjectsAreAsOthers(t *testing.T) {
	packed := 0
	rapid.Check(t, func(t *rapid.T) {
		var b Builder
		var got, want []Value
		for range rapid.IntRange(1, 40).Draw(t, "objects") {
			k, values := drawFlat(t, 6)
			if rapid.IntRange(0, 5).Draw(t, "nested") == 0 {
				values[len(values)-1] = List(Int(len(got)))
			}
			b.Left(rapid.SampledFrom([]int{0, packFrom - 1, packFrom, 1 << 20}).Draw(t, "left"))
			fields := b.Fields(len(values))
			for i, v := range values {
				if s, ok := v.Text().UTF8(); ok && v.Kind() == KindText {
					v = b.Text([]byte(s))
				}
				fields[i] = v
			}
			got, want = append(got, b.Object(k, fields)), append(want, ObjectOf(k, values))
		}
		for i := range got {
			if got[i].isPacked() {
				packed++
			}
			wantSameObject(t, got[i], want[i])
		}
	})
	if packed == 0 {
		t.Error("nothing was packed")
	}
}

func wantSameObject(t *rapid.T, got, want Value) {
	t.Helper()
	wantSame(t, got, want)
	if got.String() != want.String() || got.Shape() != want.Shape() {
		t.Fatalf("it is %v, want %v", got, want)
	}
	var backwards []Field
	for i := range want.Len() {
		field, ok := got.Get(want.Shape().At(i))
		if !ok || !field.Equal(want.FieldAt(i)) || !got.FieldAt(i).Equal(field) {
			t.Fatalf("field %d is %v, want %v", i, field, want.FieldAt(i))
		}
		if math.Signbit(field.Number()) != math.Signbit(want.FieldAt(i).Number()) {
			t.Fatal("minus zero has become zero")
		}
		backwards = append(backwards, Field{want.Shape().At(i), field})
	}
	slices.Reverse(backwards)
	if other := Object(backwards...); !got.Equal(other) || !other.Equal(got) || !got.Equal(packAll(other)) {
		t.Fatalf("%v is not equal to what has its fields in another order", got)
	}
	if _, ok := got.Get("none"); ok {
		t.Fatal("a field is there that is not")
	}
	key := want.Shape().At(0)
	for _, ops := range [][]Op{
		{{Code: OpSet, Path: PathOf(key), Value: Int(-1)}}, {{Code: OpSet, Path: PathOf("new"), Value: Int(1)}},
		{{Code: OpDelete, Path: PathOf(key)}}, {{Code: OpDelete, Path: PathOf("none")}},
		{{Code: OpSet, Path: PathOf(key), Value: String("a")}, {Code: OpAppend, Path: PathOf(key), Text: NewText("ö")}},
	} {
		next, err := Apply(got, ops)
		wants, wantErr := Apply(want, ops)
		if err != nil || wantErr != nil {
			t.Fatalf("%v: %v, %v", ops, err, wantErr)
		}
		wantSame(t, next, wants)
		if !got.Equal(next) && got.Equal(packAll(next)) || !wantOps(got, next) {
			t.Fatalf("%v: the diff of %v and %v leads elsewhere", ops, got, next)
		}
	}
	wantSame(t, got, want)
}

// wantOps reports whether the diff of two values leads from the one to the other.
func wantOps(old, new Value) bool {
	out, err := Apply(old, Diff(old, new))
	return err == nil && out.Equal(new)
}

// TestWhatIsPacked says which objects are, when most of a message is still to come.
func TestWhatIsPacked(t *testing.T) {
	fields := func(n int, v Value) []Value { return slices.Repeat([]Value{v}, n) }
	for _, c := range []struct {
		why    string
		fields []Value
		left   int
		packed bool
	}{
		{"a number", fields(1, Int(1)), packFrom, true},
		{"one that is among the last of its message", fields(1, Int(1)), packFrom - 1, false},
		{"no fields", nil, packFrom, false},
		{"as many fields as a flat object has", fields(flatLimit, Null()), packFrom, true},
		{"more fields", fields(flatLimit+1, Null()), packFrom, false},
		{"a list", []Value{List()}, packFrom, false},
		{"an object", []Value{Int(1), Object()}, packFrom, false},
		{"the longest text", []Value{String(strings.Repeat("x", pieceLimit))}, packFrom, true},
		{"a longer text", []Value{String(strings.Repeat("x", pieceLimit+1))}, packFrom, false},
		{"the longest text with an umlaut", []Value{String(strings.Repeat("x", pieceLimit-2) + "ö")}, packFrom, true},
		{"half of a pair", []Value{String("\xed\xa0\x80")}, packFrom, false},
		{"as much as may be packed", fields(2, String(strings.Repeat("x", packedLimit/2-textQuotes))), packFrom, true},
		{"many short texts that take as much only in the pack", fields(30, String(strings.Repeat("x", 16))), packFrom, false},
		{"more", []Value{String(strings.Repeat("x", packedLimit/2)), String(strings.Repeat("x", packedLimit/2-textQuotes))}, packFrom, false},
	} {
		names := make([]string, len(c.fields))
		for i := range names {
			names[i] = fmt.Sprint(i)
		}
		var b Builder
		b.Left(c.left)
		if v := b.Object(newShape(names), slices.Clone(c.fields)); v.isPacked() != c.packed || !v.Equal(ObjectOf(newShape(names), c.fields)) {
			t.Errorf("%s: packed %v, want %v", c.why, v.isPacked(), c.packed)
		}
		if v, ok := packFieldByField(newShape(names), c.fields, c.left); ok != c.packed || ok && !v.Equal(ObjectOf(newShape(names), c.fields)) {
			t.Errorf("%s, field by field: packed %v, want %v", c.why, ok, c.packed)
		}
	}
}

// packFieldByField makes an object as a decoder does that reads its fields right into a pack.
func packFieldByField(k *Keys, fields []Value, left int) (v Value, ok bool) {
	var b Builder
	b.Left(left)
	p, ok := b.Pack(k)
	for _, field := range fields {
		s, utf8 := field.Text().UTF8()
		switch kind := field.Kind(); {
		case !ok:
		case kind == KindNull:
			p.Null()
		case kind == KindBool:
			p.Bool(field.Bool())
		case kind == KindNumber:
			p.Number(field.Number())
		default:
			ok = kind == KindText && utf8 && p.Text([]byte(s))
		}
	}
	return b.Packed(k, &p, ok)
}

// TestPacksAreBounded checks what an object of a long message can keep: a block, and of the shapes those that are in it.
func TestPacksAreBounded(t *testing.T) {
	var b Builder
	shapes := make([]*Keys, 3*packShapes)
	for i := range shapes {
		shapes[i] = newShape([]string{fmt.Sprint("key", i)})
	}
	packs := map[*pack]int{}
	for i := range 3000 {
		left := 3000 - i
		b.Left(left * 10)
		v := b.Object(shapes[i/2%len(shapes)], []Value{String(fmt.Sprint("text ", i))})
		if got, _ := v.Get(fmt.Sprint("key", i/2%len(shapes))); got.String() != fmt.Sprintf(`"text %d"`, i) {
			t.Fatalf("object %d is %v", i, v)
		}
		if v.isPacked() {
			p, _, _ := v.packed()
			packs[p]++
		}
	}
	total, objects := 0, 0
	for p, n := range packs {
		if len(p.texts.flat) > packBytes || len(p.shapes) > packShapes {
			t.Errorf("a pack of %d bytes and %d shapes", len(p.texts.flat), len(p.shapes))
		}
		total, objects = total+len(p.texts.flat), objects+n
	}
	if objects < 900 || total > objects*11*5/4+packBytes {
		t.Errorf("%d objects are packed, in %d bytes", objects, total)
	}
}

// TestReadingPackedObjectsAllocatesNothing checks that nothing has to be made for whoever only looks.
func TestReadingPackedObjectsAllocatesNothing(t *testing.T) {
	item := packAll(Object(Field{"id", String("e1")}, Field{"text", String(strings.Repeat("ö", 40))}, Field{"n", Number(0.5)}))
	other := packAll(Object(Field{"id", String("e1")}, Field{"text", String(strings.Repeat("ö", 40))}, Field{"n", Number(0.5)}))
	room := make([]byte, 0, 1000)
	if !item.isPacked() {
		t.Fatal("it is not packed")
	}
	for why, look := range map[string]func() bool{
		"a field": func() bool { v, ok := item.Get("text"); return ok && v.Len() == 40 },
		"fields": func() bool {
			n := 0
			for range item.Fields() {
				n++
			}
			return n == 3
		},
		"a path":   func() bool { _, ok := item.Lookup(Path{Key("n")}); return ok },
		"a hash":   func() bool { return item.Hash() == other.Hash() },
		"equality": func() bool { return item.Equal(other) },
		"its JSON": func() bool { return len(AppendJSON(room, item)) > 80 },
	} {
		if !look() {
			t.Errorf("%s: something else", why)
		}
		if n := testing.AllocsPerRun(50, func() { look() }); n != 0 {
			t.Errorf("%s: %v allocations", why, n)
		}
	}
}
