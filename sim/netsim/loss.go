package netsim

import "errors"

// ErrReset is what an end is told when the connection was reset: by [Link.Reset], by a cut, by an end that died, or because
// something came to an end that had closed.
var ErrReset = errors.New("netsim: connection reset")

// Lost says how many messages, of how many bytes, were written and will not be delivered.
type Lost struct{ Messages, Bytes int64 }

// Lost returns all that the direction towards the end has lost so far, for whatever reason.
func (e *End) Lost() Lost { return e.inbound().lost }

// Reset ends the connection from outside, as something between the hosts that resets it does: all that is under way both ways is
// lost, and both ends are told ErrReset, at once but each in an event of its own. It returns what was lost by it. A
// link that was reset stays so.
func (l *Link) Reset() Lost {
	if l.dead {
		return Lost{}
	}
	l.dead = true
	up, down := l.dialer.out.clear(), l.acceptor.out.clear()
	for _, e := range [...]*End{&l.dialer, &l.acceptor} {
		told := !e.closed && e.knows()
		e.closed = true
		if told {
			l.queue.Schedule(l.queue.Now(), (*resetEnd)(e), 0)
		}
	}
	return Lost{up.Messages + down.Messages, up.Bytes + down.Bytes}
}

// resetEnd is an End seen from the event that tells it of a reset.
type resetEnd End

// Fire tells the end.
func (r *resetEnd) Fire(uint64) { (*End)(r).receiver.Closed(ErrReset) }

// Abort ends the connection as the end's process does when it dies: what the end wrote and did not leave yet is lost, the other end
// is told ErrReset behind what had left, and this end is told nothing any more. What is still under way to it is
// lost as well, but not before it arrives. It returns what was lost at once. An end that is closed stays as it is.
func (e *End) Abort() Lost {
	if e.closed {
		return Lost{}
	}
	e.closed = true
	lost := e.out.dropQueued()
	if e.knows() {
		e.out.control(kindReset)
	}
	return lost
}

// Vanish takes the end's machine away: what the end wrote and did not leave yet is lost, what comes to it is lost when it arrives,
// and nobody is told anything. It returns what was lost at once.
func (e *End) Vanish() Lost {
	if e.gone {
		return Lost{}
	}
	e.closed, e.gone = true, true
	lost := e.out.dropQueued()
	e.out.reschedule()
	return lost
}

// BlackHole says whether what arrives at the end is lost, what is on the link already included. Senders notice nothing.
// A connection that has lost something in one can deliver nothing behind it: what would be the next to arrive after the
// black hole resets it.
func (e *End) BlackHole(on bool) { e.inbound().dark = on }

// CutAfter resets the connection once k more bytes have crossed to the end, at once if k is 0 or less. A cut within a
// message loses it; a byte stream has delivered its first bytes. Of two cuts the first counts.
func (e *End) CutAfter(k int64) {
	if k <= 0 {
		e.link.fall()
		return
	}
	d := e.inbound()
	d.cut = min(d.cut, k)
}

// DropAfter loses the next n messages that would arrive, of both directions together, and resets the connection with the
// last of them; at once if n is 0 or less. Of two such losses the first to be complete counts.
func (l *Link) DropAfter(n int64) {
	switch {
	case n <= 0:
		l.fall()
	case l.drops == 0:
		l.drops = n
	default:
		l.drops = min(l.drops, n)
	}
}

// drop loses a message, or a segment with the messages that it completes, and resets the connection if that was the last.
func (d *direction) drop(p parcel) {
	before := d.lost.Messages
	d.gap = true
	d.lose(p)
	if d.link.drops -= d.lost.Messages - before; d.link.drops <= 0 {
		d.link.fall()
	}
}

// fall resets the connection as a cut or a drop that came to its end does.
func (l *Link) fall() {
	l.fell = l.fell || !l.dead
	l.Reset()
}

// Fell reports whether [End.CutAfter] or [Link.DropAfter] ended the connection, and how many messages a drop would still have
// lost if something else did.
func (l *Link) Fell() (fell bool, left int64) { return l.fell, max(l.drops, 0) }

// refuse answers a message that came to a closed end with a reset. If the end of the connection has left already that says it as well.
func (d *direction) refuse() {
	e := d.to
	if d.link.dead || e.Other().closed || !e.out.waiting() {
		return
	}
	e.out.dropQueued()
	e.out.control(kindReset)
}

// waiting reports whether something has not left yet.
func (d *direction) waiting() bool {
	d.model.Settle(d.link.queue.Now())
	return d.model.Queued() > 0 || d.stream != nil && (d.stream.waiting() || d.stream.ending)
}

// dropQueued loses what has not left yet.
func (d *direction) dropQueued() Lost {
	before := d.lost
	dropped, _ := d.model.DropQueued(d.link.queue.Now())
	for range dropped {
		p := d.parcels.popNewest()
		if d.stream != nil {
			d.stream.sent -= int64(len(p.chunk))
		} else {
			d.lose(p)
		}
	}
	if s := d.stream; s != nil {
		s.pending, s.ending = nil, false
		for s.frames.len() > 0 && s.frames.at(s.frames.end-1).end > s.sent {
			d.add(s.frames.popNewest().size)
		}
	}
	d.full = false
	d.model.WantDepartures(false)
	return Lost{d.lost.Messages - before.Messages, d.lost.Bytes - before.Bytes}
}

// clear loses everything.
func (d *direction) clear() Lost {
	before := d.lost
	d.model.Drop(d.link.queue.Now())
	for d.parcels.len() > 0 {
		if p := d.parcels.pop(); d.stream == nil {
			d.lose(p)
		}
	}
	if s := d.stream; s != nil {
		s.pending, s.ending = nil, false
		for s.frames.len() > 0 {
			d.add(s.frames.pop().size)
		}
	}
	d.full = false
	d.generation++
	d.scheduled = false
	return Lost{d.lost.Messages - before.Messages, d.lost.Bytes - before.Bytes}
}

// lose counts a parcel that arrives nowhere.
func (d *direction) lose(p parcel) {
	switch {
	case p.kind != kindData:
	case d.stream != nil:
		d.stream.pass(len(p.chunk))
		for s := d.stream; s.frames.len() > 0 && s.frames.at(s.frames.first).end <= s.passed; {
			d.add(s.frames.pop().size)
		}
	default:
		d.count(p.chunk)
	}
}

func (d *direction) count(chunk []byte) { d.add(len(chunk)) }

func (d *direction) add(size int) {
	d.lost.Messages++
	d.lost.Bytes += int64(size)
}
