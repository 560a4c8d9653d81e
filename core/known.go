package core

import (
	"slices"
	"strings"

	"chordsim/core/wire"
)

// know takes in which revisions of the members a consumer still has. What the document cannot have been at is nothing.
func (h *hold) know(known []wire.Known) {
	if h.consumer.host.limits.HistoryBytes < 0 {
		return
	}
	for _, k := range known {
		i, ok := slices.BinarySearchFunc(h.object.members, k.Member, func(m member, name string) int { return strings.Compare(m.name, name) })
		if !ok {
			continue
		}
		if s := &h.subs[i]; k.Epoch == s.doc.rev.Epoch && k.Number <= s.doc.rev.Number {
			s.sent = k.Revision
		}
	}
}

// lost has the members keep their histories for a while: the consumer's session is over.
func (h *hold) lost() {
	for i := range h.subs {
		h.subs[i].doc.sessionLost()
	}
}

// bindSize returns an estimate of what the member takes in a bind, in bytes.
func (s *subscription) bindSize() int {
	size := s.doc.value.Size()
	if n, ok := s.doc.reaches(s.sent); ok {
		size = min(size, n)
	}
	return size
}

// denser is how many times smaller the encoding of a value is taken to be than its estimate, at the most: names are told once,
// and text deflates. Only a change that is not smaller than that is compared with the snapshot itself.
const denser = 16

// sinceKnown makes the member what was committed since the revision that the consumer has, if that is known and takes fewer
// bytes than the value, or if nothing was. It returns false where the value is to be sent.
func (s *subscription) sinceKnown(m *wire.BoundMember, inflated *int) bool {
	d, c := s.doc, s.hold.consumer
	if _, ok := d.reaches(s.sent); !ok {
		return false
	}
	ops, ok := d.since(s.sent)
	if !ok {
		return false
	}
	var told wire.Told
	var used wire.Used
	part := c.codec().AppendSince(nil, d.value, ops, &d.dict, &told, &used)
	if s.sent != d.rev && len(part)*denser > d.value.Size() && len(part) >= s.snapshotLen() {
		return false
	}
	m.Form = wire.MemberOps
	m.Part, m.Deflated = c.host.deflate(part, inflated)
	s.known = told
	c.host.stats.Deltas++
	return true
}

// snapshotLen returns how many bytes the member's value takes as a part, for a reader who was told nothing.
func (s *subscription) snapshotLen() int {
	var told wire.Told
	var used wire.Used
	raw := s.hold.consumer.codec().AppendSnapshot(nil, s.doc.value, &s.doc.dict, &told, &used)
	return s.hold.consumer.host.deflatedLen(raw)
}
