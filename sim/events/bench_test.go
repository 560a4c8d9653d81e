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
}

func (c *churn) Fire(arg uint64) {
	c.queue.Schedule(c.queue.Now().Add(base.Duration(c.gaps.Below(uint64(base.Second)))), c, arg)
}

func newChurn(strategy events.Strategy, inFlight int) *events.Queue {
	rand := base.NewRand(1)
	q := events.New(strategy, rand.Stream("tie"))
	c := &churn{queue: q, gaps: rand.Stream("gap")}
	for i := range inFlight {
		q.Schedule(base.Time(c.gaps.Below(uint64(base.Second))), c, uint64(i))
	}
	return q
}

func TestNoAllocationsOnceGrown(t *testing.T) {
	for _, strategy := range []events.Strategy{events.FIFO, events.Random} {
		q := newChurn(strategy, 1000)
		q.Step() // the queue has been at its fullest
		if n := testing.AllocsPerRun(10_000, func() { q.Step() }); n != 0 {
			t.Errorf("%v: %v allocations an event, want 0", strategy, n)
		}
	}
}

// BenchmarkQueue measures one event: it runs and schedules another.
func BenchmarkQueue(b *testing.B) {
	for _, strategy := range []events.Strategy{events.FIFO, events.Random} {
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
