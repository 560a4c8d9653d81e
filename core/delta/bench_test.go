package delta

import (
	"fmt"
	"strings"
	"testing"
)

var benchSizes = []int{1_000, 1_000_000}

func numbers(n int) Value {
	items := make([]Value, n)
	for i := range items {
		items[i] = Int(i)
	}
	return ListOf(items)
}

func wideObject(n int) Value {
	fields := make([]Field, n)
	for i := range fields {
		fields[i] = Field{fmt.Sprintf("key%07d", i), Int(i)}
	}
	return Object(fields...)
}

// benchApply applies a batch again and again: to what came of it if grow, else to the same base.
func benchApply(b *testing.B, base Value, grow bool, op func(i int) Op) {
	b.ReportAllocs()
	v := base
	i := 0
	for b.Loop() {
		next, err := Apply(v, []Op{op(i)})
		if err != nil {
			b.Fatal(err)
		}
		if i++; grow {
			v = next
		}
	}
}

func BenchmarkListAppend(b *testing.B) {
	for _, n := range benchSizes {
		base := Object(Field{"xs", numbers(n)})
		b.Run(fmt.Sprintf("newest/n=%d", n), func(b *testing.B) {
			size := n
			benchApply(b, base, true, func(i int) Op {
				size++
				return Op{Code: OpSplice, Path: Path{Key("xs")}, N: size - 1, Items: []Value{Int(i)}}
			})
		})
		b.Run(fmt.Sprintf("old/n=%d", n), func(b *testing.B) {
			benchApply(b, base, false, func(i int) Op {
				return Op{Code: OpSplice, Path: Path{Key("xs")}, N: n, Items: []Value{Int(i)}}
			})
		})
	}
}

func BenchmarkTextAppend(b *testing.B) {
	tok := NewText(" tok")
	for _, n := range benchSizes {
		base := Object(Field{"s", String(strings.Repeat("x", n))})
		op := Op{Code: OpAppend, Path: Path{Key("s")}, Text: tok}
		b.Run(fmt.Sprintf("newest/n=%d", n), func(b *testing.B) { benchApply(b, base, true, func(int) Op { return op }) })
		b.Run(fmt.Sprintf("old/n=%d", n), func(b *testing.B) { benchApply(b, base, false, func(int) Op { return op }) })
	}
}

func BenchmarkTextWindow(b *testing.B) {
	for _, n := range benchSizes {
		v := String(strings.Repeat("x", n))
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			t := v.Text()
			for b.Loop() {
				t = t.Slice(4, t.Len()).AppendString(" tok")
			}
		})
	}
}

func BenchmarkFieldChange(b *testing.B) {
	for _, n := range []int{10, 1_000, 1_000_000} {
		base := wideObject(n)
		keys := make([]Path, 97)
		for i := range keys {
			keys[i] = PathOf(fmt.Sprintf("key%07d", i*7919%n))
		}
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			benchApply(b, base, true, func(i int) Op { return Op{Code: OpSet, Path: keys[i%len(keys)], Value: Int(i)} })
		})
	}
}

func BenchmarkMiddleSplice(b *testing.B) {
	for _, n := range benchSizes {
		base := numbers(n)
		b.Run(fmt.Sprintf("insert/n=%d", n), func(b *testing.B) {
			benchApply(b, base, true, func(i int) Op { return Op{Code: OpSplice, N: n / 2, Items: []Value{Int(i)}} })
		})
		b.Run(fmt.Sprintf("replace100/n=%d", n), func(b *testing.B) {
			hundred := make([]Value, 100)
			benchApply(b, base, true, func(int) Op { return Op{Code: OpSplice, N: n / 3, Remove: 100, Items: hundred} })
		})
	}
}

func BenchmarkHashAfterAppend(b *testing.B) {
	for _, n := range benchSizes {
		v := Object(Field{"s", String(strings.Repeat("x", n))}, Field{"xs", numbers(n)})
		v.Hash()
		ops := []Op{{Code: OpAppend, Path: Path{Key("s")}, Text: NewText(" tok")}, {Code: OpSet, Path: PathOf("xs", n/2), Value: Int(1)}}
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				v, _ = Apply(v, ops)
				v.Hash()
			}
		})
	}
}

func BenchmarkFoldTokens(b *testing.B) {
	b.ReportAllocs()
	base := Object(Field{"reply", String("")}, Field{"pad", String(strings.Repeat("x", 500_000))})
	ops := []Op{{Code: OpAppend, Path: Path{Key("reply")}, Text: NewText(" tok")}}
	var f Fold
	v := base
	for i := 0; b.Loop(); i++ {
		if i%6000 == 0 {
			f.Reset()
			v = base
		}
		v, _ = Apply(v, ops)
		f.Add(ops, v)
	}
}

// viewJSON is a view of about 500 KB: entries with short texts.
func viewJSON() []byte {
	dst := []byte(`{"entries":[`)
	for i := range 4000 {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = fmt.Appendf(dst, `{"id":"e%d","author":"ada","at":%d,"text":"an entry of some eighty characters, as people write them in notes: %d"}`, i, 1700000000+i, i)
	}
	return append(dst, `],"reply":""}`...)
}

func BenchmarkParseJSON(b *testing.B) {
	in := viewJSON()
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseJSON(in); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendJSON(b *testing.B) {
	v, err := ParseJSON(viewJSON())
	if err != nil {
		b.Fatal(err)
	}
	var out []byte
	b.ReportAllocs()
	for b.Loop() {
		out = AppendJSON(out[:0], v)
	}
	b.SetBytes(int64(len(out)))
}
