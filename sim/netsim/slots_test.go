package netsim_test

import (
	"testing"

	"chordsim/core/base"
	"chordsim/faults/linkmodel"
	"chordsim/sim/netsim"

	"pgregory.net/rapid"
)

// Four opportunities of 1,500 bytes in 35 ms, two of them together, and again: 10 20 20 35 45 55 55 70 80 90 90 105 …
func TestD2TraceDeliversAtItsMarks(t *testing.T) {
	const text = "10\n20\n20\n35\n"
	type sent struct {
		at   base.Time
		size int
	}
	for _, c := range []struct {
		name  string
		sends []sent
		want  []base.Time // without the latency
	}{
		{"a message a mark", []sent{{0, 1500}, {0, 1500}, {0, 1500}, {0, 1500}, {0, 1500}},
			[]base.Time{10 * ms, 20 * ms, 20 * ms, 35 * ms, 45 * ms}},
		{"several messages a mark", []sent{{0, 500}, {0, 500}, {0, 500}, {0, 500}},
			[]base.Time{10 * ms, 10 * ms, 10 * ms, 20 * ms}},
		{"several marks a message", []sent{{0, 4500}, {0, 1501}, {0, 1499}},
			[]base.Time{20 * ms, 45 * ms, 45 * ms}},
		{"what nobody used is gone", []sent{{40 * ms, 1500}, {100 * ms, 1500}, {107 * ms, 1500}},
			[]base.Time{45 * ms, 105 * ms, 115 * ms}},
		{"at a mark", []sent{{35 * ms, 1500}, {35 * ms, 1500}}, []base.Time{35 * ms, 45 * ms}},
		{"many rounds later", []sent{{3500 * ms, 1}}, []base.Time{3500 * ms}},
		{"no bytes", []sent{{1 * ms, 0}}, []base.Time{10 * ms}},
	} {
		for _, latency := range []base.Duration{0, 7 * base.Millisecond} {
			b := newLab(t, netsim.Config{Up: linkmodel.Config{Trace: newTrace(t, text), Latency: latency}})
			for _, s := range c.sends {
				b.sendAt(s.at, s.size)
			}
			b.run()
			wantTimes(t, c.name, b.up.arrivals, shifted(c.want, latency)...)
		}
	}
}

// Marks that pass in a stall are lost, the messages are not.
func TestD2TraceInAStall(t *testing.T) {
	b := newLab(t, netsim.Config{Up: linkmodel.Config{Trace: newTrace(t, "10\n20\n20\n35\n")}})
	for range 4 {
		b.sendAt(0, 1500)
	}
	b.at(15*ms, func() { b.link.Acceptor().StallUntil(50 * ms) })
	b.run()
	wantTimes(t, "arrivals", b.up.arrivals, 10*ms, 55*ms, 55*ms, 70*ms)
}

// The throttle of the seed document: ticks of 10 ms, each with a hundredth of the rate.
func TestD2QuantumByHand(t *testing.T) {
	quantum := linkmodel.Config{Rate: 64 << 10, Quantum: 10 * base.Millisecond, Latency: base.Millisecond}
	b := newLab(t, netsim.Config{Up: quantum})
	b.sendAt(0, 655)      // a tick has 655.36 bytes
	b.sendAt(0, 1)        // which is too little for this one too
	b.sendAt(0, 655)      // 1,311 bytes need three ticks
	b.sendAt(0, 64<<10)   // and 66,847 bytes need 102.0004: 103
	b.sendAt(2*sec+1, 10) // an idle link banks nothing, and goes on at its ticks
	b.run()
	wantTimes(t, "arrivals", b.up.arrivals, 11*ms, 21*ms, 31*ms, 1031*ms, 2011*ms)
}

func TestD2QuantumDeliversAtItsMultiples(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := linkmodel.Config{
			Rate:    rapid.Int64Range(1000, 1<<20).Draw(t, "rate"),
			Quantum: base.Duration(rapid.Int64Range(1, int64(100*base.Millisecond)).Draw(t, "quantum")),
			Latency: base.Duration(rapid.Int64Range(0, int64(base.Second)).Draw(t, "latency")),
		}
		b := newLab(t, netsim.Config{Up: c})
		sends := drawSends(t, c.Rate)
		b.play(sends)
		if len(b.up.arrivals) != len(sends) {
			t.Fatalf("%d messages arrived, want %d", len(b.up.arrivals), len(sends))
		}
		continuous := departures(c.Rate, sends)
		for i, at := range b.up.arrivals {
			departed := at.Add(-c.Latency)
			if base.Duration(departed)%c.Quantum != 0 {
				t.Fatalf("message %d left at %v, which is no multiple of %v", i, departed, c.Quantum)
			}
			if departed <= sends[i].at {
				t.Fatalf("message %d left at %v, handed over at %v", i, departed, sends[i].at)
			}
			// A tick gives in advance what the rate would give until the next one, and may leave as much to who comes
			// before that.
			if departed <= continuous[i].Add(-2*c.Quantum) {
				t.Fatalf("message %d left at %v, the rate alone says %v", i, departed, continuous[i])
			}
		}
	})
}
