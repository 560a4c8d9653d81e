package sim_test

import (
	"fmt"
	"strings"
	"testing"

	"chordsim/core/base"
	"chordsim/faults"
	"chordsim/faults/linkmodel"
	"chordsim/sim/netsim"
)

// The tab sends four messages of 100 bytes at 1.0 s, 1.1 s, 1.2 s and 1.3 s, in each test of a fault of links.
func tabTalks(t *testing.T, cfg netsim.Config) *faultLab {
	l := newFaultLab(t, cfg)
	l.sends("tab", "m", 100, 1000, 1100, 1200, 1300)
	return l
}

func TestStallDelays(t *testing.T) {
	l := tabTalks(t, netsim.Memory)
	e := l.effect("at 1.05s stall tab.up for 200ms")
	l.wantGot("server", "m1@1.01s", "m2@1.26s", "m3@1.26s", "m4@1.31s")
	l.wantEffect(e, faults.Effect{Fired: 1, Messages: 2})
}

func TestBlackHoleLoses(t *testing.T) {
	l := tabTalks(t, netsim.Memory)
	e := l.effect("at 1.05s black hole tab-server.up for 200ms")
	l.wantGot("server", "m1@1.01s")
	l.wantEnded("tab", "netsim: connection reset@1.31s")
	l.wantEffect(e, faults.Effect{Fired: 1, Messages: 2, Bytes: 200, Connections: 1})
}

func TestResetLosesWhatIsUnderWay(t *testing.T) {
	l := tabTalks(t, netsim.Memory)
	e := l.effect("at 1.105s reset tab")
	l.wantGot("server", "m1@1.01s")
	l.wantEnded("tab", "netsim: connection reset@1.105s")
	l.wantEnded("server", "netsim: connection reset@1.105s")
	l.wantEnded("worker")
	l.wantEffect(e, faults.Effect{Fired: 1, Messages: 1, Bytes: 100, Connections: 1})
}

func TestReconnect(t *testing.T) {
	l := tabTalks(t, netsim.Memory)
	e := l.effect("at 1.105s reset tab reconnect after 50ms")
	l.wantGot("server", "m1@1.01s", "m3@1.21s", "m4@1.31s")
	l.wantEffect(e, faults.Effect{Fired: 1, Messages: 1, Bytes: 100, Connections: 1})
	if all := l.w.Connections(); len(all) != 3 || all[2].Link.Name() != "tab-server#2" || all[2].From() != l.host("tab") {
		t.Errorf("%d connections", len(all))
	}
}

// A drop takes the next messages of either direction, and then the connection.
func TestDropLosesMessages(t *testing.T) {
	l := tabTalks(t, netsim.Memory)
	e := l.effect("at 1.05s drop tab loses 2 messages reconnect after 20ms")
	l.wantGot("server", "m1@1.01s", "m4@1.31s")
	l.wantEnded("tab", "netsim: connection reset@1.21s")
	l.wantEffect(e, faults.Effect{Fired: 1, Messages: 2, Bytes: 200, Connections: 1})

	l = tabTalks(t, netsim.Memory)
	e = l.effect("at 1.105s drop tab")
	l.wantEnded("tab", "netsim: connection reset@1.105s")
	l.wantEffect(e, faults.Effect{Fired: 1, Messages: 1, Bytes: 100, Connections: 1})
}

func TestCloseDelivers(t *testing.T) {
	for by, want := range map[string]struct {
		got    []string
		effect faults.Effect
	}{
		"":           {[]string{"m1@1.01s", "m2@1.11s"}, faults.Effect{Fired: 1, Connections: 1}},
		" by tab":    {[]string{"m1@1.01s", "m2@1.11s"}, faults.Effect{Fired: 1, Connections: 1}},
		" by server": {[]string{"m1@1.01s"}, faults.Effect{Fired: 1, Messages: 1, Bytes: 100, Connections: 1}},
	} {
		l := tabTalks(t, netsim.Memory)
		e := l.effect("at 1.105s close tab" + by)
		l.wantGot("server", want.got...)
		l.wantEffect(e, want.effect)
		if len(l.nodes["tab"].ended) != 1 || len(l.nodes["server"].ended) != 1 {
			t.Errorf("close%s: tab was told %q, server %q", by, l.nodes["tab"].ended, l.nodes["server"].ended)
		}
	}
}

func TestHalfOpen(t *testing.T) {
	l := tabTalks(t, netsim.Memory)
	e := l.effect("at 1.105s half-open tab by server")
	l.wantGot("server", "m1@1.01s")
	l.wantEnded("tab")
	l.wantEnded("server", "netsim: connection reset@1.105s")
	l.wantEffect(e, faults.Effect{Fired: 1, Messages: 3, Bytes: 300, Connections: 1})
}

