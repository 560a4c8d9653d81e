package netsim_test

import (
	"slices"
	"testing"

	"chordsim/core/base"
	"chordsim/sim/events"
	"chordsim/sim/netsim"

	"pgregory.net/rapid"
)

func jittery(name string) netsim.Config {
	c := netsim.Config{Name: name, Up: rated(1_000_000, 10*base.Millisecond), Down: rated(1_000_000, 10*base.Millisecond)}
	c.Up.Jitter, c.Down.Jitter = 5*base.Millisecond, 5*base.Millisecond
	return c
}

// Message i arrives its latency and draw number i after it left, unless the one ahead is later.
func TestD2JitterKeepsOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		cfg := jittery(rapid.StringMatching(`[a-z-]{0,8}`).Draw(t, "name"))
		sends := drawSends(t, cfg.Up.Rate)
		b := newLabWith(t, labSetup{seed: seed, config: cfg})
		b.play(sends)

		draws := base.NewRand(seed).Stream("jitter", cfg.Name, "up")
		want, latest := departures(cfg.Up.Rate, sends), base.Time(0)
		for i := range want {
			jitter := base.Duration(draws.Below(uint64(cfg.Up.Jitter) + 1))
			latest = max(latest, want[i].Add(cfg.Up.Latency).Add(jitter))
			want[i] = latest
		}
		wantTimes(t, "arrivals", b.up.arrivals, want...)
		for i, s := range sends {
			if int64(len(b.up.chunks[i])) != s.size {
				t.Fatalf("message %d has %d bytes, want %d: overtaken", i, len(b.up.chunks[i]), s.size)
			}
		}
	})
}

// Seed and name of the link say what its jitter is: no strategy, no earlier link and no traffic elsewhere does.
func TestD2JitterIsOfSeedAndName(t *testing.T) {
	play := func(b *lab) []base.Time {
		for i := range 50 {
			b.sendAt(base.Time(i)*ms, 100)
		}
		b.run()
		return b.up.arrivals
	}
	want := play(newLabWith(t, labSetup{seed: 7, config: jittery("a")}))
	wantTimes(t, "again", play(newLabWith(t, labSetup{seed: 7, config: jittery("a")})), want...)
	wantTimes(t, "random ties", play(newLabWith(t, labSetup{seed: 7, config: jittery("a"), strategy: events.Random})), want...)

	queue, rand := events.New(events.FIFO, nil), base.NewRand(7)
	for _, name := range []string{"b", "", "aa"} {
		busy := newLabOn(t, queue, rand, jittery(name))
		for i := range 100 {
			busy.sendAt(base.Time(i)*ms/2, 10)
		}
	}
	wantTimes(t, "behind others", play(newLabOn(t, queue, rand, jittery("a"))), want...)

	if slices.Equal(play(newLabWith(t, labSetup{seed: 8, config: jittery("a")})), want) {
		t.Error("another seed gives the same jitter")
	}
	if slices.Equal(play(newLabWith(t, labSetup{seed: 7, config: jittery("b")})), want) {
		t.Error("another name gives the same jitter")
	}
	back := newLabWith(t, labSetup{seed: 7, config: jittery("a")})
	for i := range 50 {
		back.at(base.Time(i)*ms, func() { back.link.Acceptor().Write(chunk(100)) })
	}
	if back.run(); slices.Equal(back.down.arrivals, want) {
		t.Error("both directions have the same jitter")
	}
}
