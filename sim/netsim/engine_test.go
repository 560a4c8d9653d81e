package netsim_test

import (
	"testing"

	"chordsim/core/base"
	"chordsim/sim/events"
	"chordsim/sim/netsim"
)

// engine is links with senders that write whenever there is room, for as long as it is wanted.
type engine struct {
	queue   *events.Queue
	links   []*netsim.Link
	written int64
}

// newEngine makes links that each have so many messages of 100 bytes under way.
func newEngine(t tester, strategy events.Strategy, links, underWay int) *engine {
	t.Helper()
	rand := base.NewRand(1)
	g := &engine{queue: events.New(strategy, rand.Stream("tie"))}
	for i := range links {
		// 1 ms a message, of which some wait to leave and the others are on their way. A message leaves half a millisecond
		// after another one arrives, so that each has two events.
		cfg := netsim.Config{
			Name:   string(rune('a'+i%26)) + string(rune('a'+i/26)),
			Up:     rated(100_000, base.Duration(underWay-underWay/2)*base.Millisecond+base.Millisecond/2),
			Buffer: int64(underWay/2) * 100,
		}
		link, err := netsim.New(g.queue, rand, cfg, nil)
		if err != nil {
			t.Fatalf("%v", err)
		}
		sender := &counter{}
		sender.onWritable = func() {
			for g.written++; link.Dialer().Write(zeros[:100]); g.written++ {
			}
		}
		link.Dialer().Attach(sender, nil)
		link.Acceptor().Attach(&counter{}, nil)
		g.queue.Schedule(base.Time(i)*ms/base.Time(links), action(sender.onWritable), 0)
		g.links = append(g.links, link)
	}
	for g.queue.Now() < base.Time(2*underWay)*ms {
		g.queue.Step()
	}
	return g
}

// underWay returns how many messages are on the links.
func (g *engine) underWay() int64 {
	n := g.written
	for _, l := range g.links {
		received, _ := l.Acceptor().Received()
		n -= received
	}
	return n
}

// BenchmarkEngine measures an event with 1,000 messages under way over 100 throttled links.
func BenchmarkEngine(b *testing.B) {
	for _, strategy := range []events.Strategy{events.FIFO, events.Random} {
		b.Run(strategy.String(), func(b *testing.B) {
			g := newEngine(b, strategy, 100, 10)
			before := g.written
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				g.queue.Step()
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
			b.ReportMetric(float64(g.written-before)/float64(b.N), "messages/op")
			b.ReportMetric(float64(g.underWay()), "under-way")
		})
	}
}

func TestEngineAllocatesNothing(t *testing.T) {
	for _, strategy := range []events.Strategy{events.FIFO, events.Random} {
		g := newEngine(t, strategy, 100, 10)
		if n := testing.AllocsPerRun(20_000, func() { g.queue.Step() }); n != 0 {
			t.Errorf("%v: %v allocations an event, want 0", strategy, n)
		}
		if n := g.underWay(); n < 900 || n > 1100 {
			t.Errorf("%v: %d messages under way, want some 1,000", strategy, n)
		}
	}
}
