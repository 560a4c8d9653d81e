package delta

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestFromGoIsMarshal compares with encoding/json over thousands of values. Bytes that are no UTF-8 read the same too,
// surrogates apart.
func TestFromGoIsMarshal(t *testing.T) {
	n, refused := 0, 0
	forgetPlans(t)
	for _, base := range goValues() {
		goTypes.Store(nil)
		for _, x := range goVariants(base) {
			n++
			text, wantErr := json.Marshal(x)
			got, err := FromGo(x)
			if (err != nil) != (wantErr != nil) {
				t.Errorf("%T %.100v: error %v, encoding/json %v", x, x, err, wantErr)
				continue
			}
			if err != nil {
				refused++
				var where *GoError
				if !errors.As(err, &where) || !errors.Is(err, ErrGoType) && !errors.Is(err, ErrGoValue) || !got.IsNull() {
					t.Errorf("%T: got %v and error %v", x, got, err)
				}
				continue
			}
			if !utf8.Valid(text) {
				t.Fatalf("%T: no UTF-8: %q", x, text)
			}
			// The order of the fields counts as well.
			if want := mustParse(t, string(text)); !got.Equal(want) || got.String() != want.String() || got.Hash() != want.Hash() || got.Size() != want.Size() {
				t.Errorf("%T: got %.200v, want %.200s", x, got, text)
			}
		}
	}
	t.Logf("%d values, %d refused", n, refused)
	if n < 2000 || refused < 100 {
		t.Errorf("only %d values, %d refused", n, refused)
	}
}

func TestFromGoValueAndText(t *testing.T) {
	type doc struct {
		V Value   `json:"v"`
		P *Value  `json:"p"`
		T Text    `json:"t"`
		L []Value `json:"l"`
		Value
	}
	half := TextFromUTF16([]uint16{0xd83d})
	v := mustParse(t, `{"x":[1]}`)
	got, err := FromGo(doc{V: v, P: &v, T: half, L: []Value{Int(1), TextValue(half)}, Value: Bool(true)})
	if want := `{"v":{"x":[1]},"p":{"x":[1]},"t":"\ud83d","l":[1,"\ud83d"],"Value":true}`; err != nil || got.String() != want {
		t.Errorf("got %v (%v), want %s", got, err, want)
	}
	if inner, _ := got.Get("v"); inner != v {
		t.Error("a Value was made anew")
	}
	if got, err := FromGo("\xed\xa0\xbd"); err != nil || got.String() != `"\ud83d"` {
		t.Errorf("a surrogate in a string: %v (%v)", got, err)
	}
	if got, err := From(half); err != nil || got.String() != `"\ud83d"` {
		t.Errorf("a surrogate in a text: %v (%v)", got, err)
	}
}

func TestFromGoErrors(t *testing.T) {
	type entry struct {
		At any `json:"at"`
	}
	type outer struct {
		Entries []entry
		By      map[string]entry
		goDeep
	}
	long := any(make(chan int))
	for range 300 {
		long = []any{long}
	}
	cases := []struct {
		in         any
		path, typ  string
		want, also error
	}{
		{make(chan int), "", "chan int", ErrGoType, nil},
		{outer{Entries: []entry{{1}, {2}, {3}, {make(chan int)}}}, "Entries[3].At", "chan int", ErrGoType, nil},
		{&outer{By: map[string]entry{"a\"": {func() {}}}}, `By["a\""].At`, "func()", ErrGoType, nil},
		{[]any{1, []any{complex(1, 2)}}, "[1][0]", "complex128", ErrGoType, nil},
		{map[string]float64{"x": math.NaN()}, `["x"]`, "float64", ErrGoValue, nil},
		{[]float32{float32(math.Inf(-1))}, "[0]", "float32", ErrGoValue, nil},
		{[]json.Number{"1x"}, "[0]", "json.Number", ErrGoValue, nil},
		{[]goMute{1}, "[0]", "delta.goMute", ErrGoValue, nil},
		{[]json.RawMessage{json.RawMessage(`[1,]`)}, "[0]", "json.RawMessage", ErrGoValue, &SyntaxError{}},
		{map[string]int{"\xff": 1, "\xfe": 2}, "", "map[string]int", ErrGoValue, nil},
		{map[bool]int{}, "", "map[bool]int", ErrGoType, nil},
		{map[goShy]int{3: 1, 1: 1, 2: 1, 5: 1, 4: 1}, "", "map[delta.goShy]int", ErrGoValue, nil},
		{[]any{json.RawMessage(strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth))}, "[0]", "json.RawMessage", ErrDepth, nil},
		{long, strings.Repeat("[0]", maxGoPath/3) + "…", "chan int", ErrGoType, nil},
	}
	for _, c := range cases {
		_, err := FromGo(c.in)
		var where *GoError
		if !errors.As(err, &where) || where.Path != c.path || where.Type != c.typ || !errors.Is(err, c.want) {
			t.Errorf("%T: got %v, want %v at %q of %s", c.in, err, c.want, c.path, c.typ)
			continue
		}
		if !strings.Contains(err.Error(), c.path) || !strings.Contains(err.Error(), c.typ) {
			t.Errorf("the message %q does not say where", err)
		}
		if syntax := (*SyntaxError)(nil); c.also != nil && !errors.As(err, &syntax) {
			t.Errorf("%v does not wrap a %T", err, c.also)
		}
	}
}

