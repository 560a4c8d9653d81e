package core_test

import (
	"fmt"
	"slices"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/part"
	"chordsim/core/wire"
	"chordsim/sim"
)

// sized returns what encode makes of so many characters that it has n bytes.
func sized(t *testing.T, n int, encode func(characters int) []byte) []byte {
	t.Helper()
	for characters := n; characters >= 0; characters-- {
		if b := encode(characters); len(b) == n {
			return b
		}
	}
	t.Fatalf("no text is encoded in %d bytes", n)
	return nil
}

// sizedValue is a value that stands alone, or a snapshot, of n bytes.
func sizedValue(t *testing.T, n int) []byte {
	return sized(t, n, func(characters int) []byte { return wire.AppendValue(nil, delta.String(text(characters))) })
}

// sizedChange is a batch of n bytes that sets a document to a text.
func sizedChange(t *testing.T, n int) []byte {
	return sized(t, n, func(characters int) []byte { return opsOf(wire.Binary, delta.String(text(characters))) })
}

// opsOf is the batch that replaces a document's value.
func opsOf(codec wire.Codec, v delta.Value) []byte {
	return codec.AppendOps(nil, []delta.Op{delta.Replace(v)}, &wire.Dict{}, &wire.Told{}, &wire.Used{})
}

// packed is the deflated form of a part.
func packed(t *testing.T, raw []byte) []byte {
	t.Helper()
	var d part.Deflater
	out, ok := d.Append(nil, raw)
	if !ok {
		t.Fatalf("a part of %d bytes is not smaller when deflated", len(raw))
	}
	return out
}

// consuming is a host that asks its peer for an object, whose answer to hold 0 is next.
func consuming(t *testing.T, cfg core.Config) (*rawHost, *rawPeer, *core.Reference) {
	h := &rawHost{t: t}
	switch s := cfg.Scheduler.(type) {
	case *countingWorker:
		h.sched = s.rawScheduler
	default:
		h.sched = &rawScheduler{}
		cfg.Scheduler = h.sched
	}
	cfg.Name = "tab"
	h.Host = core.NewHost(cfg)
	p := h.answer()
	var r *core.Reference
	h.do(func() { r = h.Get("A") })
	return h, p, r
}

// boundTo answers hold 0 with members of those parts, at revision 0.
func (p *rawPeer) boundTo(deflated bool, parts ...[]byte) {
	m := wire.Bound{ID: 0}
	for i, b := range parts {
		m.Members = append(m.Members, wire.BoundMember{
			Name: fmt.Sprint("m", i), Revision: wire.Revision{Epoch: 1}, Part: b, Deflated: deflated,
		})
	}
	p.say(wire.TypeBound, m.Append(wire.Binary, nil))
}

// changed tells hold 0 of a change of each member.
func (p *rawPeer) changed(deflated bool, parts ...[]byte) {
	body := wire.AppendEntry(wire.Binary, nil, 0)
	for i, b := range parts {
		body = wire.Section{Member: i, Span: 1, Ops: b, Deflated: deflated}.Append(wire.Binary, body, i+1 < len(parts))
	}
	p.say(wire.TypeState, wire.EndState(wire.Binary, body))
}

// incoming are the ways in which parts come to a consumer whose reference has as many members: a snapshot, a change of each,
// a result with bytes beside it.
var incoming = map[string]func(*rawHost, *rawPeer, *core.Reference, bool, ...[]byte){
	"snapshot": func(_ *rawHost, p *rawPeer, _ *core.Reference, deflated bool, parts ...[]byte) {
		p.boundTo(deflated, parts...)
	},
	"change": func(_ *rawHost, p *rawPeer, _ *core.Reference, deflated bool, parts ...[]byte) {
		p.boundTo(false, slices.Repeat([][]byte{wire.AppendValue(nil, delta.Null())}, len(parts))...)
		p.changed(deflated, parts...)
	},
	"result": func(h *rawHost, p *rawPeer, r *core.Reference, deflated bool, parts ...[]byte) {
		p.boundTo(false)
		h.do(func() { r.Call("x", nil, nil) })
		m := wire.Result{Value: parts[0], Bytes: parts[1:], Deflated: deflated}
		if deflated {
			m.DeflatedBytes = 1<<len(m.Bytes) - 1
		}
		p.say(wire.TypeResult, m.Append(wire.Binary, nil))
	},
}

// partOf is a part of n bytes for a way in.
func partOf(t *testing.T, way string, n int) []byte {
	if way == "change" {
		return sizedChange(t, n)
	}
	return sizedValue(t, n)
}

