package delta

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// padded puts a model under a field of an object that is large, so that a fold is not soon a replace.
func padded(model any) map[string]any {
	return map[string]any{"doc": model, "pad": NewText(strings.Repeat("x", 1500)).Units()}
}

// TestFoldLaw checks that a fold of any batches is what they do one after the other.
func TestFoldLaw(t *testing.T) {
	merged := 0
	rapid.Check(t, func(t *rapid.T) {
		var f Fold
		for range rapid.IntRange(1, 2).Draw(t, "uses") {
			model := any(padded(drawModel(t, 3)))
			base := maybePacked(t, modelValue(model))
			v := base
			sent := 0
			for range rapid.IntRange(1, 30).Draw(t, "batches") {
				var ops []Op
				for range rapid.IntRange(0, 3).Draw(t, "ops") {
					doc := model.(map[string]any)["doc"]
					op, items := drawOp(t, doc)
					if op.Code == OpReplace {
						continue
					}
					op.Path = append(Path{Key("doc")}, op.Path...)
					next, ok := modelApply(model, op.Path, op, items)
					if ok && op.check() == nil {
						model, ops = next, append(ops, op)
					}
				}
				var err error
				if v, err = Apply(v, ops); err != nil {
					t.Fatalf("%v", err)
				}
				f.Add(ops, v)
				sent += len(ops)
				got, err := Apply(base, f.Ops(v))
				if err != nil || !got.Equal(v) || got.String() != v.String() {
					t.Fatalf("folded %v (%v)\nfrom %v\n got %v\nwant %v", f.Ops(v), err, base, got, v)
				}
				size := 0
				for _, op := range f.Ops(v) {
					size += op.Size()
				}
				if !f.Replaced() && (size != f.Size() || f.Len() != len(f.Ops(v))) {
					t.Fatalf("size %d, ops take %d", f.Size(), size)
				}
			}
			merged += sent - f.Len()
			f.Reset()
		}
	})
	if merged <= 0 {
		t.Errorf("folding took back nothing")
	}
}

// TestFoldLawNarrow checks the law where ops meet all the time: on one list of texts, on one text, on two fields of which one
// is a decimal number.
func TestFoldLawNarrow(t *testing.T) {
	cases := []struct {
		name, base string
		draw       func(*rapid.T, Value) Op
	}{
		{"list", `["a","b","c"]`, drawListOp}, {"text", `"abcd"`, drawTextOp}, {"fields", `{"k":"x","7":["y"]}`, drawFieldOp},
	}
	pad := Field{"pad", String(strings.Repeat("x", 5000))}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				base := Object(Field{"doc", mustParse(t, c.base)}, pad)
				v := base
				var f Fold
				for range rapid.IntRange(1, 12).Draw(t, "batches") {
					var batch []Op
					for range rapid.IntRange(1, 3).Draw(t, "ops") {
						doc, _ := v.Get("doc")
						op := c.draw(t, doc)
						op.Path = append(Path{Key("doc")}, op.Path...)
						if next, err := Apply(v, []Op{op}); err == nil {
							v, batch = next, append(batch, op)
						}
					}
					f.Add(batch, v)
					got, err := Apply(base, f.Ops(v))
					if err != nil || got.String() != v.String() || f.Replaced() {
						t.Fatalf("after %v folded %v (%v)\n got %.200v\nwant %.200v", batch, f.Ops(v), err, got, v)
					}
				}
			})
		})
	}
}

func drawListOp(t *rapid.T, doc Value) Op {
	n := doc.Len()
	at := rapid.IntRange(0, n).Draw(t, "at")
	switch rapid.IntRange(0, 7).Draw(t, "op") {
	case 0:
		return Op{Code: OpSet, Path: PathOf(at), Value: String("s")}
	case 1:
		return Op{Code: OpDelete, Path: PathOf(at)}
	case 2:
		perm := make([]int, n)
		for i := range perm {
			perm[i] = i
		}
		return Op{Code: OpPermute, Perm: rapid.Permutation(perm).Draw(t, "perm")}
	case 3, 4:
		op := Op{Code: OpSplice, N: at + rapid.SampledFrom([]int{0, 0, 0, 2}).Draw(t, "beyond"), Remove: rapid.SampledFrom([]int{0, 0, 1, 9}).Draw(t, "remove")}
		for range rapid.IntRange(0, 2).Draw(t, "items") {
			op.Items = append(op.Items, String("p"))
		}
		return op
	}
	return Op{Code: OpAppend, Path: PathOf(at), Text: NewText(rapid.SampledFrom([]string{"1", "2", "3"}).Draw(t, "text"))}
}

