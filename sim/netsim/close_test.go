package netsim_test

import (
	"testing"

	"chordsim/core/base"
	"chordsim/faults/linkmodel"
	"chordsim/sim/events"
	"chordsim/sim/netsim"

	"pgregory.net/rapid"
)

// The end arrives like a message without bytes that was written by Close: behind what was sent, and not before the
// latency has passed. Each row sends 1,000 bytes at 1,000 B/s and 10 s of latency.
func TestD2CloseDeliversThenEnds(t *testing.T) {
	for _, c := range []struct {
		name          string
		sends         []base.Time
		close         base.Time
		stall         *span
		arrive, ended []base.Time
	}{
		{"nothing sent", nil, 0, nil, nil, []base.Time{10 * sec}},
		{"at once", []base.Time{0, 0}, 0, nil, []base.Time{11 * sec, 12 * sec}, []base.Time{12 * sec}},
		{"while the last leaves", []base.Time{0}, sec / 2, nil, []base.Time{11 * sec}, []base.Time{11 * sec}},
		{"while the last is on its way", []base.Time{0}, 5 * sec, nil, []base.Time{11 * sec}, []base.Time{15 * sec}},
		{"after all arrived", []base.Time{0}, 20 * sec, nil, []base.Time{11 * sec}, []base.Time{30 * sec}},
		{"stalled with a message", []base.Time{0}, 0, &span{sec / 2, 100 * sec}, []base.Time{110*sec + sec/2},
			[]base.Time{110*sec + sec/2}},
		{"stalled on its own", nil, 0, &span{5 * sec, 100 * sec}, nil, []base.Time{105 * sec}},
		{"closed in a stall", nil, 50 * sec, &span{5 * sec, 100 * sec}, nil, []base.Time{110 * sec}},
		{"closed in a stall for good", nil, 50 * sec, &span{5 * sec, base.Never}, nil, nil},
	} {
		b := newLab(t, netsim.Config{Up: rated(1000, 10*base.Second)})
		for _, at := range c.sends {
			b.sendAt(at, 1000)
		}
		b.at(c.close, func() { b.link.Dialer().Close() })
		if c.stall != nil {
			b.at(c.stall.from, func() { b.link.Acceptor().StallUntil(c.stall.to) })
		}
		b.runUntil(base.Time(base.Hour))
		wantTimes(t, c.name+": arrivals", b.up.arrivals, c.arrive...)
		wantTimes(t, c.name+": closed", b.up.closed, c.ended...)
		wantTimes(t, c.name+": closed at the end that closed", b.down.closed)
	}
}

func TestD2CloseOnSlottedLinks(t *testing.T) {
	quantum := linkmodel.Config{Rate: 1000, Quantum: 10 * base.Millisecond, Latency: base.Millisecond}
	trace := linkmodel.Config{Trace: newTrace(t, "10\n25\n"), Latency: base.Millisecond}
	for name, cfg := range map[string]linkmodel.Config{"quantum": quantum, "trace": trace} {
		b := newLab(t, netsim.Config{Up: cfg})
		b.sendAt(0, 10)
		b.at(0, func() { b.link.Dialer().Close() })
		b.run()
		wantTimes(t, name+": arrivals", b.up.arrivals, 11*ms)
		wantTimes(t, name+": closed", b.up.closed, 11*ms)
	}
}

// Whatever was written before arrives, in order; nothing that is written after does; and each end hears of at most one end.
func TestD2CloseAtAnyTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := jittery("a")
		strategy := rapid.SampledFrom([]events.Strategy{events.FIFO, events.Random}).Draw(t, "strategy")
		sends := drawSends(t, cfg.Up.Rate)
		end := sends[len(sends)-1].at + 1
		closeAt := base.Time(rapid.Int64Range(0, int64(end)).Draw(t, "close"))
		written := 0
		for _, s := range sends {
			if s.at == closeAt {
				t.Skip("whether the message or the end is first is a tie")
			}
			if s.at < closeAt {
				written++
			}
		}
		b := newLabWith(t, labSetup{seed: rapid.Uint64().Draw(t, "seed"), strategy: strategy, config: cfg})
		b.at(closeAt, func() {
			b.link.Dialer().Close()
			b.link.Dialer().Close()
		})
		b.up.onDeliver = func() {
			if len(b.up.closed) > 0 {
				t.Fatalf("delivered after the end")
			}
		}
		b.play(sends)
		if len(b.up.arrivals) != written {
			t.Fatalf("%d messages arrived, %d were written before the end", len(b.up.arrivals), written)
		}
		if len(b.up.closed) != 1 || len(b.down.closed) != 0 {
			t.Fatalf("closed %d times at the other end and %d at its own", len(b.up.closed), len(b.down.closed))
		}
		if at := b.up.closed[0]; at < closeAt.Add(cfg.Up.Latency) {
			t.Fatalf("closed at %v and known at %v, faster than the latency", closeAt, at)
		}
	})
}

func TestD2NothingReachesAClosedEnd(t *testing.T) {
	b := newLab(t, netsim.Config{Up: rated(1000, base.Second), Down: rated(1000, base.Second), Buffer: 1000})
	var took []bool
	b.write(0, 1000, &took) // leaves at 1 s, arrives at 2 s
	b.write(0, 1000, &took) // leaves at 2 s, would arrive at 3 s
	b.at(2*sec+sec/2, func() { b.link.Acceptor().Close() })
	b.at(2*sec+sec/2, func() {
		if b.link.Acceptor().Write(chunk(1)) {
			t.Error("a closed end takes messages")
		}
	})
	b.runUntil(3 * sec)
	b.write(3*sec, 5000, &took) // the other end does not know yet
	b.run()
	wantTimes(t, "arrivals", b.up.arrivals, 2*sec)
	wantTimes(t, "closed at the dialer", b.down.closed, 3*sec+sec/2)
	wantTimes(t, "closed at the acceptor", b.up.closed)
	wantTimes(t, "writable at the dialer, which is closed when there is room again", b.down.writable, 2*sec)
	if messages, bytes := b.link.Acceptor().Received(); messages != 1 || bytes != 1000 {
		t.Errorf("%d messages, %d bytes received, want 1, 1000", messages, bytes)
	}
	if b.tap.wrote != 3 || b.tap.arrived != 1 {
		t.Errorf("the tap saw %d written and %d arrive, want 3 and 1", b.tap.wrote, b.tap.arrived)
	}
	if b.link.Dialer().Write(chunk(1)) {
		t.Error("an end that was told of the other's end takes messages")
	}
}

func TestD2BothClose(t *testing.T) {
	b := newLab(t, netsim.Config{Up: rated(0, base.Second), Down: rated(0, base.Second)})
	b.at(0, func() { b.link.Dialer().Close() })
	b.at(sec/2, func() { b.link.Acceptor().Close() })
	b.run()
	wantTimes(t, "closed", append(b.up.closed, b.down.closed...))
	b.link.Dialer().Close()
	if b.queue.Len() != 0 {
		t.Error("to close an end again leads to something")
	}
}

// An end that is closed while a burst is delivered to it gets no more of it.
func TestD2CloseFromDeliver(t *testing.T) {
	b := newLab(t, netsim.Memory)
	b.up.onDeliver = func() { b.link.Acceptor().Close() }
	for range 3 {
		b.sendAt(0, 1)
	}
	b.run()
	wantTimes(t, "arrivals", b.up.arrivals, 0)
	wantTimes(t, "closed at the dialer", b.down.closed, 0)
}
