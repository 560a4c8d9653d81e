package main

import (
	"errors"
	"fmt"
	"slices"

	"chordsim/core"
	"chordsim/core/delta"
	"chordsim/core/wire"
)

// linksEdits makes edits of the notes list, one in a turn, which a tab follows.
type linksEdits struct {
	session *linksSession
	doc     *core.Document
	view    *core.Reference
	done    int // edits
	frames  int // that the tab saw, the snapshot's included
	err     error
	turn    func() // made once
}

// newLinksEdits makes a session in steady state, with all names known.
func newLinksEdits(c wire.Codec, id string, watch func(core.Frame)) (*linksEdits, error) {
	doc := core.NewDocument(notesList())
	return editsOf(newLinksSession(c, nil, doc), doc, id, watch)
}

// editsOf makes edits of the document of a session's first object, in steady state.
func editsOf(s *linksSession, doc *core.Document, id string, watch func(core.Frame)) (*linksEdits, error) {
	edit := &wireEdits[slices.IndexFunc(wireEdits, func(e wireEdit) bool { return e.id == id })]
	e := &linksEdits{session: s, doc: doc}
	change := func(d *delta.Draft) error { return edit.change(d, e.done) }
	e.turn = func() { _, e.err = doc.Change(nil, change) }
	var err error
	if e.view, err = s.hold(0, func(f core.Frame) { e.frames++; watch(f) }); err != nil {
		return nil, err
	}
	return e, repeated(e.next)(wireWarm)
}

// next makes an edit at the worker, and lets all happen that follows.
func (e *linksEdits) next() error {
	e.session.net.do(e.session.worker, e.turn)
	e.done++
	return e.err
}

// check reports an error unless the tab has seen every edit, one by one.
func (e *linksEdits) check() error {
	if want := 1 + e.done; e.frames != want {
		return fmt.Errorf("%d frames, want %d", e.frames, want)
	}
	return e.session.converged(e.view, e.doc)
}

// linksCaller makes calls of an object's method, one after the other.
type linksCaller struct {
	session *linksSession
	err     error
	call    func() // made once
}

var errUnsettled = errors.New("the call did not settle")

// newLinksCaller makes a session in steady state.
func newLinksCaller(c wire.Codec, arg any, options ...core.CallOption) (*linksCaller, error) {
	s := newLinksSession(c, wireMethods(delta.Int(wireReply)), core.NewDocument(delta.Null()))
	view, err := s.hold(0, nil)
	if err != nil {
		return nil, err
	}
	caller := &linksCaller{session: s}
	settled := func(v delta.Value, err error) {
		if caller.err = err; err == nil && !v.Equal(delta.Int(wireReply)) {
			caller.err = fmt.Errorf("the call returned %s", v)
		}
	}
	caller.call = func() { view.Call(wireMethod, arg, settled, options...) }
	return caller, repeated(caller.next)(wireWarm)
}

func smallCaller(c wire.Codec) (*linksCaller, error) { return newLinksCaller(c, wireArg) }

// mebibyteCaller makes calls with 1 MiB of raw bytes and no argument.
func mebibyteCaller(c wire.Codec) (*linksCaller, error) {
	return newLinksCaller(c, nil, core.WithBytes(make([]byte, mebibyte)))
}

// next makes a call and waits for its result.
func (c *linksCaller) next() error {
	c.err = errUnsettled
	c.session.net.do(c.session.tab, c.call)
	return c.err
}
