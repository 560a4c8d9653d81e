package netsim_test

import (
	"testing"

	"chordsim/core/base"
	"chordsim/faults/linkmodel"
	"chordsim/sim/events"
	"chordsim/sim/netsim"
)

// counter is a receiver that keeps nothing.
type counter struct{ onWritable func() }

func (*counter) Deliver([]byte) {}
func (*counter) Closed(error)   {}

func (c *counter) Writable() {
	if c.onWritable != nil {
		c.onWritable()
	}
}

// BenchmarkLink measures a message of 100 bytes from a sender that writes whenever there is room, and how many events it
// takes.
func BenchmarkLink(b *testing.B) {
	for _, c := range []struct {
		name string
		cfg  linkmodel.Config
	}{
		{"memory", linkmodel.Config{}},
		{"rate", linkmodel.Config{Rate: 64 * base.KiB}},
		{"rate-latency", linkmodel.Config{Rate: 125_000_000, Latency: 100 * base.Millisecond}},
		{"rate-jitter", linkmodel.Config{Rate: 64 * base.KiB, Latency: base.Second, Jitter: base.Second}},
		{"quantum", linkmodel.Config{Rate: 64 * base.KiB, Quantum: 10 * base.Millisecond}},
	} {
		b.Run(c.name, func(b *testing.B) {
			queue := events.New(events.FIFO, nil)
			link, err := netsim.New(queue, base.NewRand(1), netsim.Config{Up: c.cfg}, nil)
			if err != nil {
				b.Fatal(err)
			}
			sent := 0
			sender := &counter{}
			sender.onWritable = func() {
				for sent < b.N {
					sent++
					if !link.Dialer().Write(zeros[:100]) || c.cfg.Rate == 0 {
						break
					}
				}
			}
			link.Dialer().Attach(sender, nil)
			link.Acceptor().Attach(&counter{}, nil)
			b.ReportAllocs()
			b.ResetTimer()
			for sender.onWritable(); queue.Step() || sent < b.N; {
				if queue.Len() == 0 {
					sender.onWritable()
				}
			}
			b.ReportMetric(float64(queue.Stats().Events)/float64(b.N), "events/op")
			b.ReportMetric(float64(queue.Stats().Peak), "peak")
		})
	}
}
