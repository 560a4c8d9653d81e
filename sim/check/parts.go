package check

import (
	"encoding/binary"
	"fmt"
	"slices"

	"chordsim/core"
	"chordsim/core/link"
	"chordsim/core/wire"
	"chordsim/sim/trace"
)

// threshold is up to how many bytes a part is never deflated. It is what C10 says, not what the core does.
const threshold = 16 << 10

// partKey stands for the bytes of a part.
type partKey struct {
	hash uint64
	size int
}

func keyOf(b []byte) partKey { return partKey{trace.Bytes(b), len(b)} }

// parts is the book of C10.
type parts struct {
	made    map[partKey]partKey        // deflated part → the raw one that it was made of
	full    bool                       // more were made than are in the book
	due     map[*core.Host][]inflating // messages with parts that their hosts may inflate, as they came
	hostile map[*core.Host]bool
}

// MaxDeflatedParts is how many deflated parts are remembered. What was made of others is not looked at.
const MaxDeflatedParts = 1 << 20

// maxDue is how many messages with deflated parts a host is expected to have in hand at most. Those that it throws away
// leave the list with the next one of their link that it inflates.
const maxDue = 1 << 12

func newParts() parts {
	return parts{
		made: map[partKey]partKey{}, due: map[*core.Host][]inflating{},
		hostile: map[*core.Host]bool{},
	}
}

// inflating is a message, as far as its deflated parts go.
type inflating struct {
	link  *link.Link
	parts []duePart // not inflated yet
	used  int       // bytes that were inflated
}

type duePart struct {
	size  int     // declared
	raw   partKey // what it was made of
	known bool
}

// Distrust says that a host may send deflated parts of which its probe did not tell: one that plays an attacker.
func (s *Set) Distrust(h *core.Host) { s.parts.hostile[h] = true }

// distrusted reports whether a host that is not trusted sends something over a link, be it through relays.
func (s *Set) distrusted(l *link.Link) bool {
	return slices.ContainsFunc(s.order, func(c *consumer) bool {
		end, ok := s.consumerEnd(c.id)
		return ok && end.link == l && s.parts.hostile[c.host]
	})
}

// deflated checks a part as its origin deflated it.
func (s *Set) deflated(h *core.Host, raw, part []byte) {
	if s.parts.hostile[h] {
		return
	}
	s.expect(c10, len(raw) > threshold, h, func() string {
		return fmt.Sprintf("a part of %d bytes is deflated, which is not over %d", len(raw), threshold)
	})
	s.expect(c10, len(part) < len(raw), h, func() string {
		return fmt.Sprintf("a part of %d bytes is deflated to %d", len(raw), len(part))
	})
	if s.parts.full = s.parts.full || len(s.parts.made) >= MaxDeflatedParts; !s.parts.full {
		s.parts.made[keyOf(part)] = keyOf(raw)
	}
}

// inflated checks a part as its owner inflated it: it came, it is what its origin deflated, and what was inflated of its
// message is within the owner's limit.
func (s *Set) inflated(h *core.Host, raw []byte) {
	due, key := s.parts.due[h], keyOf(raw)
	find := func(is func(p duePart) bool) (at, j int) {
		for at = range due {
			if j = slices.IndexFunc(due[at].parts, is); j >= 0 {
				return at, j
			}
		}
		return -1, 0
	}
	// One of that size may have come before it and never be inflated, since nobody waits for it any more.
	at, j := find(func(p duePart) bool { return p.known && p.raw == key })
	if at < 0 {
		at, j = find(func(p duePart) bool { return p.size == len(raw) })
	}
	s.expect(c10, at >= 0 || len(due) == maxDue, h, func() string {
		return fmt.Sprintf("a part of %d bytes is inflated that nothing brought", len(raw))
	})
	if at < 0 {
		return
	}
	m, p := &due[at], due[at].parts[j]
	m.parts = slices.Delete(m.parts, j, j+1)
	m.used += len(raw)
	limit := m.link.Limits().InflatedBytes
	s.expect(c10, m.used <= limit, h, func() string {
		return fmt.Sprintf("%d bytes of a message are inflated, the limit is %d", m.used, limit)
	})
	s.expect(c10, !p.known || p.raw == key, h, func() string {
		return fmt.Sprintf("a part of %d bytes is inflated that is not what was deflated", len(raw))
	})
	// A link keeps its order: what it brought before was thrown away.
	l, i := m.link, 0
	s.parts.due[h] = slices.DeleteFunc(due, func(o inflating) bool {
		i++
		return o.link == l && (i <= at || len(o.parts) == 0)
	})
}

