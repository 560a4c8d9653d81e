package events_test

import (
	"fmt"
	"testing"

	"chordsim/core/base"
	"chordsim/sim/events"
)

// churn is an event that schedules itself again a drawn time later: as many as there are stay in flight.
type churn struct {
	queue *events.Queue
	gaps  *base.Stream
	every base.Duration
}

func (c *churn) Fire(arg uint64) {
	c.queue.Schedule(c.queue.Now().Add(base.Duration(c.gaps.Below(uint64(c.every)))), c, arg)
}

func newChurn(strategy events.Strategy, inFlight int) *events.Queue {
	rand := base.NewRand(1)
	q := events.New(strategy, rand.Stream("tie"))
	c := &churn{queue: q, gaps: rand.Stream("gap"), every: base.Second}
	for i := range inFlight {
		q.Schedule(base.Time(c.gaps.Below(uint64(base.Second))), c, uint64(i))
	}
	return q
}

func TestNoAllocationsOnceGrown(t *testing.T) {
	for _, strategy := range []events.Strategy{events.FIFO, events.Random, events.PCT} {
		wantNoAllocations(t, strategy.String(), newChurn(strategy, 1000))
	}
	q := events.NewChosen(lastChooser{})
	c := &churn{queue: q, gaps: base.NewRand(1).Stream("gap"), every: 100}
	for i := range 1000 {
		q.Schedule(base.Time(c.gaps.Below(100)), c, uint64(i))
	}
	for range 10_000 {
		q.Step()
	}
	wantNoAllocations(t, "chosen", q)
	if q.Stats().Choices < 1000 {
		t.Errorf("%d choices", q.Stats().Choices)
	}
}

func wantNoAllocations(t *testing.T, name string, q *events.Queue) {
	t.Helper()
	q.Step() // the queue has been at its fullest
	if n := testing.AllocsPerRun(10_000, func() { q.Step() }); n != 0 {
		t.Errorf("%v: %v allocations an event, want 0", name, n)
	}
}

// lastChooser always chooses what was scheduled last.
type lastChooser struct{}

func (lastChooser) Choose(_ base.Time, n int) int { return n - 1 }

// BenchmarkQueue measures one event: it runs and schedules another.
func BenchmarkQueue(b *testing.B) {
	for _, strategy := range []events.Strategy{events.FIFO, events.Random, events.PCT} {
		for _, inFlight := range []int{10, 1000, 100_000} {
			b.Run(fmt.Sprintf("%v/in-flight=%d", strategy, inFlight), func(b *testing.B) {
				q := newChurn(strategy, inFlight)
				b.ReportAllocs()
				b.ResetTimer()
				for range b.N {
					q.Step()
				}
			})
		}
	}
}
