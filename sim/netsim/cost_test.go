package netsim_test

import (
	"testing"

	"chordsim/core/base"
	"chordsim/faults/linkmodel"
	"chordsim/sim/netsim"
)

// A message takes one event, and a direction has one in the queue however much is under way, but for a few that are void.
func TestEventsOfABurst(t *testing.T) {
	const messages = 1000
	slow := rated(1000, base.Minute)
	quantum := linkmodel.Config{Rate: 1000, Quantum: base.Second}
	for _, c := range []struct {
		name   string
		cfg    netsim.Config
		stalls int
		events int64
		peak   int
	}{
		{"memory", netsim.Config{}, 0, 1, 1},
		{"rate", netsim.Config{Up: slow, Buffer: 1 << 40}, 0, messages, 1},
		// As long as the sender waits for room, departures are events too.
		{"rate and a full buffer", netsim.Config{Up: slow}, 0, 2 * messages, 3},
		{"quantum", netsim.Config{Up: quantum, Buffer: 1 << 40}, 0, messages / 10, 1},
		// Each stall leaves what was scheduled without an effect, and ends with an event.
		{"rate and stalls", netsim.Config{Up: slow, Buffer: 1 << 40}, 50, messages + 2*50, 3},
	} {
		b := newLab(t, c.cfg)
		b.at(0, func() {
			for range messages {
				b.link.Dialer().Write(chunk(100))
			}
		})
		var stall action
		stall = func() {
			if c.stalls--; c.stalls >= 0 {
				b.link.Acceptor().StallUntil(b.queue.Now() + ms)
				b.at(b.queue.Now()+sec, stall)
			}
		}
		if c.stalls > 0 {
			b.at(70*sec+1, stall)
		}
		own := int64(1) // the burst
		if c.stalls > 0 {
			own += int64(c.stalls) + 1
		}
		b.run()
		stats := b.queue.Stats()
		if got := stats.Events - own; got > c.events || len(b.up.arrivals) != messages {
			t.Errorf("%s: %d events for %d messages, want at most %d", c.name, got, len(b.up.arrivals), c.events)
		}
		if stats.Peak > c.peak {
			t.Errorf("%s: %d events at once, want at most %d", c.name, stats.Peak, c.peak)
		}
	}
}
