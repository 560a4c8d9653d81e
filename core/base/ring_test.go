package base

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestRingIsAQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r Ring[int]
		var want []int
		for i := range rapid.IntRange(0, 200).Draw(t, "steps") {
			switch step := rapid.SampledFrom([]string{"push", "push", "front", "pop"}).Draw(t, "step"); {
			case step == "push":
				r.Push(i)
				want = append(want, i)
			case step == "front":
				r.PushFront(i)
				want = slices.Insert(want, 0, i)
			case len(want) > 0:
				if got := r.Pop(); got != want[0] {
					t.Fatalf("popped %d, want %d", got, want[0])
				}
				want = want[1:]
			}
			if r.Len() != len(want) {
				t.Fatalf("%d elements, want %d", r.Len(), len(want))
			}
			for j := range want {
				if *r.At(j) != want[j] {
					t.Fatalf("element %d is %d, want %d", j, *r.At(j), want[j])
				}
			}
			if len(want) > 0 && *r.Front() != want[0] {
				t.Fatalf("the front is %d, want %d", *r.Front(), want[0])
			}
		}
	})
}

// A ring keeps nothing of what was taken out, and its room is used again.
func TestRingLetsGoAndAllocatesNothing(t *testing.T) {
	var r Ring[*int]
	for range 5 {
		r.Push(new(int))
	}
	for r.Len() > 0 {
		r.Pop()
	}
	for _, p := range r.room {
		if p != nil {
			t.Error("a popped element is kept")
		}
	}
	v := new(int)
	if n := testing.AllocsPerRun(100, func() {
		for range 6 {
			r.Push(v)
		}
		for range 6 {
			r.Pop()
		}
	}); n != 0 {
		t.Errorf("%v allocations in steady state", n)
	}
}
