package linkmodel_test

import (
	"strconv"
	"testing"

	"chordsim/core/base"
	"chordsim/faults/linkmodel"

	"pgregory.net/rapid"
)

// drawMarks draws the milliseconds of a small trace.
func drawMarks(t *rapid.T) []int64 {
	var marks []int64
	last := int64(0)
	for range rapid.IntRange(1, 12).Draw(t, "marks") {
		last += rapid.SampledFrom([]int64{0, 0, 1, 2, 5, 40}).Draw(t, "gap")
		marks = append(marks, last)
	}
	if last == 0 {
		marks = append(marks, 3)
	}
	return marks
}

// unroll returns the instants of marks up to an instant, several rounds long.
func unroll(marks []int64, until base.Time) (all []base.Time) {
	period := marks[len(marks)-1]
	for round := int64(0); ; round++ {
		for _, m := range marks {
			at := base.Time(round*period+m) * ms
			if at > until {
				return all
			}
			all = append(all, at)
		}
	}
}

func traceOf(t tester, marks []int64) *linkmodel.Trace {
	text := ""
	for _, m := range marks {
		text += strconv.FormatInt(m, 10) + "\n"
	}
	return newTrace(t, text)
}

func TestNextMarkAndCapacity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		marks := drawMarks(t)
		trace, all := traceOf(t, marks), unroll(marks, sec)
		instant := rapid.Map(rapid.Int64Range(-2000, 900_000), func(us int64) base.Time { return base.Time(us/500*500) * 1000 })
		from, to := instant.Draw(t, "from"), instant.Draw(t, "to")
		capacity, next := int64(0), base.Never
		for _, at := range all {
			if at > from {
				next = min(next, at)
				if at <= to {
					capacity += linkmodel.MarkBytes
				}
			}
		}
		if got := trace.NextMark(from); got != next {
			t.Fatalf("%v: next mark after %v at %v, want %v", marks, from, got, next)
		}
		if got := trace.Capacity(from, to); got != capacity {
			t.Fatalf("%v: capacity of (%v, %v] is %d, want %d", marks, from, to, got, capacity)
		}
	})
}

func TestTraceFarAway(t *testing.T) {
	trace := newTrace(t, "1\n1\n1\n")
	if at := trace.NextMark(base.Never); at != base.Never {
		t.Errorf("mark at %v", at)
	}
	if got, want := trace.Capacity(0, 1<<62), int64(1<<62)/1_000_000*3*1500; got != want {
		t.Errorf("capacity %d, want %d", got, want)
	}
	if got := trace.Capacity(-5, base.Never); got <= 0 {
		t.Errorf("capacity %d", got)
	}
	if got, want := trace.AverageRate(), int64(4_500_000); got != want {
		t.Errorf("average rate %d, want %d", got, want)
	}
}

func TestCatchUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		marks := drawMarks(t)
		trace := traceOf(t, marks)
		from := base.Time(rapid.Int64Range(0, 200_000).Draw(t, "from")) * 1000
		missed := rapid.Int64Range(0, 40_000).Draw(t, "missed")
		rate := rapid.OneOf(rapid.Int64Range(0, 2_000_000), rapid.Map(rapid.Int64Range(-3, 3), func(d int64) int64 {
			return max(0, trace.AverageRate()+d*rapid.SampledFrom([]int64{1, 1000}).Draw(t, "scale"))
		})).Draw(t, "rate")
		got, ok := trace.CatchUp(from, missed, rate)
		horizon := 20 * sec
		want, found := from, missed == 0
		delivered := int64(0)
		for _, at := range unroll(marks, horizon) {
			if at <= from || found {
				continue
			}
			delivered += linkmodel.MarkBytes
			if (delivered-missed)*int64(base.Second) >= rate*int64(at.Sub(from)) {
				want, found = at, true
			}
		}
		if found != (ok && got <= horizon) || found && got != want {
			t.Fatalf("%v from %v, %d missed at %d B/s: %v, %v, want %v, %v", marks, from, missed, rate, got, ok, want, found)
		}
	})
}

