package netsim_test

import (
	"testing"

	"chordsim/core/base"
	"chordsim/faults/linkmodel"
	"chordsim/sim/events"
	"chordsim/sim/netsim"

	"pgregory.net/rapid"
)

// bothWays is a lab with 1,000 B/s and 1 s of latency each way.
func bothWays(t tester) *lab {
	return newLab(t, netsim.Config{Up: rated(1000, base.Second), Down: rated(1000, base.Second)})
}

func (b *lab) answerAt(t base.Time, n int) { b.at(t, func() { b.link.Acceptor().Write(chunk(n)) }) }

// Close with something unread, or still under way to who closes, is a reset. Each row has Up carry 500 bytes from 0 on, which
// arrive at 1.5 s, and Down what it says.
func TestCloseWithUnreadDataIsAReset(t *testing.T) {
	type sent struct {
		at   base.Time
		size int
	}
	for _, c := range []struct {
		why    string
		up     int
		down   []sent
		close  base.Time // of the dialer
		arrive []base.Time
		ended  base.Time
		err    error
		lostUp int64
	}{
		{"nothing came", 500, nil, 0, []base.Time{1500 * ms}, 1500 * ms, nil, 0},
		{"all was read", 500, []sent{{0, 100}}, 1101 * ms, []base.Time{1500 * ms}, 2101 * ms, nil, 0},
		{"something was under way", 500, []sent{{0, 100}}, 1099 * ms, []base.Time{1500 * ms}, 2099 * ms, netsim.ErrReset, 0},
		{"something was sent before the end was known", 500, []sent{{1000 * ms, 100}}, 600 * ms, []base.Time{1500 * ms},
			1600 * ms, netsim.ErrReset, 0},
		// The message comes at 1.1 s, when 1,000 of 2,000 bytes have left.
		{"and takes what waits to leave", 1000, []sent{{0, 100}}, 0, []base.Time{2 * sec}, 2100 * ms, netsim.ErrReset, 1000},
	} {
		b := bothWays(t)
		b.sendAt(0, c.up)
		if c.lostUp > 0 {
			b.sendAt(0, int(c.lostUp))
		}
		for _, s := range c.down {
			b.answerAt(s.at, s.size)
		}
		b.at(c.close, func() { b.link.Dialer().Close() })
		b.run()
		wantTimes(t, c.why, b.up.arrivals, c.arrive...)
		wantClosed(t, c.why, &b.up, c.err, c.ended)
		wantClosed(t, c.why+": who closed", &b.down, nil)
		wantLost(t, c.why+": up", b.link.Acceptor().Lost(), min(c.lostUp, 1), c.lostUp)
		if lost, _ := b.link.Dialer().Received(); int(lost)+int(b.link.Dialer().Lost().Messages) != len(c.down) {
			t.Errorf("%s: down lost %+v", c.why, b.link.Dialer().Lost())
		}
	}
}

// A reset takes what is on the link too, both ways, and says how much.
func TestResetTakesWhatIsOnTheLink(t *testing.T) {
	b := bothWays(t)
	b.sendAt(0, 100)  // arrives at 1.1 s
	b.sendAt(0, 400)  // at 1.5 s
	b.sendAt(0, 1000) // leaves from 0.5 s on
	b.sendAt(0, 7000) // waits, and has filled the buffer
	b.answerAt(0, 50)
	b.answerAt(300*ms, 60)
	var lost netsim.Lost
	b.at(1200*ms, func() {
		lost = b.link.Reset()
		if len(b.up.closed)+len(b.down.closed) > 0 {
			t.Error("the ends were told within the call")
		}
		if b.link.Dialer().Write(chunk(1)) || b.link.Acceptor().Write(chunk(1)) || !b.link.Dialer().Closed() {
			t.Error("an end takes messages after a reset")
		}
		wantLost(t, "again", b.link.Reset(), 0, 0)
	})
	b.run()
	wantLost(t, "all", lost, 4, 400+1000+7000+60)
	wantLost(t, "up", b.link.Acceptor().Lost(), 3, 8400)
	wantLost(t, "down", b.link.Dialer().Lost(), 1, 60)
	wantTimes(t, "up", b.up.arrivals, 1100*ms)
	wantTimes(t, "down", b.down.arrivals, 1050*ms)
	wantClosed(t, "dialer", &b.down, netsim.ErrReset, 1200*ms)
	wantClosed(t, "acceptor", &b.up, netsim.ErrReset, 1200*ms)
	wantTimes(t, "writable", b.down.writable)
}

