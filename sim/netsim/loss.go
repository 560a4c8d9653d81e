package netsim

import "errors"

// ErrReset is what an end is told when the connection was reset: by [Link.Reset], by a cut, by an end that died, or because
// something came to an end that had closed.
var ErrReset = errors.New("netsim: connection reset")

// Cause is why something was lost, and what reset a connection.
type Cause uint8

// The causes. 0 is none.
const (
	_           Cause = iota
	ByReset           // by Reset, from outside
	ByCut             // by CutAfter: what it fell into, and all that was under way then
	ByDrop            // by DropAfter: what it takes, and all that was under way behind the last of it
	ByBlackHole       // in a BlackHole
	ByGap             // behind what a BlackHole took, with all that was under way then
	ByArrival         // came to an end that had closed, or was gone
	ByUnsent          // waited to leave an end that died, was gone, or was refused after it had closed
	causes
)

// Lost says how many messages, of how many bytes, were written and will not be delivered.
type Lost struct{ Messages, Bytes int64 }

// Lost returns all that the direction towards the end has lost so far, for whatever reason.
func (e *End) Lost() (sum Lost) {
	for _, l := range e.inbound().lost {
		sum.Messages += l.Messages
		sum.Bytes += l.Bytes
	}
	return sum
}

// LostBy returns what the direction towards the end has lost so far for one reason.
func (e *End) LostBy(c Cause) Lost { return e.inbound().lost[c] }

// Swallowed returns what has fallen into black holes on its way to the end: each message once, as its first byte does, and
// whole. What connects and ends a connection counts as a message without bytes each.
func (e *End) Swallowed() Lost { return e.inbound().swallowed }

// Dropped returns what [Link.DropAfter] has taken message by message, of both directions.
func (l *Link) Dropped() Lost { return l.dropped }

// Fate is what reset a connection as a whole. The zero value: nothing did so far.
type Fate struct {
	By Cause // ByReset, ByCut, ByDrop or ByGap
	// Towards is the end that something was on its way to when it was cut, or came behind a gap. Nil for others.
	Towards *End
	Place   int64 // what CutAfter or DropAfter returned of the one that came to its end; 0 for others
}

// Fate returns what reset the connection.
func (l *Link) Fate() Fate { return l.fate }

// Reset ends the connection from outside, as something between the hosts that resets it does: all that is under way both ways is
// lost, and both ends are told ErrReset, at once but each in an event of its own. It returns what was lost by it. A
// link that was reset stays so.
func (l *Link) Reset() Lost {
	return l.end(Fate{By: ByReset})
}

