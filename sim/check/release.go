package check

import (
	"fmt"
	"slices"

	"chordsim/core"
	"chordsim/core/wire"
)

// drafting notes which holds the next state message speaks of. An entry that was encoded and is in no message ended its
// hold; which one it was is not known then.
func (c *consumer) drafting(entries int) {
	var m stateHolds
	if len(c.drafted) == entries && entries > 0 {
		m.first = c.drafted[0]
		m.rest = append(m.rest, c.drafted[1:]...)
	}
	clear(c.drafted)
	c.drafted = c.drafted[:0]
	c.unwritten.Push(m)
}

// wroteState checks C12 as the last chunk of a state message goes onto the link.
func (s *Set) wroteState(c *consumer) {
	if c.unwritten.Len() == 0 {
		return
	}
	m := c.unwritten.Pop()
	s.notReleased(c, m.first)
	for _, h := range m.rest {
		s.notReleased(c, h)
	}
}

func (s *Set) notReleased(c *consumer, h *held) {
	if h != nil {
		s.expect(c12, !h.over, c.host, func() string { return fmt.Sprintf("state of hold %d is written, which is released", h.id) })
	}
}

// released notes that a provider said that a hold is over. Its consumer may still be told what came before.
func (s *Set) released(h *core.Host, id core.ConsumerID, hold uint64) {
	c := s.consumer(h, id)
	if c == nil {
		return
	}
	over := c.held(hold)
	if over == nil {
		return // was never bound
	}
	over.over = true
	is := func(o *held) bool { return o == over }
	c.holds = slices.DeleteFunc(c.holds, is)
	c.drafted = slices.DeleteFunc(c.drafted, is)
}

// wroteRequest follows which holds references ask for.
func (s *Set) wroteRequest(e *end, head wire.Header, body []byte) {
	if head.Type != wire.TypeHold || head.Origin != 0 {
		return
	}
	if hold, err := wire.HoldID(e.link.Codec(), body); err == nil {
		e.holding[hold] = true
	}
}

// overArrived notes that a reference's hold is over: nothing more may come of it.
func (s *Set) overArrived(e *end, head wire.Header, body []byte) {
	switch head.Type {
	case wire.TypeReleased, wire.TypeRefused:
		if hold, err := wire.HoldID(e.link.Codec(), body); err == nil {
			e.over(hold)
		}
	case wire.TypeDown:
		if m, err := wire.ParseDown(e.link.Codec(), body); err == nil {
			for _, hold := range m.Holds {
				e.over(hold)
			}
		}
	}
}

func (e *end) over(hold uint64) {
	delete(e.holding, hold)
	if r := e.replicas[hold]; r != nil {
		r.over = true
	}
}

// notOver checks that what comes of a hold comes before the word that it is over.
func (s *Set) notOver(e *end, r *replica, hold uint64, what string) {
	s.expect(c12, !r.over, e.host, func() string { return fmt.Sprintf("%s of hold %d comes behind the word that it is over", what, hold) })
}

// keptFor checks, once settled, that a provider keeps the holds of a consumer that are not over, and no others.
func (s *Set) keptFor(c *consumer) {
	if s.severed(c.id) {
		return // some wait for room that nobody will make
	}
	if at, ok := c.host.Serves(c.id); ok {
		s.expect(c12, at.Holds == len(c.holds), c.host, func() string {
			return fmt.Sprintf("%d holds of an origin are kept, %d are held", at.Holds, len(c.holds))
		})
	}
}

// keptOf checks, once settled, that each document is followed by the holds that are held, and by no others, and that hosts
// keep the references that asked, and no others.
func (s *Set) keptOf() {
	followed, unsure := map[*core.Document]int{}, map[*core.Document]bool{}
	for _, c := range s.order {
		severed := s.severed(c.id)
		for _, held := range c.holds {
			for _, d := range held.docs {
				followed[d]++
				unsure[d] = unsure[d] || severed
			}
		}
	}
	for _, d := range s.docs {
		if h := s.documents[d].host; h != nil && !s.crashed[h] && !s.unaware[h] && !unsure[d] {
			s.expect(c12, d.Followers() == followed[d], h, func() string {
				return fmt.Sprintf("%s is followed by %d holds, %d are held", d.Name(), d.Followers(), followed[d])
			})
		}
	}
}
