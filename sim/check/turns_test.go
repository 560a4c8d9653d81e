package check_test

import (
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
)

// TestC7 breaks the turns that consumers take, and their slots.
func TestC7Running(t *testing.T) {
	two := func(t *testing.T, s labSetup) (l *lab, first, second core.ConsumerID) {
		l = newLab(t, s)
		l.get()
		other := l.host("tab2", base.Limits{})
		l.connect(other, l.worker)
		l.run()
		l.do(other, func() { other.Get("View") })
		ids := l.worker.Consumers()
		return l, ids[0], ids[1]
	}
	t.Run("out of turn", func(t *testing.T) {
		l, first, second := two(t, labSetup{})
		for call := range uint64(2) {
			l.probe.CallQueued(l.worker, first, 0, call)
		}
		l.probe.CallQueued(l.worker, second, 0, 0)
		l.probe.CallStart(l.worker, first, 0, 0)
		l.wantNoneOf("C7")
		l.probe.CallStart(l.worker, first, 0, 1)
		l.wantViolation("C7", "at worker: origin 0 has its turn again, and origin 0 waited for one since before its last")
	})
	t.Run("in turn", func(t *testing.T) {
		l, first, second := two(t, labSetup{})
		for call := range uint64(3) {
			l.probe.CallQueued(l.worker, first, 0, call)
		}
		l.probe.CallStart(l.worker, first, 0, 0)
		l.probe.CallQueued(l.worker, second, 0, 0)
		l.probe.CallStart(l.worker, first, 0, 1) // the other one did not wait the whole time
		l.probe.CallStart(l.worker, second, 0, 0)
		l.probe.CallEnd(l.worker, first, 0)
		l.probe.CallEnd(l.worker, first, 2) // cancelled before it started
		l.wantNoneOf("C7")
	})
	t.Run("too many", func(t *testing.T) {
		l, first, _ := two(t, labSetup{told: base.Limits{RunningCalls: 2}})
		for call := range uint64(3) {
			l.probe.CallQueued(l.worker, first, 0, call)
			l.probe.CallStart(l.worker, first, 0, call)
		}
		l.wantViolation("C7", "at worker: 3 calls of an origin run, at most 2 may")
	})
	t.Run("a slot does not come back", func(t *testing.T) {
		l, first, _ := two(t, labSetup{})
		l.probe.CallQueued(l.worker, first, 0, 0)
		l.probe.CallStart(l.worker, first, 0, 0)
		l.settle()
		l.wantViolation("C7", "at worker: settled with 0 slots of an origin taken and 0 calls waiting; 1 run and 0 wait")
	})
	t.Run("one waits beside free slots", func(t *testing.T) {
		l, first, _ := two(t, labSetup{})
		l.probe.CallQueued(l.worker, first, 0, 0)
		l.settle()
		l.wantViolation("C7", "at worker: settled, and 1 calls of an origin wait though only 0 run")
	})
}

// TestC7Clean has two tabs call at once, with few slots, and calls that go on for a while.
func TestC7Clean(t *testing.T) {
	few := base.Limits{RunningCalls: 2}
	l := newLab(t, labSetup{told: few, limits: few, hosts: func(c *core.Config) { c.Limits = few }})
	var running []*core.Call
	l.worker.Expose("Slow", core.Object{Methods: core.Methods{"go": func(c *core.Call) (delta.Value, error) {
		c.Defer()
		running = append(running, c)
		return delta.Null(), nil
	}}})
	other := l.host("tab2", base.Limits{})
	l.connect(other, l.worker)
	l.run()
	results, made := 0, 0
	for _, tab := range []*core.Host{l.tab, other} {
		l.do(tab, func() {
			slow := tab.Get("Slow")
			for range 10 {
				made++
				pc := slow.Call("go", nil, func(delta.Value, error) { results++ })
				if made%4 == 0 {
					tab.Do(pc.Cancel)
				}
			}
		})
	}
	for len(running) > 0 {
		c := running[0]
		running = running[1:]
		l.do(l.worker, func() { c.Settle(delta.Null(), nil) })
	}
	l.settle()
	l.wantNone(false)
	if results != 20 {
		t.Errorf("%d results, want 20", results)
	}
}
