package sim_test

import (
	"testing"

	"chordsim/core/base"
	"chordsim/faults"
	"chordsim/sim"
	"chordsim/sim/netsim"
)

// What counts of a clock that is wrong: timers that come due at another time than by a right one, and readings, unless all
// that came of them in the same turn was timers.
func TestD3WhatCountsOfAWrongClock(t *testing.T) {
	const skew, drift = "at 1s skew tab 300ms", "at 1s drift tab 1000ppm for 9s"
	for _, c := range []struct {
		name, plan string
		turn       func(l *faultLab, h *sim.Host) // at 2 s
		turns      int64
		clock      int64
	}{
		{"nothing", skew, func(*faultLab, *sim.Host) {}, 0, 0},
		{"a reading", skew, func(_ *faultLab, h *sim.Host) { h.Now() }, 0, 1},
		{"two", drift, func(_ *faultLab, h *sim.Host) { h.Now(); h.Now() }, 0, 2},
		{"a timer from a reading", skew, func(_ *faultLab, h *sim.Host) { h.NewTimer(func() {}).Set(h.Now().Add(base.Second)) }, 0, 0},
		{"that and a message", skew, func(l *faultLab, h *sim.Host) {
			h.NewTimer(func() {}).Set(h.Now().Add(base.Second))
			l.nodes["tab"].conn.Write([]byte("m"))
		}, 0, 1},
		{"that and a change of the store", skew, func(_ *faultLab, h *sim.Host) {
			h.NewTimer(func() {}).Set(h.Now().Add(base.Second))
			if err := h.Store().Put("k", nil); err != nil {
				t.Error(err)
			}
		}, 0, 1},
		{"a message before the reading", skew, func(l *faultLab, h *sim.Host) {
			l.nodes["tab"].conn.Write([]byte("m"))
			h.NewTimer(func() {}).Set(h.Now().Add(base.Second))
		}, 0, 0},
		{"a drift, and a timer from a reading", drift, func(_ *faultLab, h *sim.Host) { h.NewTimer(func() {}).Set(h.Now().Add(base.Second)) }, 1, 0},
		{"a time of its own", skew, func(_ *faultLab, h *sim.Host) { h.NewTimer(func() {}).Set(3 * sec) }, 1, 0},
		{"a time that has passed", skew, func(_ *faultLab, h *sim.Host) { h.NewTimer(func() {}).Set(1 * sec) }, 0, 0},
		{"one that is stopped", skew, func(_ *faultLab, h *sim.Host) {
			timer := h.NewTimer(func() {})
			timer.Set(3 * sec)
			timer.Stop()
		}, 0, 0},
		{"what is read in one turn is not of the next", skew, func(_ *faultLab, h *sim.Host) {
			h.Now()
			h.Do(func() { h.NewTimer(func() {}).Set(3 * sec) })
		}, 1, 1},
		{"what is read in no turn", skew, func(l *faultLab, h *sim.Host) {
			l.w.At(2500*ms, func() {
				h.Now()
				h.Do(func() { h.NewTimer(func() {}).Set(3 * sec) })
			})
		}, 1, 1},
		{"a clock that is set right in the turn", skew, func(_ *faultLab, h *sim.Host) {
			h.Now()
			h.Skew(-300 * base.Millisecond)
			h.NewTimer(func() {}).Set(4 * sec)
		}, 0, 1},
	} {
		l := newFaultLab(t, netsim.Memory)
		h := l.host("tab")
		l.w.At(2*sec, func() { h.Do(func() { c.turn(l, h) }) })
		e := l.effect(c.plan)
		want := faults.Effect{Fired: 1, Turns: c.turns, Clock: c.clock}
		if e.None() {
			want.Why = e.Why
		}
		if e.Fault = ""; e != (faults.Effect{Kind: e.Kind, Fired: 1, Turns: c.turns, Clock: c.clock, Why: want.Why}) {
			t.Errorf("%s: the effect is %+v, want %d timers and %d readings", c.name, e, c.turns, c.clock)
		}
	}
}

// What a chord host reads for itself is no reading: only its timers count.
func TestD3ChordHostsReadForThemselves(t *testing.T) {
	w := sim.New(sim.Config{})
	h := w.Host("h")
	h.Skew(base.Minute)
	h.Do(func() { h.Core().Now() })
	if err := w.RunFor(base.Second); err != nil {
		t.Fatal(err)
	}
	if toll := h.Toll(); toll.ClockReads != 0 {
		t.Errorf("%d readings", toll.ClockReads)
	}
}