// Whatever kind of link it is and whenever it comes: what was written is delivered or lost, and each end is told once.
func TestD2EveryMessageIsDeliveredOrLost(t *testing.T) {
	trace := newTrace(t, "3\n7\n20\n")
	rapid.Check(t, func(t *rapid.T) {
		cfg := netsim.Config{Name: "a", Buffer: rapid.Int64Range(0, 9000).Draw(t, "buffer")}
		for _, c := range []*linkmodel.Config{&cfg.Up, &cfg.Down} {
			*c = rapid.SampledFrom([]linkmodel.Config{
				{}, {Rate: 100_000}, {Rate: 100_000, Latency: 50 * base.Millisecond, Jitter: 20 * base.Millisecond},
				{Rate: 100_000, Quantum: 10 * base.Millisecond}, {Trace: trace, Latency: base.Millisecond},
			}).Draw(t, "direction")
		}
		if rapid.Bool().Draw(t, "stream") {
			cfg.Stream = &netsim.StreamConfig{Min: 1, Max: rapid.IntRange(1, 3000).Draw(t, "max")}
		}
		b := newLabWith(t, labSetup{
			seed: rapid.Uint64().Draw(t, "seed"), config: cfg,
			strategy: rapid.SampledFrom([]events.Strategy{events.FIFO, events.Random}).Draw(t, "strategy"),
		})
		written := map[*netsim.End]netsim.Lost{}
		var returned netsim.Lost
		for range rapid.IntRange(1, 30).Draw(t, "actions") {
			at := base.Time(rapid.Int64Range(0, 300).Draw(t, "at")) * ms
			e := b.link.Dialer()
			if rapid.Bool().Draw(t, "acceptor") {
				e = b.link.Acceptor()
			}
			n := rapid.IntRange(1, 4000).Draw(t, "size")
			what := rapid.IntRange(-1, 40).Draw(t, "what")
			b.at(at, func() {
				add := func(l netsim.Lost) { returned.Messages += l.Messages; returned.Bytes += l.Bytes }
				switch what {
				case -1:
					b.link.DropAfter(int64(n % 7))
				case 0:
					e.Close()
				case 1:
					add(e.Abort())
				case 2:
					add(e.Vanish())
				case 3:
					add(b.link.Reset())
				case 4:
					e.CutAfter(int64(n))
				case 5, 6:
					e.BlackHole(what == 5)
				case 7:
					e.StallUntil(at + base.Time(n)*ms)
				case 8:
					if err := e.SetLatency(base.Duration(n) * base.Microsecond); err != nil {
						t.Fatalf("%v", err)
					}
				case 9:
					if err := e.SetBuffer(int64(n)); err != nil {
						t.Fatalf("%v", err)
					}
				case 10:
					if err := e.SetRate(int64(n) * 100); err != nil && e.Model().Trace == nil {
						t.Fatalf("%v", err)
					}
				default:
					if !e.Closed() {
						w := written[e]
						written[e] = netsim.Lost{Messages: w.Messages + 1, Bytes: w.Bytes + int64(n)}
						e.Write(chunk(n))
					}
				}
			})
		}
		b.run()
		total := netsim.Lost{}
		for _, e := range []*netsim.End{b.link.Dialer(), b.link.Acceptor()} {
			messages, bytes := e.Received()
			lost := e.Lost()
			total.Messages, total.Bytes = total.Messages+lost.Messages, total.Bytes+lost.Bytes
			if w := written[e.Other()]; messages+lost.Messages != w.Messages || bytes+lost.Bytes != w.Bytes {
				t.Fatalf("%d messages of %d bytes arrived and %+v was lost, of %+v", messages, bytes, lost, w)
			}
		}
		if returned.Messages > total.Messages || returned.Bytes > total.Bytes {
			t.Fatalf("calls returned %+v, and %+v was lost in all", returned, total)
		}
		if len(b.up.closed) > 1 || len(b.down.closed) > 1 {
			t.Fatalf("told %d and %d times", len(b.up.closed), len(b.down.closed))
		}
	})
}

