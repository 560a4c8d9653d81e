package delta

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestCosts checks that what a change costs does not follow the container's size: the bytes that it allocates, which unlike
// its time are the same on every machine.
func TestCosts(t *testing.T) {
	const small, large = 1_000, 200_000
	key := func(i, n int) string { return fmt.Sprintf("key%07d", i*7919%n) }
	cases := []struct {
		why  string
		base func(n int) Value
		op   func(i, n int) Op
		most float64 // bytes for each change of the large one
	}{
		{"push", numbers, func(i, n int) Op { return Op{Code: OpSplice, N: n + i, Items: []Value{Int(i)}} }, 400},
		{"change an element", numbers, func(i, n int) Op { return Op{Code: OpSet, Path: PathOf(i * 7919 % n), Value: Int(i)} }, 4000},
		{"insert in the middle", numbers, func(i, n int) Op { return Op{Code: OpSplice, N: n / 2, Items: []Value{Int(i)}} }, 6000},
		{"remove in the middle", numbers, func(i, n int) Op { return Op{Code: OpSplice, N: n / 2, Remove: 1} }, 6000},
		{"remove in front", numbers, func(i, n int) Op { return Op{Code: OpDelete, Path: PathOf(0)} }, 6000},
		{"change a field", wideObject, func(i, n int) Op { return Op{Code: OpSet, Path: PathOf(key(i, n)), Value: Int(-i)} }, 6000},
		{"add a field", wideObject, func(i, n int) Op { return Op{Code: OpSet, Path: PathOf(fmt.Sprint(i)), Value: Int(i)} }, 8000},
		{"delete a field", wideObject, func(i, n int) Op { return Op{Code: OpDelete, Path: PathOf(key(i, n))} }, 8000},
		{"append a token", func(n int) Value { return List(String(strings.Repeat("x", n))) },
			func(i, n int) Op { return Op{Code: OpAppend, Path: PathOf(0), Text: NewText(" tök")} }, 900},
		{"drop in front", func(n int) Value { return List(String(strings.Repeat("x", n))) },
			func(i, n int) Op { return Op{Code: OpTruncate, Path: PathOf(0), N: 3} }, 6000},
	}
	for _, c := range cases {
		var bytes [2]float64
		for k, n := range []int{small, large} {
			const changes = 300
			v := c.base(n)
			ops := make([]Op, changes)
			for i := range ops {
				ops[i] = c.op(i, n)
			}
			v.Hash()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			v, err := Apply(v, ops)
			runtime.ReadMemStats(&after)
			if err != nil {
				t.Fatalf("%s: %v", c.why, err)
			}
			bytes[k] = float64(after.TotalAlloc-before.TotalAlloc) / changes
			_ = v
		}
		if bytes[1] > c.most || bytes[1] > 4*bytes[0]+500 {
			t.Errorf("%s: %.0f bytes a change with %d, %.0f with %d", c.why, bytes[0], small, bytes[1], large)
		}
		t.Logf("%s: %.0f bytes a change with %d, %.0f with %d", c.why, bytes[0], small, bytes[1], large)
	}
}

// TestFoldIsBounded checks that what pends never takes more than the value, and that a replace mark holds nothing.
func TestFoldIsBounded(t *testing.T) {
	v := wideObject(500)
	var f Fold
	for i := 0; !f.Replaced(); i++ {
		if i > 1000 {
			t.Fatal("never a replace")
		}
		ops := []Op{ // which do not join
			{Code: OpSet, Path: PathOf("list"), Value: List(Int(1), Int(2))},
			{Code: OpDelete, Path: PathOf("list")},
			{Code: OpDelete, Path: PathOf(fmt.Sprintf("key%07d", i))},
		}
		v, _ = Apply(v, ops)
		f.Add(ops, v)
		if f.Size() > v.Size() || f.Batches() != i+1 {
			t.Fatalf("%d bytes pend for a value of %d", f.Size(), v.Size())
		}
		if n := len(f.entries); n > max(compactAt, 2*f.Len())+len(ops) {
			t.Fatalf("%d entries for %d ops", n, f.Len())
		}
	}
	if f.Size() != 0 || f.Len() != 1 || len(f.entries) != 0 || f.Empty() {
		t.Errorf("a replace holds %d ops", len(f.entries))
	}
	f.Add([]Op{{Code: OpSet, Path: PathOf("a"), Value: Int(1)}}, v)
	if ops := f.Ops(v); len(ops) != 1 || ops[0].Code != OpReplace || !ops[0].Value.Equal(v) {
		t.Errorf("a replace gives %v", ops)
	}
	if f.Reset(); !f.Empty() || f.Batches() != 0 || f.Ops(v) != nil {
		t.Errorf("a reset leaves something")
	}
}

