package linkmodel_test

import (
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"

	"chordsim/core/base"
	"chordsim/faults/linkmodel"

	"pgregory.net/rapid"
)

// step is something that is done to a direction at an instant.
type step struct {
	at base.Time
	do func(d *linkmodel.Direction, now base.Time)
}

func sends(at base.Time, size int) step {
	return step{at, func(d *linkmodel.Direction, now base.Time) { d.Send(now, size) }}
}

func rate(t tester, at base.Time, rate int64) step {
	return step{at, func(d *linkmodel.Direction, now base.Time) {
		if err := d.SetRate(now, rate); err != nil {
			t.Fatalf("%v", err)
		}
	}}
}

func latency(t tester, at base.Time, l base.Duration) step {
	return step{at, func(d *linkmodel.Direction, now base.Time) {
		if err := d.SetLatency(now, l); err != nil {
			t.Fatalf("%v", err)
		}
	}}
}

func stalls(at base.Time) step {
	return step{at, func(d *linkmodel.Direction, now base.Time) { d.Stall(now) }}
}

func resumes(at base.Time) step {
	return step{at, func(d *linkmodel.Direction, now base.Time) { d.Resume(now) }}
}

// play goes from event to event, takes each step after the events of its instant, and returns the arrivals.
func play(t tester, d *linkmodel.Direction, steps ...step) (got []base.Time) {
	t.Helper()
	for _, s := range steps {
		for next, ok := d.NextEvent(); ok && next <= s.at; next, ok = d.NextEvent() {
			_, n := d.Advance(next)
			got = append(got, slices.Repeat([]base.Time{next}, n)...)
		}
		s.do(d, s.at)
	}
	return append(got, arrivals(t, d)...)
}

func TestChangesByHand(t *testing.T) {
	slow := linkmodel.Config{Rate: 1000}
	ticking := linkmodel.Config{Rate: 1000, Quantum: 10 * base.Millisecond} // 10 bytes a tick
	for _, c := range []struct {
		why   string
		c     linkmodel.Config
		steps []step
		want  []base.Time
	}{
		{"half at one rate, half at twice that", slow, []step{sends(0, 1000), rate(t, sec/2, 2000)}, []base.Time{sec * 3 / 4}},
		{"what is behind goes at the new rate alone", slow,
			[]step{sends(0, 1000), sends(0, 1000), rate(t, sec/2, 2000)}, []base.Time{sec * 3 / 4, sec * 5 / 4}},
		{"slower", slow, []step{sends(0, 1000), rate(t, sec/2, 1)}, []base.Time{sec/2 + 500*sec}},
		{"and back before it matters", slow, []step{sends(0, 1000), rate(t, sec/2, 1), rate(t, sec/2, 1000)}, []base.Time{sec}},
		{"without limit", slow, []step{sends(0, 1000), sends(0, 1000), rate(t, sec/2, 0)}, []base.Time{sec / 2, sec / 2}},
		{"limited again", slow, []step{rate(t, 0, 0), sends(1, 1000), rate(t, 2, 1000), sends(3, 1000)}, []base.Time{1, sec + 3}},
		{"what has left arrives as it would have", linkmodel.Config{Rate: 1000, Latency: base.Second},
			[]step{sends(0, 100), rate(t, sec/2, 1)}, []base.Time{sec + 100*ms}},
		// 7 bytes at 3 B/s are gone at 7/3 s. After 1 s, 4 are left: 4/7 s more at 7 B/s. Of the next 5, 5/7 s.
		{"fractions are carried", linkmodel.Config{Rate: 3}, []step{sends(0, 7), sends(0, 5), rate(t, sec, 7)},
			[]base.Time{sec + 571_428_572, sec + 1_285_714_286}},
		{"idle", slow, []step{sends(0, 1000), rate(t, 2*sec, 10), sends(3*sec, 10)}, []base.Time{sec, 4 * sec}},
		{"in a stall", slow, []step{sends(0, 1000), stalls(sec / 2), rate(t, sec, 250), resumes(2 * sec)}, []base.Time{4 * sec}},
		{"in a stall without limit", linkmodel.Config{}, []step{stalls(0), sends(sec, 500), sends(sec, 500), rate(t, 2*sec, 1000),
			resumes(3 * sec)}, []base.Time{3*sec + sec/2, 4 * sec}},
		{"never, and again from the start", linkmodel.Config{Rate: 1}, []step{sends(0, 1<<40), rate(t, sec, 1<<40)},
			[]base.Time{2 * sec}},

		{"latency", linkmodel.Config{Rate: 1000, Latency: base.Second}, []step{sends(0, 100), sends(0, 100), sends(0, 100),
			latency(t, 150*ms, 2*base.Second)}, []base.Time{1100 * ms, 2200 * ms, 2300 * ms}},
		{"a shorter one overtakes nothing", linkmodel.Config{Rate: 1000, Latency: base.Second}, []step{sends(0, 100),
			sends(0, 100), sends(0, 900), latency(t, 150*ms, 0)}, []base.Time{1100 * ms, 1100 * ms, 1100 * ms}},
		{"in a stall", linkmodel.Config{Rate: 1000, Latency: base.Second}, []step{sends(0, 100), sends(0, 100),
			stalls(150 * ms), latency(t, sec, 0), resumes(1150 * ms)}, []base.Time{2100 * ms, 2100 * ms}},

		{"ticks", ticking, []step{sends(0, 10), sends(0, 20), rate(t, 15*ms, 2000)}, []base.Time{10 * ms, 20 * ms}},
		{"a budget that was gathered stays", ticking, []step{sends(0, 35), rate(t, 25*ms, 500)}, []base.Time{50 * ms}},
		{"a tick of now was the old rate's", ticking, []step{sends(0, 25), rate(t, 20*ms, 500)}, []base.Time{30 * ms}},
		{"ticks without limit", ticking, []step{sends(0, 1000), sends(0, 1000), rate(t, 15*ms, 0)}, []base.Time{20 * ms, 20 * ms}},
		{"ticks with one", linkmodel.Config{Quantum: 10 * base.Millisecond}, []step{sends(1, 1000), rate(t, 2, 1000)}, []base.Time{sec}},
		{"ticks and a stall before", ticking, []step{sends(0, 40), stalls(15 * ms), resumes(35 * ms), rate(t, 45*ms, 2000)},
			[]base.Time{50 * ms}},
		{"ticks in a stall", ticking, []step{sends(0, 40), stalls(15 * ms), rate(t, 35*ms, 3000), resumes(40 * ms)},
			[]base.Time{50 * ms}},
		{"idle ticks", ticking, []step{sends(0, 1), rate(t, 11*ms, 100), sends(12*ms, 2)}, []base.Time{10 * ms, 20 * ms}},
	} {
		wantTimes(t, c.why, play(t, newDirection(t, c.c), c.steps...), c.want...)
	}
}

