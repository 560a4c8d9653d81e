package core_test

import (
	"strings"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/wire"
	"chordsim/sim"
	"chordsim/sim/netsim"
)

// cold has the network away for longer than sessions are kept, and fn run meanwhile.
func (u *uplinkLab) cold(fn func()) {
	u.t.Helper()
	u.way.SetDown(true)
	u.drop()
	u.run(core.Reconnect{}.WithDefaults().Grace + base.Second)
	wantState(u.t, u.ref, core.StateDown)
	fn()
	u.way.SetDown(false)
	u.at(u.tab, u.way.Uplink().Redial)
	u.settle()
	wantState(u.t, u.ref, core.StateLive)
}

// seen is the frames that a watch was told of, and the value that their ops lead to.
type seen struct {
	t      *testing.T
	frames []core.Frame
	value  delta.Value
}

func (s *seen) frame(f core.Frame) {
	from := s.value
	if f.Snapshot {
		from = delta.Null()
	} else if len(s.frames) == 0 || s.frames[len(s.frames)-1].Revision != f.Base {
		s.t.Errorf("a frame leads from %v, which the watch did not see last", f.Base)
	}
	value, err := delta.Apply(from, f.Ops)
	if err != nil || !value.Equal(f.Value) {
		s.t.Errorf("the ops of a frame at %v lead elsewhere than to its value (%v)", f.Revision, err)
	}
	s.frames, s.value = append(s.frames, f), value
}

// wantNext wants so many frames since the last look, the first of them whole or not.
func (s *seen) wantNext(why string, from int, whole ...bool) {
	s.t.Helper()
	if len(s.frames) != from+len(whole) {
		s.t.Fatalf("%s: %d frames, want %d", why, len(s.frames)-from, len(whole))
	}
	for i, want := range whole {
		if f := s.frames[from+i]; f.Snapshot != want {
			s.t.Errorf("%s: frame %d is a snapshot: %v", why, i, f.Snapshot)
		}
	}
}

// TestAColdHoldBringsWhatChanged is the whole of it: one bind of what was committed while there was no session, and one frame for
// those who had seen what it leads from; where nothing was committed, none. Names that the session before had defined are told anew.
func TestAColdHoldBringsWhatChanged(t *testing.T) {
	codecs(t, func(t *testing.T, codec wire.Codec) {
		u := newUplinkLab(t, sim.Config{Codec: codec}, netsim.Memory)
		shared, own := u.get("View"), u.hold(u.tab, "View")
		u.commit(text(2000))
		u.commit("before ")
		u.settle()
		watches := []*seen{{t: t}, {t: t}, {t: t}}
		for i, r := range []*core.Reference{u.ref, shared, own} {
			u.at(u.tab, func() { r.Watch("notes", watches[i].frame) })
		}
		before, late := u.stats(), &seen{t: t}
		u.cold(func() {
			wantReply(t, u.ref, text(2000)+"before ")
			u.at(u.tab, func() { shared.Watch("notes", late.frame) })
			u.commit("meanwhile ")
			u.commit("and more ")
		})
		wantInt(t, "deltas", u.stats().Deltas-before.Deltas, 2)
		wantInt(t, "snapshots", u.stats().Snapshots-before.Snapshots, 0)
		for _, w := range watches {
			w.wantNext("changed meanwhile", 1, false)
		}
		late.wantNext("set meanwhile", 0, true)
		wantReply(t, own, text(2000)+"before meanwhile and more ")

		u.commit("then ")
		u.settle()
		u.cold(func() {})
		for _, w := range watches {
			w.wantNext("nothing was committed meanwhile", 2, false)
		}
		late.wantNext("nothing was committed meanwhile", 1, false)
		wantInt(t, "deltas", u.stats().Deltas-before.Deltas, 4)
		u.commit("and on")
		u.settle()
		for _, r := range []*core.Reference{u.ref, shared, own} {
			wantReply(t, r, text(2000)+"before meanwhile and more then and on")
		}
	})
}

