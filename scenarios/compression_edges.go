package scenarios

import (
	"fmt"
	"strconv"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/part"
	"chordsim/core/wire"
)

// packEdges is what one world found of parts at the threshold, and of such as do not get smaller.
type packEdges struct {
	way           string
	edges         []packEdge
	stuck, broken string
}

// packEdge is one part that crossed to the tab.
type packEdge struct {
	what     string
	id       string // as in ids
	size     int    // bytes of the part as it is
	want     int    // parts that are to be deflated; eitherWay: none or one
	deflated int    // parts that were
	part     int    // bytes of the part as it was sent
	bytes    int64  // delivered, headers included
	most     int64  // the part as it was sent, and the headers that it needs
	equal    bool
}

// eitherWay says that a part may be deflated or not.
const eitherWay = -1

func (e *packEdge) good() bool {
	return (e.want == eitherWay || e.deflated == e.want) && e.bytes <= e.most && e.bytes >= int64(e.part) && e.equal
}

// messageHead is more than a message takes besides one part and the headers of its chunks, and what a link says of itself
// meanwhile, in bytes.
const messageHead = 96

// packHeaders is more than the headers are of what brings a part of so many bytes, with its message's head.
func packHeaders(codec wire.Codec, size int) int64 {
	limits := base.Limits{}.WithDefaults()
	head := wire.Header{Type: wire.TypeBulkMore, More: true, Slot: uint8(limits.BulkSlots - 1), Ack: uint64(limits.AckChunks)}
	chunks := (size + messageHead + limits.ChunkBytes - 1) / limits.ChunkBytes
	return messageHead + int64(chunks*len(head.Append(codec, nil)))
}

// textOf returns the beginning of a text with which an encoding has exactly so many bytes.
func textOf(text string, size int, encode func(text string) []byte) string {
	n := size
	for range 8 { // the head in front of a text gets longer with it, hardly ever
		got := len(encode(text[:n]))
		if got == size {
			return text[:n]
		}
		n -= got - size
	}
	panic("scenarios: no text has an encoding of " + strconv.Itoa(size) + " bytes")
}

// encodings of a text as parts of messages.
func asValue(codec wire.Codec) func(string) []byte {
	return func(text string) []byte { return codec.AppendValue(nil, delta.String(text)) }
}

func asSnapshot(codec wire.Codec) func(string) []byte {
	return func(text string) []byte {
		return codec.AppendSnapshot(nil, delta.String(text), &wire.Dict{}, &wire.Told{}, &wire.Used{})
	}
}

// asChange is the first change of a document since its snapshot, which puts a text in the place of another.
func asChange(codec wire.Codec, document delta.Value) func(string) []byte {
	return func(text string) []byte {
		var dict wire.Dict
		var told wire.Told
		var fold delta.Fold
		codec.AppendSnapshot(nil, document, &dict, &told, &wire.Used{})
		draft := delta.NewDraft(document)
		if err := draft.At("text").Set(text); err != nil {
			panic("scenarios: " + err.Error())
		}
		value, ops := draft.Commit()
		fold.Add(ops, value)
		return codec.AppendOps(nil, fold.Ops(value), &dict, &told, &wire.Used{})
	}
}

// changing returns a document with a text that is to be changed, and so much else that the change is worth sending alone.
func changing(rest string) delta.Value {
	return delta.Object(delta.Field{Key: "rest", Value: delta.String(rest)}, delta.Field{Key: "text", Value: delta.String("")})
}

