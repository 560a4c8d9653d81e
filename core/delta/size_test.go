package delta

import (
	"math"
	"testing"
)

// Numbers are measured without being written.
func TestNumberJSONLen(t *testing.T) {
	check := func(f float64) {
		if got, want := numberJSONLen(f), len(appendNumber(nil, f)); got != want {
			t.Errorf("%v takes %d bytes, want %d", f, got, want)
		}
	}
	check(math.Copysign(0, -1))
	check(0.5)
	check(-1e300)
	for p := 1.0; p <= 1e17; p *= 10 {
		for d := -2.0; d <= 2; d++ {
			check(p + d)
			check(-p - d)
		}
	}
	for p := 1.0; p <= 1<<60; p *= 2 {
		check(p - 1)
		check(p)
		check(-p)
	}
}

// Values are measured in place as Size and Depth have it.
func TestMeasure(t *testing.T) {
	var b Builder
	for _, v := range []Value{
		Null(), Bool(false), Bool(true), Int(0), Int(-1234), Number(0.25), String(""), String("short"), String("\xed\xa0\x80"), String("größer"),
		b.Text([]byte("x")), b.Text([]byte("größer")), b.Text(make([]byte, 300)), List(), List(List(Int(1))), Object(Field{"a", List()}),
	} {
		if size, depth := v.measure(); size != v.Size() || int(depth) != v.Depth() {
			t.Errorf("%v measures %d, %d deep, want %d, %d", v, size, depth, v.Size(), v.Depth())
		}
	}
}
