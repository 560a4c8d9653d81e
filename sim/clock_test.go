package sim

import (
	"slices"
	"testing"

	"chordsim/core/base"

	"pgregory.net/rapid"
)

func TestClock(t *testing.T) {
	type step struct {
		at    base.Time
		skew  base.Duration
		drift int64
	}
	for _, c := range []struct {
		name  string
		steps []step
		now   base.Time
		want  base.Time
	}{
		{"untouched", nil, 7 * sec, 7 * sec},
		{"forward", []step{{sec, 3 * base.Second, 0}}, 2 * sec, 5 * sec},
		{"back: it stands still", []step{{5 * sec, -3 * base.Second, 0}}, 7 * sec, 5 * sec},
		{"back: it goes on once it is there again", []step{{5 * sec, -3 * base.Second, 0}}, 9 * sec, 6 * sec},
		{"fast by a tenth", []step{{0, 0, 100_000}}, 10 * sec, 11 * sec},
		{"slow by half", []step{{0, 0, -500_000}}, 10 * sec, 5 * sec},
		{"a millionth, rounded down", []step{{0, 0, 1}}, 1_999_999, 2_000_000},
		{"a millionth, a nanosecond later", []step{{0, 0, 1}}, 2_000_000, 2_000_002},
		{"set and drifting", []step{{sec, base.Second, 0}, {2 * sec, 0, -500_000}}, 4 * sec, 4 * sec},
		{"drift ends, what it gained stays", []step{{0, 0, 100_000}, {10 * sec, 0, 0}}, 20 * sec, 21 * sec},
		{"there and back at once", []step{{sec, base.Second, 0}, {sec, -base.Second, 0}}, 2 * sec, 2 * sec},
		{"for ever ahead", []step{{sec, base.Forever, 0}}, 2 * sec, base.Never},
	} {
		var k clock
		for _, s := range c.steps {
			k.change(s.at, s.skew, s.drift)
		}
		if got := k.at(c.now); got != c.want {
			t.Errorf("%s: shows %v at %v, want %v", c.name, got, c.now, c.want)
		}
	}
}

// However it is set: it never goes back, and the time at which it shows something is the first one.
func TestClockNeverGoesBackAndKnowsWhen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var k clock
		now, shown := base.Time(0), base.Time(0)
		for range rapid.IntRange(0, 6).Draw(t, "changes") {
			now += base.Time(rapid.Int64Range(0, 5_000_000_000).Draw(t, "passes"))
			k.change(now, base.Duration(rapid.Int64Range(-3_000_000_000, 3_000_000_000).Draw(t, "skew")),
				rapid.Int64Range(-MaxDrift, MaxDrift).Draw(t, "drift"))
			if k.at(now) < shown {
				t.Fatalf("went back from %v to %v", shown, k.at(now))
			}
			shown = k.at(now)
		}
		wanted := base.Time(rapid.Int64Range(0, 40_000_000_000).Draw(t, "wanted"))
		when := max(k.when(wanted), now)
		if k.at(when) < wanted {
			t.Fatalf("shows %v at %v, want %v or more", k.at(when), when, wanted)
		}
		if when > now && k.at(when-1) >= wanted {
			t.Fatalf("shows %v before %v already", k.at(when-1), when)
		}
	})
}

func TestTimersGoByTheHostsClock(t *testing.T) {
	for _, c := range []struct {
		name  string
		do    func(*clockwork)
		want  []base.Time
		moved int64
	}{
		{"right", func(k *clockwork) {}, []base.Time{10 * sec}, 0},
		{"set forward", func(k *clockwork) { k.host.Skew(3 * base.Second) }, []base.Time{7 * sec}, 1},
		{"set forward past it", func(k *clockwork) { k.host.Skew(base.Minute) }, []base.Time{sec}, 1},
		{"set back", func(k *clockwork) { k.host.Skew(-3 * base.Second) }, []base.Time{13 * sec}, 1},
		{"forward and right again", func(k *clockwork) {
			k.host.Skew(3 * base.Second)
			k.at(2*sec, func() { k.host.Skew(-3 * base.Second) })
		}, []base.Time{10 * sec}, 0},
		{"fast", func(k *clockwork) { k.drift(500_000) }, []base.Time{7 * sec}, 1},
		{"slow", func(k *clockwork) { k.drift(-500_000) }, []base.Time{19 * sec}, 1},
		{"late in coming and stopped", func(k *clockwork) {
			k.host.Skew(-3 * base.Second)
			k.stopAt(12 * sec)
		}, nil, 0},
	} {
		k := newClockwork(t, Cost{})
		k.setAt(0, 10*sec)
		k.at(sec, func() { c.do(k) })
		k.run()
		if !slices.Equal(k.fired, c.want) {
			t.Errorf("%s: fired at %v, want %v", c.name, k.fired, c.want)
		}
		if got := k.host.Toll().TimersMoved; got != c.moved {
			t.Errorf("%s: %d timers moved, want %d", c.name, got, c.moved)
		}
	}
}

func (k *clockwork) drift(millionths int64) {
	k.t.Helper()
	if err := k.host.SetDrift(millionths); err != nil {
		k.t.Error(err)
	}
}

func TestHostReadsItsOwnClock(t *testing.T) {
	k := newClockwork(t, Cost{})
	if k.host.Now() != 0 || k.host.Toll().ClockReads != 0 {
		t.Error("a clock that is right is read as one that is wrong")
	}
	k.host.Skew(base.Minute)
	if got := k.host.Now(); got != 60*sec || k.host.ClockOff() != base.Minute || k.world.Now() != 0 {
		t.Errorf("shows %v, off by %v, at %v", got, k.host.ClockOff(), k.world.Now())
	}
	if got := k.host.Toll().ClockReads; got != 1 {
		t.Errorf("%d reads, want 1", got)
	}
	for _, bad := range []int64{MaxDrift + 1, -MaxDrift - 1} {
		if k.host.SetDrift(bad) == nil {
			t.Errorf("a drift of %d is taken", bad)
		}
	}
}

