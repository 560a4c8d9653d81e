package core_test

import (
	"fmt"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/wire"
	"chordsim/sim"
	"chordsim/sim/netsim"
)

// TestCentrifuge629ADeltaWithoutABase: whoever names a revision that the provider's history does not have gets a full value first,
// and what follows leads from it: the number of the newest one in another epoch, one that is still to come, that of another member.
func TestCentrifuge629ADeltaWithoutABase(t *testing.T) {
	h, doc := rawView(t)
	for range 7 {
		h.do(func() { change(t, doc, "x") })
	}
	newest := doc.Revision()
	for why, known := range map[string]wire.Known{
		"another epoch":    {Member: "notes", Revision: wire.Revision{Epoch: newest.Epoch + 1, Number: newest.Number}},
		"an earlier epoch": {Member: "notes", Revision: wire.Revision{Epoch: newest.Epoch - 1, Number: newest.Number}},
		"still to come":    {Member: "notes", Revision: wire.Revision{Epoch: newest.Epoch, Number: newest.Number + 1}},
		"another member":   {Member: "other", Revision: newest},
	} {
		p := h.dial()
		p.say(wire.TypeHold, wire.Hold{ID: 0, Address: "View", Known: []wire.Known{known}}.Append(wire.Binary, nil))
		limits := base.Limits{}.WithDefaults()
		m, err := wire.ParseBound(wire.Binary, p.body(wire.TypeBound), &limits)
		if err != nil || len(m.Members) != 1 || m.Members[0].Form != wire.MemberValue || m.Members[0].Revision != newest {
			t.Fatalf("%s: bound as %+v (%v), want the value of %v", why, m, err, newest)
		}
		v, err := wire.Binary.ParseSnapshot(&wire.Names{}, m.Members[0].Part)
		if err != nil || !v.Equal(doc.Value()) {
			t.Errorf("%s: the first value is %v (%v)", why, v, err)
		}
		p.conn.Closed(nil)
	}
}

// TestCentrifuge629TheNewestOfNothing: whoever names the newest revision is taken at his word, and sent nothing. One who has
// nothing after all, be it that he lost it since, holds again without a word of it and gets a full value.
func TestCentrifuge629TheNewestOfNothing(t *testing.T) {
	h, doc := rawView(t)
	h.do(func() { change(t, doc, text(100)) })
	p := h.dial()
	bound := func(id uint64, known ...wire.Known) wire.BoundMember {
		t.Helper()
		p.out = nil
		p.say(wire.TypeHold, wire.Hold{ID: id, Address: "View", Known: known}.Append(wire.Binary, nil))
		limits := base.Limits{}.WithDefaults()
		m, err := wire.ParseBound(wire.Binary, p.body(wire.TypeBound), &limits)
		if err != nil || len(m.Members) != 1 {
			t.Fatalf("bound as %+v (%v)", m, err)
		}
		p.creditAll()
		return m.Members[0]
	}
	m := bound(0, wire.Known{Member: "notes", Revision: doc.Revision()})
	since, err := wire.Binary.ParseSince(&wire.Names{}, m.Part)
	if m.Form != wire.MemberOps || err != nil || len(since.Ops) > 0 || !since.LeadsTo(doc.Value()) {
		t.Errorf("who has the newest revision is bound by %+v (%v)", m, err)
	}
	p.say(wire.TypeRelease, wire.AppendHoldID(wire.Binary, nil, 0))
	if m = bound(0); m.Form != wire.MemberValue {
		t.Fatalf("who names nothing is bound by %+v", m)
	}
	if v, err := wire.Binary.ParseSnapshot(&wire.Names{}, m.Part); err != nil || !v.Equal(doc.Value()) {
		t.Errorf("who names nothing gets %v (%v)", v, err)
	}
}

// TestCentrifuge629NothingIsNamedThatIsNotThere: a host names what its replicas have when it holds an object again, and nothing of
// what it let go of, nor anything in its next life.
func TestCentrifuge629NothingIsNamedThatIsNotThere(t *testing.T) {
	h := newRawHost(t, "tab", base.Limits{})
	d := &rawDialer{host: h}
	h.Dial(d)
	hold := func(p *rawPeer) wire.Hold {
		t.Helper()
		limits := base.Limits{}.WithDefaults()
		m, err := wire.ParseHold(wire.Binary, p.body(wire.TypeHold), &limits)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	rev := wire.Revision{Epoch: 1, Number: 7}
	bound := wire.Bound{Members: []wire.BoundMember{{Name: "m", Revision: rev, Part: wire.AppendValue(nil, delta.Int(1))}}}.Append(wire.Binary, nil)
	p := d.welcomed(1)
	var r *core.Reference
	h.do(func() { r = h.Get("A") })
	if m := hold(p); len(m.Known) > 0 {
		t.Errorf("the first hold names %v", m.Known)
	}
	p.say(wire.TypeBound, bound)
	wantState(t, r, core.StateLive)
	h.do(func() { r.Release() })
	p.say(wire.TypeReleased, wire.AppendHoldID(wire.Binary, nil, 0))
	p.out = nil
	h.do(func() { r = h.Get("A") })
	if m := hold(p); len(m.Known) > 0 {
		t.Errorf("held again after a release, the hold names %v", m.Known)
	}

	// It has nothing yet, and the session is lost.
	p.conn.Closed(nil)
	h.sched.advance(base.Second)
	p = d.welcomed(2)
	if m := hold(p); len(m.Known) > 0 {
		t.Errorf("held again before anything came, the hold names %v", m.Known)
	}
	// A change of what it has not closes the link, though its bytes would do as a value.
	ops := wire.Bound{Members: []wire.BoundMember{{Name: "m", Form: wire.MemberOps, Revision: rev, Part: wire.AppendValue(nil, delta.Int(2))}}}
	p.say(wire.TypeBound, ops.Append(wire.Binary, nil))
	if p.bye() != base.CodeProtocol || r.State() == core.StateLive {
		t.Errorf("a change of nothing is taken: bye %v, the reference is %v", p.bye(), r.State())
	}
	if v, ok := r.Value("m"); ok {
		t.Errorf("a change of nothing is seen as %v", v)
	}
}

// TestCentrifuge629TheNumberOfAnotherLife: the provider starts again and comes to the very revision that the tab has, of another
// epoch. What the tab sees first is the whole value, and it equals the provider's from then on.
func TestCentrifuge629TheNumberOfAnotherLife(t *testing.T) {
	u := newUplinkLab(t, sim.Config{}, netsim.Memory)
	for range 5 {
		u.commit("old ")
	}
	u.settle()
	var frames []core.Frame
	u.at(u.tab, func() { u.ref.Watch("notes", func(f core.Frame) { frames = append(frames, f) }) })
	frames = nil
	u.world.Crash(u.worker, 100)
	u.worker.OnStart(func(h *sim.Host) {
		u.expose(h)
		for range 5 {
			u.change("new ")
		}
	})
	u.world.Restart(u.worker)
	u.settle()
	u.commit("then ")
	u.settle()
	wantReply(t, u.ref, "anew: new new new new new then ")
	if len(frames) != 2 || !frames[0].Snapshot || frames[0].Revision.Number != 5 || frames[1].Base != frames[0].Revision {
		t.Errorf("the tab saw %s, want a snapshot at revision 5 and what leads from it", fmt.Sprint(frames))
	}
}
