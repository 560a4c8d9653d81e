package delta

import (
	"errors"
	"strings"
	"testing"
)

func TestApply(t *testing.T) {
	cases := []struct{ why, base, ops, want string }{
		{"replace stands anywhere", `{"a":1}`, `[["s",["a"],2],["r",[1]],["p",[],1,0,[2]]]`, `[1,2]`},
		{"set a field", `{"a":1}`, `[["s",["b"],2],["s",["a"],3]]`, `{"a":3,"b":2}`},
		{"set an element", `[1,2]`, `[["s",[0],9]]`, `[9,2]`},
		{"set one past the end appends", `[1,2]`, `[["s",[2],3]]`, `[1,2,3]`},
		{"delete a field", `{"a":1,"b":2}`, `[["d",["a"]]]`, `{"b":2}`},
		{"delete of a missing field", `{"a":1}`, `[["d",["b"]]]`, `{"a":1}`},
		{"delete an element", `[1,2,3]`, `[["d",[1]]]`, `[1,3]`},
		{"append", `{"o":"a"}`, `[["a",["o"],"b"]]`, `{"o":"ab"}`},
		{"halves join", `{"o":"\ud83d"}`, `[["a",["o"],"\ude00"]]`, `{"o":"😀"}`},
		{"truncate", `{"o":"abc"}`, `[["t",["o"],2]]`, `{"o":"c"}`},
		{"truncate beyond the end", `{"o":"abc"}`, `[["t",["o"],9]]`, `{"o":""}`},
		{"truncate parts a pair", `{"o":"😀"}`, `[["t",["o"],1]]`, `{"o":"\ude00"}`},
		{"splice", `{"xs":[1,2,3]}`, `[["p",["xs"],1,1,[7,8]]]`, `{"xs":[1,7,8,3]}`},
		{"splice clamps its index", `[1]`, `[["p",[],9,3,[2]]]`, `[1,2]`},
		{"splice clamps its count", `[1,2,3]`, `[["p",[],1,9,[]]]`, `[1]`},
		{"permute", `["a","b","c"]`, `[["m",[],[2,0,1]]]`, `["c","a","b"]`},
		{"permute below", `{"xs":[1,2]}`, `[["m",["xs"],[1,0]]]`, `{"xs":[2,1]}`},
		{"an index on an object is a key", `{"o":{}}`, `[["s",["o",7],"x"],["a",["o","7"],"y"],["a",["o",7],"z"]]`, `{"o":{"7":"xyz"}}`},
		{"reserved keys inside values", `{}`, `[["s",["a"],{"__proto__":1,"constructor":2}]]`, `{"a":{"__proto__":1,"constructor":2}}`},
		{"minus zero", `{}`, `[["s",["a"],-0]]`, `{"a":0}`},
	}
	for _, c := range cases {
		base, ops := mustParse(t, c.base), mustOps(t, c.ops)
		got, err := Apply(base, ops)
		if err != nil || got.String() != c.want {
			t.Errorf("%s: got %v (%v), want %s", c.why, got, err, c.want)
		}
		if base.String() != c.base {
			t.Errorf("%s: the base changed to %v", c.why, base)
		}
	}
}

