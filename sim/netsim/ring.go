package netsim

// ring is a queue that can lose its newest elements too. It grows to its largest length and keeps its room. The zero value
// is empty. Invariant: first ≤ end ≤ first+len(room), and len(room) is a power of two or 0.
type ring[T any] struct {
	room       []T
	first, end uint64
}

func (r *ring[T]) len() int { return int(r.end - r.first) }

func (r *ring[T]) at(i uint64) *T { return &r.room[i&uint64(len(r.room)-1)] }

func (r *ring[T]) push(v T) {
	if r.len() == len(r.room) {
		grown := make([]T, max(8, 2*len(r.room)))
		for i := r.first; i != r.end; i++ {
			grown[i&uint64(len(grown)-1)] = *r.at(i)
		}
		r.room = grown
	}
	*r.at(r.end) = v
	r.end++
}

// pop takes the oldest element out of a ring that is not empty, popNewest the newest.
func (r *ring[T]) pop() T {
	var none T
	p := r.at(r.first)
	v := *p
	*p = none
	r.first++
	return v
}

func (r *ring[T]) popNewest() T {
	var none T
	r.end--
	p := r.at(r.end)
	v := *p
	*p = none
	return v
}