// An end that dies says so behind what has left.
func TestAbort(t *testing.T) {
	b := bothWays(t)
	b.sendAt(0, 200)
	b.sendAt(0, 300) // is leaving at 0.4 s
	b.sendAt(0, 500)
	b.answerAt(0, 1000) // arrives at 2 s
	b.at(400*ms, func() {
		wantLost(t, "what had not left", b.link.Dialer().Abort(), 2, 800)
		wantLost(t, "again", b.link.Dialer().Abort(), 0, 0)
	})
	b.run()
	wantTimes(t, "up", b.up.arrivals, 1200*ms)
	wantClosed(t, "acceptor", &b.up, netsim.ErrReset, 1400*ms)
	wantClosed(t, "who died", &b.down, nil)
	wantTimes(t, "down", b.down.arrivals)
	wantLost(t, "down", b.link.Dialer().Lost(), 1, 1000)
	if b.link.Dialer().Write(chunk(1)) {
		t.Error("an end that died takes messages")
	}
}

// A machine that is gone says nothing, and the other end notices nothing.
func TestVanish(t *testing.T) {
	b := bothWays(t)
	b.sendAt(0, 200)
	b.sendAt(0, 300) // is leaving at 0.4 s
	b.answerAt(0, 1000)
	b.at(400*ms, func() {
		wantLost(t, "what had not left", b.link.Dialer().Vanish(), 1, 300)
		wantLost(t, "again", b.link.Dialer().Vanish(), 0, 0)
		wantLost(t, "nor can it die", b.link.Dialer().Abort(), 0, 0)
	})
	b.at(sec, func() { wantLost(t, "still under way", b.link.Dialer().Lost(), 0, 0) })
	b.answerAt(5*sec, 70)
	b.at(6*sec, func() { b.link.Acceptor().Close() })
	b.run()
	wantTimes(t, "what had left", b.up.arrivals, 1200*ms)
	wantClosed(t, "acceptor", &b.up, nil)
	wantClosed(t, "who is gone", &b.down, nil)
	wantLost(t, "down", b.link.Dialer().Lost(), 2, 1070)
}

// A black hole takes what arrives while it is there, what was under way included; a connection with a gap ends.
func TestBlackHole(t *testing.T) {
	for _, c := range []struct {
		why      string
		from, to base.Time
		arrive   []base.Time
		messages int64
		reset    []base.Time
	}{
		{"over before anything came", 0, 1099 * ms, []base.Time{1100 * ms, 1200 * ms, 3100 * ms}, 0, nil},
		{"one is lost, so the next to come resets", 1150 * ms, 1250 * ms, []base.Time{1100 * ms}, 2, []base.Time{3100 * ms}},
		{"all are lost", 0, base.Never, nil, 3, nil},
		{"the last is lost: nobody knows", 2 * sec, 4 * sec, []base.Time{1100 * ms, 1200 * ms}, 1, nil},
	} {
		b := bothWays(t)
		b.sendAt(0, 100)
		b.sendAt(0, 100)
		b.sendAt(2*sec, 100)
		b.at(c.from, func() { b.link.Acceptor().BlackHole(true) })
		if c.to != base.Never {
			b.at(c.to, func() { b.link.Acceptor().BlackHole(false) })
		}
		b.run()
		wantTimes(t, c.why, b.up.arrivals, c.arrive...)
		wantLost(t, c.why, b.link.Acceptor().Lost(), c.messages, 100*c.messages)
		wantClosed(t, c.why+": acceptor", &b.up, netsim.ErrReset, c.reset...)
		wantClosed(t, c.why+": dialer", &b.down, netsim.ErrReset, c.reset...)
	}
}

