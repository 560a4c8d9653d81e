package check

import (
	"fmt"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/link"
	"chordsim/core/wire"
)

// callKey names a call that is under way by the link of its caller.
type callKey struct {
	link *link.Link
	call uint64
}

// write is what a call committed of a document that its caller held by then: the latest revision.
type write struct {
	replica *replica
	member  int
	rev     wire.Revision
}

// writes is the book of C15. A call id is free again once its result came, though nobody may have been told of it yet, so
// from then on a call goes by its caller's object.
//
// Invariant: each list has at most one entry for each member of the replicas of a caller, and there are at most as many
// lists as there are calls under way or waiting at their callers.
type writes struct {
	running  map[callKey][]write
	answered map[*core.PendingCall][]write
}

func newWrites() writes {
	return writes{running: map[callKey][]write{}, answered: map[*core.PendingCall][]write{}}
}

// callCommit notes which replicas of the caller have to show a commit before the call's result is seen: those that were
// bound by then. A later snapshot has the commit in it.
func (s *Set) callCommit(_ *core.Host, id core.ConsumerID, call uint64, d *core.Document) {
	c := s.consumers[id]
	end, ok := s.consumerEnd(id)
	if c == nil || !ok {
		return // holds nothing
	}
	key := callKey{end.link, call}
	for _, held := range c.holds {
		rep := end.replicas[held.id]
		if rep == nil {
			continue
		}
		for i, doc := range held.docs {
			if doc == d {
				s.writes.note(key, write{rep, i, d.Revision()})
			}
		}
	}
}

func (w *writes) note(key callKey, add write) {
	list := w.running[key]
	for i := range list {
		if list[i].replica == add.replica && list[i].member == add.member {
			list[i].rev = add.rev
			return
		}
	}
	w.running[key] = append(list, add)
}

// resultArrived sees a result before its caller does. One that says what became of the way to the provider, and not of
// the call, is a relay's own word: it promises nothing about the call's commits.
func (s *Set) resultArrived(l *link.Link, head wire.Header, body []byte) {
	if head.Type != wire.TypeResult {
		return
	}
	m, err := wire.ParseResult(l.Codec(), body)
	if err != nil || m.Err == nil {
		return
	}
	switch m.Err.Code {
	case base.CodeUnknown, base.CodeDown, base.CodeProtocol:
		delete(s.writes.running, callKey{l, m.ID})
	}
}

// answered takes a call's book from its id to its caller's object.
func (s *Set) answered(l *link.Link, call uint64, pc *core.PendingCall) {
	s.callAnswered(l, call)
	key := callKey{l, call}
	if list := s.writes.running[key]; len(list) > 0 && pc != nil {
		s.writes.answered[pc] = list
	}
	delete(s.writes.running, key)
}

// settled checks C15 as a caller is about to see a result, and closes the call's book.
func (s *Set) settled(pc *core.PendingCall, result bool) {
	s.callSettled(pc, pc.Reference().Host())
	list := s.writes.answered[pc]
	delete(s.writes.answered, pc)
	if !result {
		return
	}
	for i := range list {
		w := &list[i]
		if ref := w.replica.ref; ref == nil || ref.State() != core.StateLive {
			continue // shows nothing yet, or no more
		}
		at := &w.replica.members[w.member]
		s.expect(c15, at.seen && at.shown.Epoch == w.rev.Epoch && at.shown.Number >= w.rev.Number, w.replica.ref.Host(), func() string {
			return fmt.Sprintf("a result is seen with %s at revision %d, the call committed %d",
				w.replica.docs[w.member].Name(), at.shown.Number, w.rev.Number)
		})
	}
}
