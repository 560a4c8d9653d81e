package delta

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// ErrGoType says that a Go value has a type that makes no JSON value.
var ErrGoType = errors.New("delta: no JSON value of this Go type")

// FromGo returns the value of nil, a bool, any integer or float, a string, a [Text], a [Value], or a slice or map with string keys
// of such ([]any, []Value, []string, map[string]any, map[string]Value). Maps give their keys in sorted order. Integers beyond 2^53
// become the nearest double. Any other type is an error that wraps [ErrGoType]; more than [MaxDepth] levels one that wraps
// [ErrDepth].
func FromGo(x any) (Value, error) { return fromGo(x, MaxDepth) }

func fromGo(x any, depth int) (Value, error) {
	switch x := x.(type) {
	case nil:
		return Value{}, nil
	case Value:
		return x, nil
	case Text:
		return TextValue(x), nil
	case bool:
		return Bool(x), nil
	case string:
		return String(x), nil
	case []any, []Value, []string, map[string]any, map[string]Value:
		if depth == 0 {
			return Value{}, fmt.Errorf("%w: more than %d levels of a Go value", ErrDepth, MaxDepth)
		}
		return fromGoContainer(x, depth-1)
	}
	if f, ok := goNumber(x); ok {
		return Number(f), nil
	}
	return Value{}, fmt.Errorf("%w: %T", ErrGoType, x)
}

func fromGoContainer(x any, depth int) (Value, error) {
	switch x := x.(type) {
	case []Value:
		return List(x...), nil
	case []any:
		return fromGoList(x, depth)
	case []string:
		return fromGoList(x, depth)
	case map[string]any:
		return fromGoMap(x, depth)
	case map[string]Value:
		return fromGoMap(x, depth)
	}
	return Value{}, fmt.Errorf("%w: %T", ErrGoType, x)
}

func fromGoList[E any](x []E, depth int) (Value, error) {
	items := make([]Value, len(x))
	for i, e := range x {
		v, err := fromGo(e, depth)
		if err != nil {
			return Value{}, err
		}
		items[i] = v
	}
	return ListOf(items), nil
}

func fromGoMap[E any](x map[string]E, depth int) (Value, error) {
	fields := make([]Field, 0, len(x))
	for _, key := range slices.Sorted(maps.Keys(x)) {
		v, err := fromGo(x[key], depth)
		if err != nil {
			return Value{}, err
		}
		fields = append(fields, Field{key, v})
	}
	return Object(fields...), nil
}

func goNumber(x any) (float64, bool) {
	switch x := x.(type) {
	case int:
		return float64(x), true
	case int8:
		return float64(x), true
	case int16:
		return float64(x), true
	case int32:
		return float64(x), true
	case int64:
		return float64(x), true
	case uint:
		return float64(x), true
	case uint8:
		return float64(x), true
	case uint16:
		return float64(x), true
	case uint32:
		return float64(x), true
	case uint64:
		return float64(x), true
	case float32:
		return float64(x), true
	case float64:
		return x, true
	}
	return 0, false
}
