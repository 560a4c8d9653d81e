package delta

import (
	"maps"
	"slices"
	"strconv"

	"pgregory.net/rapid"
)

// The model: plain Go values that are copied on every change. Text is []uint16, a list []any, an object map[string]any.

// modelValue makes the value of a model.
func modelValue(m any) Value {
	switch m := m.(type) {
	case []uint16:
		return TextValue(TextFromUTF16(m))
	case []any:
		items := make([]Value, len(m))
		for i, e := range m {
			items[i] = modelValue(e)
		}
		return ListOf(items)
	case map[string]any:
		var fields []Field
		for _, key := range slices.Sorted(maps.Keys(m)) {
			fields = append(fields, Field{key, modelValue(m[key])})
		}
		return Object(fields...)
	}
	v, err := FromGo(m)
	if err != nil {
		panic(err)
	}
	return v
}

// modelApply returns the model after an op. ok is false if it is refused.
func modelApply(m any, path Path, o Op, items []any) (out any, ok bool) {
	if o.Code == OpReplace {
		return items[0], true
	}
	if slices.ContainsFunc(path, Segment.reserved) {
		return nil, false
	}
	if len(path) == 0 {
		return modelTarget(m, o, items)
	}
	seg, last := path[0], len(path) == 1
	switch m := m.(type) {
	case []any:
		i := seg.Index()
		switch {
		case !seg.IsIndex() || i > len(m) || i == len(m) && !(last && o.Code == OpSet):
			return nil, false
		case last && o.Code == OpSet:
			return slices.Concat(m[:i], []any{items[0]}, m[min(i+1, len(m)):]), true
		case last && o.Code == OpDelete:
			return slices.Concat(m[:i], m[i+1:]), true
		}
		child, ok := modelApply(m[i], path[1:], o, items)
		return slices.Concat(m[:i], []any{child}, m[i+1:]), ok
	case map[string]any:
		key := seg.Key()
		if seg.IsIndex() {
			key = strconv.Itoa(seg.Index())
		}
		out := maps.Clone(m)
		child, there := m[key]
		switch {
		case last && o.Code == OpSet:
			out[key] = items[0]
			return out, true
		case last && o.Code == OpDelete:
			delete(out, key)
			return out, true
		case !there:
			return nil, false
		}
		child, ok := modelApply(child, path[1:], o, items)
		out[key] = child
		return out, ok
	}
	return nil, false
}

func modelTarget(m any, o Op, items []any) (any, bool) {
	switch m := m.(type) {
	case []uint16:
		switch o.Code {
		case OpAppend:
			return slices.Concat(m, o.Text.Units()), true
		case OpTruncate:
			return m[min(o.N, len(m)):], true
		}
	case []any:
		switch o.Code {
		case OpSplice:
			at := min(o.N, len(m))
			end := at + min(o.Remove, len(m)-at)
			return slices.Concat(m[:at], items, m[end:]), true
		case OpPermute:
			if len(o.Perm) != len(m) {
				return nil, false
			}
			out := make([]any, len(m))
			for i, n := range o.Perm {
				out[i] = m[n]
			}
			return out, true
		}
	}
	return nil, false
}

var (
	modelKeys  = []string{"a", "b", "xs", "0", "1", "2", "01", "日", "\xed\xa0\xbd", "", "constructor"}
	modelUnits = []uint16{'a', 'b', '"', '\n', 0, 0x7f, 0xe4, 0x65e5, 0xd83d, 0xde00, 0xd83d, 0xde00, 0xffff}
)

func drawUnits(t *rapid.T, most int) []uint16 {
	n := rapid.IntRange(0, most).Draw(t, "units")
	units := make([]uint16, n)
	ascii := rapid.Bool().Draw(t, "ascii")
	for i := range units {
		if ascii {
			units[i] = uint16('a' + i%26)
		} else {
			units[i] = rapid.SampledFrom(modelUnits).Draw(t, "unit")
		}
	}
	return units
}

