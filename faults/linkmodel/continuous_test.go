package linkmodel_test

import (
	"fmt"
	"testing"

	"chordsim/core/base"
	"chordsim/faults/linkmodel"

	"pgregory.net/rapid"
)

// A single message arrives at exactly t0 + ceil(n*1e9/R) + L.
func TestSingleMessage(t *testing.T) {
	for _, rate := range []int64{1, 3, 7, 1000, 64 * base.KiB, 65537, 125_000_000, 3_000_000_000, 1<<62 + 1} {
		for _, size := range []int{0, 1, 2, 1500, 4096, 1 << 20, 12345679} {
			for _, latency := range []base.Duration{0, 1, base.Millisecond, base.Minute} {
				d := newDirection(t, linkmodel.Config{Rate: rate, Latency: latency})
				start := 17 * ms
				d.Send(start, size)
				want := start.Add(ceilDiv(uint64(size), uint64(base.Second), uint64(rate))).Add(latency)
				wantTimes(t, fmt.Sprintf("%d bytes at %d B/s", size, rate), arrivals(t, d), want)
			}
		}
	}
}

// The k-th message of a busy period arrives at exactly t0 + ceil(N*1e9/R) + L, N the bytes up to its end.
func TestBusyPeriod(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.OneOf(rapid.Int64Range(1, 50), rapid.Int64Range(1, 1<<40)).Draw(t, "rate")
		latency := base.Duration(rapid.Int64Range(0, int64(base.Minute)).Draw(t, "latency"))
		start := base.Time(rapid.Int64Range(0, int64(base.Minute)).Draw(t, "start"))
		sizes := rapid.SliceOfN(rapid.IntRange(0, 70000), 1, 60).Draw(t, "sizes")
		d := newDirection(t, linkmodel.Config{Rate: rate, Latency: latency})
		d.WantDepartures(true)
		var left, there []base.Time
		total := uint64(0)
		for _, n := range sizes {
			d.Send(start, n)
			total += uint64(n)
			left = append(left, start.Add(ceilDiv(total, uint64(base.Second), uint64(rate))))
			there = append(there, left[len(left)-1].Add(latency))
		}
		departures, arrivals := run(t, d)
		wantTimes(t, "departures", departures, left...)
		wantTimes(t, "arrivals", arrivals, there...)
	})
}

// A message that follows while the direction is busy continues exactly where the one ahead ends, and one that comes when
// it is idle starts afresh: an idle gap banks nothing.
func TestIdleBanksNothing(t *testing.T) {
	d := newDirection(t, linkmodel.Config{Rate: 3})
	var got []base.Time
	step := func(at base.Time, size int) {
		for {
			next, ok := d.NextEvent()
			if !ok || next > at {
				break
			}
			_, n := d.Advance(next)
			for range n {
				got = append(got, next)
			}
		}
		d.Send(at, size)
	}
	step(0, 1)
	step(333_333_333, 1)           // a third of a nanosecond before the end: carried on
	step(sec, 1)                   // a third of a second after the end: starts now
	step(sec+333_333_334, 1)       // idle for two thirds of a nanosecond: starts now
	step(100*sec, 1)               // idle for long
	step(100*sec, 3)               // busy
	step(100*sec+1_333_333_333, 0) // busy to the last third of a nanosecond
	got = append(got, arrivals(t, d)...)
	wantTimes(t, "arrivals", got, 333_333_334, 666_666_667, sec+333_333_334, sec+666_666_668, 100*sec+333_333_334,
		101*sec+333_333_334, 101*sec+333_333_334)
}

// Throughput depends neither on latency nor on message size: on a long fat link, messages arrive back to back.
func TestLongFatLink(t *testing.T) {
	d := newDirection(t, linkmodel.Config{Rate: 125_000_000, Latency: 100 * base.Millisecond})
	var want []base.Time
	for i := range base.Time(1000) {
		d.Send(0, 1500)
		want = append(want, (i+1)*12_000+100*ms)
	}
	wantTimes(t, "1,000 messages", arrivals(t, d), want...)
}

// A link of 1 Gbit/s carries 125,000,000 bytes in exactly a second in messages of any size.
func TestGigabitSecond(t *testing.T) {
	for _, size := range []int{1, 7, 40, 1447, 1500, 4096, 65536, 1 << 20, 125_000_000} {
		count := 125_000_000 / size
		if testing.Short() && count > 1_000_000 {
			continue
		}
		d := newDirection(t, linkmodel.Config{Rate: 125_000_000, Latency: 3 * base.Millisecond})
		sent, last := 0, base.Time(0)
		// A window of messages keeps the direction busy, each handed over at a departure.
		for sent < min(count, 300_000)*size {
			for d.QueuedBytes() < int64(4*size) && sent < min(count, 300_000)*size {
				d.Send(last, size)
				sent += size
			}
			d.WantDepartures(true)
			last, _ = d.NextEvent()
			d.Advance(last)
		}
		rest := 125_000_000 - sent
		d.Send(last, rest)
		d.WantDepartures(false)
		all := arrivals(t, d)
		if got := all[len(all)-1]; got != sec+3*ms {
			t.Errorf("messages of %d bytes: the last of 125,000,000 bytes arrives at %v, want 1.003s", size, got)
		}
	}
}