// Each timer is late by a draw of its own in [0, d], and all of it is counted.
func TestTimerJitter(t *testing.T) {
	const upTo = 10 * base.Millisecond
	run := func(seed uint64) (late []base.Duration, toll Toll) {
		w := New(Config{Seed: seed, Unchecked: true})
		h := w.Host("h")
		if err := h.SetTimerJitter(upTo); err != nil {
			t.Fatal(err)
		}
		for i := range base.Time(200) {
			due := i * sec
			h.NewTimer(func() { late = append(late, w.Now().Sub(due)) }).Set(due)
		}
		if err := w.Settle(base.Hour); err != nil {
			t.Fatal(err)
		}
		return late, h.Toll()
	}
	late, toll := run(1)
	var sum base.Duration
	some := int64(0)
	for _, d := range late {
		if d < 0 || d > upTo {
			t.Fatalf("late by %v", d)
		}
		if sum += d; d > 0 {
			some++
		}
	}
	if len(late) != 200 || toll.TimersLate != some || toll.LateBy != sum || sum < 50*upTo || sum > 150*upTo {
		t.Errorf("%d timers, %d late by %v together; counted: %+v", len(late), some, sum, toll)
	}
	again, _ := run(1)
	other, _ := run(2)
	if !slices.Equal(late, again) || slices.Equal(late, other) {
		t.Error("the draws are not the seed's")
	}
}

// While it is late a timer may be stopped or set again, as one that is due and waits for the CPU.
func TestTimerThatIsLate(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(*clockwork)
		from base.Time // the timer fires in [from, from + jitter]; 0: never
	}{
		{"left alone", func(*clockwork) {}, 10 * sec},
		{"stopped", func(k *clockwork) { k.timer.Stop() }, 0},
		{"set again", func(k *clockwork) { k.timer.Set(20 * sec) }, 20 * sec},
		{"never", func(k *clockwork) { k.timer.Set(base.Never) }, 0},
		{"clock set forward", func(k *clockwork) { k.host.Skew(base.Hour) }, 10 * sec},
	} {
		k := newClockwork(t, Cost{})
		if err := k.host.SetTimerJitter(base.Second); err != nil {
			t.Fatal(err)
		}
		k.setAt(0, 10*sec)
		k.at(10*sec+1, func() { c.do(k) })
		k.run()
		switch {
		case c.from == 0 && len(k.fired) != 0:
			t.Errorf("%s: fired at %v", c.name, k.fired)
		case c.from != 0 && (len(k.fired) != 1 || k.fired[0] <= c.from || k.fired[0] > c.from+sec):
			t.Errorf("%s: fired at %v, want within a second of %v", c.name, k.fired, c.from)
		}
	}
	k := newClockwork(t, Cost{})
	if k.host.SetTimerJitter(-1) == nil {
		t.Error("a negative jitter is taken")
	}
}

func TestSlowHost(t *testing.T) {
	for _, c := range []struct {
		name   string
		cost   Cost
		factor int64
		want   base.Time
	}{
		{"as fast as ever", Cost{}, 1, 0},
		{"without a cost", Cost{}, 7, base.Time(7 * SlowTurn)},
		{"with a small cost", Cost{PerTurn: 1}, 7, base.Time(7 * SlowTurn)},
		{"with a cost", Cost{PerTurn: base.Millisecond}, 7, 7 * ms},
		{"of bytes", Cost{PerByte: base.Millisecond}, 2, 200 * ms},
	} {
		b := newBench(t, c.cost)
		if err := b.host.SetSlow(c.factor); err != nil {
			t.Fatal(err)
		}
		b.at(0, func() { b.ping(100) })
		b.run()
		b.wantAnswers(c.name, c.want)
		toll := b.host.Toll()
		if slow := c.factor > 1; slow != (toll.TurnsSlowed == 1) || slow != (toll.SlowedBy > 0) {
			t.Errorf("%s: counted %+v", c.name, toll)
		}
	}
	b := newBench(t, Cost{})
	for _, bad := range []int64{0, -1, MaxSlow + 1} {
		if b.host.SetSlow(bad) == nil {
			t.Errorf("a factor of %d is taken", bad)
		}
	}
}

// TestSkewRight: a clock that was set back by far shows the world's time from then on, and does not stand still for as long.
func TestSkewRight(t *testing.T) {
	w := New(Config{})
	h := w.Host("host")
	var fired base.Time
	timer := h.NewTimer(func() { fired = w.Now() })
	if err := w.RunFor(base.Second); err != nil {
		t.Fatal(err)
	}
	h.Skew(-base.Hour)
	timer.Set(h.Now().Add(base.Second))
	if err := w.RunFor(9 * base.Second); err != nil {
		t.Fatal(err)
	}
	h.SkewRight()
	if off := h.ClockOff(); off != 0 {
		t.Errorf("the clock is off by %v", off)
	}
	if err := w.RunFor(base.Second); err != nil {
		t.Fatal(err)
	}
	if at := base.Time(10 * base.Second); fired != at {
		t.Errorf("a timer of a second that had passed fired at %v, want %v", fired, at)
	}
	h.Skew(base.Second)
	h.SkewRight()
	if off := h.ClockOff(); off != base.Second {
		t.Errorf("a fast clock goes back: it is off by %v", off)
	}
	if err := w.RunFor(2 * base.Second); err != nil {
		t.Fatal(err)
	}
	if off := h.ClockOff(); off != 0 {
		t.Errorf("the clock is off by %v, once the world's time was there", off)
	}
}