func drawModel(t *rapid.T, depth int) any {
	kind := rapid.IntRange(0, 6).Draw(t, "kind")
	if depth == 0 {
		kind %= 4
	}
	switch kind {
	case 0:
		return nil
	case 1:
		return rapid.Bool().Draw(t, "bool")
	case 2:
		return float64(rapid.IntRange(-3, 300).Draw(t, "number")) / 4
	case 3:
		return drawUnits(t, 6)
	case 4, 5:
		list := make([]any, rapid.IntRange(0, 4).Draw(t, "elements"))
		for i := range list {
			list[i] = drawModel(t, depth-1)
		}
		return list
	}
	object := map[string]any{}
	for range rapid.IntRange(0, 4).Draw(t, "fields") {
		object[rapid.SampledFrom(modelKeys).Draw(t, "key")] = drawModel(t, depth-1)
	}
	return object
}

// drawPath walks into a model, and now and then beside it.
func drawPath(t *rapid.T, m any) (Path, any) {
	var p Path
	for rapid.IntRange(0, 5).Draw(t, "deeper") > 0 {
		switch x := m.(type) {
		case []any:
			i := rapid.IntRange(0, len(x)).Draw(t, "index")
			p, m = append(p, Index(i)), nil
			if i < len(x) {
				m = x[i]
			}
		case map[string]any:
			key := rapid.SampledFrom(append(slices.Sorted(maps.Keys(x)), modelKeys...)).Draw(t, "key")
			m = x[key]
			seg := Key(key)
			if i, err := strconv.Atoi(key); err == nil && key == strconv.Itoa(i) && rapid.Bool().Draw(t, "as index") {
				seg = Index(i)
			}
			p = append(p, seg)
		default:
			return p, m
		}
	}
	return p, m
}

// drawOp draws an op for a model, mostly one that fits, and the models of what it puts in.
func drawOp(t *rapid.T, m any) (Op, []any) {
	p, at := drawPath(t, m)
	codes := []Code{OpSet, OpDelete}
	switch at.(type) {
	case []uint16:
		codes = append(codes, OpAppend, OpAppend, OpAppend, OpTruncate)
	case []any:
		codes = append(codes, OpSplice, OpSplice, OpSplice, OpPermute)
	}
	if rapid.IntRange(0, 19).Draw(t, "any code") == 0 {
		codes = []Code{OpReplace, OpSet, OpDelete, OpAppend, OpTruncate, OpSplice, OpPermute}
	}
	o := Op{Code: rapid.SampledFrom(codes).Draw(t, "code"), Path: p}
	var items []any
	switch o.Code {
	case OpReplace, OpSet:
		items = []any{drawModel(t, 2)}
		o.Value = maybePacked(t, modelValue(items[0]))
		if o.Code == OpReplace {
			o.Path = nil
		}
	case OpAppend:
		o.Text = TextFromUTF16(drawUnits(t, 4))
	case OpTruncate:
		o.N = rapid.IntRange(0, 4).Draw(t, "n")
	case OpSplice:
		list, _ := at.([]any)
		o.N = len(list)
		if rapid.IntRange(0, 2).Draw(t, "inside") == 0 {
			o.N = rapid.IntRange(0, len(list)+2).Draw(t, "at")
			o.Remove = rapid.IntRange(0, 2).Draw(t, "remove")
		}
		for range rapid.IntRange(0, 2).Draw(t, "items") {
			item := drawModel(t, 1)
			items = append(items, item)
			o.Items = append(o.Items, maybePacked(t, modelValue(item)))
		}
	case OpPermute:
		list, _ := at.([]any)
		perm := make([]int, len(list))
		for i := range perm {
			perm[i] = i
		}
		o.Perm = rapid.Permutation(perm).Draw(t, "perm")
	}
	return o, items
}
