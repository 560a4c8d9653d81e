package check

import (
	"fmt"
	"maps"
	"slices"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/link"
	"chordsim/core/wire"
)

// consumer is the checkers' own book of a consumer at its provider.
type consumer struct {
	id    core.ConsumerID
	host  *core.Host
	holds []*held // in the order in which they were bound

	outstanding int // state messages encoded and not credited
	bytes       int // their bytes
	onWire      int // bytes of state written and not credited
	state       []sentChunk
	bulk        []sentChunk
	credits     []creditOut // oldest first

	touched bool
	sent    int // state messages in this turn
	inTurn  int // their bytes
	encodes []uint64

	drafted   []*held               // encoded, for the next state message
	unwritten base.Ring[stateHolds] // the state messages that are not wholly on the wire, oldest first
	queue     callQueue
}

// stateHolds is which holds a state message speaks of.
type stateHolds struct {
	first *held
	rest  []*held
}

// creditOut is credit that the provider is given. It counts once the provider has taken its chunk.
type creditOut struct {
	chunk  int64 // its number among those of the link
	credit wire.Credit
}

type sentChunk struct {
	bytes int
	last  bool
}

// held is a hold at its provider.
type held struct {
	id   uint64
	docs []*core.Document
	sent []wire.Revision // what was sent of each; the snapshot at first
	live bool
	gone bool // its release arrived: nothing more is sent
	over bool // its provider said so
}

func newHeld(id uint64, docs []*core.Document) *held {
	h := &held{id: id, docs: docs, sent: make([]wire.Revision, len(docs))}
	h.catchUp()
	return h
}

func (h *held) catchUp() {
	for i, d := range h.docs {
		h.sent[i] = d.Revision()
	}
}

func (h *held) behind() bool {
	for i, d := range h.docs {
		if h.sent[i] != d.Revision() {
			return true
		}
	}
	return false
}

// consumer returns the book of a consumer, or nil if its link is gone.
func (s *Set) consumer(h *core.Host, id core.ConsumerID) *consumer {
	c := s.consumers[id]
	if c == nil {
		if s.end(h, id.Link) == nil {
			return nil
		}
		c = &consumer{id: id, host: h}
		s.consumers[id] = c
		s.order = append(s.order, c)
	}
	return c
}

func (c *consumer) held(id uint64) *held {
	for _, h := range c.holds {
		if h.id == id {
			return h
		}
	}
	return nil
}

func (c *consumer) follows(d *core.Document) bool {
	for _, h := range c.holds {
		if slices.Contains(h.docs, d) {
			return true
		}
	}
	return false
}

func (s *Set) touch(c *consumer) {
	if !c.touched {
		c.touched = true
		s.touched = append(s.touched, c)
	}
}

func (s *Set) holdLive(h *core.Host, id core.ConsumerID, hold uint64) {
	c := s.consumer(h, id)
	if c == nil {
		return
	}
	if held := c.held(hold); held != nil {
		held.live = true
	}
	s.touch(c)
}

// encode counts an entry, one a hold and turn.
func (s *Set) encode(h *core.Host, id core.ConsumerID, hold uint64) {
	c := s.consumer(h, id)
	if c == nil {
		return
	}
	s.touch(c)
	s.expect(c3, !slices.Contains(c.encodes, hold), h, func() string { return fmt.Sprintf("hold %d is encoded twice in a turn", hold) })
	c.encodes = append(c.encodes, hold)
	held := c.held(hold)
	s.expect(c12, held != nil, h, func() string { return fmt.Sprintf("hold %d is encoded, and is not held", hold) })
	if held != nil {
		c.drafted = append(c.drafted, held)
		s.expect(c3, held.live, h, func() string { return fmt.Sprintf("hold %d is encoded before its snapshot was taken in", hold) })
		held.catchUp()
	}
}

// mayGrow is how many times larger than estimated a host takes it that an encoded change may be.
const mayGrow = 20

// stateSent checks the window as a message enters it.
func (s *Set) stateSent(h *core.Host, id core.ConsumerID, entries, bytes int) {
	c := s.consumer(h, id)
	if c == nil {
		return
	}
	s.touch(c)
	s.takeCredits(c)
	c.drafting(entries)
	room := c.outstanding < s.limits.WindowMessages && c.bytes < s.limits.WindowBytes
	s.expect(c3, room, h, func() string {
		return fmt.Sprintf("a state message without room: %d messages, %d bytes are outstanding", c.outstanding, c.bytes)
	})
	c.outstanding++
	c.bytes += bytes
	c.sent++
	s.expect(c8, c.outstanding <= s.limits.WindowMessages, h, func() string {
		return fmt.Sprintf("%d state messages are outstanding, the window has %d", c.outstanding, s.limits.WindowMessages)
	})
	c.inTurn += bytes
	// Entries that may not fit in one message, by an estimate, go in several.
	fits := c.inTurn < s.limits.MessageBytes/mayGrow
	s.expect(c3, c.sent == 1 || !fits, h, func() string { return fmt.Sprintf("%d state messages in one turn", c.sent) })
}

// turnEnd checks C3 and the bound on what pends for the consumers of the host that the turn had to do with. Those whose
// credit still waits for the CPU are looked at again.
func (s *Set) turnEnd(h *core.Host) {
	if len(s.calls.fresh) > 0 {
		s.callersTurn(h)
	}
	keep := s.touched[:0]
	for _, c := range s.touched {
		if c.host != h {
			keep = append(keep, c)
			continue
		}
		s.takeCredits(c)
		s.endOf(h, c)
		c.sent, c.inTurn, c.encodes = 0, 0, c.encodes[:0]
		if c.touched = len(c.credits) > 0; c.touched {
			keep = append(keep, c)
		}
	}
	clear(s.touched[len(keep):])
	s.touched = keep
}

