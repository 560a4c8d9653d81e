package sim_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"chordsim/core/base"
	"chordsim/faults"
	"chordsim/faults/linkmodel"
	"chordsim/sim"
	"chordsim/sim/netsim"
)

// kindsLab has the tab send four messages, let a timer tick four times, and keep a store that is not synced; the worker and the
// host quiet do nothing. Links from the tab have 1,000 B/s upwards, so that a message of 100 bytes takes 0.1 s.
func kindsLab(t *testing.T, stream bool) *faultLab {
	cfg := netsim.Config{Up: linkmodel.Config{Rate: 1000}}
	if stream {
		cfg.Stream = &netsim.StreamConfig{Min: 1, Max: 40}
	}
	l := newFaultLab(t, cfg)
	l.w.Node("quiet", func(h *sim.Host) sim.Node { return &talker{host: h} })
	l.sends("tab", "m", 100, 1000, 1150, 1300, 1450)
	l.ticks("tab", 4)
	l.w.At(500*ms, func() {
		for _, key := range []string{"a", "b"} {
			if err := l.host("tab").Store().Put(key, nil); err != nil {
				t.Error(err)
			}
		}
	})
	return l
}

// kindRow is a kind of fault: plans of one fault that do something, with what, and plans whose last fault does nothing, with why.
type kindRow struct {
	effective map[string]faults.Effect
	idle      map[string]string
}