// A cut falls after any byte: the messages before it arrive, the one that it falls into does not.
func TestCutAfterBytes(t *testing.T) {
	l := tabTalks(t, netsim.Memory)
	e := l.effect("at 1.05s cut tab.up after 150 bytes reconnect after 20ms")
	l.wantGot("server", "m1@1.01s", "m2@1.11s", "m4@1.31s")
	l.wantEffect(e, faults.Effect{Fired: 1, Messages: 1, Bytes: 100, Connections: 1})
}

// What something else ends is not the doing of a fault that waits.
func TestAnotherFaultEndsTheConnection(t *testing.T) {
	l := tabTalks(t, netsim.Memory)
	e := l.effect("at 1.05s cut tab.up after 100000000 bytes reconnect after 20ms\nat 1.105s reset tab")
	if !e.None() || e.Fired != 1 || e.Why == "" {
		t.Errorf("a cut that did not fall: %+v", e)
	}
	if reset := l.w.Effects()[1]; reset.Messages != 1 || reset.Connections != 1 {
		t.Errorf("the reset: %+v", reset)
	}
	l = tabTalks(t, netsim.Memory)
	e = l.effect("at 1.05s drop tab loses 900000 messages\nat 1.205s reset tab")
	l.wantEffect(e, faults.Effect{Fired: 1, Messages: 1, Bytes: 100}) // the message of 1.1 s, and not what the reset takes
}

// A cut or a drop that waits for something to cross does not wait beyond the heal. One that lost something resets then.
func TestTheHealTakesBackWhatWaits(t *testing.T) {
	all := []string{"m1@1.01s", "m2@1.11s", "m3@1.21s", "m4@1.31s"}
	early := func(heal string) faults.Effect {
		return faults.Effect{Fired: 1, Why: "the heal came at " + heal + ", before enough had crossed"}
	}
	for fault, want := range map[string]struct {
		got    []string
		effect faults.Effect
	}{
		"cut tab.up after 250 bytes":                      {all, early("1.12s")},
		"cut tab.up after 150 bytes reconnect after 10ms": {all, early("1.12s")},
		"cut tab.up after 100 bytes reconnect after 10ms": {all, faults.Effect{Fired: 1, Connections: 1}},
		"drop tab loses 1 message":                        {all, early("1.06s")},
		"drop tab loses 2 messages":                       {all[:1], faults.Effect{Fired: 1, Messages: 1, Bytes: 100, Connections: 1}},
		"drop tab loses 2 messages reconnect after 10ms": {
			[]string{all[0], all[2], all[3]}, faults.Effect{Fired: 1, Messages: 1, Bytes: 100, Connections: 1},
		},
	} {
		l := tabTalks(t, netsim.Memory)
		heal := "1.12s"
		if strings.Contains(fault, "1 message") {
			heal = "1.06s"
		}
		e := l.effect("at 1.05s " + fault + "\nheal at " + heal)
		l.wantGot("server", want.got...)
		l.wantEffect(e, want.effect)
	}
}

func TestLatency(t *testing.T) {
	l := tabTalks(t, netsim.Memory)
	e := l.effect("at 1.05s latency tab.up 50ms for 200ms")
	l.wantGot("server", "m1@1.01s", "m2@1.15s", "m3@1.25s", "m4@1.31s")
	l.wantEffect(e, faults.Effect{Fired: 1, Messages: 2, Bytes: 200})
}

func TestJitter(t *testing.T) {
	l := tabTalks(t, netsim.Memory)
	e := l.effect("at 1.05s jitter tab 50ms for 100ms")
	l.wantEffect(e, faults.Effect{Fired: 1, Messages: 1, Bytes: 100})
	if got := l.nodes["server"].got; len(got) != 4 || got[0] != "m1@1.01s" || got[1] == "m2@1.11s" || got[2] != "m3@1.21s" {
		t.Errorf("server got %q", got)
	}
}

func TestRate(t *testing.T) {
	l := tabTalks(t, netsim.Memory)
	e := l.effect("at 1.05s rate tab.up 1000B/s for 100ms")
	// 100 bytes at 1000 bytes/s take 100 ms; after 50 of them the rest goes at once.
	l.wantGot("server", "m1@1.01s", "m2@1.16s", "m3@1.21s", "m4@1.31s")
	l.wantEffect(e, faults.Effect{Fired: 1, Messages: 1, Bytes: 100})
}

func TestSqueeze(t *testing.T) {
	l := newFaultLab(t, netsim.Config{Up: linkmodel.Config{Rate: 1000}})
	room := ""
	for n, at := range []base.Time{1000 * ms, 1060 * ms, 1500 * ms} {
		l.w.At(at, func() {
			if l.nodes["tab"].conn.Write(make([]byte, 100)) {
				room += string(rune('1' + n))
			}
		})
	}
	e := l.effect("at 1.05s squeeze tab.up 100B for 400ms")
	if room != "13" {
		t.Errorf("there was room after the messages %s, want 1 and 3", room)
	}
	l.wantEffect(e, faults.Effect{Fired: 1, Messages: 1, Bytes: 100})
}

