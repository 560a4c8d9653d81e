package check

import (
	"fmt"

	"chordsim/core"
)

// callQueue is what the calls of a consumer do at its provider.
type callQueue struct {
	waiting int
	running map[uint64]bool
	// A consumer is ready while it has a call that waits and a slot for it.
	ready bool
	since uint64 // when it became ready, or had its last turn since
	last  uint64 // when it had its last turn
}

// rotation is in which order a host has to start calls: the consumers that are ready, those that are so for longest first.
type rotation struct {
	count uint64 // of all that happened
	queue []readyAt
}

type readyAt struct {
	consumer *consumer
	since    uint64
}

func (s *Set) rotation(h *core.Host) *rotation {
	r := s.turns[h]
	if r == nil {
		r = &rotation{}
		s.turns[h] = r
	}
	return r
}

// await notes whether a consumer is ready, from now on.
func (r *rotation) await(c *consumer, slots int) {
	q := &c.queue
	if q.ready = q.waiting > 0 && len(q.running) < slots; q.ready {
		r.count++
		q.since = r.count
		r.queue = append(r.queue, readyAt{c, q.since})
	}
}

// first returns who is ready for longest.
func (r *rotation) first() (readyAt, bool) {
	for len(r.queue) > 0 {
		at := r.queue[0]
		if at.consumer.queue.ready && at.consumer.queue.since == at.since {
			return at, true
		}
		r.queue[0] = readyAt{}
		r.queue = r.queue[1:]
	}
	return readyAt{}, false
}

func (s *Set) callQueued(h *core.Host, id core.ConsumerID, _, _ uint64) {
	c := s.consumer(h, id)
	if c == nil {
		return
	}
	if c.queue.waiting++; !c.queue.ready {
		s.rotation(h).await(c, s.limits.RunningCalls)
	}
}

// turn checks that a consumer whose call goes has not had its turn already while another one that waits had none.
func (s *Set) turn(h *core.Host, c *consumer) {
	r, q := s.rotation(h), &c.queue
	at, ok := r.first()
	s.expect(c7, !ok || at.consumer == c || at.since > q.last, h, func() string {
		return fmt.Sprintf("origin %d has its turn again, and origin %d waited for one since before its last", c.id.Origin, at.consumer.id.Origin)
	})
	r.count++
	q.last = r.count
	q.waiting--
	q.ready = false
}

// started checks C7 as a call starts.
func (s *Set) started(h *core.Host, id core.ConsumerID, number uint64) {
	c := s.consumer(h, id)
	if c == nil {
		return
	}
	s.turn(h, c)
	if c.queue.running == nil {
		c.queue.running = map[uint64]bool{}
	}
	c.queue.running[number] = true
	s.expect(c7, len(c.queue.running) <= s.limits.RunningCalls, h, func() string {
		return fmt.Sprintf("%d calls of an origin run, at most %d may", len(c.queue.running), s.limits.RunningCalls)
	})
	s.rotation(h).await(c, s.limits.RunningCalls)
}

// callEnd gives a slot back. A call that did not start was cancelled, which took a turn all the same.
func (s *Set) callEnd(h *core.Host, id core.ConsumerID, number uint64) {
	c := s.consumer(h, id)
	if e, ok := s.consumerEnd(id); ok && e.calls[number] != nil {
		e.calls[number].ended = true
	}
	switch {
	case c == nil:
		return
	case c.queue.running[number]:
		delete(c.queue.running, number)
		if c.queue.ready {
			return
		}
	default:
		s.turn(h, c)
	}
	s.rotation(h).await(c, s.limits.RunningCalls)
}

// consumerGone drops what a provider kept for a consumer that it does not serve any more.
func (s *Set) consumerGone(_ *core.Host, id core.ConsumerID) {
	if c := s.consumers[id]; c != nil {
		c.queue, c.holds = callQueue{}, nil
	}
}

// slotsBack checks, once settled, that a provider's slots are taken by the calls that run and no others, and that none waits
// while there are slots.
func (s *Set) slotsBack(c *consumer) {
	at, ok := c.host.Serves(c.id)
	if !ok {
		return
	}
	s.expect(c7, at.Running == len(c.queue.running) && at.Waiting == c.queue.waiting, c.host, func() string {
		return fmt.Sprintf("settled with %d slots of an origin taken and %d calls waiting; %d run and %d wait",
			at.Running, at.Waiting, len(c.queue.running), c.queue.waiting)
	})
	s.expect(c7, !c.queue.ready, c.host, func() string {
		return fmt.Sprintf("settled, and %d calls of an origin wait though only %d run", c.queue.waiting, len(c.queue.running))
	})
}
