package linkmodel_test

import (
	"cmp"
	"math/big"
	"slices"
	"testing"

	"chordsim/core/base"
	"chordsim/faults/linkmodel"

	"pgregory.net/rapid"
)

// A stall of any length at any moment shifts an arrival by exactly its overlap with the message's way.
func TestStallShiftsByItsOverlap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := linkmodel.Config{
			Rate:    rapid.Int64Range(0, 1<<20).Draw(t, "rate"),
			Latency: base.Duration(rapid.Int64Range(0, int64(base.Second)).Draw(t, "latency")),
		}
		size := rapid.IntRange(0, 1<<20).Draw(t, "size")
		sent := base.Time(rapid.Int64Range(0, int64(base.Second)).Draw(t, "sent"))
		plain := newDirection(t, c)
		plain.Send(sent, size)
		want := arrivals(t, plain)[0]
		end := want + sec
		from := base.Time(rapid.Int64Range(0, int64(end)).Draw(t, "from"))
		to := base.Time(rapid.Int64Range(int64(from), int64(end)).Draw(t, "to"))

		d := newDirection(t, c)
		actions := []action{{sent, size}, {from, stall}, {to, resume}} // at one instant, in this order
		slices.SortStableFunc(actions, func(a, b action) int { return cmp.Compare(a.at, b.at) })
		got := script(t, d, actions)
		if from < want && to > sent {
			want += to - max(from, sent)
		}
		wantTimes(t, "stalled", got, want)
	})
}

// Any stalls over any sends shift and add up, and lose nothing: against exact rational arithmetic.
func TestManyStalls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := linkmodel.Config{
			Rate:    rapid.Int64Range(1, 5000).Draw(t, "rate"),
			Latency: base.Duration(rapid.Int64Range(0, 300).Draw(t, "latency")) * base.Millisecond,
		}
		// Sends happen at even instants and stalls at odd ones, so that no two actions share an instant.
		var actions []action
		var stalls, sends []base.Time
		var sizes []int64
		now, stalled := base.Time(0), false
		for range rapid.IntRange(1, 40).Draw(t, "actions") {
			now += base.Time(rapid.Int64Range(1, 400_000_000).Draw(t, "gap")) * 2
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0:
				what := stall
				if stalled {
					what = resume
				}
				stalled = !stalled
				actions, stalls = append(actions, action{now + 1, what}), append(stalls, now+1)
			default:
				size := rapid.IntRange(0, 1000).Draw(t, "size")
				actions = append(actions, action{now, size})
				sends, sizes = append(sends, now), append(sizes, int64(size))
			}
		}
		if stalled {
			now += 2
			actions, stalls = append(actions, action{now + 1, resume}), append(stalls, now+1)
		}
		wantTimes(t, "arrivals", script(t, newDirection(t, c), actions), withStalls(c, sends, sizes, stalls)...)
	})
}

// withStalls works the arrivals out in working time, which is the time outside of the stalls.
func withStalls(c linkmodel.Config, sends []base.Time, sizes []int64, stalls []base.Time) (arrive []base.Time) {
	working := func(at base.Time) base.Time {
		out := at
		for i := 0; i < len(stalls); i += 2 {
			out -= max(0, min(at, stalls[i+1])-stalls[i])
		}
		return out
	}
	busy := new(big.Rat)
	for i := range sends {
		start := working(sends[i])
		if s := new(big.Rat).SetInt64(int64(start)); busy.Cmp(s) < 0 {
			busy = s
		}
		busy = new(big.Rat).Add(busy, big.NewRat(sizes[i]*int64(base.Second), c.Rate))
		ceil := new(big.Int).Add(busy.Num(), new(big.Int).Sub(busy.Denom(), big.NewInt(1)))
		at := base.Time(ceil.Div(ceil, busy.Denom()).Int64()).Add(c.Latency)
		// Back to real time: later by each stall that begins before it is reached, or that it was handed over in.
		for k := 0; k < len(stalls); k += 2 {
			if at > stalls[k] || at == stalls[k] && sends[i] > stalls[k] {
				at += stalls[k+1] - stalls[k]
			}
		}
		arrive = append(arrive, at)
	}
	return arrive
}

// What happens at the very instant of a stall still happens, and what is handed over in it waits for its end.
func TestStallInstants(t *testing.T) {
	d := newDirection(t, linkmodel.Config{Latency: 10 * base.Millisecond})
	d.Send(0, 1)
	if !d.Stall(10*ms) || !d.Stalled() {
		t.Error("the stall was refused")
	}
	d.Send(10*ms, 1)
	if at, ok := d.NextEvent(); at != 10*ms || !ok {
		t.Errorf("next event %v, %v, want the arrival at the stall's instant", at, ok)
	}
	if _, arrived := d.Advance(10 * ms); arrived != 1 {
		t.Errorf("%d arrived, want 1", arrived)
	}
	if at, ok := d.NextEvent(); ok {
		t.Errorf("event at %v in a stall", at)
	}
	if d.Stall(20 * ms) {
		t.Error("a second stall was taken")
	}
	if departed, arrived := d.Advance(15 * sec); departed != 0 || arrived != 0 {
		t.Errorf("departed %d, arrived %d in a stall", departed, arrived)
	}
	if !d.Resume(20*sec) || d.Stalled() || d.Resume(20*sec) {
		t.Error("resume does not say what it did")
	}
	wantTimes(t, "after the stall", arrivals(t, d), 20*sec+10*ms)
}

// An unlimited direction without latency delivers what was handed over in a stall at its end.
func TestStallOfAnUnlimitedDirection(t *testing.T) {
	d := newDirection(t, linkmodel.Config{})
	got := script(t, d, []action{{ms, stall}, {2 * ms, 5}, {3 * ms, 5}, {4 * ms, resume}, {5 * ms, 5}})
	wantTimes(t, "arrivals", got, 4*ms, 4*ms, 5*ms)
}

// A drop in a stall leaves it stalled.
func TestDropInAStall(t *testing.T) {
	for _, c := range []linkmodel.Config{
		{Rate: 1000},
		{Rate: 1000, Quantum: 10 * base.Millisecond},
		{Trace: newTrace(t, "10\n")},
	} {
		d := newDirection(t, c)
		d.Send(0, 5000)
		d.Stall(15 * ms)
		if m, b := d.Drop(15 * ms); m != 1 || b != 5000 {
			t.Errorf("%v: dropped %d messages of %d bytes", c, m, b)
		}
		d.Send(20*ms, 10)
		if at, ok := d.NextEvent(); ok {
			t.Errorf("%v: event at %v in a stall", c, at)
		}
		d.Resume(100 * ms)
		wantTimes(t, c.String(), arrivals(t, d), 110*ms)
	}
}
