package core_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/faults/linkmodel"
	"chordsim/sim"
	"chordsim/sim/netsim"
)

// desk is an object whose handlers the test settles.
type desk struct {
	starts []string     // arguments of the calls that started, in order; of long ones the first 8 characters
	open   []*core.Call // deferred calls
}

func (k *desk) object() core.Object {
	note := func(c *core.Call) {
		s := c.Arg.Text().String()
		k.starts = append(k.starts, s[:min(len(s), 8)])
	}
	return core.Object{
		State: core.Members{},
		Methods: core.Methods{
			"now": func(c *core.Call) (delta.Value, error) { note(c); return c.Arg, nil },
			"later": func(c *core.Call) (delta.Value, error) {
				note(c)
				c.Defer()
				k.open = append(k.open, c)
				return delta.Null(), nil
			},
			"fail":  fail,
			"plain": func(*core.Call) (delta.Value, error) { return delta.Null(), errors.New("no code") },
			"panic": func(*core.Call) (delta.Value, error) { panic("handler") },
			"size": func(c *core.Call) (delta.Value, error) {
				note(c)
				return delta.Int(c.Arg.Len()), nil
			},
			"text": func(c *core.Call) (delta.Value, error) { return delta.String(text(int(c.Arg.Number()))), nil },
		},
	}
}

// settleAll ends the deferred calls.
func (k *desk) settleAll() {
	open := k.open
	k.open = nil
	for _, c := range open {
		c.Settle(c.Arg, nil)
	}
}

func newDesk(t *testing.T, limits base.Limits, link netsim.Config) (*lab, *desk, *core.Reference) {
	t.Helper()
	l, k := newLab(t, limits, link), &desk{}
	l.worker.Core().Expose("Desk", k.object())
	return l, k, l.hold(l.tab, "Desk")
}

func wantStarts(t *testing.T, k *desk, want ...string) {
	t.Helper()
	if !slices.Equal(k.starts, want) {
		t.Errorf("started %.300q, want %.300q", k.starts, want)
	}
}

func numbers(from, to int) (list []string) {
	for i := from; i < to; i++ {
		list = append(list, fmt.Sprint(i))
	}
	return list
}

func TestCallsStartInTheOrderMade(t *testing.T) {
	l, k, live := newDesk(t, base.Limits{}, netsim.Memory)
	l.at(l.tab, func() {
		for _, s := range numbers(0, 10) {
			live.Call("now", s, nil)
		}
	})
	wantStarts(t, k, numbers(0, 10)...)
	k.starts = nil
	l.at(l.tab, func() {
		parked := l.tab.Core().Get("Desk")
		for _, s := range numbers(0, 10) {
			parked.Call("now", s, nil)
		}
	})
	wantStarts(t, k, numbers(0, 10)...)
	l.settle()
}

// TestACallFromTheFirstFrameGoesBehindWhatWasParked is nats.java #231: the provider sees A, B, C.
func TestACallFromTheFirstFrameGoesBehindWhatWasParked(t *testing.T) {
	l, k, _ := newDesk(t, base.Limits{}, netsim.Memory)
	object := k.object()
	object.State = core.Members{"notes": l.doc}
	l.worker.Core().Expose("Noted", object)
	l.at(l.tab, func() {
		r := l.tab.Core().Get("Noted")
		r.Watch("notes", func(core.Frame) { r.Call("now", "C", nil) })
		r.Call("now", "A", nil)
		r.Call("now", "B", nil)
	})
	wantStarts(t, k, "A", "B", "C")
	l.settle()
}

// TestAParkedCallThatExpiredNeverArrives is socket.io #4318 and #5334.
func TestAParkedCallThatExpiredNeverArrives(t *testing.T) {
	l, k, _ := newDesk(t, base.Limits{}, netsim.Config{Up: linkmodel.Config{Latency: base.Second}})
	l.starts(k)
	var late, kept, cancelled outcome
	var r *core.Reference
	start := l.world.Now()
	l.at(l.tab, func() {
		r = l.tab.Core().Get("Desk")
		r.Call("now", "late", late.done, core.Deadline(start.Add(base.Second/2)))
		c := r.Call("now", "cancelled", cancelled.done)
		r.Call("now", "kept", kept.done, core.Deadline(start.Add(5*base.Second)))
		c.Cancel()
		c.Cancel()
	})
	cancelled.wantOnce(t, "cancelled while parked", base.CodeCancelled)
	l.run(base.Second / 2)
	late.wantOnce(t, "the deadline", base.CodeTimeout)
	l.settle()
	kept.wantOnce(t, "the one that is left", base.CodeNone)
	wantStarts(t, k, "kept")
	late.wantOnce(t, "the deadline, at the end", base.CodeTimeout)
	cancelled.wantOnce(t, "cancelled, at the end", base.CodeCancelled)
}

