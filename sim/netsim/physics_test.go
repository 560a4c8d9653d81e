package netsim_test

import (
	"fmt"
	"testing"

	"chordsim/core/base"
	"chordsim/faults/linkmodel"
	"chordsim/sim/events"
	"chordsim/sim/netsim"

	"pgregory.net/rapid"
)

func TestD2OneMessage(t *testing.T) {
	for _, c := range []struct {
		bytes, rate int64
		latency     base.Duration
		want        base.Time // ceil(bytes*1e9/rate) + latency, by hand
	}{
		{0, 1, 0, 0},
		{1, 1, 0, sec},
		{1, 3, 0, 333_333_334},
		{2, 3, 0, 666_666_667},
		{3, 3, 0, sec},
		{1, 64 << 10, 0, 15_259},
		{4096, 64 << 10, 20 * base.Millisecond, 82_500_000},
		{1500, 125_000_000, 100 * base.Millisecond, 100_012_000},
		{1, 1_000_000_000, 0, 1},
		{1, 1_000_000_001, 0, 1},
		{1, 1 << 40, 5, 6},
		{1 << 20, 7, 1, 149_796_571_428_573},
		{500_000, 64 << 10, 0, 7_629_394_532},
	} {
		b := newLab(t, netsim.Config{Up: rated(c.rate, c.latency)})
		b.sendAt(0, int(c.bytes))
		b.run()
		wantTimes(t, fmt.Sprintf("%d bytes at %d B/s and %v", c.bytes, c.rate, c.latency), b.up.arrivals, c.want)
		if closed := base.Time(0).Add(carryTime(c.bytes, c.rate) + c.latency); closed != c.want {
			t.Fatalf("the closed form says %v, by hand it is %v", closed, c.want)
		}
	}
}

func TestD2AnyMessage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(0, 1<<20).Draw(t, "bytes")
		rate := rapid.Int64Range(1, 1<<40).Draw(t, "rate")
		latency := base.Duration(rapid.Int64Range(0, int64(base.Hour)).Draw(t, "latency"))
		start := base.Time(rapid.Int64Range(0, int64(base.Hour)).Draw(t, "start"))
		b := newLab(t, netsim.Config{Up: rated(rate, latency)})
		b.sendAt(start, int(n))
		b.run()
		wantTimes(t, "one message", b.up.arrivals, start.Add(carryTime(n, rate)).Add(latency))
	})
}

// Remainders are carried: however a busy period is cut into messages, each arrives when its last byte does.
func TestD2BusyPeriods(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.Int64Range(1, 1<<33).Draw(t, "rate")
		latency := base.Duration(rapid.Int64Range(0, int64(base.Second)).Draw(t, "latency"))
		sends := drawSends(t, rate)
		strategy := rapid.SampledFrom([]events.Strategy{events.FIFO, events.Random}).Draw(t, "strategy")
		b := newLabWith(t, labSetup{strategy: strategy, config: netsim.Config{Up: rated(rate, latency)}})
		b.play(sends)
		wantTimes(t, "arrivals", b.up.arrivals, shifted(departures(rate, sends), latency)...)
		for i, s := range sends {
			if int64(len(b.up.chunks[i])) != s.size {
				t.Fatalf("message %d has %d bytes, want %d", i, len(b.up.chunks[i]), s.size)
			}
		}
	})
}

// drawSends draws messages with gaps that are about as long as it takes to carry one.
func drawSends(t *rapid.T, rate int64) []send {
	gap := int64(min(carryTime(4000, rate), base.Hour))
	var now base.Time
	sends := make([]send, rapid.IntRange(1, 20).Draw(t, "messages"))
	for i := range sends {
		now = now.Add(base.Duration(rapid.Int64Range(0, gap).Draw(t, "gap")))
		sends[i] = send{now, rapid.Int64Range(0, 4096).Draw(t, "size")}
	}
	return sends
}

// play sends the messages one after the other: under the strategy random, those of one instant have no order as events.
func (b *lab) play(sends []send) {
	next := 0
	var fire action
	fire = func() {
		for next < len(sends) && sends[next].at == b.queue.Now() {
			b.link.Dialer().Write(chunk(int(sends[next].size)))
			next++
		}
		if next < len(sends) {
			b.at(sends[next].at, fire)
		}
	}
	b.at(sends[0].at, fire)
	b.run()
}

