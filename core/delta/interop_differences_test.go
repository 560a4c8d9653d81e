package delta_test

import (
	"fmt"
	"strings"
	"testing"

	"chordsim/core/delta"
)

// differences are the batches, each as small as can be, on which this package and the npm package do not agree. In all of
// them it is this package that refuses. docs/INTEROP.md explains them; a new one goes there too.
var differences = []struct {
	name       string
	base, wire string
	theirs     string // the value that the peer makes of it
}{
	{"a batch that is no list", `1`, `""`, `1`},
	{"a segment from 2^53 on", `{}`, `[["s",[9007199254740992],1]]`, `{"9007199254740992":1}`},
	{"a segment that JavaScript prints with an exponent", `{}`, `[["s",[1e21],1]]`, `{"1e+21":1}`},
	{"an id from 2^53 on", `{}`, `[["#",9007199254740992,["a"]],["s",9007199254740992,1]]`, `{"a":1}`},
	{"a number that is no double", `{}`, `[["s",["a"],1e999]]`, `{"a":null}`}, // infinity, which prints as null
	{"a value of more levels", `1`, `[["r",` + nested(delta.MaxDepth+1) + `]]`, nested(delta.MaxDepth + 1)},
	{"a path that leads to more levels", nested(delta.MaxDepth), `[["s",` + zeros(delta.MaxDepth) + `,[]]]`, nested(delta.MaxDepth + 1)},
	{"a dictionary of more bytes", `{}`, `[["#",0,["` + strings.Repeat("k", 1<<20) + `"]]]`, `{}`},
}

// nested returns n lists, each in the other.
func nested(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }

func TestInteropDifferences(t *testing.T) {
	p := startPeer(t)
	for _, d := range differences {
		base, err := delta.ParseJSON([]byte(d.base))
		if err != nil {
			t.Fatalf("%s: %v", d.name, err)
		}
		if after, err := verdict(base, d.wire, "wire"); err == nil {
			t.Errorf("%s: is taken here by now, for %.100s", d.name, after)
		}
		a := p.ask("judge", "base", d.base, "text", quote(d.wire), "form", `"wire"`)
		if string(a.Value) != d.theirs {
			t.Errorf("%s: the peer makes %.100s (%s%s), not %.100s", d.name, a.Value, a.Refused, a.Error, d.theirs)
		}
	}
}

// TestInteropNeighbours has what is next to each difference: both sides take it.
func TestInteropNeighbours(t *testing.T) {
	p := startPeer(t)
	for _, c := range []struct{ base, wire, want string }{
		{`1`, `[]`, `1`},
		{`{"a":"x"}`, `[["t",["a"],9007199254740991]]`, `{"a":""}`},
		{`{"a":"x"}`, `[["t",["a"],9007199254740992]]`, `{"a":""}`},
		{`[1]`, `[["p",[],9007199254740992,0,[2]]]`, `[1,2]`},
		{`[1]`, `[["p",[],0,1e300,[]]]`, `[]`},
		{`[1]`, `[["p",[],9007199254740991,9007199254740991,[2]]]`, `[1,2]`},
		{`{}`, `[["s",[9007199254740991],1]]`, `{"9007199254740991":1}`},
		{`{}`, `[["#",9007199254740991,["a"]],["s",9007199254740991,1]]`, `{"a":1}`},
		{`{"0":"x"}`, `[["t",[-0],1e0],["s",[10e-1],-0.0]]`, `{"0":"","1":0}`},
		{`{}`, `[["s",["a"],1.7976931348623157e308],["s",["b"],1e-999]]`, `{"a":1.7976931348623157e+308,"b":0}`},
		{`1`, `[["r",` + nested(delta.MaxDepth) + `]]`, nested(delta.MaxDepth)},
		{`{"a":1,"a":2,"__proto__":{"a":1}}`, `[["s",["\u0061\ud83d"],"\ude00"]]`, `{"a":2,"__proto__":{"a":1},"a\ud83d":"\ude00"}`},
		{`{"a\ud83d\ude00":"\ud83d"}`, `[["a",["a😀"],"\ude00"]]`, `{"a😀":"😀"}`},
	} {
		base, err := delta.ParseJSON([]byte(c.base))
		if err != nil {
			t.Fatal(err)
		}
		ours, err := verdict(base, c.wire, "wire")
		if err != nil || ours.String() != c.want {
			t.Errorf("%.100s on %.100s: here %.100s (%v), want %.100s", c.wire, c.base, ours, err, c.want)
		}
		a := p.ask("judge", "base", c.base, "text", quote(c.wire), "form", `"wire"`)
		if string(a.Value) != c.want {
			t.Errorf("%.100s on %.100s: the peer %.100s (%s%s), want %.100s", c.wire, c.base, a.Value, a.Refused, a.Error, c.want)
		}
	}
}

// TestInteropDictionary has more paths than the encoder gives ids to, and remembers. The peer's encoder has no such limits,
// so its bytes are others; what its decoder reads is the same.
func TestInteropDictionary(t *testing.T) {
	p := startPeer(t)
	p.ask("start", "value", `{}`)
	var encoder delta.WireEncoder
	var ops []delta.Op
	for i := range 5 * delta.MaxWireIDs { // of fields that are not there: a peer's object costs O(n) each time it changes
		ops = append(ops, delta.Op{Code: delta.OpDelete, Path: delta.PathOf(fmt.Sprint("k", i))})
	}
	few := ops[:delta.MaxWireIDs+100]
	for i, ops := range [][]delta.Op{few, few, few, ops, ops, few} { // seen, defined, by id; forgotten, seen again
		wire := string(encoder.AppendJSON(nil, ops))
		a := p.ask("batch", "wire", wire)
		if string(a.Ops) != string(delta.AppendOpsJSON(nil, ops)) {
			t.Fatalf("batch %d: %.200s… is read as %.200s… %s", i, wire, a.Ops, a.Error)
		}
	}
}