func (s *Set) endOf(h *core.Host, c *consumer) {
	w, ok := h.Window(c.id)
	if !ok {
		return
	}
	room := c.outstanding < s.limits.WindowMessages && c.bytes < s.limits.WindowBytes
	bound := 0
	for _, held := range c.holds {
		for _, d := range held.docs {
			bound += d.Value().Size() + pendingSlack
		}
		// A message of this turn may have taken the last room; then what is behind was in it.
		s.expect(c3, !held.live || held.gone || !held.behind() || !room, h, func() string {
			return fmt.Sprintf("hold %d is behind at the end of a turn, and the window has room", held.id)
		})
	}
	s.expect(c8, w.Pending <= bound, h, func() string {
		return fmt.Sprintf("%d bytes pend, the values have %d", w.Pending, bound)
	})
}

// pendingSlack is what a fold may take beyond the size of its value, in bytes: one op's head and path.
const pendingSlack = 256

// wroteReply keeps the book of what a provider, or a relay, put on a link.
func (s *Set) wroteReply(e *end, head wire.Header, body []byte, forwarded bool) {
	l := e.link
	switch head.Type {
	case wire.TypeOriginReleased:
		s.forget(core.ConsumerID{Link: l, Origin: head.Origin})
		delete(e.asked, head.Origin)
		maps.DeleteFunc(e.bulk, func(slot bulkSlot, _ uint64) bool { return slot.origin == head.Origin })
		return
	case wire.TypeResult, wire.TypeResultOrdered, wire.TypeResultBulk, wire.TypeBulkMore, wire.TypeBulkAbort:
		s.wroteResult(e, head, body)
	}
	lane, credited := head.Type.Credited()
	c := s.consumers[core.ConsumerID{Link: l, Origin: head.Origin}]
	if !credited || c == nil {
		return
	}
	// What a relay passes on is credited like what is its own, but the window is another's.
	chunk := sentChunk{bytes: len(body), last: !head.More}
	if forwarded {
		chunk = sentChunk{}
	}
	if lane == wire.LaneBulk {
		c.bulk = append(c.bulk, chunk)
		return
	}
	s.takeCredits(c)
	c.state = append(c.state, chunk)
	if forwarded {
		return
	}
	if chunk.last {
		s.wroteState(c)
	}
	c.onWire += len(body)
	s.expect(c8, c.onWire <= s.limits.WindowBytes, e.host, func() string {
		return fmt.Sprintf("%d bytes of state are on the way, the window has %d", c.onWire, s.limits.WindowBytes)
	})
}

// forget drops the book of a consumer that is gone. Another one may come under its name.
func (s *Set) forget(id core.ConsumerID) {
	c := s.consumers[id]
	if c == nil {
		return
	}
	delete(s.consumers, id)
	s.order = slices.DeleteFunc(s.order, func(o *consumer) bool { return o == c })
	s.touched = slices.DeleteFunc(s.touched, func(o *consumer) bool { return o == c })
}

// releaseArrived notes that a hold is over at its provider, which may still wait for credit before it says so.
func (s *Set) releaseArrived(l *link.Link, origin, hold uint64) {
	if c := s.consumers[core.ConsumerID{Link: l, Origin: origin}]; c != nil {
		if held := c.held(hold); held != nil {
			held.gone = true
		}
	}
}

// creditArrived notes credit that the provider is to take.
func (s *Set) creditArrived(e *end, head wire.Header, body []byte) {
	c := s.consumers[core.ConsumerID{Link: e.link, Origin: head.Origin}]
	m, err := wire.ParseCredit(e.link.Codec(), body)
	if c == nil || err != nil {
		return
	}
	s.touch(c)
	c.credits = append(c.credits, creditOut{e.link.Stats().ChunksIn + 1, m})
}

// takeCredits gives back in the book what the provider has taken.
func (s *Set) takeCredits(c *consumer) {
	for len(c.credits) > 0 && c.credits[0].chunk <= c.id.Link.Stats().ChunksIn {
		s.take(c, c.credits[0].credit)
		c.credits = c.credits[1:]
	}
	if len(c.credits) == 0 {
		c.credits = nil
	}
}

func (s *Set) take(c *consumer, m wire.Credit) {
	s.expect(c8, m.State <= uint64(len(c.state)) && m.Bulk <= uint64(len(c.bulk)), c.host, func() string {
		return fmt.Sprintf("credit of %d state and %d bulk chunks, %d and %d are out", m.State, m.Bulk, len(c.state), len(c.bulk))
	})
	n := min(int(m.State), len(c.state))
	for _, chunk := range c.state[:n] {
		c.bytes -= chunk.bytes
		c.onWire -= chunk.bytes
		if chunk.last {
			c.outstanding--
		}
	}
	c.state = c.state[n:]
	c.bulk = c.bulk[min(int(m.Bulk), len(c.bulk)):]
}

// returned checks that all credit came back.
func (s *Set) returned(c *consumer) {
	if c.id.Link.Closed() || s.severed(c.id) {
		return
	}
	s.takeCredits(c)
	s.expect(c8, c.outstanding == 0 && c.bytes == 0 && len(c.state) == 0 && len(c.bulk) == 0, c.host, func() string {
		return fmt.Sprintf("settled with %d state messages (%d bytes, %d chunks) and %d bulk chunks that were not credited",
			c.outstanding, c.bytes, len(c.state), len(c.bulk))
	})
}
