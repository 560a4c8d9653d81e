package main

import (
	"fmt"

	"chordsim/core"
	"chordsim/core/wire"
)

// commitCounts is what a commit costs a host.
type commitCounts struct {
	messages float64 // state messages of the link
	encodes  float64 // for each hold
}

// countCommits counts over commits of one kind, with so many holds of the document over one link.
func countCommits(c wire.Codec, holds int, edit string) (commitCounts, error) {
	doc := core.NewDocument(notesList())
	e, err := editsOf(newLinksSession(c, nil, sameDocument(doc, holds)...), doc, edit, func(core.Frame) {})
	if err != nil {
		return commitCounts{}, err
	}
	for i := 1; i < holds; i++ {
		if _, err := e.session.hold(i, nil); err != nil {
			return commitCounts{}, err
		}
	}
	before := e.session.worker.Stats()
	if err := repeated(e.next)(wireMeasured); err != nil {
		return commitCounts{}, err
	}
	after := e.session.worker.Stats()
	commits := float64(after.Commits - before.Commits)
	return commitCounts{
		messages: float64(after.StateMessages-before.StateMessages) / commits,
		encodes:  float64(after.Encodes-before.Encodes) / commits / float64(holds),
	}, e.check()
}

// sameDocument is the document of so many objects: holds of them are different ones, and need the same.
func sameDocument(doc *core.Document, objects int) []*core.Document {
	list := make([]*core.Document, objects)
	for i := range list {
		list[i] = doc
	}
	return list
}

// measureCommits counts what a commit of any kind sends.
func measureCommits(c wire.Codec, into linksValues) error {
	var all commitCounts
	for _, edit := range wireEdits {
		counts, err := countCommits(c, 1, edit.id)
		if err != nil {
			return fmt.Errorf("%s: %w", edit.id, err)
		}
		all = commitCounts{max(all.messages, counts.messages), max(all.encodes, counts.encodes)}
	}
	into.set("append.messages", c, all.messages)
	into.set("append.encodes", c, all.encodes)
	return nil
}

// measureHolds counts the messages of a commit over one hold, and over ten of one link.
func measureHolds(c wire.Codec, into linksValues) error {
	one, err := countCommits(c, 1, "append")
	if err != nil {
		return err
	}
	ten, err := countCommits(c, holdsOfTen, "append")
	into.set("holds1.messages", c, one.messages)
	into.set("holds10.messages", c, ten.messages)
	return err
}

// measureReply measures the bytes of a streamed reply, as the bench of messages does.
func measureReply(c wire.Codec, into linksValues) error {
	bytes := wireValues{}
	if err := editGroup("stream").bytes(c, bytes); err != nil {
		return err
	}
	for _, id := range []string{"stream.wire", "stream.total"} {
		into.set(id, c, bytes[wireKey{id, c.String()}])
	}
	return nil
}

// measureTokenAllocs counts what a streamed token allocates: the change, its message, the frame and the credit.
func (plan *linksPlan) measureTokenAllocs(c wire.Codec, into linksValues) error {
	e, err := newLinksEdits(c, "stream", func(core.Frame) {})
	if err != nil {
		return err
	}
	if err := plan.measureAllocs("stream", e.next, c, into); err != nil {
		return err
	}
	return e.check()
}

// measureCallAllocs counts what a call with a small argument and its result allocate.
func (plan *linksPlan) measureCallAllocs(c wire.Codec, into linksValues) error {
	caller, err := smallCaller(c)
	if err != nil {
		return err
	}
	return plan.measureAllocs("call", caller.next, c, into)
}

// measureMebibyteAllocs counts the same of a call with 1 MiB of bytes: they are in memory as the caller's, as chunks, and as the
// message at the provider.
func (plan *linksPlan) measureMebibyteAllocs(c wire.Codec, into linksValues) error {
	caller, err := mebibyteCaller(c)
	if err != nil {
		return err
	}
	return plan.measureAllocs("call1mib", caller.next, c, into)
}

func (plan *linksPlan) measureAllocs(id string, run func() error, c wire.Codec, into linksValues) error {
	allocs, bytes, err := plan.count(run, 1)
	into.set(id+".allocs", c, allocs)
	into.set(id+".allocated", c, bytes)
	return err
}