func TestPartition(t *testing.T) {
	for plan, want := range map[string]struct {
		server []string
		worker []string
		n      int64
	}{
		"at 1.05s partition {tab} from {server} for 200ms": {
			[]string{"m1@1.01s", "w1@1.11s", "m2@1.26s", "m3@1.26s", "m4@1.31s"}, []string{"s1@1.11s"}, 2,
		},
		"at 1.05s partition {tab} to {server} for 200ms": {
			[]string{"m1@1.01s", "w1@1.11s", "m2@1.26s", "m3@1.26s", "m4@1.31s"}, []string{"s1@1.11s"}, 2,
		},
		"at 1.05s partition {server} to {tab worker} for 200ms": {
			[]string{"m1@1.01s", "m2@1.11s", "w1@1.11s", "m3@1.21s", "m4@1.31s"}, []string{"s1@1.26s"}, 1,
		},
		"at 1.05s partition {tab worker} from {server} for 200ms": {
			[]string{"m1@1.01s", "m2@1.26s", "m3@1.26s", "w1@1.26s", "m4@1.31s"}, []string{"s1@1.26s"}, 4,
		},
	} {
		l := tabTalks(t, netsim.Memory)
		l.sends("worker", "w", 100, 1100)
		l.sends("server", "s", 100, 1100) // over its newest connection, the worker's
		e := l.effect(plan)
		l.wantGot("server", want.server...)
		l.wantGot("worker", want.worker...)
		l.wantEffect(e, faults.Effect{Fired: 1, Messages: want.n})
	}
}

// A connection that is dialed while a partition is on waits as well.
func TestPartitionHoldsUpNewConnections(t *testing.T) {
	l := newFaultLab(t, netsim.Memory)
	l.w.At(1100*ms, func() { l.dial("tab", netsim.Memory) })
	l.inject("at 1.05s partition {tab} from {server} for 200ms")
	l.run(1200 * ms)
	before := l.nodes["tab"].conn
	l.run(1249 * ms)
	if l.nodes["tab"].conn != before {
		t.Error("connected through a partition")
	}
	l.run(2000 * ms)
	if l.nodes["tab"].conn == before {
		t.Error("not connected behind the partition")
	}
	l.wantEffect(l.w.Effects()[0], faults.Effect{Fired: 1, Messages: 1})
}

func TestSwizzle(t *testing.T) {
	l := newFaultLab(t, netsim.Memory)
	at := []int{}
	for n := range 200 {
		at = append(at, 1000+10*n)
	}
	l.sends("tab", "m", 10, at...)
	l.sends("worker", "w", 10, at...)
	e := l.effect("at 1s swizzle all links for 2s")
	if e.Messages < 100 || e.Messages >= 400 || e.Fired != 1 {
		t.Errorf("the effect is %+v", e)
	}
	if n := len(l.nodes["server"].got); n != 400 {
		t.Errorf("%d messages arrived of 400", n)
	}
	if l.tab.Link.Acceptor().Stalled() || l.worker.Link.Dialer().Stalled() {
		t.Error("a link is stalled behind it")
	}
}

// Of two stalls of a direction that overlap the later end counts, whichever began first.
func TestStallsOverlap(t *testing.T) {
	for _, plan := range []string{
		"at 1.05s stall tab.up for 100ms\nat 1.06s stall tab.up for 300ms", "at 1.05s stall tab.up for 310ms\nat 1.06s stall tab.up for 90ms",
		"at 1.05s stall tab.up for 100ms\nat 1.06s partition {tab} from {server} for 300ms",
	} {
		l := tabTalks(t, netsim.Memory)
		l.inject(plan)
		l.run(5 * sec)
		l.wantGot("server", "m1@1.01s", "m2@1.37s", "m3@1.37s", "m4@1.37s")
	}
}

// Each round of a swizzle that goes on to the heal has draws of its own, and all of them count.
func TestSwizzleRoundsDiffer(t *testing.T) {
	l := newFaultLab(t, netsim.Memory)
	var at []int
	for n := range 290 {
		at = append(at, 500+100*n)
	}
	l.sends("tab", "m", 10, at...)
	l.inject("from 0s swizzle tab\nheal at 30s")
	rounds := map[string]bool{}
	for range 3 {
		pattern := ""
		for range 100 {
			l.run(l.w.Now().Add(100 * base.Millisecond))
			pattern += map[bool]string{true: "x", false: "."}[l.tab.Link.Acceptor().Stalled()]
		}
		if !strings.Contains(pattern, "xx") || !strings.Contains(pattern, "..") {
			t.Errorf("a round of %s", pattern)
		}
		rounds[pattern] = true
	}
	if len(rounds) != 3 {
		t.Errorf("of three rounds %d differ", len(rounds))
	}
	late := int64(0)
	l.run(40 * sec)
	for n, text := range l.nodes["server"].got {
		if text != fmt.Sprintf("m%d@%v", n+1, base.Time(510+100*n)*ms) {
			late++
		}
	}
	l.wantEffect(l.w.Effects()[0], faults.Effect{Fired: 1, Messages: late})
}
