package core_test

import (
	"fmt"
	"slices"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/wire"
	"chordsim/sim"
	"chordsim/sim/netsim"
)

// couple is an object of two members, and a call that the test settles, or that changes both at once.
type couple struct {
	a, b *core.Document
	open *core.Call
}

func newCouple() *couple { return &couple{a: replyDoc(), b: replyDoc()} }

func replyDoc() *core.Document {
	return core.NewDocument(delta.Object(delta.Field{Key: "reply", Value: delta.String("")}))
}

func (c *couple) object(t testing.TB) core.Object {
	return core.Object{State: core.Members{"a": c.a, "b": c.b}, Methods: core.Methods{
		"later": func(call *core.Call) (delta.Value, error) {
			c.open = call
			call.Defer()
			return delta.Null(), nil
		},
		"both": func(call *core.Call) (delta.Value, error) {
			appendFor(t, call, c.a)
			appendFor(t, call, c.b)
			return delta.Null(), nil
		},
	}}
}

// appendFor appends a character to a document's reply, on behalf of a call.
func appendFor(t testing.TB, c *core.Call, doc *core.Document) {
	t.Helper()
	if _, err := doc.Change(c, func(d *delta.Draft) error { return d.At("reply").Append("!") }); err != nil {
		t.Error(err)
	}
}

// wantAfter checks what the only result among what was written has to wait for.
func wantAfter(t *testing.T, why string, p *rawPeer, want ...wire.After) wire.Result {
	t.Helper()
	m, err := wire.ParseResult(wire.Binary, p.body(wire.TypeResult))
	if err != nil || !slices.Equal(m.After, want) {
		t.Errorf("%s: the result is after %v (%v), want %v", why, m.After, err, want)
	}
	return m
}

// A call changed two members of a hold: one change was sent and is not credited, the other pends. Its result waits for the
// entry of the other, whichever member it touched first.
func TestAResultWaitsForTheLatestEntryOfAHold(t *testing.T) {
	for why, row := range map[string]struct {
		method string
		play   func(h *rawHost, p *rawPeer, c *couple)
		want   wire.After
	}{
		"sent first": {"later", func(h *rawHost, p *rawPeer, c *couple) {
			h.do(func() { appendFor(t, c.open, c.a) })
			h.do(func() { appendFor(t, c.open, c.b); c.open.Settle(delta.Null(), nil) })
		}, wire.After{Hold: 0, Entry: 2}},
		"pending first": {"later", func(h *rawHost, p *rawPeer, c *couple) {
			h.do(func() { appendFor(t, c.open, c.b) })
			p.creditAll()
			h.do(func() { appendFor(t, c.open, c.a) })
			h.do(func() { appendFor(t, c.open, c.b); c.open.Settle(delta.Null(), nil) })
		}, wire.After{Hold: 0, Entry: 3}},
		"not deferred": {"both", func(*rawHost, *rawPeer, *couple) {}, wire.After{Hold: 0, Entry: 2}},
	} {
		h, c := newRawHost(t, "worker", base.Limits{WindowMessages: 1}), newCouple()
		h.Expose("Couple", c.object(t))
		p := h.dial()
		p.hold(0, "Couple")
		p.creditAll()
		if row.method == "both" { // of one turn all is sent, or all pends
			h.do(func() { appendFor(t, nil, c.a) })
		}
		p.call(0, 0, row.method, nil)
		row.play(h, p, c)
		if got := len(p.states(t)); got != 1 {
			t.Fatalf("%s: %d state messages in a window of 1", why, got)
		}
		wantAfter(t, why, p, row.want)
	}
}

// The caller of such a call sees both changes with its result (C15).
func TestAResultIsSeenBehindBothChangesOfAnObject(t *testing.T) {
	codecs(t, func(t *testing.T, codec wire.Codec) {
		l := newLabIn(t, sim.Config{Codec: codec, Limits: base.Limits{WindowMessages: 1}}, slow(4*base.KiB))
		c := newCouple()
		l.worker.Core().Expose("Couple", c.object(t))
		r := l.hold(l.tab, "Couple")
		l.settle()
		seen := 0
		l.at(l.tab, func() {
			r.Call("later", nil, func(delta.Value, error) {
				seen++
				for _, member := range []string{"a", "b"} {
					if rev, _ := r.Revision(member); rev.Number != 1 {
						t.Errorf("the result was seen with %s at revision %d, want 1", member, rev.Number)
					}
				}
			})
		})
		for c.open == nil {
			l.run(base.Second)
		}
		l.at(l.worker, func() { appendFor(t, c.open, c.a) })
		l.at(l.worker, func() { appendFor(t, c.open, c.b); c.open.Settle(delta.Null(), nil) })
		l.settle()
		wantInt(t, "results", seen, 1)
	})
}

// refusedResults are results that no message may carry, with the code that comes instead. The limits are those of
// refusing.
var refusedResults = map[string]struct {
	code   base.Code
	answer func(*core.Call) (delta.Value, error)
}{
	"too large a message": {base.CodeLimit, func(c *core.Call) (delta.Value, error) {
		c.Attach(make([]byte, 9000), make([]byte, 9000), make([]byte, 9000))
		return delta.Null(), nil
	}},
	"too large a value": {base.CodeLimit, func(*core.Call) (delta.Value, error) { return delta.String(text(11_000)), nil }},
	"too large a part": {base.CodeLimit, func(c *core.Call) (delta.Value, error) {
		c.Attach(make([]byte, 11_000))
		return delta.Null(), nil
	}},
	"too deep a value": {base.CodeInternal, func(*core.Call) (delta.Value, error) {
		v := delta.List()
		for range delta.MaxDepth {
			v = delta.List(v)
		}
		return v, nil
	}},
	"an error of its own": {base.CodeRefused, fail},
}