// TestFromGoErrorOfKeys wants the same error each time, whatever the order of the map.
func TestFromGoErrorOfKeys(t *testing.T) {
	for range 20 {
		_, err := FromGo(map[goShy]int{3: 1, 1: 1, 2: 1, 5: 1, 4: 1})
		if want := "delta: no match of JSON and Go value: shy 1: map[delta.goShy]int"; err == nil || err.Error() != want {
			t.Fatalf("got %v, want %s", err, want)
		}
	}
}

func TestFromGoDepth(t *testing.T) {
	type list struct{ Next *list }
	type cycle *cycle
	deep := func(n int) *list {
		var l *list
		for range n {
			l = &list{l}
		}
		return l
	}
	if v, err := FromGo(deep(MaxDepth)); err != nil || v.Depth() != MaxDepth {
		t.Errorf("at the greatest depth: %d levels, %v", v.Depth(), err)
	}
	var self any
	self = &self
	var ring cycle
	ring = &ring
	loop, knot := &list{}, map[string]any{}
	loop.Next, knot["x"] = loop, []any{knot}
	inner, err := FromGo(deep(MaxDepth - 1))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := FromGo([]Value{inner}); err != nil {
		t.Errorf("a value of the greatest depth: %v", err)
	}
	for why, x := range map[string]any{
		"too deep": deep(MaxDepth + 1), "a list in a ring": loop, "a map in itself": knot, "an interface in itself": self,
		"a pointer to itself": ring, "a value too deep": [][]Value{{inner}}, "alone": List(List(inner)),
	} {
		if _, err := FromGo(x); !errors.Is(err, ErrDepth) {
			t.Errorf("%s: %v", why, err)
		}
	}
}

func TestStructsShareKeys(t *testing.T) {
	a, err := From([]goTree{{Name: "a"}, {Name: "b"}, {Name: "c", Any: 1}, {Name: "d", Any: 2}})
	if err != nil {
		t.Fatal(err)
	}
	b, err := From(goTree{Name: "e"})
	if err != nil {
		t.Fatal(err)
	}
	shape := func(i int) *Keys { v, _ := a.Index(i); return v.Shape() }
	if shape(0) != shape(1) || shape(2) != shape(3) || shape(0) == shape(2) || b.Shape() != shape(0) {
		t.Error("objects of one shape have keys of their own")
	}
	// With any choice of 20 fields the number of shapes that are kept has an end, and all objects are right.
	type many struct {
		A, B, C, D, E, F int `json:",omitempty"`
	}
	for i := range 64 {
		x := many{i & 1, i & 2, i & 4, i & 8, i & 16, i & 32}
		text, _ := json.Marshal(x)
		if v, err := From(x); err != nil || v.String() != string(text) {
			t.Errorf("got %v (%v), want %s", v, err, text)
		}
	}
	if n := len(*planOf(reflect.TypeFor[many]()).shapes.Load()); n != maxGoShapes {
		t.Errorf("%d shapes are kept", n)
	}
}

// benchEntry is an entry as documents have them.
type benchEntry struct {
	ID     string `json:"id"`
	Author string `json:"author"`
	At     int64  `json:"at"`
	Text   string `json:"text"`
	Draft  bool   `json:"draft,omitempty"`
}

func benchEntries(n int) []benchEntry {
	list := make([]benchEntry, n)
	for i := range list {
		list[i] = benchEntry{fmt.Sprint("e", i), "ada", 1700000000 + int64(i), fmt.Sprint("an entry of some eighty characters, as people write them in notes: ", i), i%10 == 0}
	}
	return list
}

// TestFromAllocations bounds what a slice of 1,000 structs costs.
func TestFromAllocations(t *testing.T) {
	list := benchEntries(1000)
	if _, err := From(list); err != nil { // makes the plan
		t.Fatal(err)
	}
	got := testing.AllocsPerRun(20, func() { From(list) })
	// An object and, for each of its three texts, a box and the bytes; 40 for 5,000 values, 17 for leaves.
	if most := 7200.0; got > most {
		t.Errorf("%.0f allocations for 1,000 entries, want %.0f at the most", got, most)
	}
	t.Logf("%.0f allocations for 1,000 entries", got)
}

func BenchmarkFrom(b *testing.B) {
	list := benchEntries(1000)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := From(list); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFromGoString(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := FromGo(" tok"); err != nil {
			b.Fatal(err)
		}
	}
}
