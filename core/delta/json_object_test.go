package delta

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// TestParsedShapes reads objects whose keys are those of the one before, or fewer, more, in another order, twice or written with
// escapes, and checks what they have and which share their keys.
func TestParsedShapes(t *testing.T) {
	for _, c := range []struct {
		in, want string
		shared   []int // objects with the keys of the first one
	}{
		{`[{"a":1,"b":2},{"a":3,"b":4},{ "a" : 5 , "b" : 6 }]`, `[{"a":1,"b":2},{"a":3,"b":4},{"a":5,"b":6}]`, []int{1, 2}},
		{`[{"a":1,"b":2},{"a":3},{},{"a":4,"b":5}]`, `[{"a":1,"b":2},{"a":3},{},{"a":4,"b":5}]`, []int{3}},
		{`[{"a":1},{"a":2,"b":3},{"b":4,"a":5},{"a":6}]`, `[{"a":1},{"a":2,"b":3},{"b":4,"a":5},{"a":6}]`, []int{3}},
		{`[{"a":1},{"a":2,"b":3},{"a":4},{"a":5,"b":6},{"a":7}]`, `[{"a":1},{"a":2,"b":3},{"a":4},{"a":5,"b":6},{"a":7}]`, []int{2, 4}},
		{`[{"a":1,"b":2},{"a":3,"a":4},{"a":5,"b":6,"a":7},{"b":8,"b":9}]`, `[{"a":1,"b":2},{"a":4},{"a":7,"b":6},{"b":9}]`, nil},
		{`[{"a":1,"b":2},{"\u0061":3,"b":4},{"a":5,"\u0062":6},{"a":7,"b":8}]`, `[{"a":1,"b":2},{"a":3,"b":4},{"a":5,"b":6},{"a":7,"b":8}]`, []int{1, 2, 3}},
		{`[{"q\"":1},{"q\"":2},{"q\\":3}]`, `[{"q\"":1},{"q\"":2},{"q\\":3}]`, []int{1}},
		{`[{"":1},{"":{"":[]}},{"日":1},{"日":2}]`, `[{"":1},{"":{"":[]}},{"日":1},{"日":2}]`, []int{1}},
		{"[{\"\xff\":1},{\"\xff\":2},{\"\ufffd\":3}]", "[{\"\ufffd\":1},{\"\ufffd\":2},{\"\ufffd\":3}]", []int{1, 2}},
	} {
		v := mustParse(t, c.in)
		if v.String() != c.want {
			t.Errorf("%s: got %v, want %s", c.in, v, c.want)
		}
		first, _ := v.Index(0)
		for _, i := range c.shared {
			if o, _ := v.Index(i); o.Shape() != first.Shape() {
				t.Errorf("%s: object %d has keys of its own", c.in, i)
			}
		}
	}
}

// TestQuoteInKey checks that a key that has a quote in it does not pass for what looks like it.
func TestQuoteInKey(t *testing.T) {
	for _, in := range []string{`[{"a\"b":1},{"a"b":2}]`, `[{"a":1},{"ax:2}]`, `[{"a\\":1},{"a\":2}]`, `[{"a\n":1},{"a` + "\n" + `":2}]`} {
		if v, err := ParseJSON([]byte(in)); err == nil {
			t.Errorf("%s is read as %v", in, v)
		}
	}
}

// TestManyShapes reads objects of more shapes than are compared one by one, again and again.
func TestManyShapes(t *testing.T) {
	var in strings.Builder
	const shapes = 3 * fewKeys
	for i := range 3 * shapes {
		fmt.Fprintf(&in, `%c{"k%d":%d,"same":0}`, "[,"[min(i, 1)], i%shapes, i)
	}
	v := mustParse(t, in.String()+"]")
	for i, o := range v.Elements() {
		if n, _ := o.Get("k" + strconv.Itoa(i%shapes)); n.Number() != float64(i) || o.Len() != 2 {
			t.Fatalf("object %d is %v", i, o)
		}
		if first, _ := v.Index(i % shapes); first.Shape() != o.Shape() {
			t.Errorf("object %d has keys of its own", i)
		}
	}
}

// TestWideObjects reads objects around the size from which they are trees, with a key twice and without.
func TestWideObjects(t *testing.T) {
	for n := flatLimit - 1; n < flatLimit+3; n++ {
		var in strings.Builder
		for i := range n {
			fmt.Fprintf(&in, `,"key %d":%d`, i, i)
		}
		one := "{" + in.String()[1:]
		v := mustParse(t, "["+one+"},"+one+`,"key 1":-1}]`)
		a, _ := v.Index(0)
		if b, _ := v.Index(1); a.String() != one+"}" || b.String() != strings.Replace(one, `1":1`, `1":-1`, 1)+"}" {
			t.Errorf("%d fields: %v", n, v)
		}
	}
}

// TestLikelyShapesAreBounded checks that a decoder does not keep what is long.
func TestLikelyShapesAreBounded(t *testing.T) {
	var d WireDecoder
	for _, name := range []string{"k", strings.Repeat("k", likelyBytes), strings.Repeat("k", likelyBytes+1)} {
		if _, err := d.ParseJSON([]byte(`[["r",{"` + name + `":1}]]`)); err != nil {
			t.Fatal(err)
		}
		kept := 0
		for _, k := range d.likely {
			if k != nil {
				kept = max(kept, k.bytes)
			}
		}
		if want := min(len(name), likelyBytes); kept != want {
			t.Errorf("after a key of %d bytes %d are kept, want %d", len(name), kept, want)
		}
	}
}