// edges has the tab take parts of exactly the threshold and a byte more, in every place of a message that may be deflated,
// and parts that cannot be made smaller.
func (w *packWorld) edges(e *packEdges) {
	seed, codec := w.world.Rand().Stream("edges").Next(), w.plan.codec
	text := prose(seed, "edges", 2*part.Threshold)
	rest := prose(seed, "rest", 3*part.Threshold)
	var give delta.Value // what the next call returns
	var attach []byte    // beside it
	w.worker.Core().Expose("Desk", core.Object{Methods: core.Methods{"give": func(c *core.Call) (delta.Value, error) {
		if attach != nil {
			c.Attach(attach)
		}
		return give, nil
	}}})
	desk := w.holdOnly("Desk")
	for i, size := range []int{part.Threshold, part.Threshold + 1} {
		suffix := []string{".at", ".over"}[i]
		name := "Snapshot" + suffix
		value := delta.String(textOf(text, size, asSnapshot(codec)))
		w.worker.Core().Expose(name, core.Object{State: core.Members{"notes": core.NewDocument(value)}})
		e.note(w, packEdge{what: "snapshot", id: "snapshot" + suffix, size: size, want: i}, func() bool {
			var found crossed
			w.hold(name, &found)
			return true // the checkers compare it
		})
		e.note(w, packEdge{what: "change", id: "change" + suffix, size: size, want: i}, func() bool {
			return w.change("Change"+suffix, changing(rest), textOf(text, size, asChange(codec, changing(rest))))
		})
		give = delta.String(textOf(text, size, asValue(codec)))
		e.note(w, packEdge{what: "result", id: "result" + suffix, size: size, want: i}, func() bool {
			w.call(desk, "give", nil)
			return w.answer.Equal(give)
		})
		give, attach = delta.Null(), []byte(text[:size])
		e.note(w, packEdge{what: "bytes of a result", id: "bytes" + suffix, size: size, want: i}, func() bool {
			w.call(desk, "give", nil)
			return len(w.bytes) == 1 && string(w.bytes[0]) == string(attach)
		})
		attach = nil
	}
	random := make([]byte, w.plan.noise)
	draws := base.NewRand(seed).Stream("noise")
	for i := range random {
		random[i] = byte(draws.Below(256))
	}
	attach = random
	e.note(w, packEdge{what: "random bytes of a result", id: "bytes.random", size: len(random)}, func() bool {
		w.call(desk, "give", nil)
		return len(w.bytes) == 1 && string(w.bytes[0]) == string(random)
	})
	attach = nil
	for i := range random {
		random[i] = ' ' + random[i]%95
	}
	give = delta.String(string(random))
	e.note(w, packEdge{what: "random text, a result", id: "text.random", size: len(codec.AppendValue(nil, give)), want: eitherWay}, func() bool {
		w.call(desk, "give", nil)
		return w.answer.Equal(give)
	})
	e.stuck, e.broken = w.failed, w.broken
}

// note has one part cross and keeps what that took.
func (e *packEdges) note(w *packWorld, edge packEdge, cross func() (equal bool)) {
	if w.failed != "" {
		return
	}
	before := len(w.origin)
	edge.equal = cross()
	edge.bytes, edge.part = w.got, edge.size
	if edge.deflated = len(w.origin) - before; edge.deflated > 0 {
		last := w.origin[len(w.origin)-1]
		if edge.part = last.part; last.raw != edge.size {
			w.broken = fmt.Sprintf("%s: the part has %d bytes, want %d", edge.what, last.raw, edge.size)
		}
	}
	edge.most = int64(edge.part) + packHeaders(w.plan.codec, edge.part)
	e.edges = append(e.edges, edge)
}

// holdOnly has the tab hold an object whose snapshot does not matter.
func (w *packWorld) holdOnly(address string) (ref *core.Reference) {
	w.tab.Do(func() { ref = w.tab.Core().Get(w.prefix + address) })
	w.settle()
	if ref == nil || ref.State() != core.StateLive {
		w.fail("%s is not live", address)
	}
	return ref
}

// change has the tab hold a document of its own, then changes its text, and reports whether that came. What the snapshot
// took does not count.
func (w *packWorld) change(address string, document delta.Value, text string) bool {
	doc := core.NewDocument(document)
	w.worker.Core().Expose(address, core.Object{State: core.Members{"notes": doc}})
	before := len(w.origin)
	ref := w.holdOnly(address)
	w.origin = w.origin[:before] // without the snapshot
	if w.failed != "" {
		return false
	}
	_, bytes := w.link.Dialer().Received()
	w.tab.Do(func() {
		ref.Watch("notes", func(f core.Frame) {
			_, now := w.link.Dialer().Received()
			w.got = now - bytes
		})
	})
	w.worker.Do(func() {
		if _, err := doc.Change(nil, func(d *delta.Draft) error { return d.At("text").Set(text) }); err != nil {
			w.fail("%s: %v", address, err)
		}
	})
	w.settle()
	value, ok := ref.Value("notes")
	return ok && value.Equal(doc.Value()) && doc.Revision().Number == 1
}
