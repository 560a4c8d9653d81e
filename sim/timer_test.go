package sim

import (
	"slices"
	"testing"

	"chordsim/core/base"

	"pgregory.net/rapid"
)

// clockwork is a bench with one timer that notes when it runs.
type clockwork struct {
	*bench
	timer base.Timer
	fired []base.Time
}

func newClockwork(t *testing.T, c Cost) *clockwork {
	t.Helper()
	k := &clockwork{bench: newBench(t, c)}
	k.timer = k.host.NewTimer(func() { k.fired = append(k.fired, k.world.Now()) })
	return k
}

func (k *clockwork) setAt(at, due base.Time) { k.at(at, func() { k.timer.Set(due) }) }
func (k *clockwork) stopAt(at base.Time)     { k.at(at, func() { k.timer.Stop() }) }

func TestTimer(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(*clockwork)
		want []base.Time
	}{
		{"never set", func(k *clockwork) {}, nil},
		{"set", func(k *clockwork) { k.setAt(0, 10) }, []base.Time{10}},
		{"set twice to the same", func(k *clockwork) { k.setAt(0, 10); k.setAt(5, 10) }, []base.Time{10}},
		{"later", func(k *clockwork) { k.setAt(0, 10); k.setAt(5, 20) }, []base.Time{20}},
		{"earlier", func(k *clockwork) { k.setAt(0, 20); k.setAt(5, 10) }, []base.Time{10}},
		{"earlier, then later again", func(k *clockwork) { k.setAt(0, 20); k.setAt(1, 10); k.setAt(2, 30) }, []base.Time{30}},
		{"later, then earlier again", func(k *clockwork) { k.setAt(0, 20); k.setAt(1, 30); k.setAt(2, 10) }, []base.Time{10}},
		{"again after it fired", func(k *clockwork) { k.setAt(0, 10); k.setAt(11, 20) }, []base.Time{10, 20}},
		{"stopped", func(k *clockwork) { k.setAt(0, 10); k.stopAt(5) }, nil},
		{"stopped twice", func(k *clockwork) { k.stopAt(0); k.setAt(1, 10); k.stopAt(5); k.stopAt(6) }, nil},
		{"stopped and set later", func(k *clockwork) { k.setAt(0, 10); k.stopAt(5); k.setAt(6, 20) }, []base.Time{20}},
		{"stopped and set earlier", func(k *clockwork) { k.setAt(0, 20); k.stopAt(5); k.setAt(6, 10) }, []base.Time{10}},
		{"stopped and set again to the same", func(k *clockwork) { k.setAt(0, 10); k.stopAt(5); k.setAt(6, 10) }, []base.Time{10}},
		{"set again after the event of a stopped one", func(k *clockwork) { k.setAt(0, 10); k.stopAt(5); k.setAt(15, 20) },
			[]base.Time{20}},
		{"into the past", func(k *clockwork) { k.setAt(10, 3) }, []base.Time{10}},
		{"never", func(k *clockwork) { k.setAt(0, 10); k.setAt(5, base.Never) }, nil},
		{"never, then some time", func(k *clockwork) { k.setAt(0, base.Never); k.setAt(5, 10) }, []base.Time{10}},
	} {
		k := newClockwork(t, Cost{})
		c.do(k)
		k.run()
		if !slices.Equal(k.fired, c.want) {
			t.Errorf("%s: fired at %v, want %v", c.name, k.fired, c.want)
		}
	}
}

// A time that has passed is due at once, but in a turn of its own, behind what was posted before.
func TestTimerInThePastRunsInALaterTurn(t *testing.T) {
	k := newClockwork(t, Cost{})
	var order []string
	second := k.host.NewTimer(func() { order = append(order, "timer") })
	k.at(10, func() {
		k.host.Do(func() {
			second.Set(3)
			order = append(order, "turn")
		})
		k.host.Do(func() { order = append(order, "posted before") })
	})
	k.run()
	if !slices.Equal(order, []string{"turn", "posted before", "timer"}) || k.world.Now() != 10 {
		t.Errorf("%v until %v", order, k.world.Now())
	}
}

