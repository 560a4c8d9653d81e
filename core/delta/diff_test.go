package delta

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestDiff(t *testing.T) {
	chat := `{"reply":"Hello","entries":[{"id":1,"text":"a text of some length"},{"id":2,"text":"another text"}],"n":1}`
	cases := []struct{ why, old, new, want string }{
		{"equal", chat, chat, `[]`},
		{"the order of fields", `{"a":1,"b":[2]}`, `{"b":[2],"a":1}`, `[]`},
		{"minus zero", `[0]`, `[-0]`, `[]`},
		{"scalars", `1`, `2`, `[["r",2]]`},
		{"kinds", `[1]`, `{"a":1}`, `[["r",{"a":1}]]`},
		{"a text at the root", `"ab"`, `"abc"`, `[["r","abc"]]`},
		{"a field", `{"a":1,"b":2}`, `{"a":1,"b":3}`, `[["s",["b"],3]]`},
		{"a field goes", `{"a":"long enough","b":2,"c":"as well"}`, `{"a":"long enough","c":"as well"}`, `[["d",["b"]]]`},
		{"a field comes", `{"a":"long enough"}`, `{"a":"long enough","b":null}`, `[["s",["b"],null]]`},
		{"a text goes on", `{"a":"to","b":["long enough"]}`, `{"a":"token","b":["long enough"]}`, `[["a",["a"],"ken"]]`},
		{"a text begins", `{"a":"","b":["long enough"]}`, `{"a":"t","b":["long enough"]}`, `[["a",["a"],"t"]]`},
		{"a text moves on", `{"out":"0123456789 0123456789 abc"}`, `{"out":"89 0123456789 abcdef"}`, `[["t",["out"],8],["a",["out"],"def"]]`},
		{"a text loses its front", `{"out":"0123456789 0123456789"}`, `{"out":"456789 0123456789"}`, `[["t",["out"],4]]`},
		{"a text of repeats", `{"out":"ababababababababab."}`, `{"out":"abababab.abababab"}`, `[["t",["out"],10],["a",["out"],"abababab"]]`},
		{"a short text moves on", `{"o":"abc"}`, `{"o":"bcd"}`, `[["s",["o"],"bcd"]]`},
		{"another text", `{"a":"one text","b":["long enough"]}`, `{"a":"1 text","b":["long enough"]}`, `[["s",["a"],"1 text"]]`},
		{"half of a pair", `{"a":"x\ud83d","b":["long enough"]}`, `{"a":"x\ud83d\ude00","b":["long enough"]}`, `[["a",["a"],"\ude00"]]`},
		{"an entry comes", `[1,2,3]`, `[1,2,3,4]`, `[["p",[],3,0,[4]]]`},
		{"an entry in front", `[[1],[2],[3]]`, `[[0],[1],[2],[3]]`, `[["p",[],0,0,[[0]]]]`},
		{"an entry goes", `[[1],[2],[3]]`, `[[1],[3]]`, `[["p",[],1,1,[]]]`},
		{"all go", `{"xs":[1,2,3],"b":["long enough"]}`, `{"xs":[],"b":["long enough"]}`, `[["s",["xs"],[]]]`},
		{"the first come", `{"xs":[],"b":["long enough"]}`, `{"xs":[1],"b":["long enough"]}`, `[["s",["xs"],[1]]]`},
		{"two go", `["aaa","bbb","ccc","ddd","eee","fff","ggg"]`, `["aaa","ccc","ddd","eee","ggg"]`, `[["p",[],1,1,[]],["p",[],4,1,[]]]`},
		{"an entry grows and one comes", chat, strings.Replace(chat, `another text"}`, `another text!"},{"id":3}`, 1), `[["a",["entries",1,"text"],"!"],["p",["entries"],2,0,[{"id":3}]]]`},
		{"an entry changes and one goes", `[{"a":1,"t":"a long text"},{"b":2},{"c":3}]`, `[{"a":2,"t":"a long text"},{"c":3}]`, `[["s",[0,"a"],2],["p",[],1,1,[]]]`},
		{"one of two equal ones goes", `{"xs":[7,7],"b":["long enough"]}`, `{"xs":[7],"b":["long enough"]}`, `[["p",["xs"],1,1,[]]]`},
		{"one of equal ones comes", `["long enough","long enough"]`, `["long enough","long enough","long enough"]`, `[["p",[],2,0,["long enough"]]]`},
		{"neighbours change", `[{"t":"a long text","n":1},{"t":"another one","n":1}]`, `[{"t":"a long text","n":2},{"t":"another one","n":3}]`, `[["s",[0,"n"],2],["s",[1,"n"],3]]`},
		{"another list", `["some","of","these"]`, `["and","none","of those"]`, `[["r",["and","none","of those"]]]`},
		{"a reserved key", `{"x":{"__proto__":1,"b":2},"y":["long enough"]}`, `{"x":{"__proto__":2,"b":2},"y":["long enough"]}`, `[["s",["x"],{"__proto__":2,"b":2}]]`},
		{"a reserved key stays", `{"x":{"constructor":[1],"b":2},"y":["long enough"]}`, `{"x":{"constructor":[1],"b":3},"y":["long enough"]}`, `[["s",["x","b"],3]]`},
		{"a reserved key goes", `{"prototype":1,"b":2}`, `{"b":2}`, `[["r",{"b":2}]]`},
		{"null", `{"a":null,"b":"long enough"}`, `{"a":false,"b":"long enough"}`, `[["s",["a"],false]]`},
	}
	for _, c := range cases {
		old, new := mustParse(t, c.old), mustParse(t, c.new)
		ops := Diff(old, new)
		if got := string(AppendOpsJSON(nil, ops)); got != c.want {
			t.Errorf("%s: got %s, want %s", c.why, got, c.want)
		}
		if got, err := Apply(old, ops); err != nil || !got.Equal(new) {
			t.Errorf("%s: %v leads to %v (%v)", c.why, ops, got, err)
		}
	}
}

