package delta

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestWireTable(t *testing.T) {
	cases := []struct {
		why           string
		batches, wire []string
	}{
		{"inline, short, defined in the next batch",
			[]string{`[["t",["output"],2],["a",["output"],"x"]]`, `[["a",["output"],"more"]]`},
			[]string{`[["t",["output"],2],["a","x"]]`, `[["#",0,["output"]],["a",0,"more"]]`}},
		{"a replace forgets",
			[]string{`[["s",["a"],1],["r",{}],["s",["a"],2],["s",["b"],2],["s",["a"],3]]`},
			[]string{`[["s",["a"],1],["r",{}],["s",["a"],2],["s",["b"],2],["#",0,["a"]],["s",0,3]]`}},
		{"a replace forgets ids",
			[]string{`[["s",["a"],1]]`, `[["s",["a"],2]]`, `[["r",{}]]`, `[["s",["a"],3]]`, `[["s",["b"],1]]`, `[["s",["b"],4],["s",["a"],5]]`},
			[]string{`[["s",["a"],1]]`, `[["#",0,["a"]],["s",0,2]]`, `[["r",{}]]`, `[["s",["a"],3]]`, `[["s",["b"],1]]`, `[["#",0,["b"]],["s",0,4],["#",1,["a"]],["s",1,5]]`}},
		{"every short form",
			[]string{`[["p",["xs"],0,1,[7]],["p",["xs"],0,0,[]],["m",["xs"],[1,0]],["d",["xs",0]],["d",["xs",0]]]`},
			[]string{`[["p",["xs"],0,1,[7]],["p",0,0,[]],["m",[1,0]],["d",["xs",0]],["d"]]`}},
		{"the root",
			[]string{`[["p",[],0,0,[1,2]],["m",[],[1,0]]]`, `[["p",[],0,0,[3]]]`},
			[]string{`[["p",[],0,0,[1,2]],["m",[1,0]]]`, `[["#",0,[]],["p",0,0,0,[3]]]`}},
		{"an index is not its key",
			[]string{`[["s",["xs",0],1]]`, `[["s",["xs","0"],1]]`, `[["s",["xs",0],2]]`},
			[]string{`[["s",["xs",0],1]]`, `[["s",["xs","0"],1]]`, `[["#",0,["xs",0]],["s",0,2]]`}},
		{"no op", []string{`[]`}, []string{`[]`}},
	}
	for _, c := range cases {
		var enc WireEncoder
		var dec WireDecoder
		for i, batch := range c.batches {
			wire := string(enc.AppendJSON(nil, mustOps(t, batch)))
			if wire != c.wire[i] {
				t.Errorf("%s:\n got %s\nwant %s", c.why, wire, c.wire[i])
			}
			ops, err := dec.ParseJSON([]byte(wire))
			if err != nil || string(AppendOpsJSON(nil, ops)) != batch {
				t.Errorf("%s: decoded %v (%v)", c.why, ops, err)
			}
		}
	}
}

func TestWireDecoderTakes(t *testing.T) {
	var dec WireDecoder
	ops, err := dec.ParseJSON([]byte(`[["#",70,["a"]],["#",70,["b"]],["s",70,1],["#",3,["c"]],["a","x"],["d",3]]`))
	if got := string(AppendOpsJSON(nil, ops)); err != nil || got != `[["s",["b"],1],["a",["b"],"x"],["d",["c"]]]` {
		t.Errorf("sparse and overwritten ids: %s (%v)", got, err)
	}
}

func TestWireDecoderRefuses(t *testing.T) {
	cases := []struct {
		in   string
		want error
	}{
		{`[["s",0,1]]`, ErrUnknownID}, {`[["#",0,["a"]],["r",1],["s",0,1]]`, ErrUnknownID}, {`[["s",-1,1]]`, ErrOp}, {`[["s",0.5,1]]`, ErrOp},
		{`[["s",1]]`, ErrNoPrevious}, {`[["d"]]`, ErrNoPrevious}, {`[["p",0,0,[]]]`, ErrNoPrevious}, {`[["m",[0]]]`, ErrNoPrevious},
		{`[["s",["a"],1],["r",1],["s",2]]`, ErrNoPrevious}, {`[["#",0,["a"]],["s",2]]`, ErrNoPrevious},
		{`[["s",[],1]]`, ErrPath}, {`[["d",[]]]`, ErrPath}, {`[["a",[],""]]`, ErrPath}, {`[["t",[],1]]`, ErrPath}, {`[["p",[],0,0,[]],["d"]]`, ErrPath},
		{`[["#",0,[]],["t",0,1]]`, ErrPath},
		{`[["s",["prototype"],1]]`, ErrReserved}, {`[["#",0,["__proto__"]]]`, ErrReserved},
		{`[["#",0]]`, ErrOp}, {`[["#",-1,["a"]]]`, ErrOp}, {`[["#","0",["a"]]]`, ErrOp}, {`[["#",0,"a"]]`, ErrOp}, {`[["#",0,["a"],1]]`, ErrOp},
		{`[["a",["a"],1]]`, ErrOp}, {`[["s",["a"],1,2]]`, ErrOp}, {`[["q",["a"],1]]`, ErrOp}, {`[["s",{},1]]`, ErrOp}, {`7`, ErrOp},
	}
	for _, c := range cases {
		var dec WireDecoder
		if ops, err := dec.ParseJSON([]byte(c.in)); !errors.Is(err, c.want) || ops != nil {
			t.Errorf("%s: got %v (%v), want %v", c.in, ops, err, c.want)
		}
	}
}

// TestWireLimits checks that neither side's dictionary grows without bound.
func TestWireLimits(t *testing.T) {
	var enc WireEncoder
	var dec WireDecoder
	for round := range 3 {
		for i := range 3 * maxWireSeen {
			op := Op{Code: OpSet, Path: PathOf(fmt.Sprint(i % 5000)), Value: Int(round)}
			wire := enc.AppendJSON(nil, []Op{op})
			if ops, err := dec.ParseJSON(wire); err != nil || len(ops) != 1 || ops[0].String() != op.String() {
				t.Fatalf("%s: decoded %v (%v)", wire, ops, err)
			}
		}
	}
	if len(enc.ids) > MaxWireIDs || len(enc.seen) > maxWireSeen {
		t.Errorf("the encoder keeps %d ids and %d paths", len(enc.ids), len(enc.seen))
	}
	long := strings.Repeat("k", 1<<16)
	var err error
	for i := 0; err == nil && i < 100; i++ {
		_, err = dec.ParseJSON(fmt.Appendf(nil, `[["#",%d,["%s"]]]`, i, long))
	}
	if !errors.Is(err, ErrLimit) {
		t.Errorf("the decoder keeps any number of bytes: %v", err)
	}
}
