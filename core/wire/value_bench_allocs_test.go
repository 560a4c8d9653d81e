package wire

import (
	"bytes"
	"encoding/binary"
	"math"
	"runtime"
	"strings"
	"testing"

	"chordsim/core/delta"
	"pgregory.net/rapid"
)

// bytesPerRun returns how many bytes a run allocates.
func bytesPerRun(runs int, run func()) int {
	least := math.MaxInt
	for range 3 { // what else allocates at this moment does so in one of them
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range runs {
			run()
		}
		runtime.ReadMemStats(&after)
		least = min(least, int(after.TotalAlloc-before.TotalAlloc)/runs)
	}
	return least
}

// TestValueAllocations bounds what values cost in memory, small ones as they are called with and large ones as they are
// bound: exact counts, and bytes with a tenth to spare.
func TestValueAllocations(t *testing.T) {
	entry := delta.Object(
		delta.Field{Key: "id", Value: delta.String("e1")}, delta.Field{Key: "text", Value: delta.String(strings.Repeat("x", 80))},
	)
	for _, c := range []struct {
		why    string
		v      delta.Value
		decode float64
		bytes  int
	}{
		{"a number", delta.Int(1234), 0, 0},
		{"a short text", delta.String(" tok"), 1, 80},
		{"a text of a small message", delta.String(strings.Repeat("x", 80)), 1, 144},
		{"a text that is viewed", delta.String(strings.Repeat("x", 240)), 1, 48},
		{"a text with an umlaut", delta.String(strings.Repeat("ä", 120)), 1, 48},
		{"a list", delta.List(delta.Int(1), delta.Int(2), delta.Int(3)), 2, 128},
		{"an object that brings its keys", entry, 6, 460},
		{"the notes list", notes(1000, 80), 99, 121_440},
		{"the notes list with umlauts", notesOf(1000, strings.Repeat("Äpfel und Birnen. ", 5)[:80]), 99, 122_848},
		{"the 500 KB document", notes(500, 960), 57, 101_664},
	} {
		in := AppendValue(nil, c.v)
		decode := func() {
			if _, err := ParseValue(in); err != nil {
				t.Fatal(err)
			}
		}
		if got := testing.AllocsPerRun(20, decode); got != c.decode {
			t.Errorf("%s: %v allocations to decode, want %v", c.why, got, c.decode)
		}
		if got := bytesPerRun(20, decode); got > c.bytes+c.bytes/10 {
			t.Errorf("%s: %d bytes to decode, want %d", c.why, got, c.bytes)
		}
		room := make([]byte, 0, len(in))
		if got := testing.AllocsPerRun(20, func() { AppendValue(room, c.v) }); got != 0 {
			t.Errorf("%s: %v allocations to encode where there is room", c.why, got)
		}
		if len(in) > firstRoom {
			continue
		}
		if got := testing.AllocsPerRun(20, func() { AppendValue(nil, c.v) }); got != 1 {
			t.Errorf("%s: %v allocations to encode, want 1", c.why, got)
		}
	}
}

// TestOpAllocations bounds what a batch costs that a stream is made of, once its path and shape have ids.
func TestOpAllocations(t *testing.T) {
	entry := delta.Object(
		delta.Field{Key: "id", Value: delta.String("e1")}, delta.Field{Key: "text", Value: delta.String(strings.Repeat("a new entry ", 6))},
	)
	for why, op := range map[string]delta.Op{
		"an item":   {Code: delta.OpSplice, Path: delta.PathOf("items"), N: 1000, Items: []delta.Value{entry}},
		"a token":   {Code: delta.OpAppend, Path: delta.PathOf("reply"), Text: delta.NewText(" tok")},
		"an entry":  {Code: delta.OpSet, Path: delta.PathOf("last"), Value: entry},
		"a counter": {Code: delta.OpSet, Path: delta.PathOf("n"), Value: delta.Int(1234)},
	} {
		var d Dict
		var told Told
		var used Used
		var n Names
		var in []byte
		ops := []delta.Op{op}
		for range 3 {
			in = AppendOps(in[:0], ops, &d, &told, &used)
			if _, err := n.ParseOps(in); err != nil {
				t.Fatal(err)
			}
		}
		if got := testing.AllocsPerRun(100, func() { AppendOps(in[:0], ops, &d, &told, &used) }); got > 2 { // the key of the path
			t.Errorf("%s: %v allocations to encode, want 2 at most", why, got)
		}
		if got := testing.AllocsPerRun(100, func() { n.ParseOps(in) }); got > 3 {
			t.Errorf("%s: %v allocations to decode, want 3 at most", why, got)
		}
	}
}