// part checks a part as it came to its owner, and notes it in its message.
func (s *Set) part(h *core.Host, m *inflating, part []byte, deflated bool) {
	if !deflated {
		s.counts[c10].Checks++
		return
	}
	size, n := binary.Uvarint(part)
	good := n > 0 && size > threshold && size > uint64(len(part))
	s.expect(c10, good || s.distrusted(m.link), h, func() string {
		return fmt.Sprintf("a deflated part of %d bytes came that is %d when inflated: not over its own size, or over %d", len(part), size, threshold)
	})
	raw, known := s.parts.made[keyOf(part)]
	s.expect(c10, known || s.parts.full || s.distrusted(m.link), h, func() string {
		return fmt.Sprintf("a deflated part of %d bytes came that no host made", len(part))
	})
	m.parts = append(m.parts, duePart{int(min(size, 1<<53)), raw, known})
}

// message notes a message that came, whose parts its host may inflate from now on.
func (s *Set) message(h *core.Host, m *inflating) {
	if len(m.parts) == 0 {
		return
	}
	due := s.parts.due[h]
	if len(due) == maxDue {
		due = slices.Delete(due, 0, 1)
	}
	s.parts.due[h] = append(due, *m)
}

// boundParts looks at the parts of a snapshot.
func (s *Set) boundParts(h *core.Host, l *link.Link, b *wire.Bound) {
	m := inflating{link: l}
	for i := range b.Members {
		s.part(h, &m, b.Members[i].Part, b.Members[i].Deflated)
	}
	s.message(h, &m)
}

// smallResult looks at the parts of a result that came as one chunk, but for the bulk lane.
func (s *Set) smallResult(h *core.Host, l *link.Link, typ wire.Type, body []byte) {
	if typ == wire.TypeResult || typ == wire.TypeResultOrdered {
		s.resultParts(h, l, body)
	}
}

// resultParts looks at the parts of a result.
func (s *Set) resultParts(h *core.Host, l *link.Link, body []byte) {
	r, err := wire.ParseResult(l.Codec(), body)
	if err != nil || r.Err != nil {
		return
	}
	m := inflating{link: l}
	s.part(h, &m, r.Value, r.Deflated)
	for i, b := range r.Bytes {
		s.part(h, &m, b, r.DeflatedBytes>>i&1 != 0)
	}
	s.message(h, &m)
}

// requestParts looks at what goes up, where it leaves its caller: hold parameters and arguments, none of which may be
// what a host deflated.
func (s *Set) requestParts(e *end, head wire.Header, body []byte) {
	if head.Origin != 0 {
		return
	}
	h, l := e.host, e.link
	switch head.Type {
	case wire.TypeHold:
		if m, err := wire.ParseHold(l.Codec(), body, &s.limits); err == nil && len(m.Params) > 0 {
			s.raw(h, m.Params, "parameters of a hold")
		}
	case wire.TypeCall, wire.TypeCallBulk, wire.TypeCallMore:
		if _, message, done, err := e.requests.Add(head, body, s.limits.MessageBytes); err == nil && done {
			s.callParts(h, l, message)
		}
	}
}

func (s *Set) callParts(h *core.Host, l *link.Link, message []byte) {
	m, _ := wire.ParseCall(l.Codec(), message) // one with deflated parts is refused, and gives them all the same
	if len(m.Args) > 0 {
		s.raw(h, m.Args, "an argument")
	}
	for _, b := range m.Bytes {
		s.raw(h, b, "bytes beside an argument")
	}
}

func (s *Set) raw(h *core.Host, b []byte, what string) {
	_, made := s.parts.made[keyOf(b)]
	s.expect(c10, !made, h, func() string { return fmt.Sprintf("%s came deflated, as %d bytes", what, len(b)) })
}

// leftDeflated checks that relays deflated and inflated nothing.
func (s *Set) leftDeflated(hosts []*core.Host) {
	relays := map[*core.Host]bool{}
	for _, way := range s.relayIDs {
		relays[s.relays[way].host] = true
	}
	for _, h := range hosts {
		if relays[h] && !h.Exposes() && !s.referred[h] {
			stats := h.Stats()
			s.expect(c9, stats.Inflated == 0 && stats.Deflated == 0, h, func() string {
				return fmt.Sprintf("a relay inflated %d parts and deflated %d", stats.Inflated, stats.Deflated)
			})
		}
	}
}
