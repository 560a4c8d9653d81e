package link

// oldest is a heap of the streams that have state to send now: first comes the one whose next chunk was sent first, so
// that state messages of all origins leave in the order in which they were sent.
type oldest struct{ heap []*stream }

func (o *oldest) empty() bool    { return len(o.heap) == 0 }
func (o *oldest) first() *stream { return o.heap[0] }

// update puts a stream where its state lane belongs now: in, out, or at another place.
func (o *oldest) update(s *stream) {
	sl := &s.lanes[0]
	q := sl.pick()
	switch {
	case q == nil && sl.ready:
		last := len(o.heap) - 1
		at := sl.place
		o.swap(at, last)
		o.heap[last] = nil
		o.heap = o.heap[:last]
		sl.ready = false
		if at < last {
			o.down(o.up(at))
		}
	case q != nil:
		sl.next = q.Front().sequence
		if !sl.ready {
			sl.ready, sl.place = true, len(o.heap)
			o.heap = append(o.heap, s)
		}
		o.down(o.up(sl.place))
	}
}

func (o *oldest) before(i, j int) bool { return o.heap[i].lanes[0].next < o.heap[j].lanes[0].next }

func (o *oldest) swap(i, j int) {
	o.heap[i], o.heap[j] = o.heap[j], o.heap[i]
	o.heap[i].lanes[0].place, o.heap[j].lanes[0].place = i, j
}

// up moves a stream towards the first as far as it belongs, and returns its place.
func (o *oldest) up(i int) int {
	for i > 0 && o.before(i, (i-1)/2) {
		o.swap(i, (i-1)/2)
		i = (i - 1) / 2
	}
	return i
}

func (o *oldest) down(i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(o.heap); child++ {
			if o.before(child, least) {
				least = child
			}
		}
		if least == i {
			return
		}
		o.swap(i, least)
		i = least
	}
}
