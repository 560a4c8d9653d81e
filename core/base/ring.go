package base

// Ring is a queue that grows to its largest length and keeps its room: in steady state it allocates nothing. The zero
// value is empty. What it may hold is its owner's to bound.
type Ring[T any] struct {
	room []T
	head int
	n    int
}

// firstRoom is how many elements the first growth makes room for.
const firstRoom = 8

// Len returns how many elements there are.
func (r *Ring[T]) Len() int { return r.n }

// At returns element i, from 0 for the oldest. It is there until the next Push or Pop.
func (r *Ring[T]) At(i int) *T { return &r.room[(r.head+i)%len(r.room)] }

// Front returns the oldest element of a ring that is not empty.
func (r *Ring[T]) Front() *T { return &r.room[r.head] }

// Push puts an element behind the others.
func (r *Ring[T]) Push(v T) {
	if r.n == len(r.room) {
		grown := make([]T, max(firstRoom, 2*r.n))
		for i := range r.n {
			grown[i] = *r.At(i)
		}
		r.room, r.head = grown, 0
	}
	r.n++
	*r.At(r.n - 1) = v
}

// PushFront puts an element before the others.
func (r *Ring[T]) PushFront(v T) {
	var none T
	r.Push(none) // makes room; the window of n elements then moves back by one
	r.head = (r.head + len(r.room) - 1) % len(r.room)
	*r.Front() = v
}

// Pop takes the oldest element out of a ring that is not empty.
func (r *Ring[T]) Pop() T {
	var none T
	v := *r.Front()
	*r.Front() = none
	r.head = (r.head + 1) % len(r.room)
	r.n--
	return v
}