func TestApplyRefuses(t *testing.T) {
	deep := List()
	for range MaxDepth - 1 {
		deep = List(deep)
	}
	key := func(s string) Path { return PathOf(s) }
	const base = `{"a":1,"s":"x","xs":[1],"o":{"k":[{"z":""}]}}`
	cases := []struct {
		why  string
		op   Op
		want error
	}{
		{"__proto__", Op{Code: OpSet, Path: key("__proto__")}, ErrReserved},
		{"constructor below", Op{Code: OpDelete, Path: PathOf("o", "constructor")}, ErrReserved},
		{"prototype on the way", Op{Code: OpAppend, Path: PathOf("prototype", "x")}, ErrReserved},
		{"set of the root", Op{Code: OpSet}, ErrPath},
		{"delete of the root", Op{Code: OpDelete}, ErrPath},
		{"append to the root", Op{Code: OpAppend}, ErrPath},
		{"truncate of the root", Op{Code: OpTruncate, N: 1}, ErrPath},
		{"a missing parent", Op{Code: OpSet, Path: PathOf("none", "x")}, ErrNoParent},
		{"a primitive parent", Op{Code: OpSet, Path: PathOf("a", "x")}, ErrNoParent},
		{"a text as parent", Op{Code: OpSet, Path: PathOf("s", 0)}, ErrNoParent},
		{"delete under a missing parent", Op{Code: OpDelete, Path: PathOf("none", "x")}, ErrNoParent},
		{"append to a missing field", Op{Code: OpAppend, Path: key("none")}, ErrNoParent},
		{"append to a number", Op{Code: OpAppend, Path: key("a")}, ErrType},
		{"append to a list", Op{Code: OpAppend, Path: key("xs")}, ErrType},
		{"truncate of an object", Op{Code: OpTruncate, Path: key("o")}, ErrType},
		{"splice of an object", Op{Code: OpSplice}, ErrType},
		{"splice of a text", Op{Code: OpSplice, Path: key("s")}, ErrType},
		{"permutation of a number", Op{Code: OpPermute, Path: key("a")}, ErrType},
		{"a key on a list", Op{Code: OpSet, Path: PathOf("xs", "0")}, ErrType},
		{"a key on a list on the way", Op{Code: OpSet, Path: PathOf("o", "k", "0", "z")}, ErrType},
		{"set two past the end", Op{Code: OpSet, Path: PathOf("xs", 2)}, ErrRange},
		{"delete at the end", Op{Code: OpDelete, Path: PathOf("xs", 1)}, ErrRange},
		{"append past the end", Op{Code: OpAppend, Path: PathOf("xs", 1)}, ErrRange},
		{"an index past the end on the way", Op{Code: OpSet, Path: PathOf("xs", 1, "x")}, ErrRange},
		{"a negative truncate", Op{Code: OpTruncate, Path: key("s"), N: -1}, ErrRange},
		{"a negative splice", Op{Code: OpSplice, Path: key("xs"), N: -1}, ErrRange},
		{"a negative remove", Op{Code: OpSplice, Path: key("xs"), Remove: -1}, ErrRange},
		{"a short permutation", Op{Code: OpPermute, Path: key("xs"), Perm: []int{}}, ErrPerm},
		{"a permutation that repeats", Op{Code: OpPermute, Path: key("xs"), Perm: []int{0, 0}}, ErrPerm},
		{"a permutation out of range", Op{Code: OpPermute, Path: key("xs"), Perm: []int{1}}, ErrPerm},
		{"too deep", Op{Code: OpSet, Path: key("a"), Value: deep}, ErrDepth},
		{"too deep in a splice", Op{Code: OpSplice, Path: key("xs"), Items: []Value{deep}}, ErrDepth},
		{"a path that is too long", Op{Code: OpSet, Path: make(Path, MaxDepth+1)}, ErrDepth},
		{"a replace with a path", Op{Code: OpReplace, Path: key("a")}, ErrOp},
		{"no code", Op{Path: key("a")}, ErrOp},
	}
	v := mustParse(t, base)
	for _, c := range cases {
		got, err := Apply(v, []Op{{Code: OpSet, Path: key("a"), Value: Int(2)}, c.op})
		var refused *OpError
		if !errors.Is(err, c.want) || !errors.As(err, &refused) || refused.Index != 1 {
			t.Errorf("%s: got %v, want %v", c.why, err, c.want)
		}
		if err != nil && !strings.HasPrefix(err.Error(), "delta: ") {
			t.Errorf("%s: %q has no prefix", c.why, err)
		}
		if got != v || got.String() != base {
			t.Errorf("%s: the value changed to %v", c.why, got)
		}
	}
	if _, err := Apply(v, []Op{{Code: OpReplace, Value: deep}}); err != nil {
		t.Errorf("a value of the greatest depth is refused: %v", err)
	}
	if _, err := ParseJSON(AppendJSON(nil, deep)); err != nil {
		t.Errorf("a value of the greatest depth cannot be parsed: %v", err)
	}
}

