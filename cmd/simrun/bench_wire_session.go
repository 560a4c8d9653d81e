package main

import (
	"errors"
	"fmt"

	"chordsim/core"
	"chordsim/core/delta"
	"chordsim/core/wire"
)

// wireSession is a worker with a View, and a tab that holds it: what goes between them is what hosts send.
type wireSession struct {
	net         wireNet
	worker, tab *core.Host
	doc         *core.Document
	view        *core.Reference
	up, down    *wireEnd
	bound       wireMessage // the snapshot
}

// The method of the View, and what it is called with and returns.
const (
	wireMethod = "count"
	wireArg    = 1234 // a small integer, that takes more than a byte all the same
	wireReply  = 42
)

// newWireSession makes hosts that speak a codec, and lets the tab hold a document.
func newWireSession(codec wire.Codec, value delta.Value, deflate bool, methods core.Methods) (*wireSession, error) {
	s := &wireSession{doc: core.NewDocument(value)}
	s.worker = core.NewHost(core.Config{Name: "worker", Scheduler: &s.net, Deflate: deflate})
	s.tab = core.NewHost(core.Config{Name: "tab", Scheduler: &s.net, Codec: codec})
	s.worker.Expose("View", core.Object{State: core.Members{"notes": s.doc}, Methods: methods})
	s.up, s.down = s.net.connect(s.tab, s.worker, codec)
	s.net.do(s.tab, func() { s.view = s.tab.Get("View") })
	bound, err := s.one(s.down, wire.TypeBound)
	if err != nil {
		return nil, err
	}
	s.bound = bound
	return s, s.converged()
}

// wireMethods is the View's method, which returns a value.
func wireMethods(v delta.Value) core.Methods {
	return core.Methods{wireMethod: func(*core.Call) (delta.Value, error) { return v, nil }}
}

// converged reports an error unless the tab has the document that the worker has.
func (s *wireSession) converged() error {
	if v, _ := s.view.Value("notes"); s.view.State() != core.StateLive || !v.Equal(s.doc.Value()) {
		return fmt.Errorf("the tab's reference is %s and has another document than the worker (%v)", s.view.State(), s.view.Err())
	}
	return nil
}

// one returns the only message of a type that was carried since the last look.
func (s *wireSession) one(e *wireEnd, t wire.Type) (wireMessage, error) {
	list, err := e.take(t)
	if err == nil && len(list) != 1 {
		err = fmt.Errorf("%d messages of type %v, want 1", len(list), t)
	}
	if err != nil {
		return wireMessage{}, err
	}
	return list[0], nil
}

// commit makes a change at the worker and returns its state message.
func (s *wireSession) commit(change func(*delta.Draft) error) (wireMessage, error) {
	var err error
	s.net.do(s.worker, func() { _, err = s.doc.Change(nil, change) })
	if err != nil {
		return wireMessage{}, err
	}
	return s.one(s.down, wire.TypeState)
}

// call calls the View's method and returns the call's message and the result's, of the types that they are expected to have.
func (s *wireSession) call(arg any, call, result wire.Type, options ...core.CallOption) (up, down wireMessage, err error) {
	settled := errors.New("the call did not settle")
	s.net.do(s.tab, func() {
		s.view.Call(wireMethod, arg, func(_ delta.Value, err error) { settled = err }, options...)
	})
	if settled != nil {
		return up, down, settled
	}
	if up, err = s.one(s.up, call); err == nil {
		down, err = s.one(s.down, result)
	}
	return up, down, err
}

// callMebibyte calls the method with 1 MiB of raw bytes and no argument.
func (s *wireSession) callMebibyte() (up, down wireMessage, err error) {
	return s.call(nil, wire.TypeCallBulk, wire.TypeResult, core.WithBytes(make([]byte, mebibyte)))
}
