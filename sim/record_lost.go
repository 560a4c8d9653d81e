package sim

import (
	"strings"

	"chordsim/sim/trace"
)

// maxUnderWay is how many messages the book knows that are on their way to a side. Beyond them it loses count, and the trace
// does not say of that side what was lost.
const maxUnderWay = 4096

// flight is the messages under way to a side, oldest first. They arrive in this order, or not at all.
type flight struct {
	messages []written
	blind    bool // there were too many
}

// written is a message that its sender has handed over.
type written struct {
	what  string
	bytes int
}

// wrote notes a message that is on its way to a side.
func (b *book) wrote(to *side, what string, bytes int) {
	if b.flights == nil {
		b.flights = map[*side]*flight{}
	}
	f := b.flights[to]
	if f == nil {
		f = &flight{}
		b.flights[to] = f
	}
	if f.blind = f.blind || len(f.messages) == maxUnderWay; f.blind {
		f.messages = nil
		return
	}
	f.messages = append(f.messages, written{what, bytes})
}

// arrived notes that the oldest message on its way to a side has.
func (b *book) arrived(at *side) {
	if f := b.flights[at]; f != nil && len(f.messages) > 0 {
		f.messages = f.messages[1:]
	}
}

// resetBy begins what is told of a side whose connection was reset.
const resetBy = "reset by "

// tellLost shows to the trace what was under way on a connection that is over: what a reset loses, and what was lost before
// without anybody being told. None of it is hashed, nor has it a number.
func (w *World) tellLost(s *side, what string) {
	if w.cfg.Trace == nil || !strings.HasPrefix(what, resetBy) {
		return
	}
	for _, to := range []*side{s, s.other()} {
		f := w.book.flights[to]
		if f == nil {
			continue
		}
		for _, m := range f.messages {
			w.cfg.Trace.Event(trace.Event{
				World: w.cfg.Name, At: w.Now(), Kind: trace.KindLost, From: to.other().host.name, To: to.host.name, Link: s.conn.Link.Name(),
				What: m.what, Bytes: m.bytes,
			})
		}
		delete(w.book.flights, to)
	}
}
