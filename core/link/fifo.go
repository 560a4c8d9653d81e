package link

import "chordsim/core/wire"

// item is one message, or one forwarded chunk, that waits in a lane.
type item struct {
	typ      wire.Type
	slot     uint8
	more     bool   // a forwarded chunk after which its message goes on
	begun    bool   // the first chunk was written
	gated    bool   // counts against the bulk or state bytes in flight of its stream
	origin   uint64 // of a control message; a stream's items have the stream's
	sequence uint64
	buf      []byte // [wire.MaxHeader] bytes of room, then what is left of the body
	off      int    // of the body's next byte in buf
	owner    Owner
}

func (it *item) left() int { return len(it.buf) - it.off }

// fifo is a queue of items in a ring that grows to its largest length.
type fifo struct {
	ring []item
	head int
	n    int
}

func (q *fifo) len() int     { return q.n }
func (q *fifo) front() *item { return &q.ring[q.head] }

func (q *fifo) push(it item) {
	if q.n == len(q.ring) {
		grown := make([]item, max(8, 2*q.n))
		for i := range q.n {
			grown[i] = q.ring[(q.head+i)%len(q.ring)]
		}
		q.ring, q.head = grown, 0
	}
	q.ring[(q.head+q.n)%len(q.ring)] = it
	q.n++
}

func (q *fifo) pushFront(it item) {
	q.push(item{}) // makes room; the window of n items then moves back by one
	q.head = (q.head + len(q.ring) - 1) % len(q.ring)
	q.ring[q.head] = it
}

func (q *fifo) pop() item {
	it := q.ring[q.head]
	q.ring[q.head] = item{}
	q.head = (q.head + 1) % len(q.ring)
	q.n--
	return it
}

// turns is the order in which streams that have bulk to send take turns.
type turns struct{ list []*stream }

func (t *turns) add(s *stream)  { t.list = append(t.list, s) }
func (t *turns) empty() bool    { return len(t.list) == 0 }
func (t *turns) first() *stream { return t.list[0] }

// next puts the first stream behind the others, or takes it out.
func (t *turns) next(again bool) {
	first := t.list[0]
	n := copy(t.list, t.list[1:])
	if again {
		t.list[n] = first
		return
	}
	t.list[n] = nil
	t.list = t.list[:n]
}