// Any changes of rate and latency at any instants: against exact rational arithmetic.
func TestChangesAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rates := rapid.OneOf(rapid.Int64Range(1, 50), rapid.Int64Range(1, 1<<33))
		c := linkmodel.Config{Rate: rates.Draw(t, "rate"), Latency: base.Duration(rapid.Int64Range(0, 1000).Draw(t, "latency"))}
		gap := int64(ceilDiv(4000, uint64(base.Second), uint64(c.Rate)))
		m := &changing{rate: c.Rate, latency: c.Latency}
		var steps []step
		now := base.Time(0)
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			now += base.Time(rapid.Int64Range(0, gap).Draw(t, "gap"))
			at := now
			switch rapid.IntRange(0, 4).Draw(t, "what") {
			case 0:
				r := rates.Draw(t, "rate")
				steps, gap = append(steps, rate(t, at, r)), int64(ceilDiv(4000, uint64(base.Second), uint64(r)))
				m.until(at)
				m.rate = r
			case 1:
				l := base.Duration(rapid.Int64Range(0, gap).Draw(t, "latency"))
				steps = append(steps, latency(t, at, l))
				m.until(at)
				m.latency = l
			default:
				n := rapid.IntRange(0, 4000).Draw(t, "size")
				steps = append(steps, sends(at, n))
				m.until(at)
				m.send(int64(n))
			}
		}
		m.until(base.Never)
		wantTimes(t, "arrivals", play(t, newDirection(t, c), steps...), m.arrive...)
	})
}

// changing is a continuous direction in rational arithmetic.
type changing struct {
	rate    int64
	latency base.Duration
	now     *big.Rat
	left    []*big.Rat // bytes of what is queued
	arrive  []base.Time
}

func (m *changing) send(n int64) { m.left = append(m.left, new(big.Rat).SetInt64(n)) }

