package netsim_test

import (
	"testing"

	"chordsim/core/base"
	"chordsim/faults/linkmodel"
	"chordsim/sim/events"
	"chordsim/sim/netsim"
)

// meeting is when the ends of a lab saw their connection.
type meeting struct{ accepted, dialed []base.Time }

// connectAt dials. The acceptor writes at once.
func (b *lab) connectAt(t base.Time) *meeting {
	m := &meeting{}
	b.at(t, func() {
		b.link.Connect(
			func() {
				m.accepted = append(m.accepted, b.queue.Now())
				b.link.Acceptor().Write(chunk(10))
			},
			func() {
				m.dialed = append(m.dialed, b.queue.Now())
				if len(b.down.arrivals)+len(b.down.closed) > 0 {
					b.t.Fatalf("the dialer is told of something before the connection")
				}
			})
	})
	return m
}

// The request and its answer are messages without bytes: they take what such messages take.
func TestD2Connecting(t *testing.T) {
	at := func(times ...base.Time) []base.Time { return times }
	for _, c := range []struct {
		why              string
		cfg              netsim.Config
		do               func(b *lab)
		accepted, dialed []base.Time
	}{
		{"memory", netsim.Memory, nil, at(0), at(0)},
		{"a round trip", netsim.Config{Up: rated(1000, base.Second), Down: rated(1000, base.Minute)}, nil, at(sec), at(61 * sec)},
		{"a stall on the way there", netsim.Config{Up: rated(0, base.Second)}, func(b *lab) {
			b.at(sec/2, func() { b.link.Acceptor().StallUntil(2 * sec) })
		}, at(2*sec + sec/2), at(2*sec + sec/2)},
		{"a stall on the way back", netsim.Config{Up: rated(0, base.Second)}, func(b *lab) {
			b.at(0, func() { b.link.Dialer().StallUntil(2 * sec) })
		}, at(sec), at(2 * sec)},
		{"ticks", netsim.Config{Up: linkmodel.Config{Quantum: 10 * base.Millisecond}}, nil, at(10 * ms), at(10 * ms)},
		{"marks", netsim.Config{Down: linkmodel.Config{Trace: newTrace(t, "35\n")}}, nil, at(0), at(35 * ms)},
		{"nobody answers in a black hole", netsim.Config{Up: rated(0, base.Second)}, func(b *lab) {
			b.at(0, func() { b.link.Acceptor().BlackHole(true) })
		}, nil, nil},
		{"nobody answers who is gone", netsim.Config{Up: rated(0, base.Second)}, func(b *lab) {
			b.at(0, func() { b.link.Acceptor().Vanish() })
		}, nil, nil},
	} {
		for _, strategy := range []events.Strategy{events.FIFO, events.Random} {
			b := newLabWith(t, labSetup{config: c.cfg, strategy: strategy})
			m := b.connectAt(0)
			if c.do != nil {
				c.do(b)
			}
			b.run()
			wantTimes(t, c.why+": accepted", m.accepted, c.accepted...)
			wantTimes(t, c.why+": dialed", m.dialed, c.dialed...)
			wantClosed(t, c.why, &b.down, nil)
		}
	}
}

func TestD2ConnectingTakesJitter(t *testing.T) {
	b := newLabWith(t, labSetup{seed: 3, config: jittery("a")})
	m := b.connectAt(0)
	b.run()
	way := func(way string) base.Time {
		return 10*ms + base.Time(base.NewRand(3).Stream("jitter", "a", way).Below(5_000_001))
	}
	wantTimes(t, "accepted", m.accepted, way("up"))
	wantTimes(t, "dialed", m.dialed, way("up")+way("down"))
}

// Who is told what when connecting fails.
func TestConnectingFails(t *testing.T) {
	for _, c := range []struct {
		why            string
		at             base.Time
		do             func(b *lab)
		accepted       int
		dialer, accept []base.Time // told ErrReset
	}{
		{"reset on the way there", sec / 2, func(b *lab) { b.link.Reset() }, 0, []base.Time{sec / 2}, nil},
		{"reset on the way back", 3 * sec / 2, func(b *lab) { b.link.Reset() }, 1, []base.Time{3 * sec / 2}, []base.Time{3 * sec / 2}},
		{"refused", sec / 2, func(b *lab) { b.link.Acceptor().Close() }, 0, []base.Time{2 * sec}, nil},
		{"the dialer dies on the way there", sec / 2, func(b *lab) { b.link.Dialer().Abort() }, 1, nil, []base.Time{3 * sec / 2}},
		{"the acceptor dies on the way back", 3 * sec / 2, func(b *lab) { b.link.Acceptor().Abort() }, 1, []base.Time{5 * sec / 2}, nil},
	} {
		b := newLab(t, netsim.Config{Up: rated(0, base.Second), Down: rated(0, base.Second)})
		m := b.connectAt(0)
		b.at(c.at, func() { c.do(b) })
		b.run()
		if len(m.accepted) != c.accepted {
			t.Errorf("%s: accepted at %v", c.why, m.accepted)
		}
		wantClosed(t, c.why+": dialer", &b.down, netsim.ErrReset, c.dialer...)
		wantClosed(t, c.why+": acceptor", &b.up, netsim.ErrReset, c.accept...)
	}
}
