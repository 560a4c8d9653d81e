package sim

import (
	"chordsim/core/wire"
	"chordsim/sim/netsim"
	"chordsim/sim/trace"
)

// Everything that happens in a world is recorded here: once in the hash, and once for whoever keeps a trace.

// record takes an event into the hash: its kind, whom it is about, and a number that stands for what it carried. It reports
// whether somebody wants to be told of it by [World.tell].
func (w *World) record(kind trace.Kind, who, what uint64) bool {
	w.hash.Add(w.Now(), kind, who, what)
	c := w.cfg.Checkpoints
	if c == nil {
		return w.cfg.Trace != nil
	}
	c.Passed(w.Now(), w.hash.Sum())
	return w.cfg.Trace != nil || c.Wanted()
}

// tell shows an event that was recorded to whoever keeps a trace. The time and the world are filled in here.
func (w *World) tell(e trace.Event) {
	w.tellFailures()
	e.World, e.At = w.cfg.Name, w.Now()
	if w.cfg.Trace != nil {
		w.cfg.Trace.Event(e)
	}
	if c := w.cfg.Checkpoints; c != nil && c.Wanted() {
		c.Event(e)
	}
}

// tellFailures shows to the trace what was found wrong since the event that it was told last. None of it is hashed: it follows
// from what is.
func (w *World) tellFailures() {
	if w.cfg.Trace == nil {
		return
	}
	if w.checks != nil {
		all := w.checks.Violations()
		for _, v := range all[w.book.violations:] {
			w.cfg.Trace.Event(trace.Event{World: w.cfg.Name, At: v.At, Kind: trace.KindFailed, To: v.Where, What: v.ID + " violated", Note: v.Detail})
		}
		w.book.violations = len(all)
	}
	if w.failed != nil && !w.book.failed {
		w.book.failed = true
		w.cfg.Trace.Event(trace.Event{World: w.cfg.Name, At: w.Now(), Kind: trace.KindFailed, What: w.failed.Error()})
	}
}

// Mark shows in the trace, behind the event that is under way, that something is wrong at a host, for people who look for it.
// It changes nothing in the world, nor in its hash.
func (w *World) Mark(h *Host, text string) {
	if w.cfg.Trace != nil {
		w.tellFailures()
		w.cfg.Trace.Event(trace.Event{World: w.cfg.Name, At: w.Now(), Kind: trace.KindFailed, To: h.name, What: text})
	}
}

// Arrived takes a chunk into the hash and shows it to the trace.
func (w *World) Arrived(e *netsim.End, chunk []byte) {
	s := e.Owner().(*side)
	if w.record(trace.KindDeliver, s.number(), trace.Bytes(chunk)) {
		w.book.arrived(s)
		w.tell(w.delivery(s, chunk))
	}
}

// delivery says of a chunk that arrived at a side what its head tells.
func (w *World) delivery(s *side, chunk []byte) trace.Event {
	e := trace.Event{
		Kind: trace.KindDeliver, From: s.other().host.name, To: s.host.name, Link: s.conn.Link.Name(),
		What: "?", Bytes: len(chunk),
	}
	if s.core == nil && s.host.core == nil {
		e.What = s.describe(chunk) // another protocol's
		return e
	}
	codec := wire.CodecOf(chunk)
	if s.core != nil {
		codec = s.core.Link().CodecFor(chunk)
	}
	h, body, err := wire.ParseHeader(codec, chunk)
	if err != nil {
		return e
	}
	e.What, e.Origin = h.Type.String(), h.Origin
	w.book.about(&e, s, codec, h, body)
	return e
}

// Note puts a line of a scenario into the hash and the trace.
func (w *World) Note(text string) {
	if w.record(trace.KindNote, 0, trace.Bytes([]byte(text))) {
		w.tell(trace.Event{Kind: trace.KindNote, What: text})
	}
}

// event records what happened at a host.
func (w *World) event(kind trace.Kind, h *Host, what string) {
	if w.record(kind, h.index, 0) {
		w.tell(trace.Event{Kind: kind, To: h.name, What: what})
	}
}

// sideEvent records what happened at a host to one of its connections. The hash is that of [World.event].
func (w *World) sideEvent(kind trace.Kind, s *side, what string) {
	w.tellLost(s, what)
	if w.record(kind, s.host.index, 0) {
		w.tell(trace.Event{Kind: kind, To: s.host.name, Link: s.conn.Link.Name(), What: what})
	}
}