// checkDiff wants the law of Diff, and that no change takes more than a replace.
func checkDiff(t *rapid.T, old, new Value) []Op {
	ops, size := Diff(old, new), 0
	got, err := Apply(old, ops)
	if err != nil || !got.Equal(new) {
		t.Fatalf("from %v to %v: %v leads to %v (%v)", old, new, ops, got, err)
	}
	for _, op := range ops {
		size += op.Size()
	}
	if size > Replace(new).Size() || len(ops) > MaxOps || (len(ops) == 0) != old.Equal(new) {
		t.Fatalf("from %v to %v: %d bytes for a value of %d: %v", old, new, size, new.Size(), ops)
	}
	return ops
}

func TestDiffOfAny(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkDiff(t, maybePacked(t, modelValue(drawModel(t, 3))), maybePacked(t, modelValue(drawModel(t, 3))))
		checkDiff(t, drawPlain(t, 2), drawPlain(t, 2))
	})
}

// TestDiffOfRevisions changes a value by ops, whose result shares what it can with it, and compares with a copy that
// shares nothing too.
func TestDiffOfRevisions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawModel(t, 3)
		old, large := maybePacked(t, modelValue(m)), rapid.Bool().Draw(t, "large")
		if large {
			old = drawLarge(t)
		}
		new := old
		for range rapid.IntRange(1, 6).Draw(t, "ops") {
			var op Op
			if large {
				op = drawLargeOp(t, new)
			} else {
				op, _ = drawOp(t, m)
			}
			if next, err := Apply(new, []Op{op}); err == nil {
				new = next
			}
		}
		shared := checkDiff(t, old, new)
		copied, err := ParseJSON(AppendJSON(nil, new))
		if err != nil {
			t.Fatal(err)
		}
		apart := checkDiff(t, old, copied)
		if !large && string(AppendOpsJSON(nil, shared)) != string(AppendOpsJSON(nil, apart)) {
			t.Fatalf("%v where the values share something, %v where they do not", shared, apart)
		}
		d := NewDraft(old)
		if err := d.Become(new); err != nil || !d.Value().Equal(new) {
			t.Fatalf("the draft is %v (%v)", d.Value(), err)
		}
		value, ops := d.Commit()
		if got, err := Apply(old, ops); err != nil || !got.Equal(value) {
			t.Fatalf("%v leads to %v (%v)", ops, got, err)
		}
		if err := d.Become(old); !errors.Is(err, ErrClosed) {
			t.Fatalf("a draft that was committed: %v", err)
		}
	})
}