// until carries bytes up to an instant. What has left within a nanosecond has left at its end.
func (m *changing) until(at base.Time) {
	end := new(big.Rat).SetInt64(int64(at))
	for len(m.left) > 0 {
		takes := new(big.Rat).Mul(m.left[0], big.NewRat(int64(base.Second), m.rate))
		finish := new(big.Rat).Add(m.now, takes)
		if finish.Cmp(end) > 0 {
			done := new(big.Rat).Mul(new(big.Rat).Sub(end, m.now), big.NewRat(m.rate, int64(base.Second)))
			m.left[0] = new(big.Rat).Sub(m.left[0], done)
			break
		}
		m.now, m.left = finish, m.left[1:]
		arrive := ceil(finish).Add(m.latency)
		if n := len(m.arrive); n > 0 {
			arrive = max(arrive, m.arrive[n-1])
		}
		m.arrive = append(m.arrive, arrive)
	}
	m.now = end
}

func ceil(r *big.Rat) base.Time {
	n := new(big.Int).Add(r.Num(), new(big.Int).Sub(r.Denom(), big.NewInt(1)))
	return base.Time(n.Div(n, r.Denom()).Int64())
}

// Quantum mode does what the plain model does if the rate changes, in stalls too.
func TestChangedTicksAgainstModel(t *testing.T) {
	const end = 1000 * ms
	rapid.Check(t, func(t *rapid.T) {
		rates := rapid.OneOf(rapid.Int64Range(1, 2_000_000), rapid.Int64Range(1, 2000))
		m := &model{c: linkmodel.Config{Rate: rates.Draw(t, "rate"), Quantum: 10 * base.Millisecond}}
		for at := base.Time(m.c.Quantum); at <= end; at += base.Time(m.c.Quantum) {
			m.slots = append(m.slots, at)
		}
		d := newDirection(t, m.c)
		now := base.Time(0)
		for range rapid.IntRange(1, 60).Draw(t, "actions") {
			now += base.Time(rapid.SampledFrom([]int64{0, 1, 4, 10, 20, 25}).Draw(t, "gap")) * ms / 2
			a := action{now, rapid.SampledFrom([]int{stall, resume, advance, -9, 0, 1, 30, 300, 1500, 4000}).Draw(t, "what")}
			if a.what == -9 {
				r := rates.Draw(t, "rate")
				rate(t, now, r).do(d, now)
				m.process(now)
				m.c.Rate = r
				if len(m.queue) == 0 {
					m.budget = min(m.budget, r*int64(m.c.Quantum))
				}
				a.what = advance
			}
			dep, arr := call(d, a)
			if wantDep, wantArr := m.do(a); dep != wantDep || arr != wantArr {
				t.Fatalf("at %v: departed %d, arrived %d, want %d, %d", now, dep, arr, wantDep, wantArr)
			}
		}
	})
}

