package trace_test

import (
	"fmt"
	"testing"

	"chordsim/core/base"
	"chordsim/sim/trace"
)

// The hash is part of what a repro file says: these constants only change together with its version.
func TestHashConstants(t *testing.T) {
	var h trace.Hash
	want := func(what, digits string) {
		t.Helper()
		if h.String() != digits || fmt.Sprintf("%016x", h.Sum()) != digits {
			t.Errorf("%s: %v, want %s", what, h.String(), digits)
		}
	}
	want("no event", "0000000000000000")
	h.Add(0, trace.KindDeliver, 0, 0)
	want("one event of zeros", "34c5e46da07101bd")
	h.Add(base.Time(base.Second), trace.KindNote, 3, trace.Bytes([]byte("hello")))
	want("two events", "12f681967744d00f")
	h.Add(base.Never, trace.KindFault, 1<<40, 1<<63)
	want("three events", "3315c288a6f746ec")
	// These two are XXH3's own, with seed 0 and 64 bits.
	if got := fmt.Sprintf("%016x %016x", trace.Bytes(nil), trace.Bytes([]byte("hello"))); got != "2d06800538d394c2 9555e8555c62dcfd" {
		t.Errorf("bytes: %s", got)
	}
}

// Every field of an event, and the order of events, is in the hash.
func TestHashTakesInEverything(t *testing.T) {
	type event struct {
		at   base.Time
		kind trace.Kind
		who  uint64
		what uint64
	}
	runs := map[string][]event{
		"nothing":       {},
		"once":          {{1, trace.KindPost, 2, 3}},
		"other time":    {{2, trace.KindPost, 2, 3}},
		"other kind":    {{1, trace.KindTimer, 2, 3}},
		"other host":    {{1, trace.KindPost, 3, 3}},
		"other content": {{1, trace.KindPost, 2, 4}},
		"fields moved":  {{1, trace.KindPost, 3, 2}},
		"twice":         {{1, trace.KindPost, 2, 3}, {1, trace.KindPost, 2, 3}},
		"a, b":          {{1, trace.KindPost, 2, 3}, {1, trace.KindPost, 3, 3}},
		"b, a":          {{1, trace.KindPost, 3, 3}, {1, trace.KindPost, 2, 3}},
	}
	seen := map[uint64]string{}
	for name, run := range runs {
		var h trace.Hash
		for _, e := range run {
			h.Add(e.at, e.kind, e.who, e.what)
		}
		if other, ok := seen[h.Sum()]; ok {
			t.Errorf("%q and %q have the same hash", name, other)
		}
		seen[h.Sum()] = name
	}
}

// A change of one bit anywhere moves about half of the bits, also after many more events.
func TestHashForgetsNothing(t *testing.T) {
	for bit := range 64 {
		var a, b trace.Hash
		a.Add(0, trace.KindDeliver, 1, 0x0123456789abcdef)
		b.Add(0, trace.KindDeliver, 1, 0x0123456789abcdef^1<<bit)
		for i := range 10_000 {
			if a == b {
				t.Fatalf("bit %d is forgotten after %d events", bit, i)
			}
			a.Add(base.Time(i), trace.KindPost, 0, 0)
			b.Add(base.Time(i), trace.KindPost, 0, 0)
		}
	}
}

func TestKindNames(t *testing.T) {
	got := ""
	for k := trace.Kind(0); k < 10; k++ {
		got += fmt.Sprintf("%d=%v ", k, k)
	}
	if want := "0= 1=deliver 2=post 3=timer 4=connect 5=fault 6=note 7=failed 8=lost 9=unknown "; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
