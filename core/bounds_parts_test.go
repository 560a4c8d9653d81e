package core_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/part"
	"chordsim/core/wire"
)

// rawWorker is a scheduler whose offloaded work is done when the test says so.
type rawWorker struct {
	*rawScheduler
	do, done []func()
}

var _ base.Worker = (*rawWorker)(nil)

func (w *rawWorker) Offload(_ int, do, done func()) {
	w.do, w.done = append(w.do, do), append(w.done, done)
}

// finish does what was offloaded, and lets the host know.
func (w *rawWorker) finish() {
	for len(w.do) > 0 {
		do, done := w.do[0], w.done[0]
		w.do, w.done = w.do[1:], w.done[1:]
		do()
		done()
		w.run()
	}
}

// offloading is a host that inflates beside its turns.
func offloading(t *testing.T, limits base.Limits) (*rawHost, *rawWorker, *rawPeer) {
	w := &rawWorker{rawScheduler: &rawScheduler{}}
	h := &rawHost{core.NewHost(core.Config{Name: "tab", Scheduler: w, Limits: limits, OffloadOver: 1}), t, w.rawScheduler}
	return h, w, h.answer()
}

func deflated(t *testing.T, raw []byte) []byte {
	t.Helper()
	var d part.Deflater
	out, ok := d.Append(nil, raw)
	if !ok {
		t.Fatal("not deflated")
	}
	return out
}

const inflatedText = 20_000

// boundDeflated is the answer to hold 0: a text, deflated.
func boundDeflated(t *testing.T) []byte {
	value := delta.Object(delta.Field{Key: "reply", Value: delta.String(text(inflatedText))})
	raw := wire.AppendSnapshot(nil, value, &wire.Dict{}, &wire.Told{}, &wire.Used{})
	member := wire.BoundMember{Name: "notes", Revision: wire.Revision{Epoch: 1}, Part: deflated(t, raw), Deflated: true}
	return wire.Bound{Members: []wire.BoundMember{member}}.Append(wire.Binary, nil)
}

// appends is a state message that appends an x to the text of hold 0.
func appends(from uint64) []byte {
	ops := []delta.Op{{Code: delta.OpAppend, Path: delta.PathOf("reply"), Text: delta.NewText("x")}}
	part := wire.AppendOps(nil, ops, &wire.Dict{}, &wire.Told{}, &wire.Used{})
	return entry(nil, 0, wire.Section{Base: from, Span: 1, Ops: part})
}

// backlogLab has a snapshot inflated, and limits under which the bytes that may wait behind it are known: four times two
// windows of 4,096, a chunk's 64 for each of their two chunks, one answer of a chunk and two words for the one hold.
func backlogLab(t *testing.T) (*rawHost, *rawWorker, *rawPeer, *core.Reference) {
	h, w, p := offloading(t, base.Limits{WindowBytes: 4096, BulkBytes: 4096, RunningCalls: 1, Holds: 1})
	var r *core.Reference
	h.do(func() { r = h.Get("A") })
	p.say(wire.TypeBound, boundDeflated(t))
	if wantState(t, r, core.StateResolving); len(w.do) != 1 {
		t.Fatalf("%d parts are inflated beside the turns, want 1", len(w.do))
	}
	return h, w, p, r
}

const backlogBytes = 4 * (2*4096 + 2*64 + (4096 + 64) + 2*64)

// wantAppended checks how many characters were appended to the text.
func wantAppended(t *testing.T, r *core.Reference, n int) {
	t.Helper()
	if got, want := reply(r), text(inflatedText)+strings.Repeat("x", n); got != want {
		t.Errorf("a text of %d characters, want %d and %d x", len(got), inflatedText, n)
	}
}

