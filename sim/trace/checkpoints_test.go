package trace_test

import (
	"testing"

	"pgregory.net/rapid"

	"chordsim/core/base"
	"chordsim/sim/trace"
)

// passed tells checkpoints of n events, of which those from number odd on are others. Zero: none is.
func passed(c *trace.Checkpoints, n, odd int64) *trace.Checkpoints {
	for i := int64(1); i <= n; i++ {
		sum := uint64(i * i)
		if odd != 0 && i == odd {
			sum++ // this one alone: the chain must not forget it
		}
		c.Passed(base.Time(i), sum)
	}
	return c
}

// Wherever two runs diverge and however long they are, the stretch that is named holds the place, and is short.
func TestDivergedNamesAShortStretch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(1, 20_000).Draw(t, "events")
		m := n + rapid.SampledFrom([]int64{0, 0, 1, 3000}).Draw(t, "more")
		odd := rapid.Int64Range(0, n).Draw(t, "odd")
		from := rapid.SampledFrom([]int64{0, odd / 2, max(odd-1, 0)}).Draw(t, "from")
		to := rapid.SampledFrom([]int64{0, odd + 10}).Draw(t, "to")
		a := passed(trace.Window(from, to, nil), n, 0)
		b := passed(trace.Window(from, to, nil), m, odd)
		d, differs := a.Diverged(b)
		other, same := b.Diverged(a)
		if d != other || differs != same {
			t.Fatalf("%+v %v one way, %+v %v the other", d, differs, other, same)
		}
		if want := odd != 0 || n != m; differs != want {
			t.Fatalf("differs %v, want %v", differs, want)
		}
		if !differs {
			return
		}
		first := odd
		if odd == 0 {
			first = n + 1
		}
		if d.After >= first || d.By < first {
			t.Fatalf("%+v, the first event that differs is %d", d, first)
		}
		if d.After > from && d.AfterTime != base.Time(d.After) {
			t.Errorf("at %v after event %d", d.AfterTime, d.After)
		}
		if most := 2 * (m + trace.MaxCheckpoints) / (trace.MaxCheckpoints / 2); to == 0 && d.By-d.After > most {
			t.Errorf("a stretch of %d events, of %d", d.By-d.After, m)
		}
	})
}

// A window gives its sink the events within it, with numbers and hashes, and says of no other that it is wanted.
func TestWindowWantsItsEvents(t *testing.T) {
	var got []trace.Event
	c := trace.Window(3, 6, sinkFunc(func(e trace.Event) { got = append(got, e) }))
	seen := map[uint64]bool{}
	for i := int64(1); i <= 9; i++ {
		c.Passed(base.Time(i), 7)
		if want := i > 3 && i <= 6; c.Wanted() != want {
			t.Errorf("event %d is wanted: %v", i, c.Wanted())
		}
		if c.Wanted() {
			c.Event(trace.Event{Kind: trace.KindNote})
		}
	}
	for i, e := range got {
		if e.Number != int64(i)+4 || e.Chain == 0 || seen[e.Chain] {
			t.Errorf("event %d is number %d with hash %x", i, e.Number, e.Chain)
		}
		seen[e.Chain] = true
	}
	if len(got) != 3 || c.Events() != 9 {
		t.Errorf("%d events in the window, %d in all", len(got), c.Events())
	}
	var all trace.Checkpoints
	if all.Passed(1, 1); all.Wanted() {
		t.Error("without a sink an event is wanted")
	}
}

func TestCheckpointsDoNotAllocate(t *testing.T) {
	var c trace.Checkpoints
	passed(&c, 3*trace.MaxCheckpoints, 0)
	if n := testing.AllocsPerRun(100, func() { passed(&c, trace.MaxCheckpoints, 0) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkPassed(b *testing.B) {
	var c trace.Checkpoints
	for i := base.Time(0); b.Loop(); i++ {
		c.Passed(i, uint64(i))
	}
}

// sinkFunc is a function as a sink.
type sinkFunc func(trace.Event)

func (f sinkFunc) Event(e trace.Event) { f(e) }
