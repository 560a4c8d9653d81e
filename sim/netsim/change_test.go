package netsim_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"chordsim/core/base"
	"chordsim/faults/linkmodel"
	"chordsim/sim/netsim"
)

func (b *lab) change(at base.Time, change func(e *netsim.End) error) {
	b.at(at, func() {
		if err := change(b.link.Acceptor()); err != nil {
			b.t.Fatalf("%v", err)
		}
	})
}

func TestD2ChangesFromNowOn(t *testing.T) {
	rate := func(r int64) func(*netsim.End) error { return func(e *netsim.End) error { return e.SetRate(r) } }
	latency := func(d base.Duration) func(*netsim.End) error {
		return func(e *netsim.End) error { return e.SetLatency(d) }
	}
	for _, c := range []struct {
		why    string
		up     linkmodel.Config
		at     base.Time
		change func(*netsim.End) error
		want   []base.Time // of two messages of 1,000 bytes
	}{
		{"half as fast", rated(1000, base.Second), sec / 2, rate(500), []base.Time{2500 * ms, 4500 * ms}},
		{"faster", rated(1000, base.Second), 3 * sec / 2, rate(2000), []base.Time{2 * sec, 2750 * ms}},
		{"without limit", rated(1000, base.Second), sec / 2, rate(0), []base.Time{1500 * ms, 1500 * ms}},
		{"farther", rated(1000, base.Second), 3 * sec / 2, latency(base.Minute), []base.Time{2 * sec, 62 * sec}},
		{"nearer, but not before the one ahead", rated(1000, base.Minute), 3 * sec / 2, latency(0), []base.Time{61 * sec, 61 * sec}},
		{"slower ticks", linkmodel.Config{Rate: 1000, Quantum: 100 * base.Millisecond}, sec / 2, rate(500),
			[]base.Time{1500 * ms, 3500 * ms}}, // 500 bytes were gathered
	} {
		b := newLab(t, netsim.Config{Up: c.up})
		b.sendAt(0, 1000)
		b.sendAt(0, 1000)
		b.change(c.at, c.change)
		b.run()
		wantTimes(t, c.why, b.up.arrivals, c.want...)
	}
}

