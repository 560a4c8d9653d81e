package netsim_test

import (
	"cmp"
	"slices"
	"testing"

	"chordsim/core/base"
	"chordsim/sim/netsim"

	"pgregory.net/rapid"
)

// span is a time [from, to) in which a direction is stalled.
type span struct{ from, to base.Time }

// merged makes one span of those that overlap or touch: the later end counts.
func merged(spans []span) []span {
	sorted := slices.SortedFunc(slices.Values(spans), func(a, b span) int { return cmp.Compare(a.from, b.from) })
	var out []span
	for _, s := range sorted {
		if n := len(out); n > 0 && s.from <= out[n-1].to {
			out[n-1].to = max(out[n-1].to, s.to)
			continue
		}
		out = append(out, s)
	}
	return out
}

// toLink takes the stalls out of a time; toReal puts them back in. What is due at the first instant of a stall still
// happens at it.
func toLink(stalls []span, t base.Time) base.Time {
	lost := base.Duration(0)
	for _, s := range stalls {
		if t > s.from {
			lost += min(t, s.to).Sub(s.from)
		}
	}
	return t.Add(-lost)
}

func toReal(stalls []span, t base.Time) base.Time {
	for _, s := range stalls {
		if t > s.from {
			t = t.Add(s.to.Sub(s.from))
		}
	}
	return t
}

func TestD2StallShiftsAndNeverDrops(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.Int64Range(1, 1<<33).Draw(t, "rate")
		latency := base.Duration(rapid.Int64Range(1, int64(base.Second)).Draw(t, "latency"))
		sends := drawSends(t, rate)
		b := newLab(t, netsim.Config{Up: rated(rate, latency)})
		end := int64(sends[len(sends)-1].at.Add(latency).Add(carryTime(4096, rate)))
		var spans []span
		for range rapid.IntRange(0, 5).Draw(t, "stalls") {
			from := base.Time(rapid.Int64Range(0, end).Draw(t, "from"))
			s := span{from, from.Add(base.Duration(rapid.Int64Range(0, end/2).Draw(t, "length")))}
			if s.to > s.from {
				spans = append(spans, s)
			}
			b.at(s.from, func() { b.link.Acceptor().StallUntil(s.to) })
		}
		b.play(sends)

		stalls := merged(spans)
		inLink := make([]send, len(sends))
		for i, s := range sends {
			inLink[i] = send{toLink(stalls, s.at), s.size}
		}
		want := departures(rate, inLink)
		for i := range want {
			want[i] = toReal(stalls, want[i].Add(latency))
		}
		wantTimes(t, "arrivals", b.up.arrivals, want...)
	})
}

// Each row is a stall of the direction in which a message of 1 s and a latency of 1 s is under way, so that without a
// stall it arrives at 2 s.
func TestD2StallByHand(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(*lab, *netsim.End)
		want []base.Time
	}{
		{"none", func(*lab, *netsim.End) {}, []base.Time{2 * sec}},
		{"before it leaves", func(b *lab, e *netsim.End) {
			b.at(sec/2, func() { e.StallUntil(sec) })
		}, []base.Time{5 * sec / 2}},
		{"after it left", func(b *lab, e *netsim.End) {
			b.at(3*sec/2, func() { e.StallUntil(2 * sec) })
		}, []base.Time{5 * sec / 2}},
		{"at its arrival, which it is too late for", func(b *lab, e *netsim.End) {
			b.at(2*sec, func() { e.StallUntil(9 * sec) })
		}, []base.Time{2 * sec}},
		{"of no length", func(b *lab, e *netsim.End) {
			b.at(0, func() { e.StallUntil(0) })
			b.at(sec, func() { e.StallUntil(sec) })
		}, []base.Time{2 * sec}},
		{"into the past", func(b *lab, e *netsim.End) {
			b.at(sec, func() { e.StallUntil(sec / 2) })
		}, []base.Time{2 * sec}},
		{"two that overlap, the second is longer", func(b *lab, e *netsim.End) {
			b.at(1, func() { e.StallUntil(1 + 2*sec) })
			b.at(sec, func() { e.StallUntil(1 + 5*sec) })
		}, []base.Time{7 * sec}},
		{"two that overlap, the second is shorter", func(b *lab, e *netsim.End) {
			b.at(1, func() { e.StallUntil(1 + 5*sec) })
			b.at(sec, func() { e.StallUntil(2 * sec) })
		}, []base.Time{7 * sec}},
		{"two in a row", func(b *lab, e *netsim.End) {
			b.at(1, func() { e.StallUntil(1 + 2*sec) })
			b.at(1+2*sec, func() { e.StallUntil(1 + 5*sec) })
		}, []base.Time{7 * sec}},
		{"for good", func(b *lab, e *netsim.End) { b.at(1, func() { e.Stall() }) }, nil},
		{"for good, and for a time in between", func(b *lab, e *netsim.End) {
			b.at(1, func() { e.StallUntil(sec) })
			b.at(2, func() { e.Stall() })
			b.at(3, func() { e.StallUntil(2 * sec) })
		}, nil},
		{"resumed by hand", func(b *lab, e *netsim.End) {
			b.at(1, func() { e.Stall() })
			b.at(1+3*sec, func() { e.Resume() })
		}, []base.Time{5 * sec}},
		{"resumed by hand before its time, then a shorter one", func(b *lab, e *netsim.End) {
			b.at(1, func() { e.StallUntil(10 * sec) })
			b.at(1+sec, func() { e.Resume() })
			b.at(2*sec, func() { e.StallUntil(3 * sec) })
		}, []base.Time{4 * sec}},
		{"resumed by hand before its time, then for good", func(b *lab, e *netsim.End) {
			b.at(1, func() { e.StallUntil(10 * sec) })
			b.at(1+sec, func() { e.Resume() })
			b.at(2*sec, func() { e.Stall() })
		}, nil},
		{"of the other direction", func(b *lab, e *netsim.End) {
			b.at(0, func() { e.Other().Stall() })
		}, []base.Time{2 * sec}},
	} {
		b := newLab(t, netsim.Config{Up: rated(1000, base.Second)})
		b.sendAt(0, 1000)
		c.do(b, b.link.Acceptor())
		b.run()
		wantTimes(t, c.name, b.up.arrivals, c.want...)
		if stalled := c.want == nil; b.link.Acceptor().Stalled() != stalled {
			t.Errorf("%s: stalled is %v at the end", c.name, !stalled)
		}
	}
}

func TestStallSaysWhetherItChangedAnything(t *testing.T) {
	b := newLab(t, netsim.Memory)
	b.runUntil(sec)
	e := b.link.Acceptor()
	for _, at := range []base.Time{sec, sec - 1, 0, -1} {
		if e.StallUntil(at); e.Stalled() {
			t.Fatalf("stalled until %v at 1s", at)
		}
	}
	if e.Resume() || !e.Stall() || e.Stall() || !e.Stalled() || !e.Resume() || e.Resume() || e.Stalled() {
		t.Error("Stall or Resume lies about what it changed")
	}
}

// A stalled memory link keeps what it is given, for as long as it takes.
func TestD2StalledMemoryLink(t *testing.T) {
	b := newLab(t, netsim.Memory)
	b.at(0, func() { b.link.Acceptor().StallUntil(sec) })
	for i := range 10 {
		b.sendAt(base.Time(i)*sec/10, 1)
	}
	b.runUntil(sec - 1)
	wantTimes(t, "in the stall", b.up.arrivals)
	b.run()
	wantTimes(t, "after it", b.up.arrivals, sec, sec, sec, sec, sec, sec, sec, sec, sec, sec)
}