// Messages leave at 1.1, 1.25, 1.4 and 1.55 s and arrive 10 ms later; in a byte stream a message has 101 bytes and takes 1 ms more.
var kindRows = map[faults.Kind]kindRow{
	faults.Stall: {
		map[string]faults.Effect{"at 1.2s stall tab.up for 90ms": {Messages: 1}, "at 1.2s stall tab.up for 400ms": {Messages: 3}},
		map[string]string{"at 1.2s stall worker for 1s": "nothing crossed", "at 1.2s stall tab.down for 1s": "nothing crossed"},
	},
	faults.Drop: {
		map[string]faults.Effect{
			"at 1.2s drop tab loses 2 messages": {Messages: 2, Bytes: 200, Connections: 1},
			"at 1.2s drop tab loses 9 messages": {Messages: 3, Bytes: 300},
			"at 1.2s drop tab":                  {Messages: 1, Bytes: 100, Connections: 1},
		},
		map[string]string{"at 1.2s drop worker loses 1 message": "nothing crossed"},
	},
	faults.Reset:    {map[string]faults.Effect{"at 1.2s reset tab": {Messages: 1, Bytes: 100, Connections: 1}}, nil},
	faults.Close:    {map[string]faults.Effect{"at 1.2s close tab": {Connections: 1}, "at 1.2s close tab by server": {Messages: 1, Bytes: 100, Connections: 1}}, nil},
	faults.HalfOpen: {map[string]faults.Effect{"at 1.2s half-open tab": {Messages: 1, Bytes: 100, Connections: 1}, "at 1.2s half-open tab by server": {Messages: 3, Bytes: 300, Connections: 1}}, nil},
	faults.BlackHole: {
		map[string]faults.Effect{
			"at 1.2s black hole tab.up for 100ms": {Messages: 1, Bytes: 100, Connections: 1},
			"at 1.2s black hole tab.up for 1s":    {Messages: 3, Bytes: 300},
		},
		map[string]string{
			"at 1.2s black hole worker for 1s": "nothing crossed",
			// What the reset takes did not fall into the hole.
			"at 1.158s reset tab\nat 1.15s black hole tab for 1s": "nothing crossed",
		},
	},
	faults.Cut: {
		map[string]faults.Effect{"at 1.2s cut tab.up after 150 bytes": {Messages: 1, Bytes: 100, Connections: 1}},
		map[string]string{
			"at 1.2s cut tab.down after 1 byte":                                            "nothing crossed",
			"at 1.2s cut tab.up after 150 bytes\nat 1.2s cut tab.up after 160 bytes":       "nothing crossed", // the first one is before it
			"at 1.3s drop tab loses 1 message\nat 1.2s cut tab.up after 100000 bytes":      "nothing crossed",
			"at 1.2s black hole tab.up for 10ms\nat 1.2s cut tab.up after 100000 bytes":    "nothing crossed",
			"at 1.2s half-open tab by server\nat 1.2s cut tab.up after 100000 bytes":       "nothing crossed",
			"at 1.2s close tab by server\nat 1.2s cut tab.up after 100000 bytes":           "nothing crossed",
			"at 1.2s crash server restart after 1s\nat 1.2s cut tab.up after 100000 bytes": "nothing crossed",
		},
	},
	faults.Latency: {
		map[string]faults.Effect{"at 1.2s latency tab.up 50ms for 90ms": {Messages: 1, Bytes: 100}, "at 1.2s latency tab.up 50ms for 200ms": {Messages: 2, Bytes: 200}},
		map[string]string{"at 1.2s latency worker 50ms for 1s": "nothing crossed", "at 1.2s latency tab 10ms for 1s": "it changed nothing"},
	},
	faults.Jitter: {
		map[string]faults.Effect{"at 1.2s jitter tab.up 50ms for 200ms": {Messages: 1, Bytes: 100}},
		map[string]string{"at 1.2s jitter worker 50ms for 1s": "nothing crossed"},
	},
	faults.Rate: {
		map[string]faults.Effect{"at 1.2s rate tab.up 500B/s for 50ms": {Messages: 1, Bytes: 100}, "at 1.26s rate tab.up 500B/s for 100ms": {Messages: 1, Bytes: 100}},
		map[string]string{"at 1.2s rate worker.up 500B/s for 1s": "nothing crossed", "at 1.2s rate tab.up 1000B/s for 1s": "it changed nothing"},
	},
	faults.Squeeze: {
		map[string]faults.Effect{"at 1.2s squeeze tab.up 100B for 200ms": {Messages: 1, Bytes: 100}},
		map[string]string{"at 1.2s squeeze worker 1B for 1s": "nothing crossed", "at 1.2s squeeze tab.up 200B for 1s": "nothing crossed"},
	},
	faults.Crash: {
		map[string]faults.Effect{
			"at 1.2s crash server":        {Messages: 1, Bytes: 100, Connections: 2, Hosts: 1},
			"at 350ms crash tab":          {Connections: 1, Hosts: 1, Turns: 1},
			"at 1.2s crash tab":           {Messages: 1, Bytes: 100, Connections: 1, Hosts: 1, Writes: 2},
			"at 1.2s crash tab keep 100%": {Messages: 1, Bytes: 100, Connections: 1, Hosts: 1},
		},
		map[string]string{"at 1s crash worker\nat 2s crash worker": "worker was down already"},
	},
	faults.Partition: {
		map[string]faults.Effect{"at 1.2s partition {tab} from {server} for 90ms": {Messages: 1}, "at 1.2s partition {tab quiet} to {server} for 400ms": {Messages: 3}},
		map[string]string{"at 1.2s partition {server} to {tab} for 1s": "nothing crossed", "at 1.2s partition {tab} from {worker} for 1s": "at 1.2s no connection"},
	},
	faults.Swizzle: {nil, map[string]string{"at 1.2s swizzle worker for 1s": "nothing crossed", "at 5s swizzle tab for 1s": "nothing crossed"}},
	faults.Skew: {
		map[string]faults.Effect{"at 150ms skew tab 50ms": {Turns: 3}, "at 1.2s skew server 1s": {Clock: 3}},
		map[string]string{"at 1.2s skew worker 1s": "worker read its clock for nothing", "at 1s skew quiet -1s": "quiet read its clock for nothing", "at 500ms skew tab 3s": "tab read its clock for nothing"},
	},
	faults.Drift: {
		map[string]faults.Effect{"at 0s drift tab 250000ppm for 200ms": {Turns: 4}, "at 1.2s drift server -1000ppm for 200ms": {Clock: 3}},
		map[string]string{"at 1.2s drift worker 1000ppm for 1s": "worker read its clock for nothing", "at 500ms drift tab 100ppm for 9s": "tab read its clock for nothing"},
	},
	faults.Slow: {
		map[string]faults.Effect{"at 1.2s slow server 100x for 250ms": {Turns: 2}},
		map[string]string{"at 1.2s slow worker 8x for 1s": "worker took no turn", "at 1s slow quiet 8x for 1s": "quiet took no turn"},
	},
	faults.Timers: {
		map[string]faults.Effect{"at 150ms timers tab late 50ms for 100ms": {Turns: 1}},
		map[string]string{"at 150ms timers worker late 50ms for 1s": "no timer of worker", "at 1s timers tab late 50ms for 1s": "no timer of tab"},
	},
}