// TestASmallValueGoesWhole: what was committed is sent only where that is smaller, by the bytes.
func TestASmallValueGoesWhole(t *testing.T) {
	codecs(t, func(t *testing.T, codec wire.Codec) {
		u := newUplinkLab(t, sim.Config{Codec: codec}, netsim.Memory)
		u.commit("short")
		u.settle()
		before := u.stats()
		u.cold(func() {
			u.at(u.worker, func() {
				u.doc.Change(nil, func(d *delta.Draft) error {
					d.At("entries").Set([]any{1, 2, 3})
					return d.At("reply").Set("other")
				})
			})
		})
		wantInt(t, "snapshots", u.stats().Snapshots-before.Snapshots, 1)
		wantInt(t, "deltas", u.stats().Deltas-before.Deltas, 0)
	})
}

// TestWhatIsKeptOfHistory counts the commits that a document keeps, for whom and for how long.
func TestWhatIsKeptOfHistory(t *testing.T) {
	grace := core.Reconnect{}.WithDefaults().Grace
	kept := func(t *testing.T, doc *core.Document, want int, why string) {
		t.Helper()
		wantInt(t, why, core.HistoryLen(doc), want)
	}
	commits := func(h *rawHost, doc *core.Document, n int, s string) {
		for range n {
			h.do(func() { change(h.t, doc, s) })
		}
	}
	follow := func(limits base.Limits) (*rawHost, *core.Document, *rawPeer) {
		h, doc := rawViewWith(t, limits)
		commits(h, doc, 1, text(4000))
		kept(t, doc, 0, "of a document that nobody follows")
		p := h.dial()
		p.hold(0, "View")
		p.creditAll()
		return h, doc, p
	}
	t.Run("by count", func(t *testing.T) {
		h, doc, _ := follow(base.Limits{HistoryCommits: 5})
		commits(h, doc, 4, "x")
		kept(t, doc, 4, "below the bound")
		commits(h, doc, 4, "x")
		kept(t, doc, 5, "over the bound")
	})
	t.Run("by bytes", func(t *testing.T) {
		h, doc, _ := follow(base.Limits{HistoryBytes: 1000})
		commits(h, doc, 50, text(100))
		if n := core.HistoryLen(doc); n < 7 || n > 9 {
			t.Errorf("%d commits of about 110 bytes are kept in 1,000", n)
		}
		commits(h, doc, 1, text(2000))
		kept(t, doc, 0, "behind one that is larger than the bound")
	})
	t.Run("by the value", func(t *testing.T) {
		h, doc, _ := follow(base.Limits{})
		commits(h, doc, 20, text(100))
		h.do(func() { doc.Change(nil, func(d *delta.Draft) error { return d.At("reply").Set("short") }) })
		kept(t, doc, 1, "of a value that became small")
		commits(h, doc, 3, text(12))
		if n := core.HistoryLen(doc); n > 3 {
			t.Errorf("%d commits are kept, which take more than the value", n)
		}
	})
	t.Run("none", func(t *testing.T) {
		h, doc, p := follow(base.Limits{HistoryBytes: -1})
		commits(h, doc, 5, "x")
		p.conn.Closed(nil)
		commits(h, doc, 5, "x")
		kept(t, doc, 0, "where none is to be")
	})
	t.Run("until the last release", func(t *testing.T) {
		h, doc, p := follow(base.Limits{})
		commits(h, doc, 2, "x")
		p.say(wire.TypeRelease, wire.AppendHoldID(wire.Binary, nil, 0))
		kept(t, doc, 0, "once released")
		commits(h, doc, 2, "x")
		kept(t, doc, 0, "since")
	})
	t.Run("for a grace", func(t *testing.T) {
		h, doc, p := follow(base.Limits{})
		commits(h, doc, 2, "x")
		p.conn.Closed(nil) // at once, of a peer that cannot go on
		h.sched.advance(grace - 1)
		commits(h, doc, 2, "x")
		kept(t, doc, 4, "within the grace")
		h.sched.advance(1)
		kept(t, doc, 0, "behind it")
		commits(h, doc, 2, "x")
		kept(t, doc, 0, "since")
	})
	t.Run("for a grace of each document", func(t *testing.T) {
		h, doc, p := follow(base.Limits{})
		other := core.NewDocument(delta.Object(delta.Field{Key: "reply", Value: delta.String(strings.Repeat("y", 4000))}))
		h.Expose("Other", core.Object{State: core.Members{"notes": other}})
		q := h.dial()
		q.hold(0, "Other")
		q.creditAll()
		commits(h, doc, 2, "x")
		commits(h, other, 3, "x")
		p.conn.Closed(nil)
		h.sched.advance(grace / 2)
		q.conn.Closed(nil)
		h.sched.advance(grace / 2)
		kept(t, doc, 0, "of the first, a grace later")
		kept(t, other, 3, "of the second, half a grace later")
		h.sched.advance(grace / 2)
		kept(t, other, 0, "of the second, a grace later")
	})
	t.Run("for the grace of the last one", func(t *testing.T) {
		h, doc, p := follow(base.Limits{})
		q := h.dial()
		q.hold(0, "View")
		q.creditAll()
		p.conn.Closed(nil)
		h.sched.advance(grace / 2)
		commits(h, doc, 3, "x")
		q.conn.Closed(nil)
		h.sched.advance(grace / 2)
		kept(t, doc, 3, "half a grace after the second")
		h.sched.advance(grace)
		kept(t, doc, 0, "two graces after the first")
	})
}

