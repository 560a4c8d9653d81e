package check

import (
	"fmt"

	"chordsim/core"
	"chordsim/core/link"
	"chordsim/core/wire"
)

// replica is what the checkers know of a hold at its consumer.
type replica struct {
	key     holdKey
	docs    []*core.Document
	ref     *core.Reference
	members []memberAt
	seq     int
}

// memberAt is where a member of a replica is, as read off the wire and as its frames said.
type memberAt struct {
	wire    wire.Revision
	changed bool // a state message came since the snapshot
	shown   wire.Revision
	seen    bool
}

// bound notes which documents a consumer's hold is of.
func (s *Set) bound(h *core.Host, id core.ConsumerID, hold uint64, docs []*core.Document) {
	for _, d := range docs {
		s.remember(d)
	}
	c := s.consumer(h, id)
	c.holds = append(c.holds, newHeld(hold, docs))
	end, ok := s.consumerEnd(id)
	s.expect(c9, ok, h, func() string {
		return fmt.Sprintf("hold %d is bound for origin %d, which nobody opened", hold, id.Origin)
	})
	if ok {
		key := holdKey{end, hold}
		s.replicas[key] = &replica{key: key, docs: docs, members: make([]memberAt, len(docs)), seq: len(s.replicas)}
	}
}

func (s *Set) live(r *core.Reference) {
	s.referred[r.Host()] = true
	l, hold := r.Hold()
	if rep := s.replicas[holdKey{l, hold}]; rep != nil {
		rep.ref = r
		return
	}
	s.expect(c9, false, r.Host(), func() string { return fmt.Sprintf("hold %d is live and nobody bound it", hold) })
}

func (s *Set) replicaList() []*replica {
	list := make([]*replica, len(s.replicas))
	n := 0
	for _, c := range s.order {
		end, ok := s.consumerEnd(c.id)
		if !ok {
			continue
		}
		for _, hold := range c.holds {
			if r := s.replicas[holdKey{end, hold.id}]; r != nil && n < len(list) {
				list[n] = r
				n++
			}
		}
	}
	return list[:n]
}

// frame checks C2 and C11 on what a reference shows.
func (s *Set) frame(f core.Frame) {
	l, hold := f.Reference.Hold()
	r := s.replicas[holdKey{l, hold}]
	if r == nil {
		return // live has said so
	}
	host := f.Reference.Host()
	index := -1
	for i, name := range f.Reference.Members() {
		if name == f.Member {
			index = i
		}
	}
	if index < 0 || index >= len(r.docs) {
		s.expect(c2, false, host, func() string { return "a frame of member " + f.Member + ", which has no document" })
		return
	}
	m, d := &r.members[index], r.docs[index]
	id := c2
	if f.Snapshot {
		id = c11
	}
	want, known := s.history(d).at(f.Revision.Number)
	s.expect(id, f.Revision.Epoch == d.Revision().Epoch && f.Revision.Number <= d.Revision().Number, host, func() string {
		return fmt.Sprintf("a frame of %s at revision %d, the document is at %d", d.Name(), f.Revision.Number, d.Revision().Number)
	})
	if known {
		s.expect(id, f.Value.Hash() == want, host, func() string {
			return fmt.Sprintf("the value of %s at revision %d is not the committed one", d.Name(), f.Revision.Number)
		})
	}
	if m.seen && !f.Snapshot {
		s.expect(c2, f.Base == m.shown && f.Revision.Number > f.Base.Number, host, func() string {
			return fmt.Sprintf("a frame of %s leads from %d to %d, the one before was at %d", d.Name(), f.Base.Number,
				f.Revision.Number, m.shown.Number)
		})
	}
	m.shown, m.seen = f.Revision, true
}

// readReply follows what a consumer is sent, before it sees it: the first change after a snapshot must lead from it
// (C11), each later one from the one before (C2).
func (s *Set) readReply(host *core.Host, l *link.Link, h wire.Header, body []byte) {
	if lane := h.Type.Lane(); lane != wire.LaneState && lane != wire.LaneBulk || h.Type == wire.TypeResultOrdered {
		return
	}
	a := s.arriving[l]
	if a == nil {
		a = &link.Assembly{}
		s.arriving[l] = a
	}
	typ, message, done, err := a.Add(h, body, s.limits.MessageBytes)
	if err != nil || !done {
		return
	}
	switch typ {
	case wire.TypeBound:
		m, err := wire.ParseBound(l.Codec(), message, &s.limits)
		if r := s.replicas[holdKey{l, m.ID}]; err == nil && r != nil {
			for i := range min(len(m.Members), len(r.members)) {
				r.members[i] = memberAt{wire: m.Members[i].Revision}
			}
		}
		if err == nil {
			s.boundParts(host, l, &m)
		}
	case wire.TypeResultBulk:
		s.resultParts(host, l, message)
	case wire.TypeState:
		m := inflating{link: l}
		s.readState(host, &m, message)
		s.message(host, &m)
	}
}

func (s *Set) readState(host *core.Host, parts *inflating, message []byte) {
	l := parts.link
	reader := wire.ReadState(l.Codec(), message)
	for {
		hold, ok := reader.Entry()
		if !ok {
			return
		}
		r := s.replicas[holdKey{l, hold}]
		s.expect(c11, r != nil, host, func() string { return fmt.Sprintf("state of hold %d, which was not bound", hold) })
		for more := true; more; {
			var sec wire.Section
			if sec, more = reader.Section(); reader.Err() != nil {
				return
			}
			if !sec.Retired {
				s.part(host, parts, sec.Ops, sec.Deflated)
			}
			if r != nil && sec.Member < len(r.members) {
				s.section(host, r, &sec)
			}
		}
	}
}

func (s *Set) section(host *core.Host, r *replica, sec *wire.Section) {
	m := &r.members[sec.Member]
	id := c2
	if !m.changed {
		id = c11
	}
	s.expect(id, byte(m.wire.Number) == byte(sec.Base), host, func() string {
		return fmt.Sprintf("a change of %s leads from revision ..%d, what was sent before it ended at %d",
			r.docs[sec.Member].Name(), sec.Base, m.wire.Number)
	})
	m.wire.Number += sec.Span
	m.changed = true
}
