package base

import (
	"slices"
	"testing"
)

var drawsOfSeven = [...]uint64{0x5e268ae2ef982f2f, 0x16780f113126e01f, 0x5d45b17c685a1956}

// Recorded seeds mean the same for ever: these draws must not change.
func TestDrawsAreFixed(t *testing.T) {
	s := NewRand(7).Stream("jitter", "tab.down")
	for i, want := range drawsOfSeven {
		if got := s.At(uint64(i)); got != want {
			t.Errorf("draw %d of seed 7 is %#x, want %#x", i, got, want)
		}
		if got := s.Next(); got != want {
			t.Errorf("Next %d is %#x, want %#x", i, got, want)
		}
	}
}

func TestStreamsAreApart(t *testing.T) {
	r := NewRand(1)
	seen := map[uint64]string{}
	for _, label := range [][]string{{"a"}, {"b"}, {"a", "b"}, {"ab"}, {"a", ""}, {"", "a"}, {}} {
		v := r.Stream(label...).Next()
		if other, ok := seen[v]; ok {
			t.Errorf("the streams %q and %q begin alike", label, other)
		}
		seen[v] = fmtLabel(label)
	}
	if r.Stream("a").Next() == NewRand(2).Stream("a").Next() {
		t.Error("two seeds begin alike")
	}
}

func fmtLabel(label []string) string {
	out := ""
	for _, l := range label {
		out += l + "/"
	}
	return out
}

func TestBelowStaysBelow(t *testing.T) {
	s := NewRand(3).Stream("below")
	counts := make([]int, 10)
	for range 10000 {
		counts[s.Below(10)]++
	}
	for v, n := range counts {
		if n < 800 || n > 1200 {
			t.Errorf("%d was drawn %d times of 10,000 among 10", v, n)
		}
	}
	if s.Below(0) != 0 || s.Below(1) != 0 {
		t.Error("below 0 and below 1 there is only 0")
	}
}

// drawn is what an observer was told.
type drawn struct {
	label string
	draw  uint64
}

type observer struct{ told []drawn }

func (o *observer) Drew(label string, draw uint64) { o.told = append(o.told, drawn{label, draw}) }

// To be observed changes no draw, and each is told once under its label, whichever way it was made.
func TestObserverIsToldOfEachDraw(t *testing.T) {
	var o observer
	r := NewRand(7)
	early := r.Stream("jitter", "tab.down")
	watched := r.Observed(&o)
	s := watched.Stream("jitter", "tab.down")
	early.Next()
	if a, b := s.Next(), s.At(2); a != drawsOfSeven[0] || b != drawsOfSeven[2] {
		t.Errorf("observed, seed 7 draws %#x and %#x", a, b)
	}
	s.Below(10)
	watched.Stream().Next()
	watched.Observed(nil).Stream("tie").Next()
	want := []drawn{
		{"jitter tab.down", drawsOfSeven[0]}, {"jitter tab.down", drawsOfSeven[2]}, {"jitter tab.down", drawsOfSeven[1]},
		{"", NewRand(7).Stream().Next()},
	}
	if !slices.Equal(o.told, want) {
		t.Errorf("told %x, want %x", o.told, want)
	}
}

func TestDrawsDoNotAllocate(t *testing.T) {
	s := NewRand(7).Stream("tie")
	if n := testing.AllocsPerRun(100, func() { s.Next() }); n != 0 {
		t.Errorf("%v allocations a draw", n)
	}
}

func BenchmarkNext(b *testing.B) {
	s := NewRand(7).Stream("tie")
	for b.Loop() {
		s.Next()
	}
}
