package linkmodel_test

import (
	"testing"

	"chordsim/core/base"
	"chordsim/faults/linkmodel"

	"pgregory.net/rapid"
)

const tick = 10 * ms

// throttle is the throttled tab: 64 KiB/s in steps of 10 ms, 655.36 bytes each.
var throttle = linkmodel.Config{Rate: 64 * base.KiB, Quantum: base.Duration(tick)}

func TestQuantumTicks(t *testing.T) {
	for _, c := range []struct {
		why     string
		actions []action
		want    []base.Time
	}{
		{"at the next tick", []action{{1, 100}}, []base.Time{tick}},
		{"strictly after a tick", []action{{tick, 100}}, []base.Time{2 * tick}},
		{"at instant 0", []action{{0, 0}}, []base.Time{tick}},
		{"exactly the budget", []action{{0, 655}, {0, 655}, {0, 656}}, []base.Time{tick, 2 * tick, 3 * tick}},
		{"a byte over it", []action{{0, 656}}, []base.Time{2 * tick}},
		{"several in one tick", []action{{0, 300}, {0, 300}, {0, 55}, {0, 1}}, []base.Time{tick, tick, tick, 2 * tick}},
		{"25 ticks are 16,384 bytes", []action{{0, 16384}, {0, 1}}, []base.Time{25 * tick, 26 * tick}},
		{"a large one gathers", []action{{0, 65536}}, []base.Time{100 * tick}},
		{"an empty tick banks nothing", []action{{0, 1}, {2 * tick, 656}}, []base.Time{tick, 4 * tick}},
		{"the rest of a busy tick stays until the next", []action{{0, 1}, {tick + 1, 1300}}, []base.Time{tick, 2 * tick}},
		{"but is not used before it", []action{{0, 1}, {tick, 1}}, []base.Time{tick, 2 * tick}},
	} {
		got := script(t, newDirection(t, throttle), c.actions)
		wantTimes(t, c.why, got, c.want...)
	}
}

// A trickle of small messages banks no more than the budget of a tick.
func TestQuantumTrickleBanksOneTick(t *testing.T) {
	d := newDirection(t, throttle)
	var actions []action
	var want []base.Time
	for i := range base.Time(1000) {
		actions = append(actions, action{i * tick, 23})
		want = append(want, (i+1)*tick)
	}
	actions = append(actions, action{1000*tick + 1, 1310}, action{1000*tick + 1, 1})
	want = append(want, 1001*tick, 1002*tick) // 2 × 655.36 is less than 1,311
	wantTimes(t, "arrivals", script(t, d, actions), want...)
}

// A stall takes its ticks: nothing is delivered, nothing is banked, and the rest goes on with what it had gathered.
func TestQuantumStall(t *testing.T) {
	for _, c := range []struct {
		why     string
		actions []action
		want    []base.Time
	}{
		{"queued before", []action{{0, 6000}, {5*tick + 1, stall}, {65*tick + 1, resume}}, []base.Time{70 * tick}},
		{"on ticks", []action{{0, 6000}, {5 * tick, stall}, {65 * tick, resume}}, []base.Time{70 * tick}},
		{"between ticks", []action{{0, 6000}, {5*tick + 1, stall}, {5*tick + 9, resume}}, []base.Time{10 * tick}},
		{"of no length on a tick", []action{{0, 6000}, {5 * tick, stall}, {5 * tick, resume}}, []base.Time{10 * tick}},
		{"queued in it", []action{{tick, stall}, {7*tick + 2, 1000}, {50*tick + 1, resume}}, []base.Time{52 * tick}},
		{"queued at its end", []action{{tick, stall}, {50 * tick, 1000}, {50 * tick, resume}}, []base.Time{52 * tick}},
		{"an idle stall banks nothing", []action{{tick, stall}, {50 * tick, resume}, {50*tick + 1, 656}}, []base.Time{52 * tick}},
		{"two", []action{{0, 6000}, {2*tick + 1, stall}, {4*tick + 1, resume}, {6*tick + 1, stall}, {9*tick + 1, resume}},
			[]base.Time{15 * tick}},
	} {
		wantTimes(t, c.why, script(t, newDirection(t, throttle), c.actions), c.want...)
	}
	late := throttle
	late.Latency = 25 * base.Millisecond
	got := script(t, newDirection(t, late), []action{{0, 100}, {tick + ms, stall}, {tick + 8*ms, resume}})
	wantTimes(t, "the latency is shifted", got, tick+25*ms+7*ms)
}

func TestQuantumUnlimited(t *testing.T) {
	d := newDirection(t, linkmodel.Config{Quantum: base.Duration(tick), Latency: 1})
	got := script(t, d, []action{{0, 1 << 40}, {0, 5}, {tick, 5}})
	wantTimes(t, "arrivals", got, tick+1, tick+1, 2*tick+1)
}

// Ticks are events only while something is queued.
func TestQuantumEvents(t *testing.T) {
	d := newDirection(t, throttle)
	if at, ok := d.NextEvent(); ok {
		t.Errorf("event at %v of an idle direction", at)
	}
	d.WantDepartures(true)
	d.Send(0, 65536)
	if at, ok := d.NextEvent(); at != 100*tick || !ok {
		t.Errorf("event at %v, want the tick that covers the message", at)
	}
}

// In a busy period, what has been delivered by tick k is at most k budgets, and no message waits for a tick more than that:
// so it is over k budgets less the message at the head.
func TestQuantumClosedForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := linkmodel.Config{
			Rate:    rapid.OneOf(rapid.Int64Range(1, 1000), rapid.Int64Range(1, 1<<31)).Draw(t, "rate"),
			Quantum: base.Duration(rapid.Int64Range(1, int64(base.Second)).Draw(t, "quantum")),
		}
		perTick := int(c.Rate * int64(c.Quantum) / int64(base.Second))
		sizes := rapid.SliceOfN(rapid.IntRange(1, 10+4*perTick), 1, 60).Draw(t, "sizes")
		d := newDirection(t, c)
		for _, n := range sizes {
			d.Send(5, n)
		}
		first, delivered := base.Time(5/c.Quantum), int64(0)
		for _, at := range arrivals(t, d) {
			delivered += int64(sizes[0])
			sizes = sizes[1:]
			k := at/base.Time(c.Quantum) - first
			if at%base.Time(c.Quantum) != 0 || k < 1 {
				t.Fatalf("%v: delivered at %v, between ticks", c, at)
			}
			if most := budget(c, k); delivered > most {
				t.Fatalf("%v: %d bytes by tick %d, over %d", c, delivered, k, most)
			}
			if before := budget(c, k-1); delivered <= before {
				t.Fatalf("%v: %d bytes at tick %d, when %d covered them a tick before", c, delivered, k, before)
			}
		}
	})
}

func budget(c linkmodel.Config, ticks base.Time) int64 {
	bytes, _ := base.MulDiv(uint64(ticks)*uint64(c.Quantum), uint64(c.Rate), uint64(base.Second))
	return int64(bytes)
}