// The cumulative remainder matters: 1 byte at 3 GB/s is a third of a nanosecond.
func TestRemainderIsCarried(t *testing.T) {
	d := newDirection(t, linkmodel.Config{Rate: 3_000_000_000})
	for range 300_000 {
		d.Send(0, 1)
	}
	all := arrivals(t, d)
	if got := all[len(all)-1]; got != 100_000 {
		t.Errorf("300,000 bytes at 3 GB/s arrive at %v, want 100us", got)
	}
}

func TestUnlimited(t *testing.T) {
	d := newDirection(t, linkmodel.Config{})
	d.Send(5*ms, 1<<30)
	if at, ok := d.NextEvent(); at != 5*ms || !ok {
		t.Fatalf("next event %v, %v, want now", at, ok)
	}
	if dep, arr := d.Advance(5 * ms); dep != 1 || arr != 1 {
		t.Fatalf("departed %d, arrived %d, want 1 and 1", dep, arr)
	}
	if at, ok := d.NextEvent(); at != base.Never || ok {
		t.Fatalf("next event %v, %v, want none", at, ok)
	}
	d = newDirection(t, linkmodel.Config{Latency: 10 * base.Millisecond})
	d.Send(5*ms, 1<<30)
	d.Send(5*ms, 1) // the first has left
	if d.QueuedBytes() != 1 {
		t.Errorf("queued %d, want 1", d.QueuedBytes())
	}
	if dep, arr := d.Advance(5 * ms); dep != 2 || arr != 0 || d.QueuedBytes() != 0 {
		t.Errorf("departed %d, arrived %d, queued %d, want 2, 0, 0", dep, arr, d.QueuedBytes())
	}
	wantTimes(t, "latency alone", arrivals(t, d), 15*ms, 15*ms)
}

// Departures are events if they are wanted, and are counted in either case.
func TestDepartures(t *testing.T) {
	d := newDirection(t, linkmodel.Config{Rate: 1000, Latency: base.Second})
	d.Send(0, 100)
	d.Send(0, 100)
	if at, _ := d.NextEvent(); at != sec+100*ms {
		t.Errorf("next event at %v, want the first arrival", at)
	}
	d.WantDepartures(true)
	departed, arrived := run(t, d)
	wantTimes(t, "departures", departed, 100*ms, 200*ms)
	wantTimes(t, "arrivals", arrived, sec+100*ms, sec+200*ms)
}

// Jitter stays in bounds, keeps the order and is a function of seed, label and message number.
func TestJitter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := linkmodel.Config{Rate: rapid.Int64Range(0, 1<<20).Draw(t, "rate"), Latency: base.Millisecond}
		c.Jitter = base.Duration(rapid.Int64Range(1, int64(base.Second)).Draw(t, "jitter"))
		seed := rapid.Uint64().Draw(t, "seed")
		plain := c
		plain.Jitter = 0
		exact, reference := newDirection(t, plain), base.NewRand(seed).Stream("jitter", "tab.down")
		d, err := linkmodel.NewDirection(c, base.NewRand(seed).Stream("jitter", "tab.down"))
		if err != nil {
			t.Fatalf("%v", err)
		}
		count := rapid.IntRange(1, 50).Draw(t, "count")
		for i := range count {
			d.Send(base.Time(i), i*10)
			exact.Send(base.Time(i), i*10)
		}
		var want []base.Time
		for i, at := range arrivals(t, exact) {
			want = append(want, at.Add(base.Duration(reference.Below(uint64(c.Jitter)+1))))
			if i > 0 {
				want[i] = max(want[i], want[i-1])
			}
			if extra := want[i].Sub(at); extra < 0 || extra > c.Jitter {
				t.Fatalf("message %d has jitter %v, over %v", i, extra, c.Jitter)
			}
		}
		wantTimes(t, "jittered", arrivals(t, d), want...)
	})
}