func (l *lab) starts(k *desk) { k.starts = nil }

func TestACallAfterItsDeadline(t *testing.T) {
	l, k, r := newDesk(t, base.Limits{}, netsim.Memory)
	var o outcome
	l.at(l.tab, func() { r.Call("now", "x", o.done, core.Deadline(l.world.Now())) })
	o.wantOnce(t, "a deadline that is now", base.CodeTimeout)
	wantStarts(t, k)
	l.settle()
}

// TestCancel cancels a call in each place where it can be: it settles once, whatever comes later.
func TestCancel(t *testing.T) {
	delay := netsim.Config{Up: linkmodel.Config{Latency: base.Second}, Down: linkmodel.Config{Latency: base.Second}}
	t.Run("running", func(t *testing.T) {
		l, k, r := newDesk(t, base.Limits{}, netsim.Memory)
		var o outcome
		var c *core.PendingCall
		l.at(l.tab, func() { c = r.Call("later", "x", o.done) })
		l.at(l.tab, c.Cancel)
		o.wantOnce(t, "running", base.CodeCancelled)
		if !k.open[0].Cancelled() {
			t.Error("the handler was not told")
		}
		l.at(l.worker, k.settleAll)
		l.settle()
		o.wantOnce(t, "running, after the result", base.CodeCancelled)
		l.wantNoCalls()
	})
	t.Run("queued at the provider", func(t *testing.T) {
		l, k, r := newDesk(t, base.Limits{}, netsim.Memory)
		l.worker.SetCost(sim.Cost{PerHandler: base.Second})
		var first, second outcome
		var c *core.PendingCall
		l.at(l.tab, func() {
			r.Call("now", "first", first.done)
			c = r.Call("now", "second", second.done)
		})
		l.at(l.tab, c.Cancel)
		l.settle()
		first.wantOnce(t, "first", base.CodeNone)
		second.wantOnce(t, "second", base.CodeCancelled)
		wantStarts(t, k, "first")
		l.wantNoCalls()
	})
	t.Run("crossing the result", func(t *testing.T) {
		l, k, _ := newDesk(t, base.Limits{}, delay)
		r := l.hold(l.tab, "Desk")
		l.run(8 * base.Second)
		l.starts(k)
		var o, again outcome
		var c *core.PendingCall
		l.at(l.tab, func() { c = r.Call("now", "x", o.done) })
		l.run(3 * base.Second / 2)
		l.at(l.tab, func() {
			c.Cancel()
			r.Call("now", "y", again.done)
		})
		l.settle()
		o.wantOnce(t, "crossing", base.CodeCancelled)
		again.wantOnce(t, "the next", base.CodeNone)
		wantStarts(t, k, "x", "y")
		l.wantNoCalls()
	})
	t.Run("waiting for one of the 256", func(t *testing.T) {
		l, k, r := newDesk(t, base.Limits{RunningCalls: 1}, netsim.Memory)
		var o outcome
		l.at(l.tab, func() {
			r.Call("later", "first", nil)
			r.Call("now", "second", o.done).Cancel()
			r.Call("now", "third", nil)
		})
		l.at(l.worker, k.settleAll)
		l.settle()
		o.wantOnce(t, "waiting", base.CodeCancelled)
		wantStarts(t, k, "first", "third")
		l.wantNoCalls()
	})
}

func (l *lab) wantNoCalls() {
	l.t.Helper()
	provider, _ := core.CallCount(l.worker.Core())
	_, caller := core.CallCount(l.tab.Core())
	if provider != 0 || caller != 0 {
		l.t.Errorf("%d calls are kept at the provider and %d at the caller", provider, caller)
	}
}

