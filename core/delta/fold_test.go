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
			base := modelValue(model)
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
