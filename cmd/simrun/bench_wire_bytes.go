package main

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"chordsim/core"
	"chordsim/core/delta"
	"chordsim/core/part"
	"chordsim/core/relay"
	"chordsim/core/wire"
)

// wireKey names a value: an id, and the codec or whatever else it is of.
type wireKey struct{ id, variant string }

// wireValues is what was measured.
type wireValues map[wireKey]float64

func (v wireValues) set(id string, c wire.Codec, value int) {
	v[wireKey{id, c.String()}] = float64(value)
}

// setMessages sets what a message takes: as most of these do, and as the largest of them does, which carries an ack.
func (v wireValues) setMessages(id string, c wire.Codec, messages []wireMessage) {
	size := func(m wireMessage) float64 { return float64(m.bytes()) }
	v[wireKey{id + ".wire", c.String()}] = median(messages, size)
	largest := 0.0
	for _, m := range messages {
		largest = max(largest, size(m))
	}
	v[wireKey{id + ".largest", c.String()}] = largest
}

// How many messages of a kind are sent before one is measured, so that names are known on both sides, and how many are
// measured then. The link's acks ride on every 16th chunk or so: a message is what most of them take, the streamed reply has
// all of them.
const (
	wireWarm     = 8
	wireMeasured = 64
)

// streamed is how many tokens a streamed reply has.
const streamed = 2000

// wireEdit is a change of the notes list. i counts the edits of a session.
type wireEdit struct {
	id     string
	change func(d *delta.Draft, i int) error
}

var wireEdits = []wireEdit{
	{"append", func(d *delta.Draft, i int) error {
		return d.At().Push(delta.Object(
			delta.Field{Key: "id", Value: delta.String(fmt.Sprint("e", notesEntries+i))},
			delta.Field{Key: "text", Value: delta.String(letters(notesText)(i))},
			delta.Field{Key: "author", Value: delta.String("jo")},
			delta.Field{Key: "at", Value: delta.Int(firstEntryAt + notesEntries + i)},
		))
	}},
	{"field", func(d *delta.Draft, i int) error {
		return d.At(notesEntries/2, "author").Set([]string{"ada", "bob"}[i%2])
	}},
	{"remove", func(d *delta.Draft, i int) error { return d.At().Splice(notesEntries/4+i*7, 1) }},
	{"stream", func(d *delta.Draft, _ int) error { return d.At(notesEntries-1, "text").Append(" tok") }},
}

// measureSnapshot measures the message with a document's snapshot.
func measureSnapshot(id string, value delta.Value, c wire.Codec, into wireValues) error {
	s, err := newWireSession(c, value, false, nil)
	if err != nil {
		return err
	}
	into.set(id+".wire", c, s.bound.bytes())
	into.set(id+".body", c, len(s.bound.body))
	into.set(id+".headers", c, s.bound.header)
	return nil
}

// measureEdit measures the state messages of one kind of commit.
func measureEdit(edit *wireEdit, c wire.Codec, into wireValues) error {
	s, err := newWireSession(c, notesList(), false, nil)
	if err != nil {
		return err
	}
	var messages []wireMessage
	for i := range wireWarm + wireMeasured {
		m, err := s.commit(func(d *delta.Draft) error { return edit.change(d, i) })
		if err != nil {
			return err
		}
		messages = append(messages, m)
	}
	into.setMessages(edit.id, c, messages[wireWarm:])
	return s.converged()
}

// measureStream measures a whole streamed reply, from the first token on.
func measureStream(c wire.Codec, into wireValues) error {
	s, err := newWireSession(c, notesList(), false, nil)
	if err != nil {
		return err
	}
	total := 0
	for range streamed {
		m, err := s.commit(func(d *delta.Draft) error { return d.At(notesEntries-1, "text").Append(" tok") })
		if err != nil {
			return err
		}
		total += m.bytes()
	}
	into.set("stream.total", c, total)
	return s.converged()
}

// measureCalls measures a call with a small argument and its result.
func measureCalls(c wire.Codec, into wireValues) error {
	s, err := newWireSession(c, delta.Null(), false, wireMethods(delta.Int(wireReply)))
	if err != nil {
		return err
	}
	var calls, results []wireMessage
	for range wireWarm + wireMeasured {
		up, down, err := s.call(wireArg, wire.TypeCall, wire.TypeResult)
		if err != nil {
			return err
		}
		calls, results = append(calls, up), append(results, down)
	}
	into.setMessages("call", c, calls[wireWarm:])
	into.setMessages("result", c, results[wireWarm:])
	return nil
}

