package delta_test

import (
	"strings"

	"chordsim/core/delta"
)

// script is a stream of the golden vectors: what is done to a value, batch by batch, and what is refused at its end.
type script struct {
	about   string
	base    string
	batches []string  // of ops, each with its path in full
	taken   []string  // batches that no encoder here writes, in wire form: a decoder at the end of the stream reads them
	refused []refusal // by a decoder and a value at the end of the stream
}

type refusal struct{ why, wire string }

// scripts cover every op, every rule of the dictionary and every refusal: TestGoldenCovers sees to it.
var scripts = []script{
	{about: "any value may be the root", base: `{}`, batches: []string{
		`[["r",1]]`, `[["r","text"]]`, `[["r",[null,true]]]`, `[["r",{"a":{}}]]`, `[["r",null]]`,
	}, refused: []refusal{{"nothing there to change", `[["s",["a"],1]]`}, {"not the kind of value", `[["p",[],0,0,[]]]`}}},
	{about: "a replace in the middle", base: `{"a":1}`, batches: []string{`[["s",["a"],2],["r",{"b":1}],["s",["b"],3]]`}},
	{about: "set", base: `{"xs":[1],"o":{}}`, batches: []string{
		`[["s",["xs",0],2],["s",["xs",1],[]],["s",["xs",1,0],{}]]`, `[["s",["o","k"],{"z":1}],["s",["o","k","z"],null]]`, `[["s",[""],false],["s",["new"],0]]`,
	}, refused: []refusal{
		{"out of range", `[["s",["xs",3],1]]`}, {"not the kind of value", `[["s",["xs","0"],1]]`}, {"not the kind of value", `[["s",["xs","length"],1]]`},
		{"nothing there to change", `[["s",["no","k"],1]]`}, {"nothing there to change", `[["s",["xs",0,"k"],1]]`}, {"empty path", `[["s",[],1]]`},
	}},
	{about: "delete", base: `{"a":1,"b":{"c":2},"xs":[1,2,3]}`, batches: []string{
		`[["d",["a"]],["d",["a"]],["d",["never"]]]`, `[["d",["b","c"]],["d",["b","never"]]]`, `[["d",["xs",1]],["d",["xs",0]]]`,
	}, refused: []refusal{{"out of range", `[["d",["xs",1]]]`}, {"nothing there to change", `[["d",["a","b"]]]`}, {"not the kind of value", `[["d",["xs","0"]]]`}, {"empty path", `[["d",[]]]`}}},
	{about: "append, which joins the halves of a pair", base: `{"a":"","b":["x\ud83d"],"n":1}`, batches: []string{
		`[["a",["a"],"line\n"],["a",["a"],""]]`, `[["a",["b",0],"\ude00\ud83d"]]`, `[["a",["b",0],"\ud83d"],["a",["b",0],"\ude00"]]`,
	}, refused: []refusal{{"not the kind of value", `[["a",["n"],"x"]]`}, {"nothing there to change", `[["a",["no"],"x"]]`}, {"out of range", `[["a",["b",1],"x"]]`}, {"empty path", `[["a",[],"x"]]`}}},
	{about: "truncate by units, which splits pairs", base: `{"a":"x😀y","b":"abc"}`, batches: []string{
		`[["t",["a"],2]]`, `[["t",["a"],0],["t",["a"],1]]`, `[["t",["b"],4],["a",["b"],"new"]]`,
	}, refused: []refusal{{"not the kind of value", `[["s",["b"],[]],["t",1]]`}, {"nothing there to change", `[["t",["no"],1]]`}, {"empty path", `[["t",[],1]]`}}},
	{about: "splice, clamped", base: `{"xs":[1,2,3],"o":{}}`, batches: []string{
		`[["p",["xs"],1,1,["a","b"]]]`, `[["p",["xs"],99,99,[{}]]]`, `[["p",["xs"],0,99,[[1]]]]`, `[["p",["xs",0],0,1,[]],["p",["xs",0],0,0,[]]]`,
	}, refused: []refusal{{"not the kind of value", `[["p",["o"],0,0,[]]]`}, {"nothing there to change", `[["p",["no"],0,0,[]]]`}, {"out of range", `[["p",["xs",1],0,0,[]]]`}}},
	{about: "permute", base: `{"xs":["a","b","c"],"none":[]}`, batches: []string{
		`[["m",["xs"],[2,0,1]]]`, `[["m",["xs"],[0,1,2]],["m",["none"],[]]]`,
	}, refused: []refusal{
		{"not a permutation", `[["m",["xs"],[0,1]]]`}, {"not a permutation", `[["m",["xs"],[0,1,1]]]`}, {"not a permutation", `[["m",["xs"],[1,2,3]]]`},
		{"nothing there to change", `[["m",["no"],[]]]`}, {"not the kind of value", `[["m",[],[]]]`},
	}},
	{about: "the root as a list", base: `[1]`, batches: []string{`[["p",[],0,0,[1,2]],["m",[],[1,0,2]]]`, `[["p",[],0,0,[3]]]`, `[["s",[4],{}],["d",[0]],["m",[],[3,2,1,0]]]`}},
	{about: "an index on an object is the key with that decimal form", base: `{"0":"x","7":{"1":2},"00":0}`, batches: []string{
		`[["a",[0],"y"],["s",[7,1],3]]`, `[["d",[0]],["s",[12],1],["s",["07"],1]]`,
	}, refused: []refusal{{"nothing there to change", `[["s",[1,1],1]]`}}},
	{about: "an index and its key are different paths", base: `{}`, batches: []string{`[["s",["0"],1],["s",[0],2]]`, `[["s",[0],3],["s",["0"],4]]`, `[["d",["0"]],["s",[0],5]]`}},
	{about: "lone halves of pairs in keys and texts", base: `{"\ud83d":"\ude00","\ude00":"\ud83d","😀":0}`, batches: []string{
		`[["a",["\ud83d"],"\ud83d"],["a",["\ude00"],"\ude00"]]`, `[["s",["\ud83d"],"\u0000\uffff\ufeff"],["d",["\ude00"]],["s",["😀"],"👩‍👩‍👧"]]`,
	}},
	{about: "reserved keys are legal inside values only", base: `{"o":{}}`, batches: []string{
		`[["s",["o"],{"__proto__":{"a":1},"constructor":[{"prototype":null}]}]]`, `[["s",["xs"],[1]],["s",["toString"],1],["s",["length"],1]]`,
	}, refused: []refusal{
		{"reserved segment", `[["s",["__proto__"],1]]`}, {"reserved segment", `[["s",["o","__proto__","a"],1]]`}, {"reserved segment", `[["d",["constructor"]]]`},
		{"reserved segment", `[["a",["prototype"],""]]`}, {"reserved segment", `[["t",["o","prototype"],1]]`}, {"reserved segment", `[["p",["o","constructor"],0,0,[]]]`},
		{"reserved segment", `[["m",["__proto__"],[]]]`}, {"reserved segment", `[["#",0,["o","__proto__"]]]`},
	}},
	{about: "numbers", base: `[]`, batches: []string{
		`[["p",[],0,0,[0,-1,9007199254740992,1e21,123456789012345680000,5e-324,1.7976931348623157e308,0.1,0.000001,1e-7]]]`,
	}},
	{about: "a batch without ops", base: `{"a":1}`, batches: []string{`[]`, `[["s",["a"],2]]`, `[]`}},
	{about: "short forms: the path of the op before", base: `{}`, batches: []string{
		`[["s",["a"],""],["s",["a"],"x"],["a",["a"],"yz"],["t",["a"],1],["d",["a"]]]`, `[["s",["xs"],[2,1]],["p",["xs"],0,0,[3]],["m",["xs"],[2,1,0]],["s",["xs",0],9]]`,
	}},
	{about: "inline, then defined, then by id", base: `{"a":"","t":"","xs":[],"ys":[0]}`, batches: []string{
		`[["s",["s"],1],["d",["d"]],["a",["a"],"x"],["t",["t"],0],["p",["xs"],0,0,[1]],["m",["ys"],[0]]]`,
		`[["s",["s"],2],["d",["d"]],["a",["a"],"y"],["t",["t"],0],["p",["xs"],0,0,[2]],["m",["ys"],[0]]]`,
		`[["m",["ys"],[0]],["p",["xs"],0,1,[]],["t",["t"],1],["a",["a"],"z"],["d",["d"]],["s",["s"],3]]`,
	}},
	{about: "no short form across batches", base: `{"a":""}`, batches: []string{`[["a",["a"],"x"]]`, `[["a",["a"],"y"]]`, `[["a",["a"],"z"],["a",["a"],"!"]]`}},
	{about: "defined in the batch that saw it", base: `{}`, batches: []string{`[["s",["a"],1],["s",["b"],2],["s",["a"],3],["s",["b"],4],["s",["b"],5]]`}},
	{about: "a replace forgets paths, ids and the path before", base: `{}`, batches: []string{
		`[["s",["a"],1]]`, `[["s",["a"],2],["s",["b"],2]]`, `[["s",["b"],3],["r",{}],["s",["b"],4]]`, `[["s",["a"],5],["s",["b"],6]]`, `[["s",["a"],7],["r",{"a":0}]]`,
		`[["s",["a"],8]]`,
	}, refused: []refusal{{"unknown path id", `[["s",0,1]]`}}},
	{about: "the root's path has an id too", base: `[[]]`, batches: []string{`[["p",[],0,0,[1]]]`, `[["p",[],0,1,[]]]`, `[["p",[],1,0,[2]],["m",[],[1,0]],["p",[1],0,0,[3]]]`},
		refused: []refusal{{"empty path", `[["d",0]]`}, {"empty path", `[["m",0,[0,1]],["s",1]]`}}},
	{about: "ids may be sparse and change", base: `{"a":"","b":""}`, batches: []string{`[["a",["a"],"x"]]`, `[["a",["a"],"y"]]`},
		taken: []string{
			`[["#",70,["a"]],["#",70,["b"]],["a",70,"x"],["#",3,["c"]],["a","y"],["s",3,0]]`, `[["#",0,["b"]],["a",0,"z"]]`, `[["a",0,"z"],["#",0,["b"]],["a","w"]]`,
			`[["#",9007199254740991,["b"]],["t",9007199254740991,9007199254740991]]`, `[["#",5,["a"]]]`,
		}},
	{about: "ids and short forms that stand for nothing", base: `{"a":"","xs":[]}`, batches: []string{`[["s",["a"],"x"]]`, `[["s",["a"],"y"]]`}, refused: []refusal{
		{"unknown path id", `[["s",1,1]]`}, {"unknown path id", `[["#",1,["b"]],["d",2]]`}, {"unknown path id", `[["r",{}],["s",0,1]]`},
		{"no previous path", `[["s",1]]`}, {"no previous path", `[["d"]]`}, {"no previous path", `[["a",""]]`}, {"no previous path", `[["t",0]]`},
		{"no previous path", `[["p",0,0,[]]]`}, {"no previous path", `[["m",[]]]`}, {"no previous path", `[["#",1,["a"]],["s",1]]`},
		{"no previous path", `[["s",0,1],["r",{}],["s",1]]`},
	}},
	{about: "what is no op", base: `{"a":"x","xs":[1]}`, batches: []string{`[["s",["a"],"y"]]`, `[["s",["a"],"z"]]`}, refused: []refusal{
		{"not an op", `7`}, {"not an op", `{}`}, {"not an op", `[7]`}, {"not an op", `[[]]`}, {"not an op", `[["q",["a"],1]]`}, {"not an op", `[["R",1]]`}, {"not an op", `[[0,1]]`},
		{"not an op", `[["r"]]`}, {"not an op", `[["r",1,2]]`}, {"not an op", `[["s"]]`}, {"not an op", `[["s",["a"],1,2]]`}, {"not an op", `[["d",["a"],1]]`},
		{"not an op", `[["a",["a"],1]]`}, {"not an op", `[["t",["a"],-1]]`}, {"not an op", `[["t",["a"],0.5]]`}, {"not an op", `[["t",["a"],"1"]]`},
		{"not an op", `[["p",["xs"],-1,0,[]]]`}, {"not an op", `[["p",["xs"],0,null,[]]]`}, {"not an op", `[["p",["xs"],0,0,{}]]`}, {"no previous path", `[["p",["xs"],0,0]]`},
		{"not an op", `[["m",["xs"],0]]`}, {"not an op", `[["m",["xs"],[-1]]]`}, {"not an op", `[["s","a",1]]`}, {"not an op", `[["s",{},1]]`}, {"not an op", `[["s",-1,1]]`},
		{"not an op", `[["s",0.5,1]]`}, {"not an op", `[["s",[-1],1]]`}, {"not an op", `[["s",[0.5],1]]`}, {"not an op", `[["s",[null],1]]`}, {"not an op", `[["s",[["a"]],1]]`},
		{"not an op", `[["#",1]]`}, {"not an op", `[["#",-1,["a"]]]`}, {"not an op", `[["#","1",["a"]]]`}, {"not an op", `[["#",1,"a"]]`}, {"not an op", `[["#",1,["a"],1]]`},
	}},
	{about: "all of a batch or nothing", base: `{"a":1}`, batches: []string{`[["s",["a"],2]]`}, refused: []refusal{
		{"nothing there to change", `[["s",["a"],3],["s",["no","b"],1]]`}, {"not an op", `[["r",0],["s"]]`}, {"reserved segment", `[["d",["a"]],["d",["__proto__"]]]`},
	}},
	{about: "levels", base: `{}`, batches: []string{`[["r",` + nested(goldenLevels) + `]]`}, refused: []refusal{
		{"nested too deep", `[["s",` + zeros(goldenLevels) + `,` + nested(delta.MaxDepth-goldenLevels+1) + `]]`},
		{"nested too deep", `[["p",` + zeros(goldenLevels-1) + `,0,0,[` + nested(delta.MaxDepth-goldenLevels+1) + `]]]`},
		{"nested too deep", `[["d",` + zeros(delta.MaxDepth+1) + `]]`},
	}},
}

// goldenLevels is how deep a value may be that stands in the file, which is read as one value.
const goldenLevels = delta.MaxDepth - 12

// zeros returns a path of n zeros.
func zeros(n int) string { return "[0" + strings.Repeat(",0", n-1) + "]" }