func drawTextOp(t *rapid.T, doc Value) Op {
	if rapid.Bool().Draw(t, "append") {
		return Op{Code: OpAppend, Text: NewText(rapid.SampledFrom([]string{"", "1", "22", "333"}).Draw(t, "text"))}
	}
	return Op{Code: OpTruncate, N: rapid.SampledFrom([]int{0, 1, 2, 3, 9}).Draw(t, "n")}
}

func drawFieldOp(t *rapid.T, doc Value) Op {
	p := rapid.SampledFrom([]Path{PathOf("k"), PathOf("7"), PathOf(7), PathOf(7, 0), PathOf("7", 0), PathOf("k", "k")}).Draw(t, "path")
	switch rapid.IntRange(0, 3).Draw(t, "op") {
	case 0:
		return Op{Code: OpSet, Path: p, Value: rapid.SampledFrom([]Value{String("s"), List(String("e")), Object()}).Draw(t, "value")}
	case 1:
		return Op{Code: OpDelete, Path: p}
	case 2:
		return Op{Code: OpSplice, Path: p, Items: []Value{String("p")}}
	}
	return Op{Code: OpAppend, Path: p, Text: NewText("a")}
}

func TestFoldMerges(t *testing.T) {
	cases := []struct{ why, base, batches, want string }{
		{"appends join", `{"o":""}`, `[["a",["o"]," x"]] [["a",["o"]," y"]]`, `[["a",["o"]," x y"]]`},
		{"appends to two texts join each", `{"o":"","p":""}`, `[["a",["o"],"1"],["a",["p"],"2"],["a",["o"],"3"]]`, `[["a",["o"],"13"],["a",["p"],"2"]]`},
		{"an append goes into a set", `{}`, `[["s",["o"],"x"]] [["a",["o"],"y"]]`, `[["s",["o"],"xy"]]`},
		{"anything below goes into a set", `{}`, `[["s",["o"],{}]] [["s",["o","k"],[1]]] [["p",["o","k"],1,0,[2]]]`, `[["s",["o"],{"k":[1,2]}]]`},
		{"a set takes back what is below", `{"o":{"k":"","l":[]}}`, `[["a",["o","k"],"1"],["p",["o","l"],0,0,[1]]] [["s",["o"],7]]`, `[["s",["o"],7]]`},
		{"a delete takes back what is below and at it", `{"o":{"k":""}}`, `[["a",["o","k"],"1"]] [["s",["o"],1]] [["d",["o"]]]`, `[["d",["o"]]]`},
		{"a field that comes back moves to the end", `{"o":1,"p":1}`, `[["d",["o"]]] [["s",["o"],2]]`, `[["d",["o"]],["s",["o"],2]]`},
		{"pushes join", `{"xs":[0]}`, `[["p",["xs"],1,0,[1]]] [["p",["xs"],2,0,[2]]]`, `[["p",["xs"],1,0,[1,2]]]`},
		{"pushes join over appends to what is there", `{"xs":["",""]}`, `[["p",["xs"],2,0,[""]],["a",["xs",0],"x"]] [["p",["xs"],3,0,[""]],["a",["xs",0],"y"]]`, `[["p",["xs"],2,0,["",""]],["a",["xs",0],"xy"]]`},
		{"pushes are no barrier", `{"xs":[""]}`, `[["a",["xs",0],"x"]] [["p",["xs"],1,0,[1]]] [["a",["xs",0],"y"]]`, `[["a",["xs",0],"xy"],["p",["xs"],1,0,[1]]]`},
		{"a splice in front is one", `{"xs":[""]}`, `[["a",["xs",0],"x"]] [["p",["xs"],0,0,[""]]] [["a",["xs",0],"y"]]`, `[["a",["xs",0],"x"],["p",["xs"],0,0,[""]],["a",["xs",0],"y"]]`},
		{"a delete of an element is one", `{"xs":["",""]}`, `[["a",["xs",1],"x"]] [["d",["xs",0]]] [["a",["xs",1],"y"]]`, ``},
		{"a permutation is one", `{"xs":["",""]}`, `[["a",["xs",1],"x"]] [["m",["xs"],[1,0]]] [["a",["xs",1],"y"]]`, `[["a",["xs",1],"x"],["m",["xs"],[1,0]],["a",["xs",1],"y"]]`},
		{"permutations join", `{"xs":[1,2,3]}`, `[["m",["xs"],[1,2,0]]] [["m",["xs"],[1,2,0]]]`, `[["m",["xs"],[2,0,1]]]`},
		{"an index on an object is its decimal key", `{"o":{"0":""}}`, `[["a",["o",0],"x"]] [["a",["o","0"],"y"]]`, `[["a",["o",0],"xy"]]`},
		{"a push that sets of elements separate", `{"xs":[1]}`, `[["p",["xs"],1,0,[2]]] [["s",["xs",2],3]] [["p",["xs"],3,0,[4]]]`, `[["p",["xs"],1,0,[2]],["s",["xs",2],3],["p",["xs"],3,0,[4]]]`},
		{"a window of a text", `{"o":"abcdef"}`, `[["a",["o"],"12"]] [["t",["o"],2]] [["a",["o"],"34"],["t",["o"],2]]`, `[["t",["o"],4],["a",["o"],"1234"]]`},
		{"a window that left the beginning", `{"o":"abc"}`, `[["a",["o"],"12"]] [["t",["o"],2]] [["a",["o"],"34"],["t",["o"],2]]`, `[["s",["o"],"234"]]`},
		{"a truncate of all", `{"o":"abc"}`, `[["a",["o"],"12"]] [["t",["o"],99],["a",["o"],"3"]] [["a",["o"],"4"]]`, `[["s",["o"],"34"]]`},
		{"truncates join", `{"o":"abcdef"}`, `[["t",["o"],1]] [["t",["o"],2]]`, `[["t",["o"],3]]`},
	}
	for _, c := range cases {
		pad := Field{"pad", String(strings.Repeat("x", 500))}
		var fields []Field
		for key, v := range mustParse(t, c.base).Fields() {
			fields = append(fields, Field{key, v})
		}
		base := Object(append(fields, pad)...)
		v := base
		var f Fold
		failed := false
		for batch := range strings.SplitSeq(c.batches, "]] [[") {
			batch = "[[" + strings.TrimSuffix(strings.TrimPrefix(batch, "[["), "]]") + "]]"
			ops := mustOps(t, batch)
			next, err := Apply(v, ops)
			if err != nil {
				failed = true
				break
			}
			v = next
			f.Add(ops, v)
		}
		if c.want == "" {
			if !failed {
				t.Errorf("%s: was to be refused", c.why)
			}
			continue
		}
		if got := string(AppendOpsJSON(nil, f.Ops(v))); got != c.want || failed {
			t.Errorf("%s:\n got %s\nwant %s", c.why, got, c.want)
		}
		if got, err := Apply(base, f.Ops(v)); err != nil || got.String() != v.String() {
			t.Errorf("%s: leads to %v (%v), not to %v", c.why, got, err, v)
		}
	}
}

// TestFoldOwnsItems checks that a fold writes into no slice that it was given, nor into one that it gave away.
func TestFoldOwnsItems(t *testing.T) {
	items := make([]Value, 1, 8)
	items[0] = Int(1)
	v := Object(Field{"xs", List()}, Field{"pad", String(strings.Repeat("x", 500))})
	var f Fold
	var given []Op
	for i := range 4 {
		ops := []Op{{Code: OpSplice, Path: PathOf("xs"), N: i, Items: items}}
		v, _ = Apply(v, ops)
		f.Add(ops, v)
		if items[:2][1] != (Value{}) {
			t.Fatalf("the fold wrote into the caller's slice")
		}
		given = append(given, f.Ops(v)...)
	}
	for i, op := range given {
		if len(op.Items) != i+1 {
			t.Errorf("%d items after %d pushes", len(op.Items), i+1)
		}
		_ = append(op.Items, Int(9))
	}
	if got := f.Ops(v)[0].String(); got != `["p",["xs"],0,0,[1,1,1,1]]` {
		t.Errorf("got %s", got)
	}
}