// What one end does to a direction shows at that end, and can be undone with what was there.
func TestChangesShow(t *testing.T) {
	b := newLab(t, netsim.Config{Up: linkmodel.Config{Rate: 1000, Latency: 5, Jitter: 7}, Down: rated(2000, 1)})
	e := b.link.Acceptor()
	was, buffer := e.Model(), e.Buffer()
	for _, err := range []error{e.SetRate(7), e.SetLatency(8), e.SetJitter(9), e.SetBuffer(10)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if got, want := e.Model(), (linkmodel.Config{Rate: 7, Latency: 8, Jitter: 9}); got != want || e.Buffer() != 10 {
		t.Errorf("%v with a buffer of %d, want %v", got, e.Buffer(), want)
	}
	if b.link.Dialer().Model() != rated(2000, 1) || b.link.Dialer().Buffer() != netsim.DefaultBuffer {
		t.Errorf("the other direction is %v", b.link.Dialer().Model())
	}
	for _, err := range []error{e.SetRate(was.Rate), e.SetLatency(was.Latency), e.SetJitter(was.Jitter), e.SetBuffer(buffer)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if e.Model() != was || e.Buffer() != buffer {
		t.Errorf("%v, want %v again", e.Model(), was)
	}
}

func TestChangesThatCannotBe(t *testing.T) {
	b := newLab(t, netsim.Config{Name: "tab", Up: linkmodel.Config{Trace: newTrace(t, "1\n")}})
	for _, c := range []struct {
		err         error
		unsupported bool
		want        string
	}{
		{b.link.Acceptor().SetRate(1000), true,
			"netsim: link tab up: linkmodel: unsupported: a rate of 1kB/s on the trace test, which sets the rate"},
		{b.link.Acceptor().SetLatency(-1), false, "netsim: link tab up: linkmodel: bad config: Latency is -1ns; want 0s or more"},
		{b.link.Dialer().SetJitter(-1), false, "netsim: link tab down: linkmodel: bad config: Jitter is -1ns; want 0s or more"},
		{b.link.Dialer().SetRate(-1), false,
			"netsim: link tab down: linkmodel: bad config: Rate is -1 bytes per second; want 0 (unlimited) or more"},
		{b.link.Dialer().SetBuffer(-1), false, "netsim: link tab down: a buffer of -1 bytes; want 0 (the default) or more"},
	} {
		if c.err == nil || c.err.Error() != c.want || errors.Is(c.err, netsim.ErrUnsupported) != c.unsupported {
			t.Errorf("%v, want %s", c.err, c.want)
		}
	}
}

// A squeezed direction is full earlier, and the sender is told when there is room by whatever is the measure then.
func TestSqueeze(t *testing.T) {
	buffer := func(n int64) func(*netsim.End) error { return func(e *netsim.End) error { return e.SetBuffer(n) } }
	for _, c := range []struct {
		why      string
		up       linkmodel.Config
		do       func(b *lab, took *[]bool)
		took     []bool
		writable []base.Time
	}{
		{"without", rated(1000, 0), func(*lab, *[]bool) {}, []bool{true, true}, nil},
		{"before the first", rated(1000, 0), func(b *lab, _ *[]bool) { b.change(0, buffer(1000)) }, []bool{false, false},
			[]base.Time{2 * sec}},
		{"below what is queued", rated(1000, 0), func(b *lab, _ *[]bool) { b.change(sec/4, buffer(100)) }, []bool{true, false},
			[]base.Time{2 * sec}},
		{"and back", rated(1000, 0), func(b *lab, _ *[]bool) {
			b.change(0, buffer(100))
			b.change(3*sec/4, buffer(0))
		}, []bool{false, false}, []base.Time{3 * sec / 4}},
		{"a rate that ends makes room", rated(1000, 0), func(b *lab, _ *[]bool) {
			b.change(0, buffer(100))
			b.change(3*sec/4, func(e *netsim.End) error { return e.SetRate(0) })
		}, []bool{false, false}, []base.Time{3 * sec / 4}},
		{"a rate has a buffer", linkmodel.Config{}, func(b *lab, took *[]bool) {
			b.change(0, func(e *netsim.End) error { return e.SetRate(8000) })
			b.write(3*sec/4, 4096, took)
		}, []bool{true, true, false}, []base.Time{3*sec/4 + 512*ms}},
	} {
		b := newLab(t, netsim.Config{Up: c.up})
		var took []bool
		c.do(b, &took)
		b.write(0, 1000, &took)
		b.write(sec/2, 1000, &took)
		b.run()
		if !slices.Equal(took, c.took) {
			t.Errorf("%s: Write returned %v, want %v", c.why, took, c.took)
		}
		wantTimes(t, c.why+": writable", b.down.writable, c.writable...)
	}
}

func TestDelayedCountsMessages(t *testing.T) {
	b := newLab(t, netsim.Config{Up: rated(1000, base.Second)})
	for range 3 {
		b.sendAt(0, 100)
	}
	b.sendAt(5*sec, 100)
	b.at(1150*ms, func() { b.link.Acceptor().StallUntil(2 * sec) })
	b.at(1500*ms, func() {
		if n := b.link.Acceptor().Delayed(); n != 2 {
			t.Errorf("%d delayed in the stall, want 2", n)
		}
	})
	b.run()
	if up, down := b.link.Acceptor().Delayed(), b.link.Dialer().Delayed(); up != 2 || down != 0 {
		t.Errorf("%d and %d delayed, want 2 and 0", up, down)
	}
}

// A direction that is full holds up nobody but its sender: ends that echo whatever comes, with less room than what they
// have under way, all get it back.
func TestAFullDirectionBlocksNobodyElse(t *testing.T) {
	const streams, rounds, size = 12, 50, base.KiB
	cfg := netsim.Config{Up: rated(64*base.KiB, 0), Down: rated(32*base.KiB, 0), Buffer: 10 * base.KiB}
	for _, stream := range []*netsim.StreamConfig{nil, {Min: 1, Max: 1400}} {
		cfg.Stream = stream
		b := newLab(t, cfg)
		refused, back := 0, 0
		b.up.onDeliver = func() {
			if !b.link.Acceptor().Write(chunk(size)) {
				refused++
			}
		}
		b.down.onDeliver = func() {
			if back++; back <= streams*(rounds-1) {
				b.link.Dialer().Write(chunk(size))
			}
		}
		b.at(0, func() {
			for range streams {
				b.link.Dialer().Write(chunk(size))
			}
		})
		b.run()
		if back != streams*rounds || refused == 0 && stream == nil {
			t.Errorf("%d of %d came back, the echo was refused %d times", back, streams*rounds, refused)
		}
	}
}

// Without a limit from now on, what is leaving has left now, and not a fraction of a nanosecond later.
func TestD2RateWithoutLimitFromNowOn(t *testing.T) {
	b := newLab(t, netsim.Config{Up: rated(3, 0)})
	b.sendAt(0, 2) // 0.666… s
	b.sendAt(0, 1)
	b.at(100*ms, func() {
		if err := b.link.Acceptor().SetRate(0); err != nil {
			t.Error(err)
		}
	})
	b.sendAt(sec, 5)
	b.run()
	wantTimes(t, "arrivals", b.up.arrivals, 100*ms, 100*ms, sec)
}

// A squeeze counts the messages that fill the smaller buffer and not the one that the link was made with; to fill that
// exactly is to fill it. Four messages end at 99, 198, 297 and 398 bytes; in a byte stream at 100, 200, 300 and 401.
func TestSqueezedCounts(t *testing.T) {
	whole, parts := []int{99, 99, 99, 101}, []int{99, 99, 99, 100}
	for _, c := range []struct {
		sizes           []int
		made, squeezed  int64
		messages, bytes int64
	}{
		{whole, 0, 150, 3, 299}, // the default is 4,096
		{whole, 397, 150, 2, 198},
		{whole, 398, 150, 2, 198},
		{whole, 399, 150, 3, 299},
		{whole, 1000, 1000, 0, 0},
		{whole, 100, 1000, 0, 0},
		{parts, 401, 150, 2, 198},
		{parts, 402, 150, 3, 298},
		{parts, 402, 402, 0, 0},
	} {
		cfg := netsim.Config{Up: rated(1000, 0), Buffer: c.made}
		if &c.sizes[0] == &parts[0] {
			cfg.Stream = &netsim.StreamConfig{Min: 50, Max: 50}
		}
		b := newLab(t, cfg)
		b.at(0, func() {
			if err := b.link.Acceptor().SetBuffer(c.squeezed); err != nil {
				t.Error(err)
			}
			for _, size := range c.sizes {
				b.link.Dialer().Write(chunk(size))
			}
		})
		b.run()
		wantLost(t, fmt.Sprintf("%d squeezed to %d", c.made, c.squeezed), b.link.Acceptor().Squeezed(), c.messages, c.bytes)
	}
}

// What has not left are messages, and not the end of the connection.
func TestUnsentIsOfMessages(t *testing.T) {
	b := newLab(t, netsim.Config{Up: rated(1000, 0)})
	b.at(0, func() {
		b.link.Dialer().Write(chunk(100))
		b.link.Dialer().Write(chunk(50))
		b.link.Dialer().Close()
		wantLost(t, "unsent", b.link.Acceptor().Unsent(), 2, 150)
	})
	b.run()
	wantLost(t, "unsent at the end", b.link.Acceptor().Unsent(), 0, 0)
}