// Each kind counts exactly what it did, in messages and in byte streams. What did nothing counts nothing, and by hand it is a failure
// that names the fault: on a link where nothing is, one that is over, at a host that does nothing, or that is down.
func TestD3EveryKindCountsWhatItDid(t *testing.T) {
	for _, kind := range faults.Kinds() {
		row, ok := kindRows[kind]
		if !ok || len(row.effective) == 0 && kind != faults.Swizzle {
			t.Errorf("no row for %v", kind)
		}
		for _, stream := range []bool{false, true} {
			for plan, want := range row.effective {
				l := kindsLab(t, stream)
				got := l.effect(plan)
				want.Fired = 1
				if kind == faults.Stall || kind == faults.Partition {
					want.Messages = streamed(stream, got.Messages, want.Messages)
				}
				l.wantEffect(got, want)
			}
			idle := map[string]string{}
			for plan, why := range row.idle {
				idle[plan] = why
			}
			if kind.OfLinks() {
				for plan := range row.effective { // over a link that is over
					_, what, _ := strings.Cut(plan, "s ")
					idle["at 900ms reset tab\nat 1.2s "+what] = "at 1.2s no connection"
				}
			}
			for plan, why := range idle {
				kindsLab(t, stream).wantIdle(plan, why)
			}
		}
	}
}

// streamed allows a byte stream, where segments count, as many as there are of that many messages.
func streamed(stream bool, got, messages int64) int64 {
	if stream && got >= messages && got <= 101*messages {
		return got
	}
	return messages
}

// wantIdle plays a plan by hand whose last fault does nothing.
func (l *faultLab) wantIdle(plan, why string) {
	l.t.Helper()
	l.inject(plan)
	l.run(base.Time(10 * base.Second))
	r := sim.Report{}
	r.AddEffects(l.w, true)
	e := r.Effects[len(r.Effects)-1]
	if !e.None() || e.Fired != 1 || !strings.Contains(e.Why, why) {
		l.t.Errorf("%s\nthe effect is %+v, want none since %q", plan, e, why)
	}
	if want := fmt.Sprintf("D3: the fault `%s` had no effect: %s", e.Fault, e.Why); !slices.Contains(r.Failures, want) {
		l.t.Errorf("%s\nfails with %q, want %q", plan, r.Failures, want)
	}
}

// A swizzle counts each message that came later than it would have.
func TestD3SwizzleCountsWhatIsLate(t *testing.T) {
	l := newFaultLab(t, netsim.Memory)
	var at []int
	for n := range 100 {
		at = append(at, 1000+20*n)
	}
	l.sends("tab", "m", 10, at...)
	e := l.effect("at 1s swizzle tab for 2s")
	late := int64(0)
	for n, text := range l.nodes["server"].got {
		if text != fmt.Sprintf("m%d@%v", n+1, base.Time(1010+20*n)*ms) {
			late++
		}
	}
	if late == 0 || late == 100 {
		t.Fatalf("%d messages were late", late)
	}
	l.wantEffect(e, faults.Effect{Fired: 1, Messages: late})
}
