package main

import (
	"fmt"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/relay"
	"chordsim/faults/linkmodel"
	"chordsim/sim"
	"chordsim/sim/netsim"
)

// stackLinks is the links of a stack and how often a token is streamed over them, so seldom that the window has room for it.
type stackLinks struct {
	link  netsim.Config
	every base.Duration
}

var (
	throttled      = linkmodel.Config{Rate: 128 * base.KiB, Latency: 2 * base.Millisecond}
	memoryStack    = stackLinks{netsim.Memory, base.Millisecond}
	throttledStack = stackLinks{netsim.Config{Up: throttled, Down: throttled}, 5 * base.Millisecond}
)

const (
	stackToken = " tok"
	// stackReply is after how many tokens a reply is complete, and the next one takes its place.
	stackReply = 2_000
	// stackWithin is how long connecting, and settling, may take in virtual time.
	stackWithin = 10 * base.Second
)

// simStack is a worker that streams a reply to a tab, through a server that relays.
type simStack struct {
	stackLinks
	world  *sim.World
	worker *sim.Host
	doc    *core.Document
	view   *core.Reference
	ticks  *sim.Repeat
	tokens int64
	failed error // of a commit
}

func stackCase(id, name string, links stackLinks, checked bool) simCase {
	return simCase{id, name, func() (simSubject, error) { return newSimStack(links, checked) }}
}

func newSimStack(links stackLinks, checked bool) (*simStack, error) {
	s := &simStack{stackLinks: links, world: sim.New(sim.Config{Seed: 1, Unchecked: !checked, MaxEvents: 1 << 62})}
	s.doc = core.NewDocument(delta.Object(delta.Field{Key: "reply", Value: delta.String("")}))
	s.worker = s.world.Host("worker")
	s.worker.Core().Expose("View", core.Object{State: core.Members{"notes": s.doc}})
	tab, server := s.world.Host("tab"), s.world.Host("server")
	route, err := s.world.Connect(s.worker, server, links.link)
	if err != nil {
		return nil, err
	}
	server.Core().Route("Session", func(q *relay.Request) { q.To(route.Accepted().Link()) })
	near, err := s.world.Connect(tab, server, links.link)
	if err != nil {
		return nil, err
	}
	if err := s.world.Eventually("the links are up", stackWithin, func() bool {
		return route.Accepted() != nil && route.Accepted().Link().Up() && near.Dialed() != nil && near.Dialed().Link().Up()
	}); err != nil {
		return nil, err
	}
	tab.Do(func() {
		s.view = tab.Core().Get("Session/42/View")
		s.view.Watch("notes", func(core.Frame) {})
	})
	if err := s.world.Eventually("the view is live", stackWithin, func() bool {
		return s.view != nil && s.view.State() == core.StateLive
	}); err != nil {
		return nil, err
	}
	s.ticks = s.world.Every(links.every, func() { s.worker.Do(s.commit) })
	return s, nil
}

// commit appends a token to the reply, or begins the next one.
func (s *simStack) commit() {
	s.tokens++
	_, err := s.doc.Change(nil, func(d *delta.Draft) error {
		if s.tokens%stackReply == 0 {
			return d.At("reply").Set("")
		}
		return d.At("reply").Append(stackToken)
	})
	if err != nil && s.failed == nil {
		s.failed = err
	}
}

// run streams n tokens.
func (s *simStack) run(n int) error {
	if err := s.world.RunFor(base.Duration(n) * s.every); err != nil {
		return err
	}
	if s.failed != nil {
		return s.failed
	}
	return s.world.Violation()
}

// count counts every message that was delivered at an end: state, credit and link acks.
func (s *simStack) count() (events, messages int64) {
	for _, c := range s.world.Connections() {
		up, _ := c.Link.Acceptor().Received()
		down, _ := c.Link.Dialer().Received()
		messages += up + down
	}
	return s.world.Stats().Events, messages
}

func (s *simStack) inFlight() int64 { return 0 }

// end stops the stream and wants the tab to have what the worker has.
func (s *simStack) end() error {
	s.ticks.Stop()
	if err := s.world.Settle(stackWithin); err != nil {
		return err
	}
	if v, ok := s.view.Value("notes"); !ok || !v.Equal(s.doc.Value()) {
		return fmt.Errorf("the tab does not have what the worker has after %d tokens: %w", s.tokens, errReplica)
	}
	return nil
}
