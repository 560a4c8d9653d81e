package delta_test

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"chordsim/core/delta"
)

// orders counts in what order the peer's values had their fields. The order is no part of a value; it is only reported.
type orders struct {
	same, indexes, other int
	first                string // the first that is in another order
}

// count compares the orders of two equal values.
func (o *orders) count(theirs, ours delta.Value) {
	switch text := theirs.String(); text {
	case ours.String():
		o.same++
	case indexesFirst(ours).String():
		o.indexes++
	default:
		if o.other++; o.first == "" {
			o.first = fmt.Sprintf(", first\n  %s\n  %s", text, ours)
		}
	}
}

// String says what was counted.
func (o *orders) String() string {
	return fmt.Sprintf("fields in our order in %d values, with indexes first in %d, in another order in %d%s", o.same, o.indexes, o.other, o.first)
}

// indexesFirst returns the value with the fields of its objects as JavaScript orders them: keys that are array indexes
// by their number, then the others as they came.
func indexesFirst(v delta.Value) delta.Value {
	switch v.Kind() {
	case delta.KindList:
		var items []delta.Value
		for _, e := range v.Elements() {
			items = append(items, indexesFirst(e))
		}
		return delta.List(items...)
	case delta.KindObject:
		var fields []delta.Field
		for key, e := range v.Fields() {
			fields = append(fields, delta.Field{Key: key, Value: indexesFirst(e)})
		}
		slices.SortStableFunc(fields, func(a, b delta.Field) int { return cmp.Compare(indexRank(a.Key), indexRank(b.Key)) })
		return delta.Object(fields...)
	}
	return v
}

// indexRank returns the number of a key that is an array index, and the same large number for any other.
func indexRank(key string) uint64 {
	const maxIndex = 1<<32 - 2
	n, err := strconv.ParseUint(key, 10, 32)
	if err != nil || n > maxIndex || strconv.FormatUint(n, 10) != key {
		return maxIndex + 1
	}
	return n
}

func TestOrders(t *testing.T) {
	cases := []struct{ theirs, ours, want string }{
		{`{"b":1,"a":2}`, `{"b":1,"a":2}`, "{1 0 0}"},
		{`[{"1":1,"10":2,"b":3,"a":4,"01":5}]`, `[{"b":3,"10":2,"a":4,"1":1,"01":5}]`, "{0 1 0}"},
		{`{"b":1,"4294967295":2}`, `{"b":1,"4294967295":2}`, "{1 0 0}"},
		{`{"a":2,"b":1}`, `{"b":1,"a":2}`, "{0 0 1}"},
	}
	for _, c := range cases {
		theirs, err := delta.ParseJSON([]byte(c.theirs))
		if err != nil {
			t.Fatal(err)
		}
		ours, err := delta.ParseJSON([]byte(c.ours))
		if err != nil {
			t.Fatal(err)
		}
		var o orders
		o.count(theirs, ours)
		if got := fmt.Sprintf("{%d %d %d}", o.same, o.indexes, o.other); got != c.want {
			t.Errorf("%s against %s: %s, want %s", c.theirs, c.ours, got, c.want)
		}
	}
}