var refusing = base.Limits{WindowMessages: 1, MessageBytes: 20_000, PartBytes: 10_000}

// refusingObject has a method for each of them, which writes first.
func refusingObject(t testing.TB, doc *core.Document) core.Object {
	methods := core.Methods{}
	for why, row := range refusedResults {
		methods[why] = func(c *core.Call) (delta.Value, error) {
			appendFor(t, c, doc)
			return row.answer(c)
		}
	}
	return core.Object{State: core.Members{"notes": doc}, Methods: methods}
}

// A result that turns into an error keeps its place behind what its call wrote.
func TestARefusedResultIsAfterItsWrites(t *testing.T) {
	for why, row := range refusedResults {
		h, doc := newRawHost(t, "worker", refusing), replyDoc()
		h.Expose("Desk", refusingObject(t, doc))
		p := h.dial()
		p.hold(0, "Desk")
		p.creditAll()
		p.call(0, 0, why, nil)
		if got := fmt.Sprint(p.types()); got != "[state result-ordered]" {
			t.Errorf("%s: %s, want the state and the result behind it", why, got)
		}
		m, err := wire.ParseResult(wire.Binary, p.body(wire.TypeResultOrdered))
		if err != nil || m.Err == nil || m.Err.Code != row.code || len(m.After) != 0 {
			t.Errorf("%s: %+v (%v), want the code %v and nothing to wait for", why, m, err, row.code)
		}
		p.call(0, 1, why, nil) // the window is full: what it writes pends
		if m = wantAfter(t, why, p, wire.After{Hold: 0, Entry: 2}); m.Err == nil || m.Err.Code != row.code {
			t.Errorf("%s: %+v, want the code %v", why, m, row.code)
		}
	}
}

// A caller sees an error instead of a result no sooner than what its call wrote (C15).
func TestAnErrorIsSeenBehindTheWrites(t *testing.T) {
	codecs(t, func(t *testing.T, codec wire.Codec) {
		l := newLabIn(t, sim.Config{Codec: codec, Limits: refusing}, slow(4*base.KiB))
		doc := replyDoc()
		l.worker.Core().Expose("Desk", refusingObject(t, doc))
		r := l.hold(l.tab, "Desk")
		l.settle()
		for why, row := range refusedResults {
			l.at(l.worker, func() { appendFor(t, nil, doc) }) // fills the window
			var o outcome
			var number uint64
			l.at(l.tab, func() {
				r.Call(why, nil, func(v delta.Value, err error) {
					o.done(v, err)
					rev, _ := r.Revision("notes")
					number = rev.Number
				})
			})
			l.settle()
			o.wantOnce(t, why, row.code)
			wantInt(t, why+": revision seen with the error", int(number), int(doc.Revision().Number))
			wantState(t, r, core.StateLive)
		}
	})
}

// What a result waits for counts in the limit on a message: with many holds it takes more than its value leaves room for.
func TestWatermarksCountInTheLimitOfAMessage(t *testing.T) {
	const limit, holds = 20_000, 200
	codecs(t, func(t *testing.T, codec wire.Codec) {
		l := newLabIn(t, sim.Config{Codec: codec, Limits: base.Limits{WindowMessages: 1, MessageBytes: limit}}, netsim.Memory)
		doc := replyDoc()
		l.worker.Core().Expose("Desk", core.Object{State: core.Members{"notes": doc}, Methods: core.Methods{
			"read": func(c *core.Call) (delta.Value, error) { return delta.String(text(int(c.Arg.Number()))), nil },
			"write": func(c *core.Call) (delta.Value, error) {
				appendFor(t, c, doc)
				return delta.String(text(int(c.Arg.Number()))), nil
			},
		}})
		var refs []*core.Reference
		for range holds {
			refs = append(refs, l.hold(l.tab, "Desk"))
		}
		l.settle()
		call := func(method string, n int) *outcome {
			var o outcome
			l.stall()
			l.at(l.worker, func() { appendFor(t, nil, doc) }) // fills the window
			l.at(l.tab, func() { refs[0].Call(method, n, o.done) })
			l.resume()
			l.settle()
			if o.settled != 1 || o.err == nil && o.value.Len() != n {
				t.Fatalf("%s of %d characters: settled %d times (%v)", method, n, o.settled, o.err)
			}
			wantState(t, refs[0], core.StateLive)
			return &o
		}
		call("write", limit-40*holds).wantOnce(t, "with room for all watermarks", base.CodeNone)
		refused := 0
		for n := limit - 2000; n < limit-50; n += 150 {
			call("read", n).wantOnce(t, "a result that waits for nothing", base.CodeNone)
			if o := call("write", n); o.err != nil {
				o.wantOnce(t, "a result with its watermarks", base.CodeLimit)
				refused++
			}
		}
		if refused == 0 {
			t.Error("no result was refused for what it waits for")
		}
	})
}