// end resets the connection.
func (l *Link) end(fate Fate) Lost {
	if l.dead {
		return Lost{}
	}
	l.dead, l.fate = true, fate
	up, down := l.dialer.out.clear(fate.By), l.acceptor.out.clear(fate.By)
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
// message loses it; a byte stream has delivered its first bytes. Of two cuts the first counts. It returns where the cut is, in
// bytes that crossed to the end since the connection began, which tells cuts apart: see [Fate].
func (e *End) CutAfter(k int64) (place int64) {
	d := e.inbound()
	place = d.crossed + min(max(k, 0), noCut-d.crossed)
	if k <= 0 {
		e.link.end(Fate{ByCut, e, place})
		return place
	}
	d.cut = min(d.cut, place)
	return place
}

// DropAfter loses the next n messages that would arrive, of both directions together, and resets the connection with the
// last of them; at once if n is 0 or less. Of two such losses the first to be complete counts. It returns how many messages
// will have been dropped by then since the connection began, which tells drops apart: see [Fate].
func (l *Link) DropAfter(n int64) (place int64) {
	place = l.dropped.Messages + min(max(n, 0), noCut-l.dropped.Messages)
	switch {
	case n <= 0:
		l.end(Fate{By: ByDrop, Place: place})
	case l.drops == 0 || place < l.drops:
		l.drops = place
	}
	return place
}

// Spare takes back what [End.CutAfter] and [Link.DropAfter] have not done yet: what they would have taken passes. A drop that
// has lost messages already resets the connection now, since nothing can be delivered behind them.
func (l *Link) Spare() {
	if l.drops > 0 && (l.dialer.out.gap == ByDrop || l.acceptor.out.gap == ByDrop) {
		l.end(Fate{By: ByDrop, Place: l.drops})
		return
	}
	l.drops, l.dialer.out.cut, l.acceptor.out.cut = 0, noCut, noCut
}

// drop loses a message, or a segment with the messages that it completes, and resets the connection if that was the last.
func (d *direction) drop(p parcel) {
	l, before := d.link, d.lost[ByDrop]
	d.leaveGap(ByDrop)
	d.lose(p, ByDrop)
	more := d.lost[ByDrop].since(before)
	l.dropped = Lost{l.dropped.Messages + more.Messages, l.dropped.Bytes + more.Bytes}
	if l.dropped.Messages >= l.drops {
		l.end(Fate{By: ByDrop, Place: l.drops})
	}
}

// swallow loses what fell into a black hole.
func (d *direction) swallow(p parcel) {
	d.leaveGap(ByBlackHole)
	switch {
	case p.kind != kindData:
		d.swallowed.Messages++
	case d.stream != nil:
		d.stream.touch(len(p.chunk), &d.swallowed)
	default:
		d.swallowed.add(len(p.chunk))
	}
	d.lose(p, ByBlackHole)
}

// leaveGap notes what was the first to lose something out of the middle.
func (d *direction) leaveGap(by Cause) {
	if d.gap == 0 {
		d.gap = by
	}
}

// tear resets the connection as something comes behind a gap. A drop that did not come to its end ends with that.
func (d *direction) tear(p parcel) {
	fate := Fate{By: ByGap, Towards: d.to}
	if d.gap == ByDrop {
		fate = Fate{By: ByDrop, Place: d.link.drops}
	}
	d.lose(p, fate.By)
	d.link.end(fate)
}

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
	before := d.lost[ByUnsent]
	dropped, _ := d.model.DropQueued(d.link.queue.Now())
	for range dropped {
		p := d.parcels.popNewest()
		if d.stream != nil {
			d.stream.sent -= int64(len(p.chunk))
		} else {
			d.lose(p, ByUnsent)
		}
	}
	if s := d.stream; s != nil {
		s.pending, s.ending = nil, false
		for s.frames.len() > 0 && s.frames.at(s.frames.end-1).end > s.sent {
			d.lost[ByUnsent].add(s.frames.popNewest().size)
		}
	}
	d.full = false
	d.model.WantDepartures(false)
	return d.lost[ByUnsent].since(before)
}

// clear loses everything.
func (d *direction) clear(by Cause) Lost {
	before := d.lost[by]
	d.model.Drop(d.link.queue.Now())
	for d.parcels.len() > 0 {
		if p := d.parcels.pop(); d.stream == nil {
			d.lose(p, by)
		}
	}
	if s := d.stream; s != nil {
		s.pending, s.ending = nil, false
		for s.frames.len() > 0 {
			d.lost[by].add(s.frames.pop().size)
		}
	}
	d.full = false
	d.generation++
	d.scheduled = false
	return d.lost[by].since(before)
}

// lose counts a parcel that arrives nowhere.
func (d *direction) lose(p parcel, by Cause) {
	switch {
	case p.kind != kindData:
	case d.stream != nil:
		d.stream.pass(len(p.chunk))
		for s := d.stream; s.frames.len() > 0 && s.frames.at(s.frames.first).end <= s.passed; {
			d.lost[by].add(s.frames.pop().size)
		}
	default:
		d.lost[by].add(len(p.chunk))
	}
}

func (l *Lost) add(size int) {
	l.Messages++
	l.Bytes += int64(size)
}

// since returns what was lost since there was less.
func (l Lost) since(before Lost) Lost {
	return Lost{l.Messages - before.Messages, l.Bytes - before.Bytes}
}