// wantTaken checks that what came was taken, or that the link was closed for a limit and nothing of it is seen (C14).
func wantTaken(t *testing.T, why string, p *rawPeer, r *core.Reference, taken bool) {
	t.Helper()
	if taken {
		if p.closed || r.State() != core.StateLive {
			t.Errorf("%s: the link is closed with %v, the reference %v", why, p.bye(), r.State())
		}
		return
	}
	if !p.closed || p.bye() != base.CodeLimit || r.State() != core.StateDown {
		t.Errorf("%s: closed: %v, with %v, the reference %v; want it closed for the limit", why, p.closed, p.bye(), r.State())
	}
	wantCode(t, why, r.Err(), base.CodeLimit)
	for _, member := range r.Members() {
		if v, _ := r.Value(member); !v.IsNull() {
			t.Errorf("%s: %s is seen as %.20v", why, member, v)
		}
	}
}

// Whatever part comes, it is taken up to the limit on one, and closes the link beyond.
func TestAPartThatComesIsBounded(t *testing.T) {
	const limit = 1000
	for way, bring := range incoming {
		for _, sizes := range [][]int{{limit}, {limit, limit}, {limit + 1}, {10, limit + 1}} {
			var parts [][]byte
			for _, n := range sizes {
				parts = append(parts, partOf(t, way, n))
			}
			h, p, r := consuming(t, core.Config{Limits: base.Limits{PartBytes: limit}})
			bring(h, p, r, false, parts...)
			wantTaken(t, fmt.Sprintf("%s of %d bytes", way, sizes), p, r, sizes[len(sizes)-1] <= limit)
		}
	}
}

// The deflated parts of a message inflate to the limit and no further, and nothing is inflated that has no room.
func TestThePartsOfAMessageInflateToTheLimit(t *testing.T) {
	const first, second = 20_000, 30_000
	for way, bring := range incoming {
		parts := [][]byte{packed(t, partOf(t, way, first)), packed(t, partOf(t, way, second))}
		for limit, taken := range map[int]bool{first + second: true, first + second - 1: false} {
			h, p, r := consuming(t, core.Config{Limits: base.Limits{InflatedBytes: limit}})
			bring(h, p, r, true, parts...)
			wantTaken(t, fmt.Sprintf("%s of %d bytes, at most %d", way, first+second, limit), p, r, taken)
			if n := h.Stats().Inflated; taken && n != 2 || !taken && n > 1 { // a change is inflated as it is read
				t.Errorf("%s, at most %d bytes: %d parts are inflated", way, limit, n)
			}
		}
	}
}

// A provider deflates parts of a message as long as all of them together stay within the limit.
func TestThePartsOfAMessageAreDeflatedToTheLimit(t *testing.T) {
	const first, second, third = 40_000, 30_000, 20_000
	for limit, want := range map[int]int64{
		first + second + third:     3,
		first + second + third - 1: 2,
		first + third:              2, // the second has no room, the third has
		first + third - 1:          1,
		first:                      1,
		first - 1:                  1, // of the second alone
	} {
		codecs(t, func(t *testing.T, codec wire.Codec) {
			l, desk := partsLab(t, sim.Config{Codec: codec, Deflate: true, Limits: base.Limits{InflatedBytes: limit}})
			sent := [][]byte{[]byte(prose(first)), []byte(prose(second)), []byte(prose(third))}
			var o outcome
			l.at(l.tab, func() { desk.Call("bytes", nil, o.done, core.WithBytes(sent...)) })
			l.settle()
			o.wantOnce(t, "three parts", base.CodeNone)
			wantInt(t, fmt.Sprintf("parts inflated, of at most %d bytes", limit), l.tab.Core().Stats().Inflated, want)
		})
	}
}