// drawLarge draws a value with a list and an object that are trees.
func drawLarge(t *rapid.T) Value {
	n := rapid.IntRange(100, 400).Draw(t, "n")
	return Object(Field{"xs", numbers(n)}, Field{"wide", wideObject(n)}, Field{"s", String(strings.Repeat("0123456789", n))})
}

func drawLargeOp(t *rapid.T, v Value) Op {
	xs, _ := v.Get("xs")
	key := fmt.Sprintf("key%07d", rapid.IntRange(0, 500).Draw(t, "key"))
	switch rapid.IntRange(0, 6).Draw(t, "op") {
	case 0:
		return Op{Code: OpSet, Path: PathOf("wide", key), Value: Int(-1)}
	case 1:
		return Op{Code: OpDelete, Path: PathOf("wide", key)}
	case 2:
		return Op{Code: OpSplice, Path: PathOf("xs"), N: rapid.IntRange(0, xs.Len()).Draw(t, "at"), Remove: rapid.IntRange(0, 90).Draw(t, "remove")}
	case 3:
		return Op{Code: OpSplice, Path: PathOf("xs"), N: rapid.IntRange(0, xs.Len()).Draw(t, "at"), Items: make([]Value, rapid.IntRange(0, 90).Draw(t, "items"))}
	case 4:
		return Op{Code: OpSet, Path: PathOf("xs", rapid.IntRange(0, xs.Len()-1).Draw(t, "at")), Value: String("x")}
	case 5:
		return Op{Code: OpTruncate, Path: PathOf("s"), N: rapid.IntRange(0, 900).Draw(t, "n")}
	}
	return Op{Code: OpAppend, Path: PathOf("s"), Text: NewText("more")}
}

// TestDiffCost checks that the cost of comparing two revisions follows what differs: the bytes that it allocates.
func TestDiffCost(t *testing.T) {
	sizes := []int{1_000, 50_000}
	var olds []Value
	for _, n := range sizes {
		olds = append(olds, Object(Field{"xs", numbers(n)}, Field{"wide", wideObject(n)}, Field{"s", String(strings.Repeat("x", n))}))
	}
	for _, c := range []struct {
		why string
		op  func(n int) Op
	}{
		{"an element", func(n int) Op { return Op{Code: OpSet, Path: PathOf("xs", n/2), Value: Int(-1)} }},
		{"a push", func(n int) Op { return Op{Code: OpSplice, Path: PathOf("xs"), N: n, Items: []Value{Int(1)}} }},
		{"an insertion", func(n int) Op { return Op{Code: OpSplice, Path: PathOf("xs"), N: n / 3, Items: []Value{Int(-1)}} }},
		{"a removal", func(n int) Op { return Op{Code: OpSplice, Path: PathOf("xs"), N: n / 3, Remove: 1} }},
		{"a field", func(n int) Op {
			return Op{Code: OpSet, Path: PathOf("wide", fmt.Sprintf("key%07d", n/2)), Value: Int(-1)}
		}},
		{"a new field", func(n int) Op { return Op{Code: OpSet, Path: PathOf("wide", "new"), Value: Int(-1)} }},
		{"a field that goes", func(n int) Op { return Op{Code: OpDelete, Path: PathOf("wide", fmt.Sprintf("key%07d", n/2))} }},
		{"a token", func(n int) Op { return Op{Code: OpAppend, Path: PathOf("s"), Text: NewText(" tok")} }},
	} {
		var bytes [2]uint64
		for k, n := range sizes {
			old := olds[k]
			new, err := Apply(old, []Op{c.op(n)})
			if err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			ops := Diff(old, new)
			runtime.ReadMemStats(&after)
			bytes[k] = after.TotalAlloc - before.TotalAlloc
			if got := string(AppendOpsJSON(nil, ops)); len(ops) != 1 || got != string(AppendOpsJSON(nil, []Op{c.op(n)})) && c.why != "a removal" {
				t.Errorf("%s: got %.200s", c.why, got)
			}
		}
		if bytes[1] > 20_000 {
			t.Errorf("%s: %d bytes with %d, %d with %d", c.why, bytes[0], sizes[0], bytes[1], sizes[1])
		}
		t.Logf("%s: %d bytes with %d, %d with %d", c.why, bytes[0], sizes[0], bytes[1], sizes[1])
	}
}

