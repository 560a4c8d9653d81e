package events_test

import (
	"slices"
	"testing"

	"chordsim/core/base"
	"chordsim/sim/events"
)

// log notes what ran and when.
type log struct {
	queue *events.Queue
	order []uint64
	times []base.Time
}

func (l *log) Fire(arg uint64) {
	l.order = append(l.order, arg)
	l.times = append(l.times, l.queue.Now())
}

func newLog(strategy events.Strategy, seed uint64) *log {
	return &log{queue: events.New(strategy, base.NewRand(seed).Stream("tie"))}
}

func (l *log) runAll() {
	for l.queue.Step() {
	}
}

// action is a function as an event.
type action func(uint64)

func (f action) Fire(arg uint64) { f(arg) }

func TestFIFOKeepsTheOrderOfAnInstant(t *testing.T) {
	l := newLog(events.FIFO, 1)
	for i := range uint64(1000) {
		l.queue.Schedule(base.Time(i%3), l, i)
	}
	l.runAll()
	var want []uint64
	for at := range uint64(3) {
		for i := at; i < 1000; i += 3 {
			want = append(want, i)
		}
	}
	if !slices.Equal(l.order, want) {
		t.Error("events of one instant do not run in the order in which they were scheduled")
	}
}

func TestRandomOrderIsOfTheSeed(t *testing.T) {
	order := func(seed uint64) []uint64 {
		l := newLog(events.Random, seed)
		for i := range uint64(100) {
			l.queue.Schedule(base.Time(i/20), l, i)
		}
		l.runAll()
		if !slices.IsSorted(l.times) {
			t.Fatal("out of order of time")
		}
		return l.order
	}
	first := order(1)
	if !slices.Equal(order(1), first) {
		t.Error("one seed gives two orders")
	}
	if slices.Equal(order(2), first) {
		t.Error("two seeds give one order")
	}
	if slices.IsSorted(first) {
		t.Error("the order of 5 times 20 ties is that of FIFO")
	}
	slices.Sort(first)
	for i, n := range first {
		if n != uint64(i) {
			t.Fatal("an event is lost or ran twice")
		}
	}
}

// Every order of three ties comes up: a strategy that misses one finds no bug that needs it.
func TestRandomReachesEveryOrder(t *testing.T) {
	seen := map[[3]uint64]int{}
	for seed := range uint64(600) {
		l := newLog(events.Random, seed)
		for i := range uint64(3) {
			l.queue.Schedule(0, l, i)
		}
		l.runAll()
		seen[[3]uint64(l.order)]++
	}
	for order, n := range seen {
		if n < 60 || n > 140 {
			t.Errorf("order %v in %d of 600 seeds, want about 100", order, n)
		}
	}
	if len(seen) != 6 {
		t.Errorf("%d orders of 6 come up", len(seen))
	}
}

func TestScheduleInThePastRunsNow(t *testing.T) {
	l := newLog(events.FIFO, 0)
	l.queue.Schedule(10, action(func(uint64) {
		l.queue.Schedule(3, l, 1)
		l.queue.Schedule(-1, l, 2)
		l.queue.Schedule(10, l, 3)
		if len(l.order) != 0 {
			t.Error("ran within the event that scheduled it")
		}
	}), 0)
	l.queue.Schedule(11, l, 4)
	l.runAll()
	if !slices.Equal(l.order, []uint64{1, 2, 3, 4}) || !slices.Equal(l.times, []base.Time{10, 10, 10, 11}) {
		t.Errorf("order %v at %v", l.order, l.times)
	}
}

func TestAdvance(t *testing.T) {
	l := newLog(events.FIFO, 0)
	l.queue.Advance(5)
	l.queue.Schedule(3, l, 1) // now
	l.queue.Schedule(9, l, 2)
	l.queue.Advance(4) // the time never goes back
	if at, ok := l.queue.Next(); at != 5 || !ok || l.queue.Now() != 5 {
		t.Fatalf("next at %v at %v, want 5ns at 5ns", at, l.queue.Now())
	}
	l.queue.Step()
	l.queue.Advance(9) // up to an event is not past it
	l.queue.Schedule(9, l, 3)
	l.runAll()
	if !slices.Equal(l.order, []uint64{1, 2, 3}) {
		t.Errorf("order %v", l.order)
	}
	if at, ok := l.queue.Next(); at != base.Never || ok {
		t.Errorf("an empty queue has an event at %v", at)
	}
	if l.queue.Step() {
		t.Error("an empty queue runs an event")
	}
}

func TestAdvancePastAnEventPanics(t *testing.T) {
	l := newLog(events.FIFO, 0)
	l.queue.Schedule(5, l, 0)
	defer func() {
		if got := recover(); got != "events: D2: the time would pass an event" {
			t.Errorf("recovered %v", got)
		}
		if l.queue.Now() != 0 {
			t.Errorf("the time is %v", l.queue.Now())
		}
	}()
	l.queue.Advance(6)
}

func TestStats(t *testing.T) {
	l := newLog(events.FIFO, 0)
	for _, at := range []base.Time{0, 0, 0, 5, 7, 7} {
		l.queue.Schedule(at, l, 0)
	}
	if l.queue.Len() != 6 {
		t.Errorf("%d wait, want 6", l.queue.Len())
	}
	l.runAll()
	// An event that is alone at the instant to which the time was moved is no tie.
	l.queue.Advance(9)
	l.queue.Schedule(9, l, 0)
	l.runAll()
	if got, want := l.queue.Stats(), (events.Stats{Events: 7, Ties: 3, Choices: 3, Peak: 6}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestStrategyNames(t *testing.T) {
	for i, name := range events.Strategies {
		s, err := events.ParseStrategy(name)
		if err != nil || s != events.Strategy(i) || s.String() != name {
			t.Errorf("%s reads as %v, %v", name, s, err)
		}
	}
	if _, err := events.ParseStrategy("FIFO"); err == nil || err.Error() != `"FIFO" is not a strategy; there are fifo, random and pct` {
		t.Errorf("%v", err)
	}
}
