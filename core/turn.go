package core

import (
	"chordsim/core/link"
)

// turn runs fn as one turn: whatever it changed is sent at its end. A panic of fn goes on behind the end, which undoes
// nothing and leaves the host in order for whoever recovers.
func (h *Host) turn(fn func()) {
	h.begin()
	defer h.end()
	fn()
}

func (h *Host) begin() {
	if h.inTurn {
		panic("core: a turn of " + h.cfg.Name + " within a turn")
	}
	h.inTurn = true
	h.stats.Turns++
	if h.probe.TurnBegin != nil {
		h.probe.TurnBegin(h)
	}
}

// end tells of what states changed, and flushes the turn, whatever comes of that.
func (h *Host) end() {
	defer h.flush()
	h.tellStates()
}

// flush sends what the turn changed. The order is part of the contract: state before the results that depend on it, and both before
// the credit that lets others send.
func (h *Host) flush() {
	for i := 0; i < len(h.dirty); i++ {
		h.dirty[i].flush()
	}
	h.dirty = h.dirty[:0]
	for i, d := range h.caches {
		d.cache = encoded{}
		h.caches[i] = nil
	}
	h.caches = h.caches[:0]
	for i := range h.settled {
		h.settled[i].send()
		h.settled[i] = settlement{}
	}
	h.settled = h.settled[:0]
	for i, c := range h.credits {
		c.flushCredit()
		h.credits[i] = nil
	}
	h.credits = h.credits[:0]
	h.table.Flush()
	for i := 0; i < len(h.pending); i++ {
		h.pending[i].Flush()
	}
	h.pending = h.pending[:0]
	h.inTurn = false
	if h.changes.Len() > 0 {
		h.Do(func() {}) // a transport was lost as it was written to
	}
	if h.probe.TurnEnd != nil {
		h.probe.TurnEnd(h)
	}
}

// linkPending notes that a link has something to write at the end of the turn.
func (h *Host) linkPending(l *link.Link) { h.pending = append(h.pending, l) }