// Throughput is not one message a latency: behind 100 ms, messages of 10 us each arrive 10 us apart.
func TestD2LongFatLink(t *testing.T) {
	const messages, size, each = 1000, 1250, 10 * base.Microsecond
	for _, latency := range []base.Duration{0, base.Millisecond, 100 * base.Millisecond, base.Hour} {
		b := newLab(t, netsim.Config{Up: rated(125_000_000, latency)})
		want := make([]base.Time, messages)
		for i := range want {
			b.sendAt(0, size)
			want[i] = base.Time(0).Add(latency + base.Duration(i+1)*each)
		}
		b.run()
		wantTimes(t, "behind "+latency.String(), b.up.arrivals, want...)
	}
}

// A sender that minds the buffer fills the link just as well, as long as a buffer holds two messages.
func TestD2OneSecondOfARate(t *testing.T) {
	for _, c := range []struct {
		rate  int64
		sizes []int64
	}{
		{125_000_000, []int64{1000, 2048, 4096, 65_536, 1_000_003, 125_000_000}}, // 1 Gbit/s: 8 ns a byte
		{64 << 10, []int64{1, 7, 1000, 2048, 65_536}},                            // 15258.789… ns a byte
		{3, []int64{1, 2, 3}},
	} {
		for _, size := range c.sizes {
			// Down has the rate too, and carries the same: directions share nothing.
			b := newLab(t, netsim.Config{Up: rated(c.rate, 0), Down: rated(c.rate, 0)})
			b.pump(b.link.Dialer(), &b.down, c.rate, size)
			b.pump(b.link.Acceptor(), &b.up, c.rate, size)
			b.run()
			for _, r := range []*recorder{&b.up, &b.down} {
				if got := r.arrivals[len(r.arrivals)-1]; got != sec {
					t.Errorf("%d bytes at %d B/s in messages of %d: the last arrived at %v, want 1s", c.rate, c.rate, size, got)
				}
			}
			if _, bytes := b.link.Acceptor().Received(); bytes != c.rate {
				t.Errorf("%d bytes arrived, want %d", bytes, c.rate)
			}
		}
	}
}

// pump writes total bytes in messages of one size whenever there is room.
func (b *lab) pump(e *netsim.End, own *recorder, total, size int64) {
	own.onWritable = func() {
		for total > 0 {
			n := min(size, total)
			total -= n
			if !e.Write(chunk(int(n))) {
				return
			}
		}
	}
	b.at(0, own.onWritable)
}

// Nothing that another link, or the other direction, does moves an arrival, even if all are busy at the same instants.
func TestD2LinksDoNotInfluenceEachOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := netsim.Config{Name: "a", Up: rated(1_000_000, base.Millisecond), Down: rated(1_000_000, base.Millisecond)}
		cfg.Up.Jitter, cfg.Down.Jitter = base.Millisecond, base.Millisecond
		sends := drawSends(t, cfg.Up.Rate)
		alone := newLab(t, cfg)
		alone.play(sends)

		queue, rand := events.New(events.FIFO, nil), base.NewRand(0)
		other := cfg
		other.Name = "b"
		b := newLabOn(t, queue, rand, other)
		a := newLabOn(t, queue, rand, cfg)
		for _, s := range drawSends(t, cfg.Up.Rate) {
			b.sendAt(s.at, int(s.size))
			b.at(s.at, func() { b.link.Dialer().StallUntil(s.at + 3*ms) })
			a.at(s.at, func() { a.link.Acceptor().Write(chunk(int(s.size))) })
		}
		a.play(sends)
		wantTimes(t, "beside others", a.up.arrivals, alone.up.arrivals...)
	})
}

// A link without a rate delivers in a later event at the same instant.
func TestD2MemoryLink(t *testing.T) {
	b := newLab(t, netsim.Memory)
	b.at(5, func() {
		for range 3 {
			if !b.link.Dialer().Write(chunk(1 << 20)) {
				t.Error("a memory link is full")
			}
		}
		if len(b.up.arrivals) != 0 {
			t.Error("delivered within the event that wrote it")
		}
	})
	b.run()
	wantTimes(t, "arrivals", b.up.arrivals, 5, 5, 5)
}

func TestBadConfigs(t *testing.T) {
	for _, c := range []struct {
		cfg  netsim.Config
		want string
	}{
		{netsim.Config{Name: "x", Buffer: -1}, "netsim: link x: a buffer of -1 bytes; want 0 (the default) or more"},
		{netsim.Config{Name: "x", Up: linkmodel.Config{Rate: -1}},
			"netsim: link x up: linkmodel: bad config: Rate is -1 bytes per second; want 0 (unlimited) or more"},
		{netsim.Config{Name: "x", Down: linkmodel.Config{Latency: -1}},
			"netsim: link x down: linkmodel: bad config: Latency is -1ns; want 0s or more"},
	} {
		if _, err := netsim.New(events.New(events.FIFO, nil), base.NewRand(0), c.cfg, nil); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}
