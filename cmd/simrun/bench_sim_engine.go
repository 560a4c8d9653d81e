package main

import (
	"fmt"

	"chordsim/core/base"
	"chordsim/faults/linkmodel"
	"chordsim/sim/events"
	"chordsim/sim/netsim"
)

// What links carry in the engine and in the bubble: messages of 100 bytes, one in a millisecond, as many as simUnderWay of
// them under way at once.
const (
	simUnderWay = 10
	simMessage  = 100
	simEvery    = base.Millisecond
)

// engineLatency is how long a message is on its way. A message leaves half a millisecond after another one arrives, so that
// each has two events; those that are not on their way wait to leave.
const engineLatency = simUnderWay/2*simEvery + simEvery/2

// simEngine is throttled links alone, with senders that write whenever there is room.
type simEngine struct {
	queue   *events.Queue
	links   []*netsim.Link
	written int64
}

func engineCase(id, name string, strategy events.Strategy, inFlight int) simCase {
	return simCase{id, name, func() (simSubject, error) { return newSimEngine(strategy, inFlight/simUnderWay) }}
}

// newSimEngine makes the links and runs them until all have as many messages under way as they will.
func newSimEngine(strategy events.Strategy, links int) (*simEngine, error) {
	rand := base.NewRand(1)
	g := &simEngine{queue: events.New(strategy, rand.Stream("tie"))}
	rate := int64(simMessage * base.Second / simEvery)
	for i := range links {
		link, err := netsim.New(g.queue, rand, netsim.Config{
			Name:   fmt.Sprintf("link %d", i),
			Up:     linkmodel.Config{Rate: rate, Latency: engineLatency},
			Buffer: simUnderWay / 2 * simMessage,
		}, nil)
		if err != nil {
			return nil, err
		}
		s := &engineSender{engine: g, end: link.Dialer()}
		link.Dialer().Attach(s, nil)
		link.Acceptor().Attach(engineReceiver{}, nil)
		g.queue.Schedule(base.Time(simEvery)*base.Time(i)/base.Time(links), s, 0)
		g.links = append(g.links, link)
	}
	for g.queue.Now() < base.Time(2*simUnderWay*simEvery) {
		g.queue.Step()
	}
	return g, nil
}

// run runs n events.
func (g *simEngine) run(n int) error {
	for range n {
		g.queue.Step()
	}
	return nil
}

func (g *simEngine) received() int64 {
	n := int64(0)
	for _, l := range g.links {
		received, _ := l.Acceptor().Received()
		n += received
	}
	return n
}

func (g *simEngine) count() (events, messages int64) { return g.queue.Stats().Events, g.received() }

func (g *simEngine) inFlight() int64 { return g.written - g.received() }

func (g *simEngine) end() error { return nil }

// engineBytes is what every message has: nobody looks at it.
var engineBytes [simMessage]byte

// engineSender writes at a link's end until it is full.
type engineSender struct {
	engineReceiver
	engine *simEngine
	end    *netsim.End
}

// Fire begins to write.
func (s *engineSender) Fire(uint64) { s.Writable() }

func (s *engineSender) Writable() {
	for s.engine.written++; s.end.Write(engineBytes[:]); s.engine.written++ {
	}
}

// engineReceiver takes what comes.
type engineReceiver struct{}

func (engineReceiver) Deliver([]byte) {}
func (engineReceiver) Writable()      {}
func (engineReceiver) Closed(error)   {}
