package sim_test

import (
	"testing"

	"chordsim/faults"
	"chordsim/sim/netsim"
)

// Two faults of one kind at one connection count what each did itself.
func TestD3FaultsOfOneKindCountTheirOwn(t *testing.T) {
	for plan, want := range map[string][2]faults.Effect{
		"at 0.9s drop tab loses 5 messages\nat 1.2s drop tab loses 1 message":  {{Messages: 2, Bytes: 200}, {Messages: 1, Bytes: 100, Connections: 1}},
		"at 0.9s drop tab loses 2 messages\nat 1.2s drop tab loses 5 messages": {{Messages: 2, Bytes: 200, Connections: 1}, {Messages: 1, Bytes: 100}},
		"at 0.9s cut tab.up after 150 bytes\nat 0.9s cut tab.up after 150 bytes": {
			{Messages: 1, Bytes: 100, Connections: 1}, {Messages: 1, Bytes: 100, Connections: 1}, // the same
		},
		"at 0.9s black hole tab.up for 300ms\nat 0.9s black hole tab.down for 1s":  {{Messages: 1, Bytes: 100, Connections: 1}, {}},
		"at 0.9s black hole tab.up for 50ms\nat 1.05s black hole tab.up for 100ms": {{}, {Messages: 1, Bytes: 100, Connections: 1}},
		// The one that is over is not the one that is on.
		"at 0.9s black hole tab.up for 300ms\nat 0.9s black hole tab.up for 2s":        {{Messages: 1, Bytes: 100}, {Messages: 4, Bytes: 400}},
		"at 1.2s squeeze tab.up 100B for 150ms\nat 1.31s squeeze tab.up 90B for 200ms": {{Messages: 1, Bytes: 100}, {Messages: 1, Bytes: 100}},
		"at 1.2s rate tab.up 999B/s for 1s\nat 1.4s rate tab.up 1000B/s for 20ms":      {{Messages: 3, Bytes: 300}, {}},
		// What ended before a crash is not the crash's.
		"at 0.9s close tab\nat 1.2s crash tab": {{Connections: 1}, {Hosts: 1, Writes: 2}},
	} {
		l := kindsLab(t, false)
		l.inject(plan)
		l.run(10 * sec)
		for n, e := range l.w.Effects() {
			want := want[n]
			want.Fired = 1
			if e.None() {
				want.Why = e.Why
			}
			if e.Kind, e.Fault = "", ""; e != want {
				t.Errorf("%s\nnumber %d did %+v, want %+v", plan, n, e, want)
			}
		}
	}
}

// What comes behind a gap ends the connection, and that is the doing of who was the first to make one.
func TestD3WhoMadeTheGapCounts(t *testing.T) {
	const hole, drop = "at 0.9s black hole tab.up for 300ms", "at 1.2s drop tab loses 5 messages"
	for _, c := range []struct {
		plan string
		want []faults.Effect
	}{
		{hole + "\n" + drop, []faults.Effect{{Fired: 1, Messages: 1, Bytes: 100, Connections: 1}, {Fired: 1, Messages: 2, Bytes: 200}}},
		{drop, []faults.Effect{{Fired: 1, Messages: 2, Bytes: 200, Connections: 1}}},
	} {
		l := kindsLab(t, false)
		l.w.At(1320*ms, func() { l.nodes["tab"].conn.Close() }) // the end arrives behind the third message
		l.inject(c.plan)
		l.run(10 * sec)
		for n, e := range l.w.Effects() {
			l.wantEffect(e, c.want[n])
		}
		if told := l.told("server"); told != "reset" {
			t.Errorf("%s: the server was told %q", c.plan, told)
		}
	}
}

// What comes to an end that had closed before its host crashed is lost for that.
func TestD3CrashBehindAClose(t *testing.T) {
	l := newFaultLab(t, netsim.Memory)
	l.sends("server", "s", 10, 1203) // to the worker, at 1.213 s
	l.inject("at 1.205s close worker\nat 1.21s crash worker")
	l.run(2 * sec)
	l.wantEffect(l.w.Effects()[0], faults.Effect{Fired: 1, Messages: 1, Bytes: 10, Connections: 1})
	l.wantEffect(l.w.Effects()[1], faults.Effect{Fired: 1, Hosts: 1})
}

// Of two black holes that overlap, the one that is over first does not end the other.
func TestOverlappingBlackHoles(t *testing.T) {
	l := tabTalks(t, netsim.Memory)
	l.effect("at 1.05s black hole tab.up for 300ms\nat 1.06s black hole tab.up for 50ms")
	l.wantGot("server", "m1@1.01s")
}