func TestErrorsOfCalls(t *testing.T) {
	l, k, r := newDesk(t, base.Limits{}, netsim.Memory)
	outcomes := map[string]*outcome{}
	l.at(l.tab, func() {
		for _, method := range []string{"fail", "plain", "nothing"} {
			o := &outcome{}
			outcomes[method] = o
			r.Call(method, "this", o.done)
		}
	})
	outcomes["fail"].wantOnce(t, "an error with a code", base.CodeRefused)
	outcomes["plain"].wantOnce(t, "an error without a code", base.CodeApp)
	outcomes["nothing"].wantOnce(t, "no such method", base.CodeNotFound)
	if peer, ok := errors.AsType[*base.PeerError](outcomes["fail"].err); !ok || peer.Detail != "chord: refused: not this" {
		t.Errorf("the error is %v", outcomes["fail"].err)
	}
	missing := l.hold(l.tab, "Nowhere")
	var parked, after outcome
	l.at(l.tab, func() { missing.Call("now", "x", after.done) })
	wantState(t, missing, core.StateFailed)
	wantCode(t, "the reference", missing.Err(), base.CodeNotFound)
	after.wantOnce(t, "a call on a failed reference", base.CodeNotFound)
	l.at(l.tab, func() { l.tab.Core().Get("Nowhere").Call("now", "x", parked.done) })
	parked.wantOnce(t, "a call that was parked for nothing", base.CodeNotFound)
	var bad, name outcome
	l.at(l.tab, func() {
		r.Call("now", func() {}, bad.done)
		r.Call("", "x", name.done)
	})
	bad.wantOnce(t, "an argument that is no value", base.CodeApp)
	name.wantOnce(t, "no method", base.CodeLimit)
	l.settle()
	wantStarts(t, k)
}

func TestAHandlerThatPanicsGivesItsSlotBack(t *testing.T) {
	h, _ := rawViewWith(t, base.Limits{RunningCalls: 1})
	k := &desk{}
	h.Expose("Desk", k.object())
	p := h.dial()
	p.hold(0, "Desk")
	p.creditAll()
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
		}()
		p.call(0, 7, "panic", nil)
	}()
	if got := fmt.Sprint(p.types()); got != "[result]" {
		t.Fatalf("%s, want the result", got)
	}
	p.call(0, 7, "now", "next")
	h.sched.run()
	wantStarts(t, k, "next")
}

func TestReleaseSettlesWhatWasNotSent(t *testing.T) {
	l, k, r := newDesk(t, base.Limits{RunningCalls: 1}, netsim.Memory)
	var first, waiting, after, parked outcome
	l.at(l.tab, func() {
		r.Call("later", "first", first.done)
		r.Call("now", "waiting", waiting.done)
		r.Release()
		r.Call("now", "after", after.done)
	})
	waiting.wantOnce(t, "waiting for a place", base.CodeReleased)
	after.wantOnce(t, "made after the release", base.CodeReleased)
	second := l.hold(l.tab, "Desk")
	l.at(l.tab, func() {
		third := l.tab.Core().Get("Desk")
		third.Call("now", "parked", parked.done)
		third.Release()
	})
	parked.wantOnce(t, "parked", base.CodeReleased)
	l.at(l.worker, k.settleAll)
	first.wantOnce(t, "sent before the release", base.CodeNone)
	l.at(l.tab, func() { second.Call("now", "second", nil) })
	l.settle()
	wantStarts(t, k, "first", "second")
	l.wantNoCalls()
}

// TestReleaseBeforeTheRefusal lets a release cross the refusal of what it releases.
func TestReleaseBeforeTheRefusal(t *testing.T) {
	l := newLab(t, base.Limits{}, netsim.Memory)
	l.at(l.tab, func() { l.tab.Core().Get("Nowhere").Release() })
	l.settle()
	if l.conn.Dialed().Link().Closed() {
		t.Fatal("the link closed")
	}
	r := l.hold(l.tab, "View")
	wantState(t, r, core.StateLive)
}

// TestALateCallIsNotSent has a tab so busy that the object is bound when the deadline has passed, and the turn of the timer
// waits behind that.
func TestALateCallIsNotSent(t *testing.T) {
	l := newLab(t, base.Limits{}, netsim.Memory)
	l.settle()
	l.tab.SetCost(sim.Cost{PerTurn: 40 * base.Millisecond})
	var late, kept outcome
	start := l.world.Now()
	l.tab.Do(func() { // at 40 ms; what it is answered is taken at 80
		r := l.tab.Core().Get("View")
		r.Call("echo", "late", late.done, core.Deadline(start.Add(60*base.Millisecond)))
		r.Call("echo", "kept", kept.done, core.Deadline(start.Add(base.Second)))
	})
	l.settle()
	late.wantOnce(t, "a call whose deadline passed while its tab was busy", base.CodeTimeout)
	kept.wantOnce(t, "the call behind it", base.CodeNone)
	if got := l.log.count["worker call"]; got != 1 {
		t.Errorf("%d calls were sent, want the one that is in time", got)
	}
}
