package delta_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"chordsim/core/base"
	"chordsim/core/delta"
)

// draws makes random values, those first of all that two implementations are likely to read differently.
type draws struct{ *base.Stream }

func (d draws) below(n int) int  { return int(d.Below(uint64(n))) }
func (d draws) oneIn(n int) bool { return d.below(n) == 0 }

func pick[T any](d draws, list []T) T { return list[d.below(len(list))] }

var (
	allCodes = []delta.Code{delta.OpReplace, delta.OpSet, delta.OpDelete, delta.OpAppend, delta.OpTruncate, delta.OpSplice, delta.OpPermute}
	// Keys that mean something to JavaScript, look like indexes, or are no UTF-8.
	randomKeys = []string{
		"a", "b", "xs", "text", "", "0", "00", "-1", "1e3", "1", "2", "01", "4294967294", "4294967295", "9007199254740991", "9007199254740993",
		"toString", "length", "hasOwnProperty", "日本", "😀", "\xed\xa0\xbd", "\xed\xb8\x80", "a\x00b", "\u2028", `"\`,
	}
	reservedKeys  = []string{"__proto__", "constructor", "prototype"}
	randomNumbers = []float64{
		0, math.Copysign(0, -1), 1, -1, 7, 0.1, -1.5, 1 << 31, 1 << 53, 1<<53 + 2, -(1 << 53), 1e20, 1e21, 1e-6, 1e-7, 5e-324, math.MaxFloat64,
		0x1p-1022, 123456789012345680000, 4.35, math.Pi,
	}
	// Joined in any order, so that pairs are split and joined.
	randomFragments = [][]uint16{
		units("a"), units("line\n"), units(" tok"), units("the quick brown fox "), units("é"), units("e\u0301"), units("日本語"), units("😀"),
		{0xd83d}, {0xde00}, {0xde00, 0xd83d}, units("👩\u200d👩\u200d👧"), units("🇩🇪"), {0}, {0x1f}, {0x7f}, units(`"`), units(`\`), {0xfeff}, {0xfffd},
		{0xffff}, {0x2028}, units("</script>"), nil,
	}
)

func units(s string) []uint16 { return delta.NewText(s).Units() }

func (d draws) text() delta.Text {
	var u []uint16
	for range d.below(6) {
		u = append(u, pick(d, randomFragments)...)
	}
	if d.oneIn(20) {
		u = append(u, units(fmt.Sprintf("%0*d", 1+d.below(3000), 7))...)
	}
	return delta.TextFromUTF16(u)
}

// value returns a value of at most so many levels, but now and then one that is deep.
func (d draws) value(depth int) delta.Value {
	if d.oneIn(200) {
		return d.chain(d.below(100))
	}
	kinds := 5
	if depth > 0 {
		kinds = 8
	}
	switch d.below(kinds) {
	case 0:
		return pick(d, []delta.Value{delta.Null(), delta.Bool(true), delta.Bool(false)})
	case 1:
		if d.oneIn(2) {
			return delta.Number(float64(d.below(4000)) / 4)
		}
		return delta.Number(pick(d, randomNumbers))
	case 2, 3, 4:
		return delta.TextValue(d.text())
	case 5, 6:
		return delta.List(d.values(5, depth-1)...)
	}
	var fields []delta.Field
	for range d.below(6) {
		key := pick(d, randomKeys)
		if d.oneIn(12) {
			key = pick(d, reservedKeys)
		}
		fields = append(fields, delta.Field{Key: key, Value: d.value(depth - 1)})
	}
	return delta.Object(fields...)
}

func (d draws) values(most, depth int) []delta.Value {
	list := make([]delta.Value, d.below(most+1))
	for i := range list {
		list[i] = d.value(depth)
	}
	return list
}

// chain returns n containers, each in the other.
func (d draws) chain(n int) delta.Value {
	v := delta.TextValue(d.text())
	for range n {
		if d.oneIn(2) {
			v = delta.List(v)
		} else {
			v = delta.Object(delta.Field{Key: pick(d, randomKeys), Value: v})
		}
	}
	return v
}