// A timer that is due waits for the CPU like any turn. To stop it or to set it again meanwhile is early enough.
func TestTimerThatWaitsForTheCPU(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(*clockwork)
		want []base.Time
	}{
		{"left alone", func(*clockwork) {}, []base.Time{200}},
		{"stopped", func(k *clockwork) { k.timer.Stop() }, nil},
		{"set again", func(k *clockwork) { k.timer.Set(500) }, []base.Time{600}},
		{"set again to now", func(k *clockwork) { k.timer.Set(0) }, []base.Time{300}},
		{"never", func(k *clockwork) { k.timer.Set(base.Never) }, nil},
		{"set again and stopped", func(k *clockwork) { k.timer.Set(500); k.timer.Stop() }, nil},
		{"stopped and set again", func(k *clockwork) { k.timer.Stop(); k.timer.Set(500) }, []base.Time{600}},
	} {
		k := newClockwork(t, Cost{PerTurn: 100})
		k.at(0, func() { k.host.Post(base.WorkPost, func() { c.do(k) }) }) // through at 100
		k.setAt(0, 50)                                                     // due while that is under way
		k.run()
		if !slices.Equal(k.fired, c.want) {
			t.Errorf("%s: ran at %v, want %v", c.name, k.fired, c.want)
		}
	}
}

// Deadlines that move on with every message leave one event in the queue, not one each.
func TestTimerPostponedOftenTakesNoRoom(t *testing.T) {
	k := newClockwork(t, Cost{})
	const every, ahead = base.Millisecond, 30 * base.Second
	postponed := 0
	most := 0
	var next func()
	next = func() {
		k.timer.Set(k.world.Now().Add(ahead))
		most = max(most, k.world.queue.Len())
		if postponed++; postponed < 10_000 {
			k.at(k.world.Now().Add(every), next)
		}
	}
	k.at(0, next)
	k.run()
	if most > 3 {
		t.Errorf("%d events wait for one timer", most)
	}
	if want := base.Time(9999 * every).Add(ahead); !slices.Equal(k.fired, []base.Time{want}) {
		t.Errorf("fired at %v, want once at %v", k.fired, want)
	}
	if events := k.world.Stats().Events; events > 10_010 {
		t.Errorf("%d events for 10,000 postponements", events)
	}
}

// Moved to and fro between two times it takes no more.
func TestTimerMovedToAndFro(t *testing.T) {
	k := newClockwork(t, Cost{})
	k.at(0, func() {
		for range 10_000 {
			k.timer.Set(2 * sec)
			k.timer.Set(sec)
			k.timer.Stop()
		}
		k.timer.Set(3 * sec)
		if n := k.world.queue.Len(); n > 3 {
			t.Errorf("%d events wait for one timer", n)
		}
	})
	k.run()
	if !slices.Equal(k.fired, []base.Time{3 * sec}) {
		t.Errorf("fired at %v", k.fired)
	}
}

// The model of a timer is one variable: what it was set to last. Changes come at even times and are due at odd ones.
func TestTimerModel(t *testing.T) {
	outer := t
	rapid.Check(t, func(t *rapid.T) {
		k := newClockwork(outer, Cost{})
		var want []base.Time
		now, due := base.Time(0), base.Never
		pass := func(until base.Time) {
			if due < until {
				want, due = append(want, due), base.Never
			}
		}
		for range rapid.IntRange(1, 40).Draw(t, "changes") {
			now += base.Time(2 * rapid.Int64Range(1, 10).Draw(t, "gap"))
			pass(now)
			if rapid.IntRange(0, 3).Draw(t, "kind") == 0 {
				k.stopAt(now)
				due = base.Never
				continue
			}
			due = now + base.Time(2*rapid.Int64Range(0, 30).Draw(t, "ahead")) + 1
			k.setAt(now, due)
		}
		pass(base.Never)
		k.run()
		if !slices.Equal(k.fired, want) {
			t.Fatalf("fired at %v, want %v", k.fired, want)
		}
	})
}
