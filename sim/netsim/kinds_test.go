package netsim_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"chordsim/core/base"
	"chordsim/faults/linkmodel"
	"chordsim/sim/events"
	"chordsim/sim/netsim"
)

// The table has each kind of link under each condition. All of it is in the middle of a load of some 14,000 bytes.
const (
	kindRate    = 700_001 // bytes a second: no divisor of a second
	kindLatency = 5 * base.Millisecond
	kindQuantum = 2 * base.Millisecond
	kindVia     = 2_100_005
	kindOwn     = 400_003

	changeAt      = 3 * ms
	changedRate   = 900_007
	changedVia    = 1_000_003
	secondAt      = 2 * ms
	secondBytes   = 2000
	longerLatency = 9 * base.Millisecond
)

var (
	kindSizes = []int64{997, 1, 499, 700, 996, 2, 500, 999, 834, 5, 1000, 1000, 750, 3, 998, 961, 20, 444, 1000, 1000, 600, 1}
	kindMarks = []int64{1, 2, 4, 5, 5, 9, 12}
	changed   = span{changeAt, 13 * ms} // the stall
)

// condition is what happens in the middle.
type condition struct {
	name      string
	stall     *span
	rate, via int64         // from changeAt on; 0: as before
	latency   base.Duration // from changeAt on; negative: as before
	second    bool          // another flow is there from secondAt on, until its bytes are gone
}

var conditions = []condition{
	{name: "nothing", latency: -1},
	{name: "a stall", latency: -1, stall: &changed},
	{name: "another rate", latency: -1, rate: changedRate},
	{name: "a longer latency", latency: longerLatency},
	{name: "no latency", latency: 0},
	{name: "a second flow", latency: -1, second: true},
	{name: "another rate of the bottleneck", latency: -1, via: changedVia},
}

// kind is a kind of link.
type kind struct {
	name     string
	cfg      linkmodel.Config
	buffer   int64
	segments *netsim.StreamConfig
	flows    int64                // that share a bottleneck with it, itself included; 0: it is behind none
	refuses  func(condition) bool // what it cannot honour
	pumped   bool                 // the sender minds the buffer
}

const plenty = 1 << 20 // a buffer that is never full

func kinds(t tester) []kind {
	text := strings.Trim(strings.ReplaceAll(fmt.Sprint(kindMarks), " ", "\n"), "[]") + "\n"
	plain, all := rated(kindRate, kindLatency), rated(0, kindLatency)
	with := func(c linkmodel.Config, do func(c *linkmodel.Config)) linkmodel.Config {
		do(&c)
		return c
	}
	one := &netsim.StreamConfig{Min: 1, Max: 1}
	return []kind{
		{name: "a rate and a latency", cfg: plain, buffer: plenty},
		{name: "jitter", cfg: with(plain, func(c *linkmodel.Config) { c.Jitter = 3 * base.Millisecond }), buffer: plenty},
		{name: "a quantum", cfg: with(plain, func(c *linkmodel.Config) { c.Quantum = kindQuantum }), buffer: plenty},
		{name: "a small buffer", cfg: plain, buffer: 1500, pumped: true},
		{
			name: "a recorded trace", cfg: with(all, func(c *linkmodel.Config) { c.Trace = newTrace(t, text) }), buffer: plenty,
			refuses: func(c condition) bool { return c.rate > 0 },
		},
		{name: "no limit of the rate", cfg: all, buffer: plenty},
		{name: "no latency", cfg: rated(kindRate, 0), buffer: plenty},
		{name: "a byte stream", cfg: plain, buffer: plenty, segments: &netsim.StreamConfig{Min: 1, Max: 400}},
		{name: "a byte stream of a small buffer", cfg: plain, buffer: 1000, segments: &netsim.StreamConfig{Min: 300, Max: 300}},
		{name: "a byte stream of single bytes", cfg: plain, buffer: 64, segments: one},
		{name: "a bottleneck alone", cfg: all, buffer: plenty, flows: 1},
		{name: "a bottleneck of two", cfg: all, buffer: plenty, flows: 2},
		{name: "a bottleneck of seven", cfg: all, buffer: plenty, flows: 7},
		{name: "a bottleneck and a rate", cfg: rated(kindOwn, kindLatency), buffer: plenty, flows: 3},
		{name: "a byte stream at a bottleneck", cfg: all, buffer: 1000, segments: &netsim.StreamConfig{Min: 300, Max: 300}, flows: 2},
		{name: "single bytes at a bottleneck", cfg: all, buffer: 64, segments: one, flows: 3},
	}
}

