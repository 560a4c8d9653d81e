package delta

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// plainEncoder is the encoder as it is described in words, with lists that are searched.
type plainEncoder struct {
	seen, ids []string // paths as JSON; an id is a place in ids
}

// batch writes tuples as values.
func (e *plainEncoder) batch(ops []Op) Value {
	var out []Value
	before := ""
	for _, op := range ops {
		tuple := mustParseValue(op.String())
		if op.Code == OpReplace {
			e.seen, e.ids, before = nil, nil, ""
			out = append(out, tuple)
			continue
		}
		path, _ := tuple.Index(1)
		name := path.String()
		head := []Value{String(op.Code.String())}
		switch id := slices.Index(e.ids, name); {
		case name == before: // the short form
		case id >= 0:
			head = append(head, Int(id))
		case slices.Contains(e.seen, name):
			out = append(out, List(String("#"), Int(len(e.ids)), path))
			head, e.ids = append(head, Int(len(e.ids))), append(e.ids, name)
		default:
			head, e.seen = append(head, path), append(e.seen, name)
		}
		before = name
		for i, v := range tuple.Elements() {
			if i > 1 {
				head = append(head, v)
			}
		}
		out = append(out, ListOf(head))
	}
	return ListOf(out)
}

func mustParseValue(s string) Value {
	v, err := ParseJSON([]byte(s))
	if err != nil {
		panic(err)
	}
	return v
}

// TestWireModel sends streams of batches over few paths, which come again all the time, with replaces among them. The encoder
// writes what it should, and the decoder reads what was written.
func TestWireModel(t *testing.T) {
	doc := mustParse(t, `{"a":"text","xs":["x",[1,2],{"k":"v"}],"o":{"0":"zero","k":{}},"日":"\ud83d"}`)
	rapid.Check(t, func(t *rapid.T) {
		var enc WireEncoder
		var dec WireDecoder
		var plain plainEncoder
		here, there := doc, doc
		for range rapid.IntRange(1, 12).Draw(t, "batches") {
			var ops []Op
			for range rapid.IntRange(0, 6).Draw(t, "ops") {
				op := drawWireOp(t, doc)
				if next, err := Apply(here, []Op{op}); err == nil {
					here, ops = next, append(ops, op)
				}
			}
			wire := enc.AppendJSON([]byte("before"), ops)[len("before"):]
			if want := plain.batch(ops).String(); string(wire) != want {
				t.Fatalf("%v\n got %s\nwant %s", ops, wire, want)
			}
			read, err := dec.ParseJSON(wire)
			if err != nil || string(AppendOpsJSON(nil, read)) != string(AppendOpsJSON(nil, ops)) {
				t.Fatalf("%s is read as %v (%v), want %v", wire, read, err, ops)
			}
			if there, err = Apply(there, read); err != nil || there.String() != here.String() {
				t.Fatalf("the other side has %v (%v), want %v", there, err, here)
			}
		}
	})
}

// drawWireOp draws an op on one of a few paths, which may be refused, or a replace by the document as it was.
func drawWireOp(t *rapid.T, doc Value) Op {
	p := rapid.SampledFrom([]Path{
		{}, PathOf("a"), PathOf("xs"), PathOf("xs", 0), PathOf("xs", 1), PathOf("xs", 2, "k"), PathOf("o", 0), PathOf("o", "0"), PathOf("o", "k"),
		PathOf("日"), PathOf("new"),
	}).Draw(t, "path")
	switch rapid.IntRange(0, 15).Draw(t, "op") {
	case 0:
		return Replace(doc)
	case 1, 2:
		return Op{Code: OpSet, Path: p, Value: rapid.SampledFrom([]Value{Int(1), String("s"), List(), Object()}).Draw(t, "value")}
	case 3:
		return Op{Code: OpDelete, Path: p}
	case 4, 5, 6:
		return Op{Code: OpTruncate, Path: p, N: rapid.IntRange(0, 2).Draw(t, "n")}
	case 7, 8:
		return Op{Code: OpSplice, Path: p, N: rapid.IntRange(0, 3).Draw(t, "at"), Remove: rapid.IntRange(0, 1).Draw(t, "remove"), Items: []Value{String("p")}}
	case 9:
		return Op{Code: OpPermute, Path: p, Perm: rapid.Permutation([]int{0, 1, 2}).Draw(t, "perm")}
	}
	return Op{Code: OpAppend, Path: p, Text: TextFromUTF16(drawUnits(t, 3))}
}
