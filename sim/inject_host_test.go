package sim_test

import (
	"strings"
	"testing"

	"chordsim/core/base"
	"chordsim/faults"
	"chordsim/sim/netsim"
)

// ticks has a host set a timer for each tenth of a second of its own clock, and note the world's time at which it fires.
func (l *faultLab) ticks(name string, n int) {
	h, node := l.host(name), l.nodes[name]
	var timer base.Timer
	due := base.Time(0)
	next := func() {
		due = due.Add(100 * base.Millisecond)
		timer.Set(due)
	}
	timer = h.NewTimer(func() {
		node.ticks = append(node.ticks, l.w.Now())
		if len(node.ticks) < n {
			next()
		}
	})
	next()
}

func TestCrashLosesWhatWasNotSynced(t *testing.T) {
	for keep, writes := range map[string]int64{"": 3, " keep 0%": 3, " keep 100%": 0} {
		l := tabTalks(t, netsim.Memory)
		l.w.At(500*ms, func() {
			store := l.host("server").Store()
			for _, key := range []string{"a", "b", "c"} {
				if err := store.Put(key, []byte("1")); err != nil {
					t.Error(err)
				}
				if key == "a" {
					store.Sync()
				}
			}
			if err := store.Put("d", []byte("1")); err != nil {
				t.Error(err)
			}
		})
		e := l.effect("at 1.105s crash server" + keep + " restart after 100ms")
		l.wantGot("server") // the new one, which nobody has dialed
		l.wantEnded("tab", "netsim: connection reset@1.115s")
		l.wantEnded("worker", "netsim: connection reset@1.115s")
		l.wantEffect(e, faults.Effect{Fired: 1, Messages: 1, Bytes: 100, Connections: 2, Hosts: 1, Writes: writes})
		if h := l.host("server"); !h.Up() || h.Incarnation() != 2 {
			t.Errorf("up %v in life %d", h.Up(), h.Incarnation())
		}
	}
}

// A host that crashed for good is started by the heal.
func TestCrashForGoodEndsWithTheHeal(t *testing.T) {
	l := newFaultLab(t, netsim.Memory)
	l.inject("at 1s crash worker\nat 2s crash worker\nheal at 5s")
	l.run(4999 * ms)
	if l.host("worker").Up() {
		t.Error("it is up before the heal")
	}
	l.run(5 * sec)
	if !l.host("worker").Up() {
		t.Error("it is down behind the heal")
	}
	l.wantEffect(l.w.Effects()[0], faults.Effect{Fired: 1, Connections: 1, Hosts: 1})
	l.wantEffect(l.w.Effects()[1], faults.Effect{Fired: 1, Why: "worker was down already at 2s"})
}

// The heal does not start a host that the plan did not crash.
func TestHealLeavesOtherHostsDown(t *testing.T) {
	l := newFaultLab(t, netsim.Memory)
	l.w.At(500*ms, func() { l.w.Crash(l.host("worker"), 0) })
	l.inject("at 1s crash worker restart after 1s\nat 1s crash tab\nheal at 5s")
	l.run(6 * sec)
	if l.host("worker").Up() || !l.host("tab").Up() {
		t.Errorf("behind the heal worker is up: %v, tab: %v", l.host("worker").Up(), l.host("tab").Up())
	}
}

// The process that a dialer's crash began does not dial what the one before it had dialed.
func TestNoReconnectAcrossACrash(t *testing.T) {
	l := newFaultLab(t, netsim.Memory)
	l.inject("at 1s reset tab reconnect after 1s\nat 1.5s crash tab restart after 100ms")
	l.run(5 * sec)
	if n := len(l.w.Connections()); n != 2 {
		t.Errorf("%d connections, want the first two", n)
	}
}

func TestSkew(t *testing.T) {
	l := newFaultLab(t, netsim.Memory)
	l.ticks("tab", 4)
	e := l.effect("at 150ms skew tab 50ms")
	if got := l.nodes["tab"].ticks; len(got) != 4 || got[0] != 100*ms || got[1] != 150*ms || got[2] != 250*ms || got[3] != 350*ms {
		t.Errorf("ticks at %v", got)
	}
	if e.Fired != 1 || e.Turns != 3 {
		t.Errorf("the effect is %+v, want 3 timers moved", e)
	}
}

func TestDrift(t *testing.T) {
	l := newFaultLab(t, netsim.Memory)
	l.ticks("tab", 4)
	e := l.effect("at 0s drift tab 250000ppm for 200ms")
	// Four fifths of the time until 200 ms, at which the clock shows 250 ms; then at the world's pace.
	if got := l.nodes["tab"].ticks; len(got) != 4 || got[0] != 80*ms || got[1] != 160*ms || got[2] != 250*ms || got[3] != 350*ms {
		t.Errorf("ticks at %v", got)
	}
	if e.Fired != 1 || e.Turns != 4 { // what it put between the clocks stays
		t.Errorf("the effect is %+v, want 4 timers moved", e)
	}
	if off := l.host("tab").ClockOff(); off != 50*base.Millisecond {
		t.Errorf("the clock is off by %v", off)
	}
}

