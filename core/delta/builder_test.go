package delta

import (
	"strings"
	"testing"

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
			text := rapid.OneOf(
				rapid.StringMatching(`[a-z]{0,14}`), rapid.String(), rapid.StringMatching(`[a-z]{30,40}`),
				rapid.Just(strings.Repeat("x", textLeafLimit+1)), rapid.SampledFrom([]string{"\xed\xa0\x80", "\xff", "é\x00"}),
			).Draw(t, "text")
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
	second := b.Text([]byte("second"))
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
	text := b.NewText(message)
	copy(message, "XXXXX")
	if text.String() != "short" {
		t.Errorf("a short text is a view: %q", text)
	}
}