func TestParseOpsRefuses(t *testing.T) {
	cases := []struct {
		in   string
		want error
	}{
		{`{}`, ErrOp}, {`[1]`, ErrOp}, {`[[]]`, ErrOp}, {`[[1]]`, ErrOp}, {`[["x",["a"]]]`, ErrOp}, {`[["é",["a"]]]`, ErrOp}, {`[["ss",["a"],1]]`, ErrOp},
		{`[["r"]]`, ErrOp}, {`[["r",1,2]]`, ErrOp},
		{`[["s",["a"]]]`, ErrOp}, {`[["s",["a"],1,2]]`, ErrOp}, {`[["s","a",1]]`, ErrOp}, {`[["s",[],1]]`, ErrPath},
		{`[["s",[-1],1]]`, ErrOp}, {`[["s",[1.5],1]]`, ErrOp}, {`[["s",[null],1]]`, ErrOp}, {`[["s",[9007199254740992],1]]`, ErrOp},
		{`[["s",["__proto__"],1]]`, ErrReserved},
		{`[["d"]]`, ErrOp}, {`[["d",[]]]`, ErrPath}, {`[["d",["a"],1]]`, ErrOp},
		{`[["a",["a"],1]]`, ErrOp}, {`[["a",["a"]]]`, ErrOp}, {`[["a",[],"x"]]`, ErrPath},
		{`[["t",["a"],"1"]]`, ErrOp}, {`[["t",["a"],-1]]`, ErrOp}, {`[["t",["a"],0.5]]`, ErrOp}, {`[["t",[],1]]`, ErrPath},
		{`[["p",["a"],0,0]]`, ErrOp}, {`[["p",["a"],-1,0,[]]]`, ErrOp}, {`[["p",["a"],0,-1,[]]]`, ErrOp}, {`[["p",["a"],0,0,{}]]`, ErrOp}, {`[["p",["a"],0.5,0,[]]]`, ErrOp},
		{`[["m",["a"],[0,0]]]`, ErrPerm}, {`[["m",["a"],[1]]]`, ErrPerm}, {`[["m",["a"],0]]`, ErrOp}, {`[["m",["a"],["0"]]]`, ErrOp},
		{`[["#",0,["a"]]]`, ErrOp},
		{`[["s",` + strings.Repeat("[", 600), ErrDepth},
	}
	for _, c := range cases {
		ops, err := ParseOpsJSON([]byte(c.in))
		if !errors.Is(err, c.want) || ops != nil {
			t.Errorf("%s: got %v (%v), want %v", c.in, ops, err, c.want)
		}
	}
	var syntax *SyntaxError
	if _, err := ParseOpsJSON([]byte(`[["s",["a"],`)); !errors.As(err, &syntax) || syntax.Offset != 12 {
		t.Errorf("got %v", err)
	}
}

func TestPath(t *testing.T) {
	if PathOf("xs", 0).Key() == PathOf("xs", "0").Key() || PathOf("xs", 0).Equal(PathOf("xs", "0")) {
		t.Errorf("an index is its decimal key")
	}
	if PathOf("a", "b").Key() == PathOf("ab").Key() || PathOf("k1:a").Key() == PathOf("", "a").Key() {
		t.Errorf("two paths have one key")
	}
	if got := PathOf("a\n", 7, "\xed\xa0\xbd").String(); got != `["a\n",7,"\ud83d"]` {
		t.Errorf("got %s", got)
	}
	if s := Index(3); !s.IsIndex() || s.Index() != 3 || s.Key() != "" || s.String() != "3" {
		t.Errorf("got %v", s)
	}
	if s := (Segment{}); s.IsIndex() || s.Key() != "" || s.Index() != 0 || s.String() != `""` {
		t.Errorf("got %v", s)
	}
	base := PathOf("a")
	if one, two := base.Append("b"), base.Append("c"); one.Equal(two) || len(base) != 1 {
		t.Errorf("paths share their end")
	}
}
