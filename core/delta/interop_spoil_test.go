package delta_test

import (
	"slices"

	"chordsim/core/delta"
)

// spoiledBatch returns a batch for v that has one mistake or more, or none for once, and its form.
func (d draws) spoiledBatch(v delta.Value) (text, form string) {
	form = pick(d, []string{"wire", "wire", "ops"})
	var ops []delta.Op
	for now := v; len(ops) < 1+d.below(4); {
		op := d.op(now)
		next, err := delta.Apply(now, []delta.Op{op})
		if err != nil || next.Depth() > deepDocument {
			break
		}
		now = next
		ops = append(ops, op)
	}
	text = string(delta.AppendOpsJSON(nil, ops))
	if form == "wire" {
		var encoder delta.WireEncoder
		text = string(encoder.AppendJSON(nil, ops))
	}
	if d.oneIn(6) {
		return d.spoiledText(text), form
	}
	batch, err := delta.ParseJSON([]byte(text))
	if err != nil {
		return text, form // ops that nest deeper than a value may
	}
	tuples := elements(batch)
	for range 1 + d.below(2) {
		if len(tuples) == 0 || d.oneIn(10) {
			tuples = slices.Insert(tuples, d.below(len(tuples)+1), pick(d, strayTuples))
			continue
		}
		i := d.below(len(tuples))
		tuples[i] = d.spoiledTuple(tuples[i])
	}
	return delta.List(tuples...).String(), form
}

// spoiledText changes one byte. One of ASCII, so that the text stays UTF-8.
func (d draws) spoiledText(text string) string {
	for range 100 {
		i := d.below(len(text))
		if text[i] >= 0x80 {
			continue
		}
		with := string(pick(d, []byte(`[]{},:"\-+0123.eE tnu`)))
		switch d.below(3) {
		case 0:
			return text[:i] + text[i+1:]
		case 1:
			return text[:i] + with + text[i:]
		}
		return text[:i] + with + text[i+1:]
	}
	return text
}

func elements(v delta.Value) (list []delta.Value) {
	for _, e := range v.Elements() {
		list = append(list, e)
	}
	return list
}

func parsed(texts ...string) (list []delta.Value) {
	for _, text := range texts {
		v, err := delta.ParseJSON([]byte(text))
		if err != nil {
			panic(err)
		}
		list = append(list, v)
	}
	return list
}

var (
	// Tuples that are wrong, or are wrong in most places.
	strayTuples = parsed(`["d"]`, `["s",1]`, `["a",""]`, `["t",1]`, `["p",0,0,[]]`, `["m",[]]`, `["m",[0]]`, `["d",0]`, `["s",7,1]`, `["#",0,["a"]]`,
		`["#",0,[]]`, `["#",1,["__proto__"]]`, `["#",1,["xs",0]]`, `["a",[],"x"]`, `["s",[],1]`, `["d",[]]`, `["t",[],0]`, `["p",[],0,0,[]]`, `["m",[],[]]`, `[]`,
		`["r"]`, `["r",1,2]`, `7`, `"r"`, `null`, `{}`, `["q",["a"],1]`, `["R",1]`, `["r",{"__proto__":{"constructor":1}}]`)
	// What stands in the place of something else.
	strayValues = parsed(`null`, `true`, `-1`, `0`, `1`, `0.5`, `2`, `9007199254740991`, `9007199254740992`, `1e21`, `5e-324`, `""`, `"a"`, `"0"`, `"s"`, `"#"`,
		`[]`, `["a"]`, `["xs",0]`, `["xs","0"]`, `["text"]`, `["text",0]`, `["__proto__"]`, `["a","constructor"]`, `["prototype","a"]`, `{}`, `{"length":0}`,
		`[0]`, `[1,0]`, `[0,0]`, `[0,1,2]`, `[-1]`, `[0.5]`, `[null]`, `[[]]`, `["toString"]`, `["length"]`, `["hasOwnProperty","call"]`)
	straySegments = parsed(`"__proto__"`, `"constructor"`, `"prototype"`, `"toString"`, `"length"`, `"0"`, `"-1"`, `"a"`, `"missing"`, `""`, `0`, `1`, `99`, `4294967295`,
		`9007199254740992`, `1e21`, `-1`, `0.5`, `null`, `true`, `[]`, `{}`)
)

// spoiledTuple changes one element of a tuple, or how many there are, or what the op is.
func (d draws) spoiledTuple(tuple delta.Value) delta.Value {
	list := elements(tuple)
	if len(list) == 0 {
		return pick(d, strayTuples)
	}
	i := d.below(len(list))
	switch d.below(12) {
	case 0:
		return delta.List(slices.Delete(list, i, i+1)...)
	case 1:
		return delta.List(slices.Insert(list, i, pick(d, strayValues))...)
	case 2:
		list[0] = delta.String(pick(d, allCodes).String())
		return delta.List(list...)
	case 3:
		list[i] = pick(d, strayValues)
		return delta.List(list...)
	case 4, 5: // another op, which is one
		list = append(slices.Clone(list[:min(len(list), 2)]), elements(pick(d, otherArguments))...)
		list[0], list = list[len(list)-1], list[:len(list)-1]
		return delta.List(list...)
	}
	lists := []int{}
	for j, e := range list {
		if e.Kind() == delta.KindList {
			lists = append(lists, j)
		}
	}
	if len(lists) > 0 {
		j := pick(d, lists)
		list[j] = d.spoiledList(list[j])
	}
	return delta.List(list...)
}

// otherArguments are what follows the path of an op, and then its code.
var otherArguments = parsed(`[1,"s"]`, `["d"]`, `["x","a"]`, `[1,"t"]`, `[0,1,[],"p"]`, `[[],"m"]`, `[[0],"m"]`, `[[1,0],"m"]`)

// spoiledList changes a path, a permutation or the items of a splice.
func (d draws) spoiledList(path delta.Value) delta.Value {
	list := elements(path)
	i := d.below(len(list) + 1)
	switch {
	case i == len(list) || d.oneIn(3):
		list = slices.Insert(list, i, pick(d, straySegments))
	case d.oneIn(3):
		list = slices.Delete(list, i, i+1)
	case d.oneIn(2) && list[i].Kind() == delta.KindNumber:
		list[i] = delta.Int(d.below(2 * len(list)))
	default:
		list[i] = pick(d, straySegments)
	}
	return delta.List(list...)
}
