package check

import (
	"fmt"

	"chordsim/core"
	"chordsim/core/wire"
)

// replica is what the checkers know of a hold at its consumer.
type replica struct {
	docs    []*core.Document
	ref     *core.Reference // that shows it; of several that share a hold, one
	members []memberAt
	over    bool // its release, or the word that it is down, has come to the consumer
}

// memberAt is where a member of a replica is, as read off the wire and as its frames said.
type memberAt struct {
	wire    wire.Revision
	changed bool // a state message came since the snapshot
	shown   wire.Revision
	seen    bool
	since   bool // the bind brought what was committed since a revision that the hold named
}

// bound notes which documents a consumer's hold is of.
func (s *Set) bound(h *core.Host, id core.ConsumerID, hold uint64, docs []*core.Document) {
	for _, d := range docs {
		s.remember(h, d)
	}
	c := s.consumer(h, id)
	if c == nil {
		return
	}
	s.expect(c12, c.held(hold) == nil, h, func() string { return fmt.Sprintf("hold %d is bound, and was not released before", hold) })
	c.holds = append(c.holds, newHeld(hold, docs))
	end, ok := s.consumerEnd(id)
	s.expect(c9, ok || s.severed(id), h, func() string {
		return fmt.Sprintf("hold %d is bound for origin %d, which nobody opened", hold, id.Origin)
	})
	if ok && !end.dead {
		end.replicas[hold] = &replica{docs: docs, members: make([]memberAt, len(docs))}
	}
}

func (s *Set) live(r *core.Reference) {
	s.referred[r.Host()] = true
	l, hold := r.Hold()
	e := s.end(r.Host(), l)
	if e == nil {
		return
	}
	rep := e.replicas[hold]
	s.expect(c9, rep != nil, r.Host(), func() string { return fmt.Sprintf("hold %d is live and nobody bound it", hold) })
	if rep != nil {
		rep.ref = r
		s.shownBefore(r, rep)
	}
}

// down notes what a reference shows as its object is lost: what it shows once it is live again must lead on from there.
func (s *Set) down(r *core.Reference) {
	var shown []memberShown
	for _, name := range r.Members() {
		rev, _ := r.Revision(name)
		shown = append(shown, memberShown{name, rev})
	}
	s.lost[r] = shown
}

type memberShown struct {
	name string
	rev  wire.Revision
}

// shownBefore checks C2 where a bind goes on with what was shown before: it leads there, in the same epoch, and no further back.
// The frame that tells of it, or if nothing changed the one after it, then has to lead from there.
func (s *Set) shownBefore(r *core.Reference, rep *replica) {
	shown := s.lost[r]
	delete(s.lost, r)
	for i, name := range r.Members() {
		if i >= len(rep.members) || !rep.members[i].since {
			continue
		}
		m := &rep.members[i]
		for _, was := range shown {
			if was.name != name {
				continue
			}
			s.expect(c2, was.rev.Epoch == m.wire.Epoch && was.rev.Number <= m.wire.Number, r.Host(), func() string {
				return fmt.Sprintf("a bind leads %s from revision %d of epoch %d to %d of %d", name, was.rev.Number, was.rev.Epoch,
					m.wire.Number, m.wire.Epoch)
			})
			m.shown, m.seen = was.rev, true
		}
	}
}

// replicaList lists the replicas of what is held, by consumer.
func (s *Set) replicaList() []*replica {
	var list []*replica
	for _, c := range s.order {
		end, ok := s.consumerEnd(c.id)
		if !ok {
			continue
		}
		for _, hold := range c.holds {
			if r := end.replicas[hold.id]; r != nil {
				list = append(list, r)
			}
		}
	}
	return list
}

// shared has each replica know a reference that shows it, where the one that it knew was released and others share its hold.
func (s *Set) shared() {
	for _, c := range s.calls.order {
		l, hold := c.ref.Hold()
		if c.ref.State() != core.StateLive || s.ends[l] == nil {
			continue
		}
		if r := s.ends[l].replicas[hold]; r != nil && r.ref != nil && r.ref.State() != core.StateLive {
			r.ref = c.ref
		}
	}
}

// frame checks C2 and C11 on what a reference shows.
func (s *Set) frame(f core.Frame) {
	l, hold := f.Reference.Hold()
	host := f.Reference.Host()
	e := s.end(host, l)
	if e == nil {
		return
	}
	r := e.replicas[hold]
	if r == nil {
		return // live has said so
	}
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
	r.ref = f.Reference
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
func (s *Set) readReply(e *end, h wire.Header, body []byte) {
	if lane := h.Type.Lane(); lane != wire.LaneState && lane != wire.LaneBulk || h.Type == wire.TypeResultOrdered {
		return
	}
	host, l := e.host, e.link
	typ, message, done, err := e.replies.Add(h, body, s.limits.MessageBytes)
	if err != nil || !done {
		return
	}
	switch typ {
	case wire.TypeBound:
		m, err := wire.ParseBound(l.Codec(), message, &s.limits)
		if r := e.replicas[m.ID]; err == nil && r != nil {
			s.notOver(e, r, m.ID, "the snapshot")
			for i := range min(len(m.Members), len(r.members)) {
				r.members[i] = memberAt{wire: m.Members[i].Revision, since: m.Members[i].Form == wire.MemberOps}
			}
		}
		if err == nil {
			s.boundParts(host, l, &m)
		}
	case wire.TypeResultBulk:
		s.resultParts(host, l, message)
	case wire.TypeState:
		m := inflating{link: l}
		s.readState(e, &m, message)
		s.message(host, &m)
	}
}

func (s *Set) readState(e *end, parts *inflating, message []byte) {
	host := e.host
	reader := wire.ReadState(e.link.Codec(), message)
	for {
		hold, ok := reader.Entry()
		if !ok {
			return
		}
		r := e.replicas[hold]
		if r != nil {
			s.notOver(e, r, hold, "state")
		}
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