// TestAHostWithoutHistoryNamesNothing, whatever the provider keeps.
func TestAHostWithoutHistoryNamesNothing(t *testing.T) {
	u := newUplinkLab(t, sim.Config{Limits: base.Limits{HistoryBytes: -1}}, netsim.Memory)
	before := u.log.bytes["worker hold"]
	u.cold(func() {})
	wantInt(t, "snapshots", u.stats().Snapshots, 2)
	wantInt(t, "bytes of the hold", u.log.bytes["worker hold"]-before, len("h")+len("\x00\x04View\x00"))
}

// TestAHoldOverAChunkNamesNothing: the names of the members would not fit.
func TestAHoldOverAChunkNamesNothing(t *testing.T) {
	u := newUplinkLab(t, sim.Config{}, netsim.Memory)
	state := core.Members{}
	for i := range 6 {
		state[strings.Repeat("m", 1000)+string(rune('a'+i))] = textDoc(100)
	}
	u.worker.Core().Expose("Wide", core.Object{State: state})
	r := u.get("Wide")
	u.settle()
	before := u.stats()
	u.cold(func() {})
	wantState(t, r, core.StateLive)
	wantInt(t, "snapshots", u.stats().Snapshots-before.Snapshots, 6)
}

// TestBadChangesOfWhatIsKnown are answers to a hold that names a revision. Each closes the link with a code and leaves what was
// seen; the next hold then names nothing.
func TestBadChangesOfWhatIsKnown(t *testing.T) {
	was := delta.Object(delta.Field{Key: "reply", Value: delta.String(text(100))})
	is, other := delta.Object(delta.Field{Key: "reply", Value: delta.String(text(100) + "x")}), delta.Int(1)
	grow := []delta.Op{{Code: delta.OpAppend, Path: delta.PathOf("reply"), Text: delta.NewText("x")}}
	misfit := []delta.Op{{Code: delta.OpAppend, Path: delta.PathOf("no", "where"), Text: delta.NewText("x")}}
	rev := wire.Revision{Epoch: 3, Number: 7}
	next := wire.Revision{Epoch: 3, Number: 8}
	part := func(to delta.Value, ops []delta.Op) []byte {
		return wire.Binary.AppendSince(nil, to, ops, &wire.Dict{}, &wire.Told{}, &wire.Used{})
	}
	snapshot := func(v delta.Value) []byte {
		return wire.AppendSnapshot(nil, v, &wire.Dict{}, &wire.Told{}, &wire.Used{})
	}
	for _, c := range []struct {
		why    string
		member wire.BoundMember
		good   bool
	}{
		{"as it should be", wire.BoundMember{Name: "m", Form: wire.MemberOps, Revision: next, Part: part(is, grow)}, true},
		{"nothing changed", wire.BoundMember{Name: "m", Form: wire.MemberOps, Revision: rev, Part: part(was, nil)}, true},
		{"there and back", wire.BoundMember{Name: "m", Form: wire.MemberOps, Revision: next, Part: part(was, nil)}, true},
		{"whole all the same", wire.BoundMember{Name: "m", Revision: next, Part: snapshot(is)}, true},
		{"another member", wire.BoundMember{Name: "n", Form: wire.MemberOps, Revision: next, Part: part(is, grow)}, false},
		{"another epoch", wire.BoundMember{Name: "m", Form: wire.MemberOps, Revision: wire.Revision{Epoch: 4, Number: 8}, Part: part(is, grow)}, false},
		{"further back", wire.BoundMember{Name: "m", Form: wire.MemberOps, Revision: wire.Revision{Epoch: 3, Number: 6}, Part: part(was, nil)}, false},
		{"ops of the same revision", wire.BoundMember{Name: "m", Form: wire.MemberOps, Revision: rev, Part: part(is, grow)}, false},
		{"ops that do not apply", wire.BoundMember{Name: "m", Form: wire.MemberOps, Revision: next, Part: part(is, misfit)}, false},
		{"ops of another history", wire.BoundMember{Name: "m", Form: wire.MemberOps, Revision: next, Part: part(other, grow)}, false},
		{"the same revision of another history", wire.BoundMember{Name: "m", Form: wire.MemberOps, Revision: rev, Part: part(other, nil)}, false},
		{"cut short", wire.BoundMember{Name: "m", Form: wire.MemberOps, Revision: next, Part: []byte{1, 2, 3}}, false},
		{"no ops", wire.BoundMember{Name: "m", Form: wire.MemberOps, Revision: next, Part: []byte{1, 2, 3, 4, 255}}, false},
	} {
		t.Run(c.why, func(t *testing.T) {
			h := newRawHost(t, "tab", base.Limits{})
			d := &rawDialer{host: h}
			h.Dial(d)
			known := func(p *rawPeer) []wire.Known {
				t.Helper()
				limits := base.Limits{}.WithDefaults()
				m, err := wire.ParseHold(wire.Binary, p.body(wire.TypeHold), &limits)
				if err != nil {
					t.Fatal(err)
				}
				return m.Known
			}
			p := d.welcomed(1)
			var r *core.Reference
			s := &seen{t: t}
			h.do(func() {
				r = h.Get("A")
				r.Watch("m", s.frame)
			})
			p.say(wire.TypeBound, wire.Bound{Members: []wire.BoundMember{{Name: "m", Revision: rev, Part: snapshot(was)}}}.Append(wire.Binary, nil))
			again := func(session uint64) *rawPeer {
				p.conn.Closed(nil)
				h.sched.advance(base.Second)
				return d.welcomed(session)
			}
			p = again(2)
			if k := known(p); len(k) != 1 || k[0] != (wire.Known{Member: "m", Revision: rev}) {
				t.Fatalf("the hold names %v", k)
			}
			p.say(wire.TypeBound, wire.Bound{Members: []wire.BoundMember{c.member}}.Append(wire.Binary, nil))
			if c.good {
				wantState(t, r, core.StateLive)
				if v, _ := r.Value("m"); !v.Equal(s.value) {
					t.Errorf("the reference has %v, the watch saw %v", v, s.value)
				}
				return
			}
			if p.bye() != base.CodeProtocol || r.State() == core.StateLive || len(s.frames) != 1 {
				t.Errorf("bye %v, the reference is %v, the watch saw %d frames", p.bye(), r.State(), len(s.frames))
			}
			if v, _ := r.Value("m"); !v.Equal(was) {
				t.Errorf("the value is %v", v)
			}
			p = again(3)
			if k := known(p); len(k) > 0 {
				t.Errorf("the next hold names %v", k)
			}
			p.say(wire.TypeBound, wire.Bound{Members: []wire.BoundMember{{Name: "m", Revision: next, Part: snapshot(is)}}}.Append(wire.Binary, nil))
			wantState(t, r, core.StateLive)
			p = again(4)
			if k := known(p); len(k) != 1 || k[0].Revision != next {
				t.Errorf("once bound, the hold names %v", k)
			}
		})
	}
}