// A catch-up that takes millions of rounds is found as fast as one in the second round.
func TestCatchUpFarAway(t *testing.T) {
	trace := newTrace(t, "1\n3\n10\n") // 450,000 B/s
	at, ok := trace.CatchUp(0, 1_000_000_000, 449_999)
	// A byte per second is gained; the rest is how far a mark can be ahead of the average.
	if !ok || at < 999_000_000*sec || at > 1_000_000_000*sec {
		t.Errorf("caught up at %v, %v", at, ok)
	}
	capacity, stream := trace.Capacity(0, at), int64(at)/int64(base.Second)*449_999+int64(at)%int64(base.Second)*449_999/int64(base.Second)
	if capacity < 1_000_000_000+stream {
		t.Errorf("at %v the trace has carried %d bytes, the stream alone made %d", at, capacity, stream)
	}
	for _, c := range [][2]int64{{1_000_000_000, 450_000}, {1 << 62, 449_999}, {1 << 62, 0}, {1, 1 << 62}, {1 << 62, 1 << 62}} {
		if at, ok := trace.CatchUp(5, c[0], c[1]); ok {
			t.Errorf("%v: caught up at %v", c, at)
		}
	}
	if at, ok := trace.CatchUp(5, 100, -10); !ok || at != ms {
		t.Errorf("a negative stream: %v, %v", at, ok)
	}
}

func TestCatchUpLimit(t *testing.T) {
	for _, c := range []struct {
		missed, rate, stream int64
		want                 base.Duration
		ok                   bool
	}{
		{24269, 64 * base.KiB, 400, ceilDiv(24269, uint64(base.Second), 65136), true},
		{0, 10, 5, 0, true},
		{-4, 10, 5, 0, true},
		{1, 10, 10, 0, false},
		{1, 10, 11, 0, false},
		{1, 0, 0, 0, false},
		{1, 3, 0, 333_333_334, true},
		{1 << 62, 1, 0, base.Forever, true},
		{1 << 62, 1<<63 - 1, -5, 500_000_000, true},
	} {
		if got, ok := linkmodel.CatchUpLimit(c.missed, c.rate, c.stream); got != c.want || ok != c.ok {
			t.Errorf("%+v: %v, %v", c, got, ok)
		}
	}
}

func TestRecordedTraces(t *testing.T) {
	for _, c := range []struct {
		name   string
		marks  int
		period base.Duration
		rate   int64
	}{
		{"Verizon-EVDO-driving.down", 46065, 1_062_016 * base.Millisecond, 65062}, // 63.5 KiB/s
		{"Verizon-EVDO-driving.up", 74768, 1_064_718 * base.Millisecond, 105334},
		{"ATT-LTE-driving-2016.down", 45604, 120_002 * base.Millisecond, 570040},
		{"ATT-LTE-driving-2016.up", 19101, 120_002 * base.Millisecond, 238758},
	} {
		t.Run(c.name, func(t *testing.T) {
			trace := recorded(t, c.name)
			if trace.Marks() != c.marks || trace.Period() != c.period || trace.AverageRate() != c.rate {
				t.Errorf("%v, want %d marks over %v, %d bytes/s", trace, c.marks, c.period, c.rate)
			}
			whole := trace.Capacity(-1, base.Time(c.period)) - trace.Capacity(-1, 0)
			if want := trace.Capacity(base.Time(c.period), base.Time(2*c.period)); whole != want {
				t.Errorf("the first round carries %d bytes, the second %d", whole, want)
			}
			saturated(t, trace)
		})
	}
}

// saturated sends without a pause for two rounds: what arrives is what the marks carry, to the last message.
func saturated(t *testing.T, trace *linkmodel.Trace) {
	const size = 1447
	d := newDirection(t, linkmodel.Config{Trace: trace})
	sent, got := int64(0), int64(0)
	now := base.Time(0)
	for now <= base.Time(2*trace.Period()) {
		for d.QueuedBytes() < 64*size {
			d.Send(now, size)
			sent++
		}
		now, _ = d.NextEvent()
		_, arrived := d.Advance(now)
		got += int64(arrived)
		if capacity := trace.Capacity(-1, now); got*size > capacity || (got+1)*size <= capacity {
			t.Fatalf("%d bytes arrived by %v, the marks carry %d", got*size, now, capacity)
		}
	}
	if _, bytes := d.UnderWay(); bytes != (sent-got)*size {
		t.Errorf("%d bytes under way, want %d", bytes, (sent-got)*size)
	}
}
