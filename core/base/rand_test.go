package base

import "testing"

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