// The end of a connection is lost in a black hole as well; behind a gap it is a reset.
func TestBlackHoleTakesTheEnd(t *testing.T) {
	for _, over := range []bool{false, true} {
		b := bothWays(t)
		b.at(0, func() { b.link.Acceptor().BlackHole(true) })
		b.sendAt(0, 100)
		b.at(sec, func() { b.link.Dialer().Close() })
		if over {
			b.at(3*sec/2, func() { b.link.Acceptor().BlackHole(false) })
		}
		b.run()
		if over {
			wantClosed(t, "behind a gap", &b.up, netsim.ErrReset, 2*sec)
		} else {
			wantClosed(t, "in the dark", &b.up, nil)
		}
	}
}

// A cut falls after any byte: whole messages before it arrive, the one that it falls into does not.
func TestCutTakesWhatIsOnTheLink(t *testing.T) {
	for k := int64(-1); k <= 301; k++ {
		b := bothWays(t)
		for range 3 {
			b.sendAt(0, 100) // at 1.1, 1.2 and 1.3 s
		}
		b.answerAt(0, 900) // on its way at any of them
		b.at(50*ms, func() { b.link.Acceptor().CutAfter(k) })
		b.at(50*ms, func() { b.link.Acceptor().CutAfter(k + 10) }) // later than the other
		b.run()
		whole, cut := max(k, 0)/100, 50*ms
		if k > 0 {
			cut = sec + base.Time((k+99)/100*100)*ms
		}
		wantTimes(t, "whole messages", b.up.arrivals, []base.Time{1100 * ms, 1200 * ms, 1300 * ms}[:min(whole, 3)]...)
		if k > 300 {
			wantClosed(t, "a cut that was not reached", &b.up, nil)
			continue
		}
		wantClosed(t, "acceptor", &b.up, netsim.ErrReset, cut)
		wantClosed(t, "dialer", &b.down, netsim.ErrReset, cut)
		wantLost(t, "up", b.link.Acceptor().Lost(), 3-whole, 300-100*whole)
		wantLost(t, "down", b.link.Dialer().Lost(), 1, 900)
	}
}

// A connection that loses n messages is reset with the last of them, and what is under way then is lost as well.
func TestDropAfter(t *testing.T) {
	for n := int64(-1); n <= 5; n++ {
		b := bothWays(t)
		for range 3 {
			b.sendAt(0, 100) // at 1.1, 1.2 and 1.3 s
		}
		b.answerAt(0, 250) // at 1.25 s
		b.at(1150*ms, func() {
			b.link.DropAfter(n)
			b.link.DropAfter(n + 1)
		})
		b.run()
		wantTimes(t, "before", b.up.arrivals, 1100*ms)
		wantTimes(t, "at the dialer", b.down.arrivals)
		if n > 3 {
			wantClosed(t, "not complete", &b.up, nil)
			continue
		}
		at := map[int64]base.Time{-1: 1150 * ms, 0: 1150 * ms, 1: 1200 * ms, 2: 1250 * ms, 3: 1300 * ms}[n]
		wantClosed(t, "acceptor", &b.up, netsim.ErrReset, at)
		wantClosed(t, "dialer", &b.down, netsim.ErrReset, at)
		wantLost(t, "up", b.link.Acceptor().Lost(), 2, 200)
		wantLost(t, "down", b.link.Dialer().Lost(), 1, 250)
	}
}

// A connection that is to lose more than comes ends with the end that comes behind a gap.
func TestDropAfterThenClose(t *testing.T) {
	b := bothWays(t)
	b.sendAt(0, 100)
	b.at(0, func() { b.link.DropAfter(5) })
	b.at(sec, func() { b.link.Dialer().Close() })
	b.run()
	wantClosed(t, "acceptor", &b.up, netsim.ErrReset, 2*sec)
	wantLost(t, "up", b.link.Acceptor().Lost(), 1, 100)
}

// A receiver may end the connection from within: nothing comes after it.
func TestResetFromDeliver(t *testing.T) {
	b := newLab(t, netsim.Memory)
	b.up.onDeliver = func() { wantLost(t, "the rest", b.link.Reset(), 2, 2) }
	for range 3 {
		b.sendAt(0, 1)
	}
	b.run()
	wantTimes(t, "arrivals", b.up.arrivals, 0)
	wantClosed(t, "acceptor", &b.up, netsim.ErrReset, 0)
	wantClosed(t, "dialer", &b.down, netsim.ErrReset, 0)
}