// measureMebibyte measures a call with 1 MiB of raw bytes.
func measureMebibyte(c wire.Codec, into wireValues) error {
	s, err := newWireSession(c, delta.Null(), false, wireMethods(delta.Int(wireReply)))
	if err != nil {
		return err
	}
	up, _, err := s.callMebibyte()
	if err != nil {
		return err
	}
	into.set("call1mib.wire", c, len(up.body)-mebibyte)
	into.set("call1mib.headers", c, up.header)
	return nil
}

// relayedTabs is how many tabs hold the view through a relay: enough for origins of two bytes.
const relayedTabs = 200

// measureOrigin measures what an origin costs: how many bytes a streamed token takes more between a relay and a worker than
// between the relay and the tab, for the last tab that came.
func measureOrigin(c wire.Codec, into wireValues) error {
	net := &wireNet{}
	host := func(name string) *core.Host { return core.NewHost(core.Config{Name: name, Scheduler: net, Codec: c}) }
	worker, server := host("worker"), host("server")
	doc := core.NewDocument(delta.Object(delta.Field{Key: "reply", Value: delta.String("")}))
	worker.Expose("View", core.Object{State: core.Members{"notes": doc}})
	route, _ := net.connect(worker, server, c)
	server.Route("Session", func(r *relay.Request) { r.To(route.to.Link()) })
	var last *wireEnd
	for range relayedTabs {
		tab := host("tab")
		_, last = net.connect(tab, server, c)
		net.do(tab, func() { tab.Get("Session/1/View") })
	}
	for range wireWarm {
		route.chunks, last.chunks = nil, nil
		var err error
		net.do(worker, func() {
			_, err = doc.Change(nil, func(d *delta.Draft) error { return d.At("reply").Append(" tok") })
		})
		if err != nil {
			return err
		}
	}
	relayed, err := route.take(wire.TypeState)
	if err != nil {
		return err
	}
	tabs, err := last.take(wire.TypeState)
	if err != nil {
		return err
	}
	if len(relayed) != relayedTabs || len(tabs) != 1 {
		return fmt.Errorf("%d messages to the relay and %d to a tab, want %d and 1", len(relayed), len(tabs), relayedTabs)
	}
	into.set("origin", c, relayed[relayedTabs-1].bytes()-tabs[0].bytes())
	return nil
}

// measureDeflated measures what is deflated: a snapshot of prose and a result of it.
func measureDeflated(c wire.Codec, into wireValues) error {
	s, err := newWireSession(c, prose500KB(), true, wireMethods(delta.String(proseMebibyte())))
	if err != nil {
		return err
	}
	limits := s.up.to.Link().Limits()
	bound, err := wire.ParseBound(c, s.bound.body, limits)
	if err != nil {
		return err
	}
	if len(bound.Members) != 1 || !bound.Members[0].Deflated {
		return errors.New("a snapshot of prose was not deflated")
	}
	into.set("deflate.snapshot", c, len(bound.Members[0].Part))
	into.set("deflate.hold.bytes", c, s.bound.bytes())
	raw, err := part.Size(bound.Members[0].Part)
	if err != nil {
		return err
	}
	into.set("deflate.snapshot.raw", c, raw)
	into.set("deflate.snapshot.json", c, len(s.doc.Value().String()))
	_, down, err := s.call(nil, wire.TypeCall, wire.TypeResultBulk)
	if err != nil {
		return err
	}
	result, err := wire.ParseResult(c, down.body)
	if err != nil {
		return err
	}
	if !result.Deflated {
		return errors.New("a result of prose was not deflated")
	}
	into.set("deflate.result", c, len(result.Value))
	return nil
}

// measureThreshold finds the largest part that a host does not deflate, in bytes. The next larger one is deflated.
func measureThreshold(c wire.Codec, into wireValues) error {
	const around = 16
	largest, smallest := 0, math.MaxInt
	for n := part.Threshold - around; n <= part.Threshold+around; n++ {
		s, err := newWireSession(c, delta.String(strings.Repeat("x", n)), true, nil)
		if err != nil {
			return err
		}
		bound, err := wire.ParseBound(c, s.bound.body, s.up.to.Link().Limits())
		if err != nil {
			return err
		}
		m := &bound.Members[0]
		if !m.Deflated {
			largest = max(largest, len(m.Part))
			continue
		}
		size, err := part.Size(m.Part)
		if err != nil {
			return err
		}
		smallest = min(smallest, size)
	}
	if smallest != largest+1 {
		return fmt.Errorf("a part of %d bytes is not deflated, and one of %d is", largest, smallest)
	}
	into.set("deflate.threshold", c, largest)
	return nil
}