// A change that finds no room in a state message goes as it is, and takes none from those behind it: of the same hold, or of
// the next ones.
func TestAChangeWithoutRoomIsNotDeflated(t *testing.T) {
	sizes := []int{40_000, 60_000, 20_000}
	for _, why := range []string{"one hold", "three holds"} {
		for short, want := range []int64{2, 1} { // so many bytes less than the first and the last take
			codecs(t, func(t *testing.T, codec wire.Codec) {
				limit := len(opsOf(codec, delta.String(prose(sizes[0])))) + len(opsOf(codec, delta.String(prose(sizes[2])))) - short
				l := snapshotLab(t, sim.Config{Codec: codec, Limits: base.Limits{InflatedBytes: limit}})
				docs := []*core.Document{textDoc(0), textDoc(0), textDoc(0)}
				var refs []*core.Reference
				if why == "one hold" {
					l.worker.Core().Expose("D", core.Object{State: core.Members{"0": docs[0], "1": docs[1], "2": docs[2]}})
					r := l.hold(l.tab, "D")
					refs = []*core.Reference{r, r, r}
				} else {
					for i, doc := range docs {
						address := fmt.Sprint("D", i)
						l.worker.Core().Expose(address, core.Object{State: core.Members{fmt.Sprint(i): doc}})
						refs = append(refs, l.hold(l.tab, address))
					}
				}
				l.settle()
				l.at(l.worker, func() {
					for i, doc := range docs {
						if _, err := doc.Change(nil, func(d *delta.Draft) error { return d.At().Set(prose(sizes[i])) }); err != nil {
							t.Error(err)
						}
					}
				})
				l.settle()
				for i, r := range refs {
					if v, _ := r.Value(fmt.Sprint(i)); r.State() != core.StateLive || !v.Equal(docs[i].Value()) {
						t.Errorf("%s: the reference is %v, its value %.20v", why, r.State(), v)
					}
				}
				wantInt(t, why+": state messages", l.stats().StateMessages, 1)
				wantInt(t, why+": parts inflated", l.tab.Core().Stats().Inflated, want)
			})
		}
	}
}

// countingWorker is a scheduler that counts what is offloaded to it, by size, and does it when the test says so.
type countingWorker struct {
	*rawScheduler
	sizes []int
	work  []func()
}

var _ base.Worker = (*countingWorker)(nil)

func (w *countingWorker) Offload(size int, do, done func()) {
	w.sizes = append(w.sizes, size)
	w.work = append(w.work, func() { do(); done() })
}

func (w *countingWorker) finish() {
	for len(w.work) > 0 {
		work := w.work[0]
		w.work = w.work[1:]
		work()
		w.run()
	}
}

// A snapshot or a result is inflated beside the turns from OffloadOver inflated bytes on, all its parts together; a change
// never is.
func TestInflatingIsOffloadedFromItsSizeOn(t *testing.T) {
	const first, second = 20_000, 30_000
	for way, bring := range incoming {
		parts := [][]byte{packed(t, partOf(t, way, first)), packed(t, partOf(t, way, second))}
		for over, want := range map[int]bool{
			0: false, 1: true, first: true, first + second - 1: true, first + second: true, first + second + 1: false,
		} {
			why := fmt.Sprintf("%s of %d bytes, offloaded from %d on", way, first+second, over)
			w := &countingWorker{rawScheduler: &rawScheduler{}}
			h, p, r := consuming(t, core.Config{OffloadOver: over, Scheduler: w})
			bring(h, p, r, true, parts...)
			if way == "change" {
				want = false
			}
			switch {
			case !want && len(w.sizes) > 0:
				t.Errorf("%s: %d are", why, w.sizes)
			case want && (len(w.sizes) != 1 || w.sizes[0] != first+second):
				t.Errorf("%s: %d are", why, w.sizes)
			case want && h.Stats().Inflated != 0:
				t.Errorf("%s: it is inflated in the turn as well", why)
			}
			w.finish()
			wantTaken(t, why, p, r, true)
			wantInt(t, why+": parts inflated", h.Stats().Inflated, 2)
		}
	}
}

// A buffer for values of up to maxScratch bytes is kept from one to the next; a larger one is not, whatever needed it.
func TestABufferForALargeValueIsNotKept(t *testing.T) {
	h := newRawHost(t, "worker", base.Limits{})
	h.Expose("Desk", core.Object{Methods: core.Methods{"text": func(c *core.Call) (delta.Value, error) {
		return delta.String(text(int(c.Arg.Number()))), nil
	}}})
	p := h.dial()
	p.hold(0, "Desk")
	p.creditAll()
	for i, row := range []struct{ value, least, most int }{
		{1000, 1000, 2000}, {16_000, 16_000, 24_000}, {17_000, 0, 0}, {1000, 1000, 2000}, {4 << 20, 0, 0},
	} {
		p.call(0, uint64(i), "text", row.value)
		if room := core.ScratchRoom(h.Host); room < row.least || room > row.most {
			t.Errorf("value %d of %d bytes: %d bytes are kept, want %d to %d", i, row.value, room, row.least, row.most)
		}
		p.creditAll()
	}
}