// Draws of jitter go on where they were: a message has the jitter that was set when it was handed over.
func TestJitterChanges(t *testing.T) {
	d := newDirection(t, linkmodel.Config{Rate: 1000})
	set := func(at base.Time, j base.Duration) step {
		return step{at, func(d *linkmodel.Direction, now base.Time) {
			if err := d.SetJitter(now, j); err != nil {
				t.Fatal(err)
			}
		}}
	}
	got := play(t, d, sends(0, 1), set(0, base.Millisecond), sends(0, 1), set(0, 0), sends(sec, 1), set(2*sec, 5), sends(3*sec, 1))
	draws := base.NewRand(7).Stream("jitter", "test")
	first, second := base.Time(draws.Below(1_000_001)), base.Time(draws.Below(6))
	wantTimes(t, "arrivals", got, ms, 2*ms+first, sec+ms, 3*sec+ms+second)

	plain, err := linkmodel.NewDirection(linkmodel.Config{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := plain.SetJitter(0, 1); !errors.Is(err, linkmodel.ErrConfig) || plain.Config().Jitter != 0 {
		t.Errorf("jitter without a stream: %v", err)
	}
}

func TestChangesThatCannotBe(t *testing.T) {
	trace := newDirection(t, linkmodel.Config{Trace: newTrace(t, "10\n")})
	trace.Send(0, 1)
	plain := newDirection(t, linkmodel.Config{Rate: 5, Quantum: base.Second})
	for _, c := range []struct {
		err  error
		is   error
		want string
	}{
		{trace.SetRate(0, 1000), linkmodel.ErrUnsupported, "a rate of 1kB/s on the trace test, which sets the rate"},
		{trace.SetLatency(0, -1), linkmodel.ErrConfig, "Latency is -1ns"},
		{plain.SetRate(0, -1), linkmodel.ErrConfig, "Rate is -1 bytes per second"},
		{plain.SetRate(0, 1<<62), linkmodel.ErrConfig, "Quantum is 1s, in which"},
		{plain.SetJitter(0, -1), linkmodel.ErrConfig, "Jitter is -1ns"},
		{trace.SetLatency(0, 5), nil, ""},
	} {
		switch {
		case c.is == nil && c.err != nil:
			t.Errorf("%v", c.err)
		case c.is != nil && (!errors.Is(c.err, c.is) || !strings.Contains(c.err.Error(), c.want)):
			t.Errorf("%v, want %s", c.err, c.want)
		}
	}
	if c := plain.Config(); c.Rate != 5 || c.Latency != 0 || c.Jitter != 0 {
		t.Errorf("a refused change left %v", c)
	}
	wantTimes(t, "the trace's message", arrivals(t, trace), 10*ms+5)
}

func TestDelayed(t *testing.T) {
	trace := linkmodel.Config{Trace: newTrace(t, "10\n20\n30\n"), Latency: 5 * base.Millisecond}
	ticks := linkmodel.Config{Rate: 1000, Quantum: 10 * base.Millisecond, Latency: 5 * base.Millisecond}
	slow := linkmodel.Config{Rate: 1000, Latency: 100 * base.Millisecond}
	for _, c := range []struct {
		why   string
		c     linkmodel.Config
		steps []step
		want  int64
	}{
		{"none", slow, []step{sends(0, 10)}, 0},
		{"on its way and waiting", slow, []step{sends(0, 10), sends(0, 10), stalls(15 * ms), resumes(16 * ms)}, 2},
		{"arrived before", slow, []step{sends(0, 10), stalls(110 * ms), resumes(200 * ms)}, 0},
		{"sent in it", slow, []step{stalls(0), sends(1, 10), resumes(2)}, 1},
		{"sent at its end", slow, []step{stalls(0), sends(1, 10), sends(2, 10), resumes(2)}, 1},
		{"of no length", slow, []step{sends(0, 10), stalls(5), resumes(5)}, 0},
		{"twice is once", slow, []step{sends(0, 10), stalls(5), resumes(6), stalls(7), sends(8, 1), resumes(9)}, 2},
		{"still in it", slow, []step{sends(0, 10), stalls(5), sends(6, 5), sends(7, 1)}, 3},
		{"between two ticks", ticks, []step{sends(0, 10), sends(0, 10), stalls(11 * ms), resumes(12 * ms)}, 1},
		{"over a tick", ticks, []step{sends(0, 10), sends(0, 10), stalls(11 * ms), resumes(21 * ms)}, 2},
		{"between two marks", trace, []step{sends(0, 1500), sends(0, 1500), stalls(11 * ms), resumes(12 * ms)}, 0},
		{"over an arrival", trace, []step{sends(0, 1500), sends(0, 1500), stalls(11 * ms), resumes(16 * ms)}, 1},
		{"over a mark", trace, []step{sends(0, 1500), sends(0, 1500), stalls(11 * ms), resumes(20 * ms)}, 2},
	} {
		d := newDirection(t, c.c)
		last := base.Time(0)
		for _, s := range c.steps {
			s.do(d, s.at)
			last = s.at
		}
		if got := d.Delayed(last + 1); got != c.want {
			t.Errorf("%s: %d delayed, want %d", c.why, got, c.want)
		}
	}
}

// What has departed arrives, what has not is lost, and the direction is as good as new.
func TestDropQueued(t *testing.T) {
	for _, c := range []linkmodel.Config{
		{Rate: 1000, Latency: 100 * base.Millisecond},
		{Rate: 1000, Latency: 100 * base.Millisecond, Quantum: 50 * base.Millisecond},
		{Trace: newTrace(t, "50\n100\n150\n"), Latency: 100 * base.Millisecond},
	} {
		d := newDirection(t, c)
		d.Send(0, 50)
		d.Send(0, 5000)
		d.Send(0, 50)
		if m, b := d.DropQueued(60 * ms); m != 2 || b != 5050 || d.QueuedBytes() != 0 || d.Queued() != 0 {
			t.Errorf("%v: dropped %d messages of %d bytes", c, m, b)
		}
		if m, b := d.UnderWay(); m != 1 || b != 50 {
			t.Errorf("%v: %d messages of %d bytes under way, want the one that left", c, m, b)
		}
		d.Send(60*ms, 40)
		second := 200 * ms
		wantTimes(t, c.String(), arrivals(t, d), 150*ms, second)
	}
}