// TestDiffIsBounded compares values that have nothing in common.
func TestDiffIsBounded(t *testing.T) {
	a, b := make([]Field, 2*MaxOps), make([]Field, 2*MaxOps)
	for i := range a {
		name := fmt.Sprintf("field with a name %d", i)
		a[i], b[i] = Field{name, Int(1)}, Field{name, Int(2)}
		if i%2 == 0 {
			b[i].Value = String(strings.Repeat("a long text", 10))
			a[i].Value = b[i].Value
		}
	}
	if ops := Diff(Object(a...), Object(b[:]...)); len(ops) != MaxOps {
		t.Errorf("%d ops", len(ops))
	}
	b[0].Value = Null()
	if ops := Diff(Object(a...), Object(b...)); len(ops) != 1 || ops[0].Code != OpReplace {
		t.Errorf("%d ops, the first %.100v", len(ops), ops[0])
	}
	// Lists that differ by more than can be aligned.
	var odd []Value
	for i, v := range numbers(1000).Elements() {
		if i%2 == 1 {
			odd = append(odd, v)
		}
	}
	if got, err := Apply(numbers(1000), Diff(numbers(1000), ListOf(odd))); err != nil || !got.Equal(ListOf(odd)) {
		t.Errorf("got %v (%v)", got, err)
	}
}

func TestGaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := rapid.SliceOfN(rapid.IntRange(0, 3), 0, 12)
		a, b := draw.Draw(t, "a"), draw.Draw(t, "b")
		list := gaps(len(a), len(b), func(i, j int) bool { return a[i] == b[j] })
		i, j, edits := 0, 0, 0
		for _, g := range append(list, gap{len(a), len(a), len(b), len(b)}) {
			if g.i-i != g.j-j || g.i < i || g.iEnd < g.i || g.jEnd < g.j {
				t.Fatalf("%v is no gap after %d and %d of %v and %v: %v", g, i, j, a, b, list)
			}
			for ; i < g.i; i, j = i+1, j+1 {
				if a[i] != b[j] {
					t.Fatalf("elements %d of %v and %d of %v: %v", i, a, j, b, list)
				}
			}
			edits += g.iEnd - g.i + g.jEnd - g.j
			i, j = g.iEnd, g.jEnd
		}
		if want := len(a) + len(b) - 2*longestCommon(a, b); edits != want {
			t.Fatalf("%d edits from %v to %v, want %d: %v", edits, a, b, want, list)
		}
	})
}

// longestCommon returns the length of the longest common subsequence.
func longestCommon(a, b []int) int {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	row := make([]int, len(b)+1)
	for _, x := range a {
		last := 0
		for j, y := range b {
			here := row[j+1]
			if x == y {
				row[j+1] = last + 1
			} else {
				row[j+1] = max(row[j+1], row[j])
			}
			last = here
		}
	}
	return row[len(b)]
}

func BenchmarkDiff(b *testing.B) {
	list := benchEntries(1000)
	old, _ := From(list)
	list[500].Text += " and more"
	new, _ := From(list)
	b.Run("apart", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			Diff(old, new)
		}
	})
	shared, _ := Apply(old, Diff(old, new))
	b.Run("shared", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			Diff(old, shared)
		}
	})
}
