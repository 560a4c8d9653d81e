package delta

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// refusal is a rule and the ops that it refuses, in a document that has a number n, a text s, a list xs of a number, a list ys of
// three and an object o.
type refusal struct {
	why  string
	want error
	draw func(*rapid.T) Op
}

func opAt(code Code, segments ...any) func(*rapid.T) Op {
	return func(*rapid.T) Op {
		return Op{Code: code, Path: PathOf(segments...), Value: Int(1), Text: NewText("x"), N: 1}
	}
}

// anyPathOp draws a code that takes a path.
func anyPathOp(t *rapid.T, p Path) Op {
	op := Op{Path: p, Value: Int(1), Text: NewText("x"), N: 1, Items: []Value{Int(1)}}
	op.Code = rapid.SampledFrom([]Code{OpSet, OpDelete, OpAppend, OpTruncate, OpSplice, OpPermute}).Draw(t, "code")
	return op
}

var refusals = []refusal{
	{"a reserved segment", ErrReserved, func(t *rapid.T) Op {
		p := PathOf("o", "x", "y")
		p[rapid.IntRange(0, 2).Draw(t, "place")] = Key(rapid.SampledFrom([]string{"__proto__", "constructor", "prototype"}).Draw(t, "name"))
		return anyPathOp(t, p)
	}},
	{"the root", ErrPath, func(t *rapid.T) Op {
		return Op{Code: rapid.SampledFrom([]Code{OpSet, OpDelete, OpAppend, OpTruncate}).Draw(t, "code")}
	}},
	{"a missing parent", ErrNoParent, func(t *rapid.T) Op { return anyPathOp(t, PathOf("none", "x")) }},
	{"a primitive parent", ErrNoParent, func(t *rapid.T) Op {
		return anyPathOp(t, PathOf(rapid.SampledFrom([]string{"n", "s"}).Draw(t, "parent"), rapid.SampledFrom([]any{0, "x"}).Draw(t, "segment")))
	}},
	{"a missing target", ErrNoParent, func(t *rapid.T) Op {
		op := anyPathOp(t, PathOf("none"))
		if op.Code == OpSet || op.Code == OpDelete {
			op.Code = OpAppend
		}
		return op
	}},
	{"a key on a list", ErrType, func(t *rapid.T) Op {
		return anyPathOp(t, PathOf("xs", rapid.SampledFrom([]string{"0", "", "length"}).Draw(t, "key")))
	}},
	{"no text", ErrType, func(t *rapid.T) Op {
		op := opAt(OpAppend, rapid.SampledFrom([]string{"n", "xs", "o"}).Draw(t, "target"))(t)
		op.Code = rapid.SampledFrom([]Code{OpAppend, OpTruncate}).Draw(t, "code")
		return op
	}},
	{"no list", ErrType, func(t *rapid.T) Op {
		op := opAt(OpSplice, rapid.SampledFrom([]string{"n", "s", "o"}).Draw(t, "target"))(t)
		op.Code = rapid.SampledFrom([]Code{OpSplice, OpPermute}).Draw(t, "code")
		return op
	}},
	{"an index past the end", ErrRange, func(t *rapid.T) Op {
		op := anyPathOp(t, PathOf("xs", rapid.IntRange(1, 1<<40).Draw(t, "index")))
		if op.Code == OpSet { // which appends at the end
			op.Path = PathOf("xs", op.Path[1].Index()+1)
		}
		return op
	}},
	{"a negative number", ErrRange, func(t *rapid.T) Op {
		op := opAt(rapid.SampledFrom([]Code{OpTruncate, OpSplice}).Draw(t, "code"), "xs")(t)
		if op.N = -rapid.IntRange(1, 9).Draw(t, "n"); op.Code == OpSplice && rapid.Bool().Draw(t, "remove") {
			op.N, op.Remove = 0, op.N
		}
		return op
	}},
	{"no bijection", ErrPerm, func(t *rapid.T) Op {
		op := opAt(OpPermute, "ys")(t)
		op.Perm = rapid.SampledFrom([][]int{{}, {0}, {0, 1, 2, 3}, {0, 1, 3}, {-1, 0, 1}, {0, 0, 1}, {2, 2, 2}, {0, 2, 2}}).Draw(t, "perm")
		return op
	}},
	{"too deep", ErrDepth, func(t *rapid.T) Op {
		op := opAt(OpSet, "o", "x")(t)
		levels := rapid.IntRange(MaxDepth-1, MaxDepth+90).Draw(t, "levels")
		if op.Value = nestedLevels(levels); rapid.Bool().Draw(t, "splice") {
			op = Op{Code: OpSplice, Path: PathOf("xs"), Items: []Value{Int(1), op.Value}}
		}
		return op
	}},
	{"a long path", ErrDepth, func(t *rapid.T) Op {
		p := make(Path, MaxDepth+rapid.IntRange(1, 9).Draw(t, "beyond"))
		return anyPathOp(t, p)
	}},
	{"a replace of a place", ErrOp, opAt(OpReplace, "n")},
	{"no code", ErrOp, func(t *rapid.T) Op {
		return Op{Code: Code(rapid.SampledFrom([]byte{0, '#', 'x', 'R'}).Draw(t, "code")), Path: PathOf("n")}
	}},
}

// nestedLevels returns a value of so many levels, lists and objects in turn.
func nestedLevels(levels int) Value {
	v := Int(0)
	for i := range levels {
		if i%2 == 0 {
			v = List(v)
		} else {
			v = Object(Field{"k", v})
		}
	}
	return v
}

