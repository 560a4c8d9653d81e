package delta

import (
	"strings"
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

// What a builder makes is equal to what the constructors make, whatever came before it in its blocks.
func TestBuilderMakesWhatTheConstructorsMake(t *testing.T) {
	keys, err := NewKeys("a", "b")
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		var b Builder
		var made, want []Value
		for range rapid.IntRange(1, 300).Draw(t, "values") {
			others := rapid.IntRange(0, 300).Draw(t, "others")
			text := rapid.OneOf(
				rapid.StringMatching(`[a-z]{0,14}`), rapid.String(), rapid.StringMatching(`[a-z]{30,40}`),
				rapid.Just(strings.Repeat("x", textLeafLimit+1)), rapid.SampledFrom([]string{"\xed\xa0\x80", "\xff", "é\x00"}),
			).Draw(t, "text")
			b.Expect(others)
			values := b.Values(2)
			values[0], values[1] = b.Text([]byte(text)), Number(float64(len(made)))
			made = append(made, b.Object(keys, values), TextValue(b.NewText([]byte(text))))
			want = append(want, ObjectOf(keys, []Value{String(text), Number(float64(len(want)))}), String(text))
		}
		for i := range made {
			if !made[i].Equal(want[i]) || made[i].Hash() != want[i].Hash() || made[i].Size() != want[i].Size() || made[i].Depth() != want[i].Depth() {
				t.Fatalf("value %d is %v, want %v", i, made[i], want[i])
			}
		}
	})
}

// A value of a builder changes as any other does, and its neighbours in the block stay as they were.
func TestBuilderValuesDoNotShareRoom(t *testing.T) {
	var b Builder
	first := b.Text([]byte("first"))
	second := b.TextIn([]byte("a second one"), 2, 8)
	if got := first.Text().AppendString(" and more").String(); got != "first and more" {
		t.Errorf("appended: %q", got)
	}
	if got := second.Text().String(); got != "second" {
		t.Errorf("the neighbour is %q", got)
	}
	one, two := b.Values(2), b.Values(2)
	_ = append(one, Number(9))
	if !two[0].IsNull() {
		t.Error("an append to one slice went into the next")
	}
}

// A short text does not keep the message that it was read from.
func TestBuilderCopiesShortTexts(t *testing.T) {
	var b Builder
	b.Text([]byte(strings.Repeat("y", 20)))
	message := []byte("short")
	text, value := b.NewText(message), b.Text(message)
	copy(message, "XXXXX")
	if text.String() != "short" || value.Text().String() != "short" {
		t.Errorf("a short text is a view: %q, %v", text, value)
	}
}

// Runs and short lists are the lists that ListOf makes.
func TestBuilderLists(t *testing.T) {
	var b Builder
	for _, n := range []int{0, 1, listLeafLimit, listLeafLimit + 1, 10*listLeafLimit + 7} {
		want := numbers(n)
		at, runs := 0, NewRuns(n)
		for run := runs.Next(); run != nil; run = runs.Next() {
			if len(run) > listLeafLimit {
				t.Errorf("a run of %d", len(run))
			}
			for i := range run {
				run[i] = Int(at)
				at++
			}
		}
		short := b.Values(n)
		for i := range short {
			short[i] = Int(i)
		}
		for _, got := range []Value{runs.List(), b.List(short)} {
			if !got.Equal(want) || got.Size() != want.Size() || got.Depth() != want.Depth() || got.Hash() != want.Hash() {
				t.Errorf("%d elements: %v", n, got)
			}
			more, err := Apply(got, []Op{{Code: OpSplice, N: n, Items: []Value{Int(n)}}})
			if err != nil || !more.Equal(numbers(n+1)) || got.Len() != n {
				t.Errorf("%d elements and one: %v (%v)", n, more, err)
			}
		}
	}
}

// What is not to come takes no memory, whatever came before.
func TestBuilderTakesNoMoreThanIsExpected(t *testing.T) {
	keys, err := NewKeys("a", "b", "c", "d")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{1, 2, 7, 100, 1000} {
		took := leastBytes(func() {
			var b Builder
			for i := range n {
				b.Expect(n - 1 - i)
				b.Object(keys, b.Fields(4))
			}
		})
		const each = unsafe.Sizeof(objectBox{}) + 4*unsafe.Sizeof(Value{})
		if most := uint64(n)*uint64(each)*5/4 + 64; took > most {
			t.Errorf("%d objects took %d bytes, want %d at most", n, took, most)
		}
	}
}

// The first object of a message that has no other is one allocation.
func TestBuilderMakesOneObjectInOnePiece(t *testing.T) {
	for _, n := range []int{1, 4, 5, 8} {
		keys, err := NewKeys(strings.Split("abcdefgh", "")[:n]...)
		if err != nil {
			t.Fatal(err)
		}
		var v Value
		if allocs := testing.AllocsPerRun(100, func() {
			var b Builder
			b.Expect(0)
			values := b.Fields(n)
			values[n-1] = Int(n)
			v = b.Object(keys, values)
		}); allocs != 1 {
			t.Errorf("%v allocations for %d fields", allocs, n)
		}
		if last := v.FieldAt(n - 1); last.Number() != float64(n) || v.Len() != n {
			t.Errorf("%d fields: %v", n, v)
		}
	}
}
