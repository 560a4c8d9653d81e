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
	return w.cfg.Trace != nil
}

// tell shows an event that was recorded to the trace.
func (w *World) tell(e trace.Event) {
	e.At = w.Now()
	w.cfg.Trace.Event(e)
}

// Arrived takes a chunk into the hash and shows it to the trace and the checkers.
func (w *World) Arrived(e *netsim.End, chunk []byte) {
	s := e.Owner().(*side)
	if w.record(trace.KindDeliver, s.number(), trace.Bytes(chunk)) {
		what := "?"
		codec := wire.CodecOf(chunk)
		if s.core != nil {
			codec = s.core.Link().CodecFor(chunk)
		}
		if h, _, err := wire.ParseHeader(codec, chunk); err == nil {
			what = h.Type.String()
		}
		w.tell(trace.Event{Kind: trace.KindDeliver, From: s.other().host.name, To: s.host.name, What: what, Bytes: len(chunk)})
	}
	if w.checks != nil && s.core != nil {
		w.checks.Arrived(s.core.Host(), s.core.Link(), chunk)
	}
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
