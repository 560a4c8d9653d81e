package core

import (
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
	Bound    func(h *Host, c ConsumerID, hold uint64, docs []*Document)
	HoldLive func(h *Host, c ConsumerID, hold uint64)
	Released func(h *Host, c ConsumerID, hold uint64)
	// Encode says that a hold's entry was encoded; StateSent that a message with that many entries and bytes was handed
	// to the link.
	Encode    func(h *Host, c ConsumerID, hold uint64)
	StateSent func(h *Host, c ConsumerID, entries, bytes int)
	// Deflated says that a part was deflated; Inflated that one was inflated, of each part of a message in its order.
	Deflated func(h *Host, raw, part []byte)
	Inflated func(h *Host, raw []byte)
	// CallStart says that a handler is about to run.
	CallStart func(h *Host, c ConsumerID, hold, call uint64)
	// CallCommit says that a running call committed a revision of a document, behind Commit. Answered says that the result
	// of a call came to its caller, before anybody is told, and that its id may be taken again; pc is nil where nobody waits
	// for it any more. Settled says that a caller is about to be told how a call ended: with what the provider said, or else
	// because it was given up on, refused here, or lost.
	CallCommit func(h *Host, c ConsumerID, call uint64, d *Document)
	Answered   func(l *link.Link, call uint64, pc *PendingCall)
	Settled    func(pc *PendingCall, result bool)
	// Live and Down tell of references; Frame of each frame that a reference applied, its snapshot included.
	Live  func(*Reference)
	Down  func(*Reference)
	Frame func(Frame)
	// OriginOpened says that a relay took an origin.
	OriginOpened func(*Host, relay.Pair)
}

func (p *Probe) originOpened(h *Host, pair relay.Pair) {
	if p.OriginOpened != nil {
		p.OriginOpened(h, pair)
	}
}