// Small chunks cost more than their bytes. As many as the bound has room for are kept, and read in order.
func TestSmallChunksWaitBehindWhatIsInflated(t *testing.T) {
	_, w, p, r := backlogLab(t)
	fit := backlogBytes / (len(appends(0)) + 64)
	for i := range fit {
		p.say(wire.TypeState, appends(uint64(i)))
	}
	chunks, bytes := core.Backlog(r)
	if wantInt(t, "chunks that wait", chunks, fit); bytes > backlogBytes || p.closed {
		t.Errorf("%d bytes wait, at most %d; closed: %v", bytes, backlogBytes, p.closed)
	}
	p.out = nil
	w.finish()
	wantState(t, r, core.StateLive)
	wantAppended(t, r, fit)
	if chunks, bytes = core.Backlog(r); chunks != 0 || bytes != 0 {
		t.Errorf("%d chunks and %d bytes wait in the end", chunks, bytes)
	}
	credit, err := wire.ParseCredit(wire.Binary, p.body(wire.TypeCredit))
	if want := (wire.Credit{State: uint64(fit), Bulk: 1}); err != nil || credit != want {
		t.Errorf("credit %+v (%v), want %+v", credit, err, want)
	}
	p.say(wire.TypeState, appends(uint64(fit))) // the bound is there again for the next message
	wantAppended(t, r, fit+1)
}

// One chunk more, of whatever size, closes the link. What was said before still counts.
func TestChunksBeyondAllWindowsCloseTheLink(t *testing.T) {
	for why, body := range map[string][]byte{"small ones": nil, "empty ones": {}, "large ones": make([]byte, wire.MaxChunk)} {
		_, w, p, r := backlogLab(t)
		size := len(body)
		if body == nil {
			size = len(appends(0))
		}
		fit := backlogBytes / (size + 64)
		for i := range 10 * fit {
			if body == nil {
				p.say(wire.TypeState, appends(uint64(i)))
			} else {
				p.send(wire.Header{Type: wire.TypeStateMore, Slot: 1, More: true}, body)
			}
			if p.closed {
				wantInt(t, why+" that were taken", i, fit)
				break
			}
		}
		if p.bye() != base.CodeLimit {
			t.Errorf("%s: the link is open, or closed with %v", why, p.bye())
		}
		wantState(t, r, core.StateDown)
		wantCode(t, why, r.Err(), base.CodeLimit)
		if body == nil {
			wantAppended(t, r, fit)
		}
		w.finish()
		if left := core.LeftAtClient(r); len(left) > 0 {
			t.Errorf("%s: %s is kept", why, strings.Join(left, ", "))
		}
	}
}

// What an honest provider may have under way fits: full windows, an answer to each call, a word for each hold.
func TestAllWindowsFitBehindWhatIsInflated(t *testing.T) {
	h, _, p := offloading(t, base.Limits{})
	var r *core.Reference
	h.do(func() { r = h.Get("A") })
	p.say(wire.TypeBound, boundDeflated(t))
	l := base.Limits{}.WithDefaults()
	full := make([]byte, wire.MaxChunk)
	say := func(n int, typ wire.Type, body []byte) {
		for range n {
			p.say(typ, body)
		}
	}
	say(l.WindowBytes/wire.MaxChunk, wire.TypeState, full)
	say(l.BulkBytes/wire.MaxChunk, wire.TypeBound, full)
	say(l.RunningCalls, wire.TypeResult, full)
	say(2*l.Holds, wire.TypeReleased, full[:3])
	if chunks, _ := core.Backlog(r); p.closed || chunks != 64+16+256+8192 {
		t.Errorf("%d chunks wait, closed: %v", chunks, p.closed)
	}
}

