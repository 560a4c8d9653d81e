package check

import (
	"errors"
	"fmt"
	"maps"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/link"
	"chordsim/core/relay"
)

// callersSettled checks, once settled, C13 for references and calls, and what hosts count of them for C6 and C12. What has
// no way to its provider, and is not told so, may wait; so may calls while handlers run that those who called over the same
// link did not see the end of: they have slots, and others may wait for these.
func (s *Set) callersSettled() {
	looked := map[*end]bool{}
	for _, from := range s.calls.order {
		l, hold := from.ref.Hold()
		host, e := from.ref.Host(), s.ends[l]
		s.expect(c13, from.ref.State() != core.StateResolving || !s.settles(e, l, hold), host, func() string {
			return fmt.Sprintf("settled, and the reference to %s still resolves", from.ref.Address())
		})
		s.expect(c13, !heldAgain(from.ref), host, func() string {
			return fmt.Sprintf("settled, and the reference to %s is not held again: %v", from.ref.Address(), from.ref.Err())
		})
		for _, c := range from.open {
			if !c.settled {
				s.callWaitsOn(c, e, l, hold)
			}
		}
		if e != nil && e.host != nil && !looked[e] {
			looked[e] = true
			s.callerKeeps(e)
		}
	}
}

// settles reports whether what a reference waits for over a link has to be there once all is settled.
func (s *Set) settles(e *end, l *link.Link, hold uint64) bool {
	if l == nil || l.Closed() {
		return true // its host knows
	}
	return e != nil && s.wayUp(e, hold)
}

func (s *Set) callWaitsOn(c *call, e *end, l *link.Link, hold uint64) {
	host := c.caller.ref.Host()
	if !c.sent {
		s.expect(c6, c.deadline > host.Now(), host, func() string {
			return fmt.Sprintf("call number %d of the reference to %s waits, its deadline was %v", c.number, c.caller.ref.Address(), c.deadline)
		})
	}
	s.expect(c13, l != nil && !l.Closed() && e.runs() || !s.settles(e, l, hold), host, func() string {
		return fmt.Sprintf("settled, and call number %d of the reference to %s is not (sent: %v)", c.number, c.caller.ref.Address(), c.sent)
	})
}

// runs reports whether a handler runs for a call that was sent.
func (e *end) runs() (yes bool) {
	if e != nil {
		maps.DeleteFunc(e.calls, func(_ uint64, c *call) bool {
			yes = yes || c.started && !c.ended
			return false
		})
	}
	return yes
}

// callerKeeps checks what a host counts of its references over a link.
func (s *Set) callerKeeps(e *end) {
	at, ok := e.host.Asks(e.link)
	if !ok || e.dead || !e.link.Up() {
		return
	}
	var waits parking
	if p := s.calls.parkings[e.link]; p != nil {
		waits = *p
	}
	s.expect(c6, at.Parked == waits.calls && at.ParkedBytes == waits.bytes, e.host, func() string {
		return fmt.Sprintf("%d waiting calls are counted, with %d bytes; %d wait, with %d", at.Parked, at.ParkedBytes, waits.calls, waits.bytes)
	})
	s.expect(c12, at.Holds <= len(e.holding), e.host, func() string {
		return fmt.Sprintf("%d references are kept, %d holds are not over", at.Holds, len(e.holding))
	})
}

// wayUp reports whether all is there between a reference and its provider.
func (s *Set) wayUp(e *end, hold uint64) bool {
	origin := uint64(0)
	for range maxRelays {
		far := e.far
		if e.dead || far == nil || far.dead || far.host == nil || !e.link.Up() {
			return false
		}
		target, next, ok := far.host.RelayedTo(relay.Source{Link: far.link, Origin: origin}, hold)
		if !ok {
			return true
		}
		if e = s.ends[target]; e == nil {
			return false
		}
		origin = next
	}
	return false
}

// Damaged says that bytes of a connection are about to be damaged on purpose: from then on it may be closed for a broken
// protocol, and so may those that bring its messages on. Either of its sides may be named.
func (s *Set) Damaged(l *link.Link) {
	e := s.ends[l]
	if e == nil {
		return
	}
	e.excused = true
	if e.far != nil {
		e.far.excused = true
	}
}

// linkClosed checks that a host did not close a link because of what another one sent, both being ours.
func (s *Set) linkClosed(h *core.Host, l *link.Link, err error) {
	if e := s.end(h, l); e != nil {
		s.wellMeant(e, 0, err)
		for _, c := range s.order {
			if c.id.Link == l {
				s.takeCredits(c) // the last ones may be why
			}
		}
		s.Unlinked(l)
	}
}

// expelled checks the same of a consumer behind a relay.
func (s *Set) expelled(h *core.Host, id core.ConsumerID, err error) {
	if e := s.end(h, id.Link); e != nil {
		s.wellMeant(e, id.Origin, err)
	}
}

func (s *Set) wellMeant(e *end, origin uint64, err error) {
	own, ok := errors.AsType[*base.Error](err)
	good := !ok || own.Code == base.CodeClosed || own.Code == base.CodeDown || own.Code == base.CodeLimit && s.uneven
	s.expect(c14, good || s.excused(e), e.host, func() string {
		return fmt.Sprintf("the link is closed, or origin %d of it, because of what came: %v", origin, err)
	})
}

// note looks whether a host takes messages of other sizes than the hosts of its world do.
func (s *Set) note(own *base.Limits) {
	s.uneven = s.uneven || own.MessageBytes != s.limits.MessageBytes || own.PartBytes != s.limits.PartBytes ||
		own.InflatedBytes != s.limits.InflatedBytes
}

// open looks, once settled, at the links that are not closed: what came over them did no harm.
func (s *Set) open() {
	for _, c := range s.order {
		if e := s.ends[c.id.Link]; e != nil && !e.excused {
			s.counts[c14].Checks++
		}
	}
}

// excused reports whether something that came over a link may be bad: it was damaged, or comes from a host that is not
// trusted, on the link itself or on the ways that relays have between it and others.
func (s *Set) excused(e *end) bool {
	return s.tainted(e, maxRelays, true) || s.tainted(e, maxRelays, false)
}

// tainted follows the ways of the consumers of a link towards their providers, or back.
func (s *Set) tainted(e *end, relays int, up bool) bool {
	if e == nil || relays == 0 {
		return false
	}
	if e.excused || s.parts.hostile[e.host] || e.far != nil && s.parts.hostile[e.far.host] {
		return true
	}
	for _, p := range s.pairOrder {
		from, to := s.ends[p.Source.Link], s.ends[p.Target]
		if !up {
			from, to = to, from
		}
		if from != nil && (from == e || from == e.far) && s.tainted(to, relays-1, up) {
			return true
		}
	}
	return false
}