func TestSlow(t *testing.T) {
	l := tabTalks(t, netsim.Memory)
	e := l.effect("at 1.05s slow server 100x for 200ms")
	// A turn costs at least 10 us, a hundred times.
	l.wantGot("server", "m1@1.01s", "m2@1.111s", "m3@1.211s", "m4@1.31s")
	l.wantEffect(e, faults.Effect{Fired: 1, Turns: 2})
}

func TestTimersLate(t *testing.T) {
	l := newFaultLab(t, netsim.Memory)
	l.ticks("tab", 4)
	e := l.effect("at 150ms timers tab late 50ms for 100ms")
	got := l.nodes["tab"].ticks
	if len(got) != 4 || got[0] != 100*ms || got[1] <= 200*ms || got[1] > 250*ms || got[2] != 300*ms || got[3] != 400*ms {
		t.Errorf("ticks at %v", got)
	}
	l.wantEffect(e, faults.Effect{Fired: 1, Turns: 1})
}

// Of two faults that change one thing the later counts, and when both are over it is as it was.
func TestChangesOverlap(t *testing.T) {
	l := newFaultLab(t, netsim.Memory)
	l.inject(`
		at 1s latency tab.up 50ms for 3s
		at 2s latency tab.up 20ms for 1s
		at 2.5s latency tab.up 30ms for 2.5s
		from 6s latency tab.up 70ms
		heal at 8s`)
	latency := func() base.Duration { return l.tab.Link.Acceptor().Model().Latency / base.Millisecond }
	for _, c := range []struct {
		at   base.Time
		want base.Duration
	}{{500, 10}, {1500, 50}, {2200, 20}, {2700, 30}, {3500, 30}, {4500, 30}, {5500, 10}, {7000, 70}, {8000, 10}} {
		l.run(c.at * ms)
		if got := latency(); got != c.want {
			t.Errorf("at %v ms the latency is %v ms, want %v", int64(c.at), int64(got), int64(c.want))
		}
	}
}

// The fault events of a run say what was done, and when it was over.
func TestFaultsAreInTheTrace(t *testing.T) {
	l := newFaultLab(t, netsim.Memory)
	l.inject("at 1s stall tab.up for 1s\nfrom 3s black hole worker\nheal at 4s")
	l.run(5 * sec)
	want := `1s at 1s stall tab.up for 1s
2s over: at 1s stall tab.up for 1s
3s from 3s black hole worker
4s over: from 3s black hole worker`
	if got := strings.Join(l.events, "\n"); got != want {
		t.Errorf("the events are\n%s\nwant\n%s", got, want)
	}
}

// A link that was dialed again has the name that it was asked to have, and each fault counts what it did itself.
func TestFaultsCountTheirOwn(t *testing.T) {
	l := tabTalks(t, netsim.Memory)
	l.inject(`
		at 0.5s reset tab-server reconnect after 50ms
		at 1.05s stall tab-server.up for 100ms
		at 1.17s stall tab-server.up for 90ms
		at 1.25s latency tab-server.up 10ms for 1s
		at 3s reset tab-server
		at 4s reset tab-server`)
	l.run(5 * sec)
	l.wantGot("server", "m1@1.01s", "m2@1.16s", "m3@1.27s", "m4@1.31s")
	for n, want := range []faults.Effect{
		{Fired: 1, Connections: 1}, {Fired: 1, Messages: 1}, {Fired: 1, Messages: 1},
		{Fired: 1, Why: "it changed nothing: it is so already"}, {Fired: 1, Connections: 1},
		{Fired: 1, Why: "at 4s no connection of tab-server was there"},
	} {
		l.wantEffect(l.w.Effects()[n], want)
	}
}

// A fault that waits to end a connection does nothing once something else has ended it.
func TestSomethingElseEndsTheConnection(t *testing.T) {
	const cut = "at 0.5s cut tab.up after 10000 bytes reconnect after 10ms"
	l := newFaultLab(t, netsim.Memory)
	l.sends("server", "s", 100, 1100) // to the worker
	l.inject(cut + "\nat 1s reset tab\nat 1.105s reset worker")
	l.run(2 * sec)
	l.wantEffect(l.w.Effects()[0], faults.Effect{Fired: 1, Why: "nothing crossed on tab.up that it could touch"})
	l.wantEffect(l.w.Effects()[2], faults.Effect{Fired: 1, Messages: 1, Bytes: 100, Connections: 1})

	l = newFaultLab(t, netsim.Memory)
	l.inject(cut)
	l.w.At(1*sec, func() { l.nodes["tab"].conn.Close() })
	l.run(2 * sec)
	l.wantEffect(l.w.Effects()[0], faults.Effect{Fired: 1, Why: "nothing crossed on tab.up that it could touch"})
	if n := len(l.w.Connections()); n != 2 {
		t.Errorf("%d connections, want the first two", n)
	}
}
