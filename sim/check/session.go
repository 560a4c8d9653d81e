package check

import (
	"fmt"
	"maps"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/link"
	"chordsim/core/wire"
	"chordsim/sim/trace"
)

// underWay is the chunks of a session that one side wrote and the other did not take yet, over however many transports. Once
// another one took over, all of them go again before anything new, as they were; a call that settled meanwhile goes as a void.
type underWay struct {
	chunks base.Ring[writtenChunk] // oldest first
	at     int                     // how many of them were written over the present transport. Invariant: at ≤ chunks.Len()
	taken  uint64                  // chunks of the session that were taken
	lost   bool                    // there are more than maxUnderWay: nothing is looked at any more
}

// maxUnderWay is how many chunks a side may have under way and still be watched.
const maxUnderWay = 1 << 16

// writtenChunk is what is known of a chunk that is under way.
type writtenChunk struct {
	hash uint64
	call *call // that it is, of a reference of the host that wrote it; nil: of none, or it is something else
	id   uint64
}

// hashOf stands for a chunk without the ack that rides on it, which is said once.
func hashOf(head wire.Header, body []byte) uint64 {
	var h trace.Hash
	more := uint64(0)
	if head.More {
		more = 1
	}
	h.Add(base.Time(head.Type), trace.Kind(head.Slot), head.Origin<<1|more, trace.Bytes(body))
	return h.Sum()
}

// wroteNumbered takes a numbered chunk into the book of its session. It reports whether it is one that was not written before.
func (s *Set) wroteNumbered(e *end, head wire.Header, body []byte) bool {
	u := &e.out
	if u.lost {
		return true
	}
	hash := hashOf(head, body)
	if u.at < u.chunks.Len() {
		s.goesAgain(e, head, body, u.chunks.At(u.at), hash)
		u.at++
		return false
	}
	if u.chunks.Len() == maxUnderWay {
		*u = underWay{lost: true}
		return true
	}
	c := writtenChunk{hash: hash}
	if (head.Type == wire.TypeCall || head.Type == wire.TypeCallBulk) && head.Origin == 0 {
		if _, id, err := wire.CallIDs(e.link.Codec(), body); err == nil && e.calls[id] != nil {
			c.call, c.id = e.calls[id], id
			c.call.written = true
		}
	}
	u.chunks.Push(c)
	u.at++
	return true
}

// goesAgain checks a chunk that goes again over another transport.
func (s *Set) goesAgain(e *end, head wire.Header, body []byte, was *writtenChunk, hash uint64) {
	if head.Type == wire.TypeVoid && was.hash != hash {
		c := was.call
		s.expect(c5, c != nil && c.settled, e.host, func() string { return "a void goes in the place of a chunk that is still to be sent" })
		if c != nil && e.calls[was.id] == c {
			delete(e.calls, was.id)
		}
		*was = writtenChunk{hash: hash}
		return
	}
	s.expect(c5, was.hash == hash, e.host, func() string {
		return fmt.Sprintf("%v of %d bytes goes again, and is not what was written in its place", head.Type, len(body))
	})
	if c := was.call; c != nil && head.Type == wire.TypeCall && !head.More {
		s.expect(c6, !c.settled, e.host, func() string { return fmt.Sprintf("call %d goes again, and has settled", was.id) })
	}
}

// tookNumbered checks that a chunk that comes is the next one that the other side wrote.
func (s *Set) tookNumbered(e *end, head wire.Header, body []byte) {
	if e.far == nil || e.far.dead || e.far.out.lost {
		return
	}
	u := &e.far.out
	u.taken++
	if e.excused || e.far.excused || s.parts.hostile[e.far.host] {
		u.lost = true
		return
	}
	good := u.at > 0 && u.chunks.Front().hash == hashOf(head, body)
	if !good { // what comes behind it says nothing more
		s.expect(c5, false, e.host, func() string {
			return fmt.Sprintf("%v of %d bytes comes as chunk %d of its session, and was not written as that", head.Type, len(body), u.taken)
		})
		u.lost = true
		return
	}
	u.chunks.Pop()
	u.at--
}

// Unreliable says that a connection loses chunks, doubles them or turns them round on purpose, as no transport does: nothing is
// said any more of the order in which they come, and of those that do not.
func (s *Set) Unreliable(l *link.Link) {
	if e := s.ends[l]; e != nil {
		e.out.lost = true
		if e.far != nil {
			e.far.out.lost = true
		}
	}
}

// wroteHandshake sees an acceptor that goes on with a session: what was not taken goes again.
func (s *Set) wroteHandshake(l *link.Link, head wire.Header, body []byte) {
	if head.Type != wire.TypeWelcome {
		return
	}
	if m, err := wire.ParseWelcome(l.Codec(), body); err == nil && m.Resumed {
		s.resumes(l, m.Received)
	}
}

// handshakeArrived sees a dialer that is told that its session goes on.
func (s *Set) handshakeArrived(l *link.Link, head wire.Header, body []byte) {
	if head.Type != wire.TypeWelcome {
		return
	}
	if m, err := wire.ParseWelcome(l.Codec(), body); err == nil && m.Resumed {
		if e := s.ends[l]; e != nil && !e.dead {
			e.out.at = 0
		}
	}
}

// resumes checks at which chunk an acceptor goes on.
func (s *Set) resumes(l *link.Link, received uint64) {
	e := s.ends[l]
	if e == nil || e.dead {
		return
	}
	e.out.at = 0
	if far := e.far; far != nil && !far.dead && !far.out.lost {
		s.expect(c5, far.out.taken == received, e.host, func() string {
			return fmt.Sprintf("the session goes on at chunk %d, %d were taken", received, far.out.taken)
		})
	}
}

// parking counts the calls that wait at their caller, of the references that go one way: over one session after another.
type parking struct {
	calls int
	bytes int // their arguments
}

// parkingOf returns the book of the calls that wait on references that go the way of one.
func (b *calls) parkingOf(r *core.Reference) *parking {
	l := r.Way()
	if l == nil {
		return nil
	}
	p := b.parkings[l]
	if p != nil {
		return p
	}
	maps.DeleteFunc(b.parkings, func(known *link.Link, _ *parking) bool { return known.Closed() })
	for _, c := range b.order { // a further session of a way that is known
		if c.parking != nil && c.ref.Host() == r.Host() && c.ref.Way() == l {
			p = c.parking
			break
		}
	}
	if p == nil {
		p = &parking{}
	}
	b.parkings[l] = p
	return p
}

// heldAgain reports whether an object is to be held again: the way to it was lost, and may come back.
func heldAgain(r *core.Reference) bool {
	l, _ := r.Hold()
	return r.State() == core.StateDown && l == nil && r.Way() != nil && !r.Way().Closed()
}