// curves returns what the flow under test carries, and what each of those that share with it does.
func (k *kind) curves(c *condition) (first, others curve) {
	add := func(from base.Time, via, own, n int64) {
		mine, theirs := share(via, own, n)
		first, others = append(first, piece{from, mine}), append(others, piece{from, theirs})
	}
	if k.flows == 0 {
		first = curve{{0, ratio{k.cfg.Rate, 1}}}
		if c.rate > 0 {
			first = append(first, piece{changeAt, ratio{c.rate, 1}})
		}
		if c.stall != nil && k.cfg.Quantum == 0 {
			first = first.stalled(*c.stall)
		}
		return first, nil
	}
	add(0, kindVia, k.cfg.Rate, k.flows)
	switch {
	case c.stall != nil:
		first = first.stalled(*c.stall)
		alone := max(k.flows-1, 1)
		others = append(others, piece{c.stall.from, ratio{kindVia, alone}}, piece{c.stall.to, others[0].rate})
	case c.rate > 0:
		add(changeAt, kindVia, c.rate, k.flows)
	case c.via > 0:
		add(changeAt, c.via, k.cfg.Rate, k.flows)
	case c.second:
		add(secondAt, kindVia, k.cfg.Rate, k.flows+1)
		_, theirs := share(kindVia, k.cfg.Rate, k.flows+1)
		over := secondAt + curve{{0, theirs}}.when(secondBytes)
		add(over, kindVia, k.cfg.Rate, k.flows)
	}
	return first, others
}

// want returns when the messages of the load arrive, and when the last of them is gone.
func (k *kind) want(c *condition, way string) (arrivals []base.Time, gone base.Time) {
	first, _ := k.curves(c)
	messages := ends(kindSizes, k.segments != nil)
	places := messages
	if s := k.segments; s != nil {
		draws := base.NewRand(0).Stream("write", "a", way)
		places = cuts(messages, func() int64 { return int64(s.Min) + int64(draws.Below(uint64(s.Max-s.Min)+1)) }, k.buffer)
	}
	draws := base.NewRand(0).Stream("jitter", "a", way)
	latest := base.Time(0)
	unlimited := k.cfg.Rate == 0 && k.cfg.Trace == nil && k.flows == 0
	sent := k.sends()
	for i, n := range places {
		switch {
		case k.cfg.Trace != nil:
			gone = marks(kindMarks, n, c.stall)
		case k.cfg.Quantum > 0:
			gone = first.ticks(n, k.cfg.Quantum, c.stall)
		case unlimited:
			gone = k.unlimited(c, sent, i)
		default:
			gone = first.when(n)
		}
		latency := k.cfg.Latency
		if c.latency >= 0 && gone > changeAt {
			latency = c.latency
		}
		if k.cfg.Jitter > 0 {
			latency += base.Duration(draws.Below(uint64(k.cfg.Jitter) + 1))
		}
		latest = max(latest, arrive(gone, latency, c.stall, k.cfg.Trace != nil))
		for len(arrivals) < len(messages) && messages[len(arrivals)] <= n {
			arrivals = append(arrivals, latest)
		}
	}
	return arrivals, gone
}

// sends returns when the load is handed over: at once, but over a link without a limit one by one.
func (k *kind) sends() []send {
	list := make([]send, len(kindSizes))
	for i, size := range kindSizes {
		list[i].size = size
		if k.cfg.Rate == 0 && k.cfg.Trace == nil && k.flows == 0 {
			list[i].at = base.Time(i) * 700 * base.Time(base.Microsecond)
		}
	}
	return list
}

// unlimited returns when message i is gone without a limit: at once, or behind the stall, or at the rate from then on.
func (k *kind) unlimited(c *condition, sent []send, i int) base.Time {
	switch at := sent[i].at; {
	case c.stall != nil && at > c.stall.from && at < c.stall.to:
		return c.stall.to
	case c.rate == 0 || at < changeAt:
		return at
	}
	began := 0
	for sent[began].at < changeAt {
		began++
	}
	return departures(c.rate, sent[began:])[i-began]
}

// TestD2EveryKindUnderEveryCondition has each kind of link under each condition in each direction: every message arrives at the
// nanosecond that the closed form says, or the change is refused with a reason.
func TestD2EveryKindUnderEveryCondition(t *testing.T) {
	cells := 0
	for _, k := range kinds(t) {
		for _, c := range conditions {
			for _, way := range []string{"up", "down"} {
				name := fmt.Sprintf("%s, %s, %s", k.name, c.name, way)
				b := k.lab(t, way == "up")
				b.load()
				b.impose(name, c)
				b.run()
				if k.refuses != nil && k.refuses(c) {
					c.rate, c.via = 0, 0
				}
				want, gone := k.want(&c, way)
				wantTimes(t, name, b.received(b.lab).arrivals, want...)
				b.wantOthers(name, &c, gone)
				cells++
			}
		}
	}
	if cells != 16*7*2 {
		t.Errorf("%d cells", cells)
	}
}

// TestD2KindsThatCannotShare has the kinds refused at a bottleneck that have no rate to share, with the reason.
func TestD2KindsThatCannotShare(t *testing.T) {
	refused := 0
	for _, k := range kinds(t) {
		if k.cfg.Quantum == 0 && k.cfg.Trace == nil {
			continue
		}
		queue := events.New(events.FIFO, nil)
		cfg := netsim.Config{Name: "a", Up: k.cfg, UpVia: newBottleneck(t, queue, kindVia)}
		_, err := netsim.New(queue, base.NewRand(0), cfg, nil)
		want := "link a up: bottleneck uplink: linkmodel: unsupported: not for a bottleneck: a direction of " + k.cfg.String()
		if !errors.Is(err, netsim.ErrUnsupported) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s at a bottleneck: %v, want %s", k.name, err, want)
		}
		refused++
	}
	if refused != 2 {
		t.Errorf("%d kinds were refused", refused)
	}
}
