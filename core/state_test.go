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

// TestStatesAreTold plays each change of state at a raw host, with two references that share a hold and one that has its own.
func TestStatesAreTold(t *testing.T) {
	bound := func(id uint64) []byte {
		one := wire.BoundMember{Name: "m", Revision: wire.Revision{Epoch: 1, Number: 7}, Part: wire.AppendValue(nil, delta.Int(1))}
		return wire.Bound{ID: id, Members: []wire.BoundMember{one}}.Append(wire.Binary, nil)
	}
	refused := func(id uint64, code base.Code) []byte {
		return wire.Refused{ID: id, Failure: wire.Failure{Code: code}}.Append(wire.Binary, nil)
	}
	both := func(p *rawPeer, typ wire.Type, body func(id uint64) []byte) {
		p.say(typ, body(0))
		p.say(typ, body(1))
	}
	type stage struct {
		h *rawHost
		d *rawDialer
		p *rawPeer
		u *core.Uplink
		r [3]*core.Reference
	}
	live := func(s *stage) { both(s.p, wire.TypeBound, bound) }
	lose := func(s *stage) { s.p.conn.Closed(nil) }
	back := func(s *stage) {
		s.h.sched.advance(base.Second)
		s.p = s.d.welcomed(2)
	}
	release := func(s *stage) {
		s.h.do(func() {
			for _, r := range s.r {
				r.Release()
			}
		})
	}
	for _, c := range []struct {
		why  string
		do   []func(*stage)
		want []string
	}{
		{"live", []func(*stage){live}, []string{"resolving live 0 none"}},
		{"released while it resolves", []func(*stage){release}, []string{"resolving released 0 none"}},
		{"failed", []func(*stage){func(s *stage) {
			both(s.p, wire.TypeRefused, func(id uint64) []byte { return refused(id, base.CodeNotFound) })
		}}, []string{"resolving failed 0 not-found"}},
		{"down before it was live", []func(*stage){lose, back, live}, []string{"resolving down 1 down", "down live 1 none"}},
		{"down, live, released", []func(*stage){live, lose, back, live, release},
			[]string{"resolving live 0 none", "live down 1 down", "down live 1 none", "live released 1 none"}},
		{"down for good", []func(*stage){live, func(s *stage) { s.u.Close() }}, []string{"resolving live 0 none", "live down 1 closed"}},
		{"down, held in vain many times", []func(*stage){live, lose, back, func(s *stage) {
			for range 5 {
				both(s.p, wire.TypeRefused, func(id uint64) []byte { return refused(id, base.CodeTimeout) })
				s.h.sched.advance(11 * base.Second)
			}
		}, live}, []string{"resolving live 0 none", "live down 1 down", "down live 1 none"}},
		{"down, and failed", []func(*stage){live, lose, back, func(s *stage) {
			both(s.p, wire.TypeRefused, func(id uint64) []byte { return refused(id, base.CodeRefused) })
		}}, []string{"resolving live 0 none", "live down 1 down", "down failed 1 refused"}},
		{"down behind the link, and released", []func(*stage){live, func(s *stage) {
			s.p.say(wire.TypeDown, wire.Down{Code: base.CodeDown, Holds: []uint64{0, 1}}.Append(wire.Binary, nil))
		}, release}, []string{"resolving live 0 none", "live down 1 down", "down released 1 none"}},
	} {
		t.Run(c.why, func(t *testing.T) {
			s := &stage{h: newRawHost(t, "tab", base.Limits{})}
			s.d = &rawDialer{host: s.h}
			s.u = s.h.Dial(s.d)
			s.p = s.d.welcomed(1)
			var told [3][]string
			s.h.do(func() {
				s.r = [3]*core.Reference{s.h.Get("A"), s.h.Get("A"), s.h.Get("A", core.Unshared())}
				for i, r := range s.r {
					r.OnState(func(c core.StateChange) {
						if c.Reference != r || c.To != r.State() {
							t.Errorf("told of %v at %v, the reference is %v", c.To, c.Reference.Address(), r.State())
						}
						told[i] = append(told[i], fmt.Sprint(c.From, " ", c.To, " ", c.Episode, " ", base.CodeOf(c.Err)))
					})
				}
			})
			for _, do := range c.do {
				do(s)
			}
			for i := range told {
				if !slices.Equal(told[i], c.want) {
					t.Errorf("reference %d was told %q, want %q", i, told[i], c.want)
				}
			}
		})
	}
}

// TestWhoIsToldOfAStateMayDoAnything: call, behind what was parked and behind the frames; get, watch and release, itself and others.
func TestWhoIsToldOfAStateMayDoAnything(t *testing.T) {
	u := newUplinkLab(t, sim.Config{}, netsim.Memory)
	k := &desk{}
	object := k.object()
	object.State = core.Members{"count": core.NewDocument(delta.Int(1))}
	u.worker.Core().Expose("Desk", object)
	r, other := u.get("Desk"), u.get("View")
	u.settle()
	var order []string
	var got *core.Reference
	u.at(u.tab, func() {
		r.Watch("count", func(core.Frame) { order = append(order, "frame") })
		r.OnState(func(c core.StateChange) {
			order = append(order, c.To.String())
			switch c.To {
			case core.StateDown:
				r.Call("now", "A", nil)
			case core.StateLive:
				r.Call("now", "C", nil)
				other.Release()
				got = u.tab.Core().Get("View", core.Unshared())
				got.OnState(func(c core.StateChange) {
					order = append(order, "got "+c.To.String())
					r.Release()
				})
			}
		})
		other.OnState(func(c core.StateChange) { order = append(order, "other "+c.To.String()) })
	})
	u.cold(func() {
		u.at(u.tab, func() {
			r.Call("now", "B", nil)
			r.Watch("count", func(core.Frame) { order = append(order, "frame behind") })
		})
	})
	u.settle()
	wantStarts(t, k, "A", "B", "C")
	want := []string{"frame", "other down", "down", "frame behind", "live", "other released", "got live", "released"}
	if i := slices.Index(order, "other live"); i >= 0 {
		order = slices.Delete(order, i, i+1) // bound before or behind the other one
	}
	if !slices.Equal(order, want) {
		t.Errorf("told in the order %q, want %q", order, want)
	}
	wantState(t, r, core.StateReleased)
	wantState(t, got, core.StateLive)
}
