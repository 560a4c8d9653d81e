package delta

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// goEntry is one entry of a map, with the text of its key.
type goEntry struct {
	key   string
	value reflect.Value
}

func (r *goReader) mapping(g *goType, v reflect.Value, depth int) (Value, *GoError) {
	entries, err := mapEntries(g, v)
	if err != nil {
		return Value{}, err
	}
	names, vals := make([]string, len(entries)), make([]Value, len(entries))
	for i, e := range entries {
		if names[i] = e.key; i > 0 && e.key == entries[i-1].key {
			return goFail(g, fmt.Errorf("%w: two keys are %q", ErrGoValue, e.key))
		}
		if vals[i], err = r.value(g.elem, e.value, depth, false); err != nil {
			err.below("[" + strconv.Quote(e.key) + "]")
			return Value{}, err
		}
	}
	return objectOf(newShape(names), vals), nil
}

// mapEntries returns the entries of a map in the order of their keys' texts.
func mapEntries(g *goType, v reflect.Value) ([]goEntry, *GoError) {
	entries := make([]goEntry, 0, v.Len())
	var failed *GoError // of several the one that reads first, since maps have no order
	for it := v.MapRange(); it.Next(); {
		key, err := keyText(g, it.Key())
		if err != nil && (failed == nil || err.Error() < failed.Error()) {
			failed = err
		}
		entries = append(entries, goEntry{canonical(key), it.Value()})
	}
	if failed != nil {
		return nil, failed
	}
	slices.SortStableFunc(entries, func(a, b goEntry) int { return strings.Compare(a.key, b.key) })
	return entries, nil
}

// keyText returns the text of a key.
func keyText(g *goType, key reflect.Value) (string, *GoError) {
	if key.Kind() == reflect.String {
		return key.String(), nil
	}
	if g.key.marshalsText {
		if key.Kind() == reflect.Pointer && key.IsNil() {
			return "", nil
		}
		if m, ok := key.Interface().(textMarshaler); ok {
			b, err := m.MarshalText()
			if err != nil {
				_, e := goFail(g, ofMethod(err))
				return "", e
			}
			return string(b), nil
		}
	}
	switch g.key.way {
	case wayInt:
		return strconv.FormatInt(key.Int(), 10), nil
	case wayUint:
		return strconv.FormatUint(key.Uint(), 10), nil
	}
	_, e := goFail(g, ErrGoType)
	return "", e
}
