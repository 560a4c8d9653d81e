package netsim_test

import (
	"strings"
	"testing"

	"chordsim/core/base"
	"chordsim/faults/linkmodel"
	"chordsim/sim/events"
	"chordsim/sim/netsim"
)

func newBottleneck(t tester, queue *events.Queue, rate int64) *netsim.Bottleneck {
	t.Helper()
	b, err := netsim.NewBottleneck(queue, "uplink", rate)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return b
}

// k senders that write whenever there is room carry a k-th of the rate each, whatever their latencies and message sizes,
// in both directions and under any order of ties.
func TestD2EqualFlowsHaveEqualShares(t *testing.T) {
	const rate, k = 600_000, 6
	for _, strategy := range []events.Strategy{events.FIFO, events.Random} {
		rand := base.NewRand(1)
		queue := events.New(strategy, rand.Stream("tie"))
		via := newBottleneck(t, queue, rate)
		var flows []*recorder
		for i := range k {
			cfg := netsim.Config{Name: string(rune('a' + i)), UpVia: via, DownVia: via}
			cfg.Up.Latency = base.Duration(i) * 7 * base.Millisecond
			b := newLabOn(t, queue, rand, cfg)
			size := int64(1000 * (i%3 + 1))
			if i%2 == 0 {
				b.pump(b.link.Dialer(), &b.down, rate/k, size)
				flows = append(flows, &b.up)
			} else {
				b.pump(b.link.Acceptor(), &b.up, rate/k, size)
				flows = append(flows, &b.down)
			}
		}
		for queue.Step() {
		}
		for i, r := range flows {
			latency := base.Time(0)
			if i%2 == 0 {
				latency = base.Time(i) * 7 * ms
			}
			if got := r.arrivals[len(r.arrivals)-1] - latency; got != sec {
				t.Errorf("%v: flow %d has carried its k-th of a second at %v", strategy, i, got)
			}
		}
	}
}

// Who idles gives its share to the others, and gets it back at once.
func TestD2IdleFlowsGiveTheirShares(t *testing.T) {
	queue, rand := events.New(events.FIFO, nil), base.NewRand(1)
	via := newBottleneck(t, queue, 1000)
	a := newLabOn(t, queue, rand, netsim.Config{Name: "a", UpVia: via})
	b := newLabOn(t, queue, rand, netsim.Config{Name: "b", UpVia: via, Up: linkmodel.Config{Rate: 250}})
	for range 4 {
		a.sendAt(0, 500)
	}
	b.sendAt(sec/2, 250) // takes 250 B/s until 1.5 s
	a.run()
	// 500 alone, 750 in the second that follows, 750 alone.
	wantTimes(t, "a", a.up.arrivals, sec/2, sec/2+666_666_667, 1750*ms, 2250*ms)
	wantTimes(t, "b", b.up.arrivals, 3*sec/2)
	if err := via.SetRate(0); err == nil || !strings.Contains(err.Error(), "netsim: bottleneck uplink: ") {
		t.Errorf("a rate of 0: %v", err)
	}
}

// A reset, a stall and a death free the share at once.
func TestD2EndedFlowsFreeTheirShares(t *testing.T) {
	for name, end := range map[string]func(l *netsim.Link){
		"reset": func(l *netsim.Link) { l.Reset() }, "stall": func(l *netsim.Link) { l.Acceptor().Stall() },
		"abort": func(l *netsim.Link) { l.Dialer().Abort() }, "vanish": func(l *netsim.Link) { l.Dialer().Vanish() },
	} {
		queue, rand := events.New(events.FIFO, nil), base.NewRand(1)
		via := newBottleneck(t, queue, 1000)
		a := newLabOn(t, queue, rand, netsim.Config{Name: "a", UpVia: via})
		b := newLabOn(t, queue, rand, netsim.Config{Name: "b", UpVia: via})
		a.sendAt(0, 1000)
		b.sendAt(0, 10_000)
		b.at(sec, func() { end(b.link) })
		a.run()
		wantTimes(t, name, a.up.arrivals, sec+sec/2)
	}
}

func TestBottleneckMembers(t *testing.T) {
	queue := events.New(events.FIFO, nil)
	via := newBottleneck(t, queue, 1000)
	cfg := netsim.Config{Name: "x", Down: linkmodel.Config{Quantum: 1}, DownVia: via}
	_, err := netsim.New(queue, base.NewRand(0), cfg, nil)
	want := "netsim: link x down: bottleneck uplink: linkmodel: unsupported: not for a bottleneck: " +
		"a direction of unlimited quantum 1ns; want one without quantum and trace"
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if _, err := netsim.NewBottleneck(queue, "b", 0); err == nil {
		t.Error("a bottleneck without a rate")
	}
	if via.Name() != "uplink" || via.Rate() != 1000 {
		t.Errorf("%s has %d", via.Name(), via.Rate())
	}
}
