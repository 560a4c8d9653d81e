package core_test

import (
	"errors"
	"slices"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/link"
	"chordsim/core/wire"
)

// set counts the timers that are set.
func (s *rawScheduler) set() (n int) {
	for _, t := range s.timers {
		if t.due != base.Never {
			n++
		}
	}
	return n
}

// TestPhoenix4948AParkedCallGetsASecondID: a call parks, is sent once the object is there, and is answered. It had one id and one
// timer, and none is left.
func TestPhoenix4948AParkedCallGetsASecondID(t *testing.T) {
	var ids []uint64
	s := &rawScheduler{}
	h := &rawHost{core.NewHost(core.Config{Name: "tab", Scheduler: s, Probe: &core.Probe{
		CallSent: func(_ *core.PendingCall, _ *link.Link, id uint64) { ids = append(ids, id) },
	}}), t, s}
	p := h.answer()
	var o outcome
	wantTimers := func(why string, made, set int) {
		t.Helper()
		wantInt(t, "timers "+why, len(s.timers), made)
		wantInt(t, "timers that are set "+why, s.set(), set)
	}
	wantTimers("before", 0, 0)
	h.do(func() { h.Get("A").Call("x", nil, o.done, core.Deadline(base.Time(base.Minute))) })
	wantTimers("while the call is parked", 1, 1)
	p.say(wire.TypeBound, wire.Bound{}.Append(wire.Binary, nil))
	wantTimers("while it is under way", 1, 1)
	p.say(wire.TypeResult, wire.Result{ID: ids[0], Value: wire.AppendValue(nil, delta.Int(1))}.Append(wire.Binary, nil))
	o.wantOnce(t, "the call", base.CodeNone)
	wantTimers("behind it", 1, 0)
	s.advance(base.Hour)
	o.wantOnce(t, "the call, at the end", base.CodeNone)
	if !slices.Equal(ids, []uint64{0}) {
		t.Errorf("sent with the ids %v, want one", ids)
	}
}

// TestPhoenix4948AcrossSessions: the same of a call that was handed over to a session that then was lost, before a byte of it was
// written, and of one that parked meanwhile: both are sent once, by the next session.
func TestPhoenix4948AcrossSessions(t *testing.T) {
	h := newRawHost(t, "tab", base.Limits{})
	d := &rawDialer{host: h}
	way := h.Dial(d)
	p := d.welcomed(1)
	var r *core.Reference
	h.do(func() { r = h.Get("A") })
	p.say(wire.TypeBound, wire.Bound{}.Append(wire.Binary, nil))
	timers := h.sched.set()
	call := func(method string, o *outcome) {
		h.do(func() { r.Call(method, nil, o.done, core.Deadline(base.Time(base.Hour))) })
	}
	var first, unsent, parked outcome
	p.full = true
	call("first", &first) // after which the transport takes no more
	call("unsent", &unsent)
	made := len(h.sched.timers)
	p.conn.Closed(errors.New("cut"))
	h.sched.advance(base.Second)
	next := d.newest()
	next.welcome(2) // another session
	first.wantOnce(t, "of which a byte was written", base.CodeUnknown)
	call("parked", &parked)
	next.say(wire.TypeBound, wire.Bound{}.Append(wire.Binary, nil))
	var ids []uint64
	for _, chunk := range next.out {
		if head, body, err := wire.ParseHeader(wire.Binary, chunk); err == nil && head.Type == wire.TypeCall {
			_, id, _ := wire.CallIDs(wire.Binary, body)
			ids = append(ids, id)
			next.say(wire.TypeResult, wire.Result{ID: id, Value: wire.AppendValue(nil, delta.Int(1))}.Append(wire.Binary, nil))
		}
	}
	if !slices.Equal(ids, []uint64{0, 1}) {
		t.Errorf("the next session was sent calls of the ids %v, want one of each", ids)
	}
	unsent.wantOnce(t, "that was handed over, and not written", base.CodeNone)
	parked.wantOnce(t, "that parked", base.CodeNone)
	wantInt(t, "timers that are set", h.sched.set(), timers)
	if extra := len(h.sched.timers) - made; extra > 3 { // the grace, the heartbeat, and the parked call's
		t.Errorf("%d timers were made since", extra)
	}
	way.Close()
	wantInt(t, "timers that are set at the end", h.sched.set(), 0)
	if _, caller := core.CallCount(h.Host); caller != 0 {
		t.Errorf("%d calls are kept", caller)
	}
}
