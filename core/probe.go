package core

import (
	"chordsim/core/base"
	"chordsim/core/link"
	"chordsim/core/relay"
)

// Probe is told what a host does, as it does it: for invariant checkers, traces and measurements. Any field may be nil.
// A probe must not change anything or call back into the host but to read.
type Probe struct {
	// TurnBegin and TurnEnd enclose a turn, its flush included.
	TurnBegin func(*Host)
	TurnEnd   func(*Host)
	// Commit says that a document has a new revision.
	Commit func(*Host, *Document)
	// Bound says that a hold's snapshot was encoded; HoldLive that it was credited; Released that the hold is over.
	Bound func(h *Host, c ConsumerID, hold uint64, docs []*Document)
	// Gone says that a consumer is gone, with its holds and calls: nothing is told of it any more.
	HoldLive func(h *Host, c ConsumerID, hold uint64)
	Released func(h *Host, c ConsumerID, hold uint64)
	Gone     func(h *Host, c ConsumerID)
	// Encode says that a hold's entry was encoded; StateSent that a message with that many entries and bytes was handed
	// to the link.
	Encode    func(h *Host, c ConsumerID, hold uint64)
	StateSent func(h *Host, c ConsumerID, entries, bytes int)
	// Deflated says that a part was deflated; Inflated that one was inflated, of each part of a message in its order.
	Deflated func(h *Host, raw, part []byte)
	Inflated func(h *Host, raw []byte)
	// CallQueued says that a call waits for its turn at its provider; CallStart that its handler is about to run; CallEnd
	// that its handler settled it, or that it was cancelled before it started. A consumer that is gone has no such ends.
	CallQueued func(h *Host, c ConsumerID, hold, call uint64)
	CallStart  func(h *Host, c ConsumerID, hold, call uint64)
	CallEnd    func(h *Host, c ConsumerID, call uint64)
	// CallMade says that a program makes a call, before anything becomes of it; CallWaits that the call waits at its caller,
	// with that many bytes of argument; CallSent that it is handed to the link, under an id.
	CallMade  func(r *Reference, pc *PendingCall, deadline base.Time)
	CallWaits func(pc *PendingCall, bytes int)
	CallSent  func(pc *PendingCall, l *link.Link, call uint64)
	// CallCommit says that a running call committed a revision of a document, behind Commit. Answered says that the result
	// of a call came to its caller, before anybody is told, or that a call was taken back of which nothing was written, and that its id
	// may be taken again; pc is nil where nobody waits
	// for it any more. Settled says that a caller is about to be told how a call ended: with what the provider said, or else
	// because it was given up on, refused here, or lost.
	CallCommit func(h *Host, c ConsumerID, call uint64, d *Document)
	Answered   func(l *link.Link, call uint64, pc *PendingCall)
	Settled    func(pc *PendingCall, result bool)
	// Wanted, Live and Down tell of references: one asks for its object, follows it, lost it. Frame tells of each frame that a
	// reference applied, its snapshot included.
	Wanted func(*Reference)
	Live   func(*Reference)
	Down   func(*Reference)
	Frame  func(Frame)
	// LinkClosed says that a link is gone, and why; Expelled that a consumer behind a relay is thrown out because it broke
	// the protocol.
	LinkClosed func(h *Host, l *link.Link, err error)
	// LinkSuspended says that a session waits for another transport, and why; LinkResumed that it goes on.
	LinkSuspended func(h *Host, l *link.Link, err error)
	LinkResumed   func(h *Host, l *link.Link)
	Expelled      func(h *Host, c ConsumerID, err error)
	// OriginOpened says that a relay took an origin.
	OriginOpened func(*Host, relay.Pair)
}

func (p *Probe) originOpened(h *Host, pair relay.Pair) {
	if p.OriginOpened != nil {
		p.OriginOpened(h, pair)
	}
}

func (p *Probe) gone(c *consumer) {
	if p.Gone != nil {
		p.Gone(c.host, c.ID())
	}
}

func (p *Probe) callQueued(c *Call) {
	if p.CallQueued != nil {
		p.CallQueued(c.consumer.host, c.consumer.ID(), c.hold.id, c.id)
	}
}

func (p *Probe) callEnd(c *Call) {
	if p.CallEnd != nil && !c.consumer.closed {
		p.CallEnd(c.consumer.host, c.consumer.ID(), c.id)
	}
}

func (p *Probe) callMade(pc *PendingCall) {
	if p.CallMade != nil {
		p.CallMade(pc.ref, pc, pc.deadline)
	}
}

func (p *Probe) callWaits(pc *PendingCall) {
	if p.CallWaits != nil {
		p.CallWaits(pc, pc.size-callHead)
	}
}

// callSent is silent about fences, which no program made.
func (p *Probe) callSent(pc *PendingCall) {
	if p.CallSent != nil && !pc.fence {
		p.CallSent(pc, pc.ref.client.peer.link, pc.id)
	}
}

func (p *Probe) wanted(r *Reference) {
	if p.Wanted != nil {
		p.Wanted(r)
	}
}

func (p *Probe) linkClosed(h *Host, l *link.Link, err error) {
	if p.LinkClosed != nil {
		p.LinkClosed(h, l, err)
	}
}

func (p *Probe) linkSuspended(h *Host, l *link.Link, err error) {
	if p.LinkSuspended != nil {
		p.LinkSuspended(h, l, err)
	}
}

func (p *Probe) linkResumed(h *Host, l *link.Link) {
	if p.LinkResumed != nil {
		p.LinkResumed(h, l)
	}
}

func (p *Probe) expelled(h *Host, c ConsumerID, err error) {
	if p.Expelled != nil {
		p.Expelled(h, c, err)
	}
}

// Served counts what a host keeps for a consumer.
type Served struct {
	Holds   int // bound, or waiting to be
	Waiting int // calls that did not start
	Running int // calls that take a slot
}

// Serves returns what the host keeps for a consumer, and whether there is such a consumer.
func (h *Host) Serves(id ConsumerID) (Served, bool) {
	for _, p := range h.peers {
		if c := p.consumers[id.Origin]; p.link == id.Link && c != nil {
			return Served{len(c.holds), len(c.calls.waiting), c.calls.running}, true
		}
	}
	return Served{}, false
}

// Asked counts what a host keeps for its own references over a link.
type Asked struct {
	Holds       int // asked for, and not released or refused yet
	Unanswered  int // calls that were sent
	Parked      int // calls that wait to be sent
	ParkedBytes int // their arguments
}

// Asks returns what the host keeps for its references over a link, and whether it has the link.
func (h *Host) Asks(l *link.Link) (Asked, bool) {
	for _, p := range h.peers {
		if c := p.client; p.link == l {
			return Asked{len(c.grips), len(c.calls), c.parked, c.bytes}, true
		}
	}
	return Asked{}, false
}

// Followers returns how many holds follow the document.
func (d *Document) Followers() int { return len(d.subs) }

// Reference returns what the call was made on.
func (pc *PendingCall) Reference() *Reference { return pc.ref }