// A result is inflated, two wait behind it, one will never come, and a call was not sent yet as the link is lost. Results
// that came count, the others settle with an error, each once; what the worker says later is nobody's business.
func TestALinkIsLostWhileAResultIsInflated(t *testing.T) {
	h, w, p := offloading(t, base.Limits{RunningCalls: 4})
	var r *core.Reference
	h.do(func() { r = h.Get("A") })
	p.say(wire.TypeBound, wire.Bound{Members: []wire.BoundMember{{Name: "m", Part: wire.AppendValue(nil, delta.Int(1))}}}.Append(wire.Binary, nil))
	var inflated, next, behind, unanswered, unsent outcome
	h.do(func() {
		for _, o := range []*outcome{&inflated, &next, &behind, &unanswered, &unsent} {
			r.Call("x", nil, o.done)
		}
	})
	large := wire.AppendValue(nil, delta.String(text(inflatedText)))
	for id := range uint64(2) {
		p.say(wire.TypeResultBulk, wire.Result{ID: id, Value: deflated(t, large), Deflated: true}.Append(wire.Binary, nil))
	}
	p.say(wire.TypeResult, wire.Result{ID: 2, Value: wire.AppendValue(nil, delta.Int(5))}.Append(wire.Binary, nil))
	if chunks, _ := core.Backlog(r); inflated.settled+next.settled+behind.settled != 0 || chunks != 2 {
		t.Fatalf("%d chunks wait, and %d results are seen", chunks, inflated.settled+next.settled+behind.settled)
	}
	p.out = nil
	p.conn.Closed(errors.New("cut"))
	check := func(when string) {
		t.Helper()
		inflated.wantOnce(t, when+": being inflated", base.CodeNone)
		next.wantOnce(t, when+": to be inflated next", base.CodeNone)
		behind.wantOnce(t, when+": behind both", base.CodeNone)
		unanswered.wantOnce(t, when+": sent, without an answer", base.CodeUnknown)
		unsent.wantOnce(t, when+": not sent", base.CodeDown)
		if inflated.value.Text().String() != text(inflatedText) || !next.value.Equal(inflated.value) || !behind.value.Equal(delta.Int(5)) {
			t.Errorf("%s: the results are %.20v and %v", when, inflated.value, behind.value)
		}
		if left := core.LeftAtClient(r); len(left) > 0 || len(p.out) > 0 {
			t.Errorf("%s: %s is kept, %v was written", when, strings.Join(left, ", "), p.types())
		}
	}
	check("as the link was lost")
	stats := h.Stats()
	w.finish()
	check("once the worker is through")
	if now := h.Stats(); now.Inflated != stats.Inflated || now.Inflated != 2 || now.PartsParsed != stats.PartsParsed {
		t.Errorf("the worker's late result was read: %+v, before %+v", now, stats)
	}
}

// The same with a snapshot: the reference was live for a moment, and keeps what it saw. Its parked call was never written,
// so its outcome is known.
func TestALinkIsLostWhileASnapshotIsInflated(t *testing.T) {
	h, w, p := offloading(t, base.Limits{})
	var r *core.Reference
	var parked outcome
	var seen []int
	h.do(func() {
		r = h.Get("A")
		r.Call("x", nil, parked.done)
		r.Watch("notes", func(core.Frame) { seen = append(seen, len(reply(r))) })
	})
	p.say(wire.TypeBound, boundDeflated(t))
	p.say(wire.TypeState, appends(0))
	p.conn.Closed(nil)
	for _, when := range []string{"as the link was lost", "once the worker is through"} {
		wantState(t, r, core.StateDown)
		wantAppended(t, r, 1)
		if !slices.Equal(seen, []int{inflatedText, inflatedText + 1}) {
			t.Errorf("%s: the watch saw texts of %d characters", when, seen)
		}
		parked.wantOnce(t, when+": parked", base.CodeDown)
		if left := core.LeftAtClient(r); len(left) > 0 {
			t.Errorf("%s: %s is kept", when, strings.Join(left, ", "))
		}
		w.finish()
	}
}

// A part that is damaged is found out beside the turns: the link closes then, and what waited is not read.
func TestADamagedPartIsFoundBesideTheTurns(t *testing.T) {
	h, w, p := offloading(t, base.Limits{})
	var r *core.Reference
	h.do(func() { r = h.Get("A") })
	bad := boundDeflated(t)
	for i := range 8 {
		bad[len(bad)-20+i] ^= 0xff
	}
	p.say(wire.TypeBound, bad)
	p.say(wire.TypeState, appends(0))
	if p.closed {
		t.Fatal("the link closed before the part was inflated")
	}
	w.finish()
	if p.bye() != base.CodeProtocol {
		t.Errorf("the link is open, or closed with %v", p.bye())
	}
	wantState(t, r, core.StateDown)
	if _, ok := r.Value("notes"); ok || len(core.LeftAtClient(r)) > 0 {
		t.Errorf("a value: %v; %v is kept", ok, core.LeftAtClient(r))
	}
}
