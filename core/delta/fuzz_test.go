package delta

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"unicode/utf8"
)

// FuzzParseJSON checks that whatever is read is written and read again as the same, and that we take what encoding/json takes.
func FuzzParseJSON(f *testing.F) {
	for _, s := range []string{
		`null`, `-0.5e-7`, `"\ud83d\u0041\ude00"`, `{"a":[1,{"b":"\n"}],"a":2}`, `[1e21,123456789012345678]`, "\"\xed\xa0\xbd\xff\"", `{"`, `[[[[`, `1e999`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var v Value
		var err error
		wantLittleMemory(t, in, func() { v, err = ParseJSON(in) })
		if valid := json.Valid(in); valid != (err == nil) && !(valid && err != nil && refusedButValid(in)) {
			t.Fatalf("%q: %v, encoding/json: %v", in, err, valid)
		}
		if err != nil {
			return
		}
		out := AppendJSON(nil, v)
		again, err := ParseJSON(out)
		if err != nil || !again.Equal(v) || again.Hash() != v.Hash() || again.Size() != v.Size() || !bytes.Equal(AppendJSON(nil, again), out) {
			t.Fatalf("%q: %s is read as %v (%v)", in, out, again, err)
		}
		if !utf8.Valid(out) {
			t.Fatalf("%q: %q is no UTF-8", in, out)
		}
		// Before much else its objects are packed.
		twice, err := ParseJSON(slices.Concat([]byte("["), in, []byte(","), in, bytes.Repeat([]byte(" "), packFrom), []byte("]")))
		for i, packed := range twice.Elements() {
			if err != nil || !packed.Equal(v) || packed.Hash() != v.Hash() || packed.Size() != v.Size() || !bytes.Equal(AppendJSON(nil, packed), out) {
				t.Fatalf("%q: element %d of a long list is %v (%v)", in, i, packed, err)
			}
		}
		if twice.Len() != 2 && !errors.Is(err, ErrDepth) && !errors.Is(err, ErrContainers) {
			t.Fatalf("%q twice: %v", in, err)
		}
	})
}

// refusedButValid reports whether the input is one that we refuse on purpose.
func refusedButValid(in []byte) bool {
	var x any
	dec := json.NewDecoder(bytes.NewReader(in))
	return dec.Decode(&x) != nil || bytes.Count(in, []byte("["))+bytes.Count(in, []byte("{")) > MaxDepth
}

func FuzzParseOps(f *testing.F) {
	for _, s := range []string{
		`[["r",{"a":1}],["s",["a",0],"x"],["d",["b"]]]`, `[["a",["o"],"\ud83d"],["t",["o"],3]]`, `[["p",[],0,1,[1,[2]]],["m",["xs"],[1,0]]]`, `[["s",["__proto__"],1]]`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var ops []Op
		var err error
		wantLittleMemory(t, in, func() { ops, err = ParseOpsJSON(in) })
		if err != nil {
			return
		}
		checkOpsAgain(t, ops)
	})
}

func checkOpsAgain(t *testing.T, ops []Op) {
	t.Helper()
	out := AppendOpsJSON(nil, ops)
	again, err := ParseOpsJSON(out)
	if err != nil || !bytes.Equal(AppendOpsJSON(nil, again), out) {
		t.Fatalf("%s is read as %v (%v)", out, again, err)
	}
	base := Object(Field{"a", List(Int(1), String("x"))}, Field{"o", String("text")}, Field{"xs", List(Int(1), Int(2))})
	for i, op := range ops {
		next, err := Apply(base, ops[i:i+1])
		if err != nil {
			continue
		}
		var fold Fold
		fold.Add([]Op{op}, next)
		if got, err := Apply(base, fold.Ops(next)); err != nil || !got.Equal(next) {
			t.Fatalf("%v folds to %v", op, fold.Ops(next))
		}
		base = next
	}
}

func FuzzWireDecoder(f *testing.F) {
	for _, s := range []string{
		`[["s",["a"],1],["s",2],["#",0,["xs",0]],["d",0],["d"]]`, `[["#",7,[]],["p",7,0,0,[1]],["p",1,0,[]],["m",[0]]]`, `[["a",["o"],"x"],["a","y"],["r",1],["a","z"]]`,
	} {
		f.Add([]byte(s), []byte(s))
	}
	f.Fuzz(func(t *testing.T, one, two []byte) {
		var dec, mirror WireDecoder
		var enc WireEncoder
		for _, in := range [][]byte{one, two} {
			var ops []Op
			var err error
			wantLittleMemory(t, in, func() { ops, err = dec.ParseJSON(in) })
			if err != nil {
				return
			}
			checkOpsAgain(t, ops)
			wire := enc.AppendJSON(nil, ops)
			back, err := mirror.ParseJSON(wire)
			if err != nil || !bytes.Equal(AppendOpsJSON(nil, back), AppendOpsJSON(nil, ops)) {
				t.Fatalf("%v through %s are %v (%v)", ops, wire, back, err)
			}
		}
	})
}