// TestLargeTextIsViewed checks that a text of a megabyte is not copied: what is allocated are the leaves that view it.
func TestLargeTextIsViewed(t *testing.T) {
	in := AppendValue(nil, delta.String(strings.Repeat("x", 1<<20)))
	if got := bytesPerRun(5, func() { ParseValue(in) }); got > 1<<20/4 {
		t.Errorf("%d bytes are allocated for a text of 1 MiB", got)
	}
	v, err := ParseValue(in)
	if in[len(in)-1] = 'y'; err != nil || v.Text().Unit(1<<20-1) != 'y' {
		t.Errorf("the text was copied (%v)", err)
	}
}

// TestUvarint8 checks that the varints that are read in one piece are those that are read byte by byte.
func TestUvarint8(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Uint64().Draw(t, "v") >> rapid.IntRange(0, 63).Draw(t, "shift")
		b := append(binary.AppendUvarint(nil, v), rapid.SliceOfN(rapid.Byte(), 8, 8).Draw(t, "behind")...)
		got, size := uvarint8((*[8]byte)(b))
		want, n := v, len(b)-8
		if n > 8 {
			want, n = 0, 0
		}
		if got != want || size != n {
			t.Fatalf("% x is %d in %d bytes, want %d in %d", b, got, size, want, n)
		}
	})
	for bits := range 64 {
		v := uint64(1)<<bits | 1
		b := binary.AppendUvarint(nil, v)
		if got, size := uvarint8((*[8]byte)(append(b, make([]byte, 8)...))); len(b) <= 8 && (got != v || size != len(b)) {
			t.Errorf("% x is %d in %d bytes, want %d", b, got, size, v)
		}
	}
	for _, in := range []string{"8000", "ff00", "818000"} {
		if _, size := uvarint8((*[8]byte)(append(unhex(t, in), make([]byte, 8)...))); size != 0 {
			t.Errorf("%s, which is no shortest form, is read", in)
		}
	}
}

// TestEveryCutIsRefused checks that a message that ends anywhere before its end is refused, in the last bytes too, where
// items are no longer read in one go.
func TestEveryCutIsRefused(t *testing.T) {
	for _, v := range []delta.Value{notes(3, 80), notes(20, 80), packedTexts(20), notesOf(3, "größer"), delta.List(notes(2, 5), delta.Number(-1<<53), delta.String(""))} {
		in := AppendValue(nil, v)
		for cut := 1; cut < len(in); cut++ {
			back, err := ParseValue(in[:cut:cut])
			wantRefusal(t, "cut", back, err)
		}
		for behind := range 12 {
			all := AppendValue(nil, delta.List(v, delta.String(strings.Repeat("z", behind))))
			if back, err := ParseValue(all); err != nil || !bytes.Equal(AppendValue(nil, back), all) {
				t.Errorf("%d bytes behind: %v (%v)", behind, back, err)
			}
		}
	}
}

// TestIntegersInsideAreBounded checks that integers that are no doubles are refused where items are read in one go.
func TestIntegersInsideAreBounded(t *testing.T) {
	for hex, fits := range map[string]bool{"8080808080808020": true, "8280808080808020": false, "ffffffffffffff1f": true, "8180808080808020": false} {
		in := unhex(t, "a2 83"+hex+"7f"+strings.Repeat("78", 63))
		if v, err := ParseValue(in); (err == nil) != fits {
			t.Errorf("%s: %v (%v)", hex, v, err)
		}
	}
}

// TestFewShapesNeedNoDictionary checks that a value that stands alone is written as with a dictionary of its own, whether it
// has one or not.
func TestFewShapesNeedNoDictionary(t *testing.T) {
	for n := range 2 * fewShapes {
		v := delta.List(manyShapes(0, n), manyShapes(0, n))
		got, want := AppendValue(nil, v), AppendSnapshot(nil, v, &Dict{}, &Told{}, &Used{})
		if !bytes.Equal(got, want) {
			t.Errorf("%d shapes: % x, want % x", 2*n, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		v := values(3).Draw(t, "value")
		if got, want := AppendValue(nil, v), AppendSnapshot(nil, v, &Dict{}, &Told{}, &Used{}); !bytes.Equal(got, want) {
			t.Fatalf("%v: % x, want % x", v, got, want)
		}
	})
}

// TestShapesOfTheirOwn checks what it costs that objects of one shape do not share it: nothing, but to compare their keys.
func TestShapesOfTheirOwn(t *testing.T) {
	var items []delta.Value
	for i := range 2 * MaxNames {
		items = append(items, delta.Object(delta.Field{Key: "id", Value: delta.Int(i)}, delta.Field{Key: "at", Value: delta.Int(i)}))
	}
	v := delta.ListOf(items)
	var d Dict
	var told Told
	var used Used
	in := AppendSnapshot(nil, v, &d, &told, &used)
	if got := testing.AllocsPerRun(20, func() { AppendSnapshot(in[:0], v, &d, &told, &used) }); got != 0 {
		t.Errorf("%v allocations to encode objects that share no shape", got)
	}
}