// document returns a value to be the root.
func (d draws) document() delta.Value {
	switch {
	case d.oneIn(5):
		return delta.List(d.values(6, 3)...)
	case d.oneIn(10):
		return d.chain(450 + d.below(40))
	}
	return delta.Object(
		delta.Field{Key: pick(d, randomKeys), Value: d.value(3)}, delta.Field{Key: "text", Value: delta.TextValue(d.text())},
		delta.Field{Key: "xs", Value: delta.List(d.values(6, 1)...)}, delta.Field{Key: "o", Value: d.value(3)},
	)
}

// place returns a place in v and what is there. No reserved key is on its path.
func (d draws) place(v delta.Value) (delta.Path, delta.Value) {
	p := delta.Path{}
	for v.Len() > 0 && !d.oneIn(4) {
		switch v.Kind() {
		case delta.KindList:
			i := d.below(v.Len())
			p = append(p, delta.Index(i))
			v, _ = v.Index(i)
			continue
		case delta.KindObject:
			var keys []string
			for key := range v.Fields() {
				if !slices.Contains(reservedKeys, key) {
					keys = append(keys, key)
				}
			}
			if len(keys) == 0 {
				return p, v
			}
			key := pick(d, keys)
			p = append(p, d.segment(key))
			v, _ = v.Get(key)
			continue
		}
		return p, v
	}
	return p, v
}

// segment returns the segment of a key: now and then the index with that decimal form.
func (d draws) segment(key string) delta.Segment {
	n, err := strconv.ParseUint(key, 10, 53)
	if err == nil && strconv.FormatUint(n, 10) == key && d.oneIn(2) {
		return delta.Index(int(n))
	}
	return delta.Key(key)
}

// op returns an op that v takes.
func (d draws) op(v delta.Value) delta.Op {
	p, at := d.place(v)
	if d.oneIn(60) || len(p) == 0 && at.Kind() != delta.KindList && at.Kind() != delta.KindObject {
		return delta.Replace(d.document())
	}
	if len(p) > 0 && d.oneIn(6) {
		if d.oneIn(2) {
			return delta.Op{Code: delta.OpSet, Path: p, Value: d.value(2)}
		}
		return delta.Op{Code: delta.OpDelete, Path: p}
	}
	switch at.Kind() {
	case delta.KindText:
		if d.oneIn(3) {
			return delta.Op{Code: delta.OpTruncate, Path: p, N: d.below(at.Len() + 3)}
		}
		return delta.Op{Code: delta.OpAppend, Path: p, Text: d.text()}
	case delta.KindList:
		return d.listOp(p, at)
	case delta.KindObject:
		p = append(p, d.segment(pick(d, randomKeys)))
		if d.oneIn(3) {
			return delta.Op{Code: delta.OpDelete, Path: p} // of what may be missing
		}
	}
	return delta.Op{Code: delta.OpSet, Path: p, Value: d.value(3)}
}

// listOp returns an op that changes the list at p.
func (d draws) listOp(p delta.Path, list delta.Value) delta.Op {
	n := list.Len()
	switch d.below(6) {
	case 0, 1:
		return delta.Op{Code: delta.OpSplice, Path: p, N: d.below(n + 4), Remove: d.below(n + 4), Items: d.values(3, 2)}
	case 2:
		return delta.Op{Code: delta.OpPermute, Path: p, Perm: d.permutation(n)}
	case 3:
		return delta.Op{Code: delta.OpSet, Path: append(p, delta.Index(n)), Value: d.value(2)}
	case 4:
		if n > 0 {
			return delta.Op{Code: delta.OpDelete, Path: append(p, delta.Index(d.below(n)))}
		}
	}
	return delta.Op{Code: delta.OpSplice, Path: p, N: n, Items: d.values(3, 2)}
}

func (d draws) permutation(n int) []int {
	perm := make([]int, n)
	for i := range perm {
		j := d.below(i + 1)
		perm[i], perm[j] = perm[j], i
	}
	return perm
}
