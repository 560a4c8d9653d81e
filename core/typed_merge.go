package core

import (
	"maps"
	"slices"
	"strings"

	"chordsim/core/delta"
)

// merge returns value after a change that led from before to after, which are what a Go type makes of it: value may have
// fields besides, may lack some that are empty, and may name some in another case. What the change left alone stays as it is.
func merge(value, before, after delta.Value) delta.Value {
	switch {
	case before.Equal(after):
		return value
	case kinds(delta.KindObject, value, before, after):
		return mergeObject(value, before, after)
	case kinds(delta.KindList, value, before, after) && value.Len() == before.Len():
		return mergeList(value, before, after)
	case kinds(delta.KindText, value, before, after):
		return mergeText(value, before, after)
	}
	return after
}

// mergeText does to value what leads from before to after: halves of surrogate pairs are in value alone.
func mergeText(value, before, after delta.Value) delta.Value {
	in := func(text delta.Value) delta.Value { return delta.Object(delta.Field{Key: "text", Value: text}) }
	next, err := delta.Apply(in(value), delta.Diff(in(before), in(after)))
	if err != nil {
		return after
	}
	text, _ := next.Get("text")
	return text
}

func kinds(kind delta.Kind, values ...delta.Value) bool {
	for _, v := range values {
		if v.Kind() != kind {
			return false
		}
	}
	return true
}

func mergeObject(value, before, after delta.Value) delta.Value {
	names := map[string]string{} // the type's names of fields → value's
	for name := range before.Fields() {
		if at, ok := fieldName(value, name); ok {
			names[name] = at
		}
	}
	renamed := map[string]delta.Value{} // by value's names, what they become
	gone := map[string]bool{}
	var added []delta.Field
	for name, is := range after.Fields() {
		was, had := before.Get(name)
		at, ok := names[name]
		if !ok {
			at, ok = fieldName(value, name)
		}
		switch now, _ := value.Get(at); {
		case ok && had:
			renamed[at] = merge(now, was, is)
		case ok:
			renamed[at] = is
		case !had || !was.Equal(is):
			added = append(added, delta.Field{Key: name, Value: is})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if _, stays := after.Get(name); !stays {
			gone[names[name]] = true
		}
	}
	var fields []delta.Field
	for name, now := range value.Fields() {
		if is, ok := renamed[name]; ok {
			now = is
		}
		if !gone[name] {
			fields = append(fields, delta.Field{Key: name, Value: now})
		}
	}
	return delta.Object(append(fields, added...)...)
}

// fieldName returns the name under which an object has a field: the same, or the first that differs in case only.
func fieldName(v delta.Value, name string) (string, bool) {
	if _, ok := v.Get(name); ok {
		return name, true
	}
	for at := range v.Fields() {
		if strings.EqualFold(at, name) {
			return at, true
		}
	}
	return "", false
}

// mergeList pairs the elements at the front and at the end that the change left alone, and those in between from the front.
func mergeList(value, before, after delta.Value) delta.Value {
	front, most := 0, min(before.Len(), after.Len())
	for front < most && element(before, front).Equal(element(after, front)) {
		front++
	}
	end := 0
	for end < most-front && element(before, before.Len()-1-end).Equal(element(after, after.Len()-1-end)) {
		end++
	}
	items := make([]delta.Value, 0, after.Len())
	for i, is := range after.Elements() {
		switch fromEnd := after.Len() - i; {
		case i < front:
			is = element(value, i)
		case fromEnd <= end:
			is = element(value, value.Len()-fromEnd)
		case i < before.Len()-end:
			is = merge(element(value, i), element(before, i), is)
		}
		items = append(items, is)
	}
	return delta.ListOf(items)
}

func element(v delta.Value, i int) delta.Value {
	e, _ := v.Index(i)
	return e
}
