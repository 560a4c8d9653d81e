package main

import (
	"errors"
	"fmt"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/link"
	"chordsim/core/wire"
)

// linksSession is a worker and a tab, joined in memory: every message is encoded and decoded, and nothing else happens in
// between, so that what passes is the time of the two cores alone.
type linksSession struct {
	net         wireNet
	worker, tab *core.Host
	up, down    *linksEnd
}

// linksEnd is one direction between two hosts. It hands over the chunks as they are and allocates nothing for them.
type linksEnd struct {
	net     *wireNet
	to      *core.Conn
	chunks  base.Ring[[]byte]
	deliver func() // the next one, made once
	bytes   int    // carried so far
	closed  bool
}

var _ link.Transport = (*linksEnd)(nil)

func newLinksEnd(net *wireNet) *linksEnd {
	e := &linksEnd{net: net}
	e.deliver = func() { e.to.Receive(e.chunks.Pop()) }
	return e
}

// Write delivers the chunk in a later turn.
func (e *linksEnd) Write(chunk []byte) bool {
	e.bytes += len(chunk)
	e.chunks.Push(chunk)
	e.net.queue.Push(e.deliver)
	return true
}

// Close notes that a host gave up on the other: none has a reason to.
func (e *linksEnd) Close() { e.closed = true }

// linksMember is the name of the one member that every object has.
const linksMember = "notes"

// linksAddress names an object of a session.
func linksAddress(i int) string { return fmt.Sprint("View/", i) }

// newLinksSession joins hosts that speak a codec. The worker has an object for each document, all with the same methods;
// the same document may be in several.
func newLinksSession(c wire.Codec, methods core.Methods, docs ...*core.Document) *linksSession {
	s := newLinksHosts(c, methods, docs...)
	s.up, s.down = newLinksEnd(&s.net), newLinksEnd(&s.net)
	s.up.to = s.worker.Accept(s.down)
	s.down.to = s.tab.Connect(s.up)
	s.net.run()
	return s
}

// newLinksHosts makes the hosts, which are not joined yet.
func newLinksHosts(c wire.Codec, methods core.Methods, docs ...*core.Document) *linksSession {
	return newLinksHostsWithin(base.Limits{}, c, methods, docs...)
}

// newLinksHostsWithin is the same with limits of both.
func newLinksHostsWithin(limits base.Limits, c wire.Codec, methods core.Methods, docs ...*core.Document) *linksSession {
	s := &linksSession{}
	s.worker = core.NewHost(core.Config{Name: "worker", Scheduler: &s.net, Limits: limits})
	s.tab = core.NewHost(core.Config{Name: "tab", Scheduler: &s.net, Codec: c, Limits: limits})
	for i, doc := range docs {
		s.worker.Expose(linksAddress(i), core.Object{State: core.Members{linksMember: doc}, Methods: methods})
	}
	return s
}

// hold lets the tab hold an object, until it is live, and have it watched.
func (s *linksSession) hold(i int, watch func(core.Frame)) (*core.Reference, error) {
	var view *core.Reference
	s.net.do(s.tab, func() {
		view = s.tab.Get(linksAddress(i))
		if watch != nil {
			view.Watch(linksMember, watch)
		}
	})
	if view.State() != core.StateLive {
		return nil, fmt.Errorf("the reference to %s is %s: %v", view.Address(), view.State(), view.Err())
	}
	return view, nil
}

// release lets go of a reference, and waits until the worker has.
func (s *linksSession) release(view *core.Reference) { s.net.do(s.tab, view.Release) }

// converged reports an error unless a reference has the document that the worker has, over a link that is well.
func (s *linksSession) converged(view *core.Reference, doc *core.Document) error {
	if s.up.closed || s.down.closed {
		return errors.New("a host closed its link")
	}
	if v, _ := view.Value(linksMember); view.State() != core.StateLive || !v.Equal(doc.Value()) {
		return fmt.Errorf("the tab's reference is %s and has another document than the worker (%v)", view.State(), view.Err())
	}
	return nil
}
