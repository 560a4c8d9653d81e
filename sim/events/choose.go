package events

import (
	"cmp"
	"slices"

	"chordsim/core/base"
)

// Chooser decides ties one by one.
type Chooser interface {
	// Choose returns which of n events at an instant runs next, from 0 on: they are in the order in which they were scheduled.
	// There are two at least.
	Choose(at base.Time, n int) int
}

// NewChosen makes an empty queue at time 0, whose ties a chooser decides.
func NewChosen(c Chooser) *Queue { return &Queue{chooser: c, arranged: true, last: -1} }

// choose has the chosen event be the first of the heap, which is no heap then until that one is taken out.
func (q *Queue) choose() {
	at := q.heap[0].at
	q.choices = append(q.choices[:0], 0)
	for i := 0; i < len(q.choices); i++ { // those of an instant are beneath each other
		first := 4*q.choices[i] + 1
		for child := first; child < min(first+4, len(q.heap)); child++ {
			if q.heap[child].at == at {
				q.choices = append(q.choices, child)
			}
		}
	}
	slices.SortStableFunc(q.choices, func(a, b int) int { return cmp.Compare(q.heap[a].seq, q.heap[b].seq) })
	chosen := q.choices[q.chooser.Choose(at, len(q.choices))]
	for i := chosen; i > 0; {
		parent := (i - 1) / 4
		q.heap[i], q.heap[parent] = q.heap[parent], q.heap[i]
		i = parent
	}
}
