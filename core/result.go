package core

import (
	"cmp"
	"slices"

	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/wire"
)

// settlement is a result that leaves at the end of the turn, behind the state that its call committed.
type settlement struct {
	call  *Call
	value delta.Value
	err   error
}

// resultHead and markBytes are more than a result's message takes besides its value and its watermarks, and than one of
// those takes, in bytes.
const (
	resultHead = 40
	markBytes  = 24
)

// send decides how the consumer is kept from seeing the result before the commits of its call. Where all of them were
// sent, the result goes behind them in the state lane, which costs no bytes; where some pend, or the result is large, it
// names the entries to wait for. A call that changed nothing, or nothing that is not credited yet, waits for nothing.
func (s *settlement) send() {
	c := s.call.consumer
	if c.closed {
		return
	}
	l := c.peer.link
	m := wire.Result{ID: s.call.id}
	marks, pending := c.marks(s.call.touched)
	if pending {
		m.After = marks
	}
	size := resultHead
	if s.err == nil && s.value.Depth() > delta.MaxDepth {
		s.err = base.Errorf(base.CodeInternal, "a result of more than %d levels", delta.MaxDepth)
	}
	if s.err == nil {
		size += s.encode(&m)
		s.err = cmp.Or(c.host.admit(m.Value), c.host.admit(m.Bytes...))
		if limit := l.MaxMessage(); s.err == nil && size+markBytes*len(marks) > limit {
			s.err = base.Errorf(base.CodeLimit, "result of %d bytes, in a message of at most %d", size-resultHead, limit)
		}
		if s.err != nil {
			m = wire.Result{ID: m.ID, After: m.After}
			size = resultHead
		}
	}
	if s.err != nil {
		m.Err = &wire.Failure{Code: base.CodeOf(s.err), Detail: s.err.Error()}
	}
	buf := m.Append(l.Codec(), l.BufferFor(size))
	switch {
	case !l.Fits(buf):
		if m.After = marks; !pending && len(marks) > 0 {
			buf = m.Append(l.Codec(), l.BufferFor(size+markBytes*len(marks)))
		}
		l.SendBulk(wire.TypeResultBulk, c.origin, buf, nil)
	case !pending && len(marks) > 0:
		l.SendState(wire.TypeResultOrdered, c.origin, buf, nil)
	default:
		l.SendControl(wire.TypeResult, c.origin, buf)
	}
}

// encode puts the value and the bytes of a success into the message, deflated where that makes them smaller, and returns
// about how many bytes they take there.
func (s *settlement) encode(m *wire.Result) int {
	h, size, inflated := s.call.consumer.host, 0, 0
	if !s.value.IsNull() {
		m.Value, m.Deflated = h.deflate(h.encode(s.call.consumer.codec(), s.value), &inflated)
		size = len(m.Value)
	}
	if len(s.call.bytes) == 0 {
		return size
	}
	m.Bytes = slices.Clone(s.call.bytes)
	for i, b := range m.Bytes {
		var deflated bool
		if m.Bytes[i], deflated = h.deflate(b, &inflated); deflated {
			m.DeflatedBytes |= 1 << i
		}
		size += len(m.Bytes[i]) + lengthBytes
	}
	return size
}

// lengthBytes is more than the length of a part takes in a message.
const lengthBytes = 12

// marks returns the entries in which the consumer will have seen, or will see, what a call committed: one for each hold,
// but for those that have credited all that they were sent. Pending says that some were not sent yet.
func (c *consumer) marks(touched []touch) (marks []wire.After, pending bool) {
	for _, t := range touched {
		for _, s := range t.doc.subs {
			switch {
			case s.hold.consumer != c:
			case s.sent.Epoch != t.rev.Epoch || s.sent.Number < t.rev.Number:
				marks = append(marks, wire.After{Hold: s.hold.id, Entry: s.hold.entry + 1})
				pending = true
			case s.hold.inFlight > 0:
				marks = append(marks, wire.After{Hold: s.hold.id, Entry: s.hold.entry})
			}
		}
	}
	if len(marks) < 2 {
		return marks, pending
	}
	slices.SortStableFunc(marks, func(a, b wire.After) int {
		return cmp.Or(cmp.Compare(a.Hold, b.Hold), cmp.Compare(b.Entry, a.Entry)) // the latest of a hold first
	})
	return slices.CompactFunc(marks, func(a, b wire.After) bool { return a.Hold == b.Hold }), pending
}