// TestRefusals puts an op that a rule refuses anywhere in a batch, and the document anywhere in a value.
func TestRefusals(t *testing.T) {
	doc := mustParse(t, `{"n":1,"s":"text","xs":[1],"ys":[1,2,3],"o":{"k":[{"z":""}]}}`)
	good := []Op{
		{Code: OpSet, Value: String("set")}, {Code: OpDelete}, {Code: OpSet, Value: List()},
	}
	for _, r := range refusals {
		rapid.Check(t, func(t *rapid.T) {
			op := r.draw(t)
			v := doc
			if prefix := rapid.SampledFrom([]Path{nil, PathOf("in"), PathOf("in", 1, "7")}).Draw(t, "in"); op.Code != OpReplace && len(op.Path) > 0 {
				op.Path = append(prefix[:len(prefix):len(prefix)], op.Path...)
				for i := len(prefix) - 1; i >= 0; i-- {
					if prefix[i].IsIndex() {
						v = List(Null(), v)
					} else {
						v = Object(Field{prefix[i].Key(), v})
					}
				}
			}
			if v.Kind() == KindObject {
				v = v.object().with("beside", Null())
			}
			index := rapid.IntRange(0, len(good)).Draw(t, "index")
			var batch []Op
			for i := range index {
				batch = append(batch, Op{Code: good[i].Code, Path: PathOf("beside"), Value: good[i].Value})
			}
			batch = append(batch, op, Op{Code: OpSet, Path: PathOf("beside"), Value: Int(7)})
			was := v.String()
			got, err := Apply(v, batch)
			wantRefused(t, err, r.want, index, op)
			if got != v || got.String() != was {
				t.Fatalf("%s: the value changed to %v", r.why, got)
			}
		})
	}
}

// wantRefused checks that an error says which op, and why.
func wantRefused(t *rapid.T, err, want error, index int, op Op) {
	t.Helper()
	var refused *OpError
	if !errors.Is(err, want) || !errors.As(err, &refused) || refused.Index != index || refused.Op.Code != op.Code || !refused.Op.Path.Equal(op.Path) {
		t.Fatalf("%v is refused with %v, want op %d and %v", op, err, index, want)
	}
	path := op.Path.String()
	if len(path) > maxErrorPath { // an error prints its beginning
		path = strings.ToValidUTF8(path[:maxErrorPath], "") + "…"
	}
	if len(err.Error()) > len(want.Error())+maxErrorPath+100 {
		t.Fatalf("an error of %d bytes", len(err.Error()))
	}
	for _, part := range []string{"delta: ", "op " + strconv.Itoa(index), strconv.Quote(op.Code.String()), path} {
		if !strings.Contains(err.Error(), part) {
			t.Fatalf("%q does not say %s", err, part)
		}
	}
}

// TestDepth nests step by step, in a draft and by ops, up to the limit and not beyond; what is too deep already is refused
// whatever the op, unless it takes it away.
func TestDepth(t *testing.T) {
	d := NewDraft(Object())
	var path []any
	for i := range MaxDepth - 1 {
		path = append(path, "k")
		next := Object()
		if i%3 == 0 {
			next = Object(Field{"beside", Int(i)})
		}
		if err := d.At(path...).Set(next); err != nil {
			t.Fatalf("level %d: %v", i+2, err)
		}
	}
	full := d.Value()
	for why, err := range map[string]error{
		"set":    d.At(append(path, "k")...).Set(Object()),
		"splice": errors.Join(d.At("xs").Set(List()), d.At("xs").Push(nestedLevels(MaxDepth-1))),
		"root":   d.At().Set(nestedLevels(MaxDepth + 1)),
	} {
		if !errors.Is(err, ErrDepth) {
			t.Errorf("%s beyond the limit: %v", why, err)
		}
	}
	for _, batch := range [][]Op{
		{{Code: OpSet, Path: PathOf("k"), Value: nestedLevels(MaxDepth)}}, {{Code: OpSplice, Path: PathOf("xs"), Items: []Value{nestedLevels(MaxDepth - 1)}}},
	} {
		if _, err := ParseOpsJSON(AppendOpsJSON(nil, batch)); !errors.Is(err, ErrDepth) {
			t.Errorf("%q that no value takes is read: %v", batch[0].Code, err)
		}
	}
	if full.Depth() != MaxDepth || d.Value().Depth() != MaxDepth {
		t.Errorf("%d levels, want %d", d.Value().Depth(), MaxDepth)
	}
	if err := d.At(append(path, "k")...).Set("a scalar is no level"); err != nil {
		t.Error(err)
	}
	if again, err := ParseJSON(AppendJSON(nil, d.Value())); err != nil || !again.Equal(d.Value()) {
		t.Errorf("a value of the greatest depth does not come back: %v", err)
	}

	deep := Object(Field{"deep", nestedLevels(MaxDepth + 90)}, Field{"xs", List()}, Field{"s", String("")})
	d = NewDraft(deep)
	for _, err := range []error{d.At("s").Append("x"), d.At("xs").Push(1), d.At("n").Set(1), d.At("s").Delete()} {
		if !errors.Is(err, ErrDepth) {
			t.Errorf("a value that no peer reads can be changed: %v", err)
		}
	}
	if d.Value() != deep {
		t.Errorf("a refused op changed the value")
	}
	if err := errors.Join(d.At("deep").Set(1), d.At("s").Append("x")); err != nil {
		t.Errorf("what is too deep cannot be taken away: %v", err)
	}
	if _, ops := d.Commit(); len(ops) == 0 {
		t.Errorf("nothing was committed")
	} else if got, err := Apply(deep, ops); err != nil || got.Depth() > MaxDepth {
		t.Errorf("%d levels (%v)", got.Depth(), err)
	}
}