func TestDrop(t *testing.T) {
	for _, c := range []linkmodel.Config{
		{Rate: 1000, Latency: 100 * base.Millisecond},
		{Rate: 1000, Latency: 100 * base.Millisecond, Quantum: 50 * base.Millisecond},
		{Trace: newTrace(t, "50\n100\n150\n"), Latency: 100 * base.Millisecond},
	} {
		d := newDirection(t, c)
		for range 3 {
			d.Send(0, 50)
		}
		d.Send(0, 10_000)
		if _, arrived := d.Advance(160 * ms); arrived == 0 || arrived == 4 {
			t.Fatalf("%v: %d arrived, want some", c, arrived)
		}
		messages, bytes := d.UnderWay()
		if m, b := d.Drop(160 * ms); m != messages || b != bytes || m == 0 || b < 10_000 {
			t.Errorf("%v: dropped %d messages of %d bytes, had %d of %d", c, m, b, messages, bytes)
		}
		if m, b := d.Drop(160 * ms); m != 0 || b != 0 || d.QueuedBytes() != 0 {
			t.Errorf("%v: dropped %d messages of %d bytes again", c, m, b)
		}
		if at, ok := d.NextEvent(); ok {
			t.Errorf("%v: event at %v after a drop", c, at)
		}
		d.Send(160*ms, 50)
		all := arrivals(t, d)
		want := 310 * ms
		if c.Trace != nil || c.Quantum > 0 {
			want = 300 * ms // the slot at 200 ms
		}
		wantTimes(t, c.String(), all, want)
	}
}

// What a dropped message had used of a budget or a mark stays used.
func TestDropBanksNothing(t *testing.T) {
	d := newDirection(t, linkmodel.Config{Rate: 64 * base.KiB, Quantum: 10 * base.Millisecond})
	d.Send(0, 1)
	d.Send(0, 700)
	d.Advance(10 * ms)
	d.Drop(10 * ms)
	d.Send(11*ms, 1300)
	wantTimes(t, "quantum", arrivals(t, d), 30*ms)

	d = newDirection(t, linkmodel.Config{Trace: newTrace(t, "20\n20\n50\n")})
	d.Send(0, 500)
	d.Send(0, 5000)
	d.Advance(20 * ms)
	d.Drop(20 * ms)
	d.Send(20*ms, 1)
	wantTimes(t, "trace", arrivals(t, d), 50*ms)
}

// What has arrived and was not reported is lost too: a caller can always empty its own queue with Drop.
func TestDropTakesTheUnreported(t *testing.T) {
	d := newDirection(t, linkmodel.Config{})
	d.Send(0, 10)
	d.Send(ms, 20) // settles the first
	if m, b := d.Drop(ms); m != 2 || b != 30 {
		t.Errorf("dropped %d messages of %d bytes, want 2 of 30", m, b)
	}
	if dep, arr := d.Advance(2 * ms); dep != 0 || arr != 0 {
		t.Errorf("departed %d, arrived %d after a drop", dep, arr)
	}
}

func TestTimeDoesNotGoBack(t *testing.T) {
	d := newDirection(t, linkmodel.Config{Latency: base.Millisecond})
	d.Advance(10 * ms)
	d.Send(3*ms, 1)
	wantTimes(t, "sent in the past", arrivals(t, d), 11*ms)
}

func TestSaturation(t *testing.T) {
	for _, c := range []linkmodel.Config{
		{Rate: 1, Latency: base.Forever},
		{Latency: base.Forever, Jitter: base.Forever},
		{Rate: 1, Quantum: 1, Latency: 5},
		{Rate: 1, Quantum: base.Forever / 4},
		{Trace: newTrace(t, "68719476736\n")},
	} {
		d := newDirection(t, c)
		d.WantDepartures(true)
		d.Send(0, 1<<60)
		d.Send(base.Never-5, 1<<60)
		for i := 0; i < 10; i++ {
			at, ok := d.NextEvent()
			if !ok {
				break
			}
			d.Advance(at)
		}
		d.Stall(base.Never - 1)
		d.Resume(base.Never)
		d.Advance(base.Never)
	}
	defer func() {
		if recover() == nil {
			t.Error("a negative size does not panic")
		}
	}()
	newDirection(t, linkmodel.Config{}).Send(0, -1)
}

func TestNoAllocation(t *testing.T) {
	for _, c := range []linkmodel.Config{
		{Rate: 125_000_000, Latency: base.Millisecond, Jitter: base.Millisecond},
		{Rate: 125_000_000, Quantum: base.Millisecond},
		{Trace: newTrace(t, "0\n1\n1\n2\n5\n")},
	} {
		d := newDirection(t, c)
		now := base.Time(0)
		step := func() {
			d.Send(now, 1000)
			now += ms / 2
			d.Advance(now)
			d.NextEvent()
		}
		for range 1000 {
			step()
		}
		if n := testing.AllocsPerRun(1000, step); n != 0 {
			t.Errorf("%v: %v allocations a message", c, n)
		}
	}
}

func BenchmarkDirection(b *testing.B) {
	for _, c := range []linkmodel.Config{
		{Rate: 125_000_000, Latency: base.Millisecond},
		{Rate: 125_000_000, Quantum: base.Millisecond},
	} {
		b.Run(c.String(), func(b *testing.B) {
			d := newDirection(b, c)
			b.ReportAllocs()
			now := base.Time(0)
			for b.Loop() {
				d.Send(now, 1000)
				now += 8000
				d.NextEvent()
				d.Advance(now)
			}
		})
	}
}
