package core_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/link"
	"chordsim/core/wire"
)

// methodsOf lists the methods of the calls that a host sent over a transport.
func methodsOf(t *testing.T, p *rawPeer) (list []string) {
	t.Helper()
	for _, chunk := range p.out {
		h, body, err := wire.ParseHeader(wire.Binary, chunk)
		if err != nil {
			t.Fatal(err)
		}
		if h.Type == wire.TypeCall {
			m, err := wire.ParseCall(wire.Binary, body)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, m.Name)
		}
	}
	return list
}

// TestACallInTheLanesBeforeThoseThatParked: a call is handed to the link, which has no room for it; its object is down, so that the
// next call parks; then the session is lost. Once the object is live they go in the order in which they were made.
func TestACallInTheLanesBeforeThoseThatParked(t *testing.T) {
	h := newRawHost(t, "tab", base.Limits{})
	d := &rawDialer{host: h}
	h.Dial(d)
	p := d.welcomed(1)
	var r *core.Reference
	h.do(func() { r = h.Get("A") })
	p.say(wire.TypeBound, wire.Bound{}.Append(wire.Binary, nil))
	call := func(method string) { h.do(func() { r.Call(method, nil, nil) }) }
	p.full = true
	call("written")
	call("in the lane")
	p.say(wire.TypeDown, wire.Down{Code: base.CodeDown, Holds: []uint64{0}}.Append(wire.Binary, nil))
	call("parked")
	call("parked too")
	p.conn.Closed(errors.New("cut"))
	h.sched.advance(base.Second)
	next := d.newest()
	next.welcome(2)
	next.say(wire.TypeBound, wire.Bound{}.Append(wire.Binary, nil))
	if got, want := methodsOf(t, next), []string{"in the lane", "parked", "parked too"}; !slices.Equal(got, want) {
		t.Errorf("calls went as %q, want %q (C4)", got, want)
	}
}

// TestACallThatSettledUnwrittenIsNotSent: its deadline passes, or it is cancelled, while it waits in the link's lanes, be it for a
// transport or for one that takes nothing. Neither it nor its cancel goes, and its place is another one's.
func TestACallThatSettledUnwrittenIsNotSent(t *testing.T) {
	for _, size := range []int{10, 9_000} {
		for _, cut := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d bytes, cut=%v", size, cut), func(t *testing.T) {
				h := newRawHost(t, "tab", base.Limits{RunningCalls: 3})
				d := &rawDialer{host: h}
				h.Dial(d)
				p := d.welcomed(1)
				var r, other *core.Reference
				h.do(func() { r, other = h.Get("A"), h.Get("B") })
				p.say(wire.TypeBound, wire.Bound{}.Append(wire.Binary, nil))
				p.say(wire.TypeBound, wire.Bound{ID: 1}.Append(wire.Binary, nil))
				p.full = true
				h.do(func() { other.Call("written", nil, nil) }) // after which the transport takes no more
				var late, gone outcome
				h.do(func() {
					r.Call("late", text(size), late.done, core.Deadline(base.Time(base.Second)))
					other.Call("gone", text(size), gone.done).Cancel()
					r.Call("next", nil, nil)
				})
				wantInt(t, "settled before its deadline", late.settled, 0)
				if cut {
					p.conn.Closed(errors.New("cut"))
					h.sched.advance(2 * base.Second)
					p = d.newest()
					who := rawIdentity
					who.Features |= link.FeatureResume
					p.say(wire.TypeWelcome, wire.Welcome{Identity: who, Session: 1, Resumed: true, Received: 3}.Append(wire.Binary, nil))
				} else {
					h.sched.advance(2 * base.Second)
					p.full, p.out = false, nil
					p.conn.Writable()
				}
				late.wantOnce(t, "the call whose deadline passed", base.CodeTimeout)
				gone.wantOnce(t, "the call that was cancelled", base.CodeCancelled)
				sent := slices.DeleteFunc(methodsOf(t, p), func(method string) bool { return method == "" || method == "written" }) // a fence
				if !slices.Equal(sent, []string{"next"}) {
					t.Errorf("%q were sent, want the next call alone", sent)
				}
				for _, typ := range []string{"call-bulk", "call-more", "cancel"} {
					if slices.Contains(p.types(), typ) {
						t.Errorf("%v were sent, none of them a %s", p.types(), typ)
					}
				}
			})
		}
	}
}