func TestFoldMaxOps(t *testing.T) {
	v := wideObject(2 * MaxOps)
	var f Fold
	for i := range MaxOps + 1 {
		if f.Replaced() {
			t.Fatalf("a replace after %d ops", i)
		}
		ops := []Op{{Code: OpSet, Path: PathOf(fmt.Sprintf("key%07d", i)), Value: Null()}}
		v, _ = Apply(v, ops)
		f.Add(ops, v)
	}
	if !f.Replaced() {
		t.Errorf("%d ops pend", f.Len())
	}
}

// TestFoldTokens folds a stream of tokens into one op, at a cost that does not grow.
func TestFoldTokens(t *testing.T) {
	base := Object(Field{"reply", String("")}, Field{"pad", String(strings.Repeat("x", 100_000))})
	v, ops := base, []Op{{Code: OpAppend, Path: PathOf("reply"), Text: NewText(" tok")}}
	var f Fold
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 6000 {
		v, _ = Apply(v, ops)
		f.Add(ops, v)
	}
	runtime.ReadMemStats(&after)
	if f.Len() != 1 || f.Replaced() || f.Batches() != 6000 {
		t.Errorf("%d ops pend", f.Len())
	}
	if got := f.Ops(v)[0]; got.Text.String() != strings.Repeat(" tok", 6000) {
		t.Errorf("got %v", got)
	}
	if bytes := (after.TotalAlloc - before.TotalAlloc) / 6000; bytes > 1500 {
		t.Errorf("%d bytes a token", bytes)
	}
}

// TestFoldKeepsStorage checks that a fold that was used costs nothing to use again.
func TestFoldKeepsStorage(t *testing.T) {
	v := wideObject(200)
	batches := make([][]Op, 100)
	for i := range batches {
		batches[i] = []Op{{Code: OpSet, Path: PathOf(fmt.Sprintf("key%07d", i)), Value: Int(i)}, {Code: OpSplice, Path: PathOf("xs", i), N: i}}
	}
	var f Fold
	if allocs := testing.AllocsPerRun(10, func() {
		for _, ops := range batches {
			f.Add(ops, v)
		}
		f.Reset()
	}); allocs > 0 {
		t.Errorf("%v allocations", allocs)
	}
}

// TestSizeBounds checks what Value.Size promises.
func TestSizeBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := drawPlain(t, 3)
		n, size := len(AppendJSON(nil, v)), v.Size()
		if 2*size < n || size > 2*n+16 {
			t.Fatalf("size %d for %d bytes: %v", size, n, v)
		}
	})
}

func drawPlain(t *rapid.T, depth int) Value {
	kind := rapid.IntRange(0, 5).Draw(t, "kind")
	if depth == 0 {
		kind %= 4
	}
	switch kind {
	case 0:
		return Bool(rapid.Bool().Draw(t, "bool"))
	case 1:
		return Int(rapid.Int().Draw(t, "int"))
	case 2:
		return Number(rapid.Float64().Draw(t, "float"))
	case 3:
		return String(rapid.StringMatching(`[ -~]{0,8}`).Draw(t, "text"))
	case 4:
		var items []Value
		for range rapid.IntRange(0, 100).Draw(t, "elements") {
			items = append(items, drawPlain(t, depth-1))
		}
		return ListOf(items)
	}
	var fields []Field
	for range rapid.IntRange(0, 40).Draw(t, "fields") {
		fields = append(fields, Field{rapid.StringMatching(`[a-z]{0,3}`).Draw(t, "key"), drawPlain(t, depth-1)})
	}
	return Object(fields...)
}
