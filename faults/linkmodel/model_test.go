package linkmodel_test

import (
	"slices"
	"testing"

	"chordsim/core/base"
	"chordsim/faults/linkmodel"

	"pgregory.net/rapid"
)

// model is a direction that delivers at slots, done the plain way: slot by slot, message by message.
type model struct {
	c     linkmodel.Config
	slots []base.Time // all that the run can reach
	next  int         // the first that is not processed

	queue     []int64 // sizes that have not departed
	arriving  []base.Time
	budget    int64 // in 1e-9 bytes
	stalled   bool
	stalledAt base.Time

	departed, arrived int
	resumedAt         base.Time
	exact             []base.Time // of every arrival
}

// process takes the slots up to an instant.
func (m *model) process(until base.Time) {
	for ; m.next < len(m.slots) && m.slots[m.next] <= until; m.next++ {
		m.slot(m.slots[m.next])
	}
}

func (m *model) slot(at base.Time) {
	grant := m.c.Rate * int64(m.c.Quantum)
	if m.c.Trace != nil {
		grant = linkmodel.MarkBytes * int64(base.Second)
	}
	switch {
	case len(m.queue) == 0:
		m.budget = 0
		return
	case m.stalled:
		return
	}
	m.budget += grant
	for len(m.queue) > 0 && m.queue[0]*int64(base.Second) <= m.budget {
		m.budget -= m.queue[0] * int64(base.Second)
		m.queue = m.queue[1:]
		m.departed++
		arrive := at.Add(m.c.Latency)
		m.arriving = append(m.arriving, arrive)
	}
	if len(m.queue) == 0 {
		m.budget = min(m.budget, grant)
		if m.c.Trace != nil {
			m.budget = 0
		}
	}
}

// do makes a call. Slots at the very instant of an action come before it, except that a message may use a mark that
// nobody has used.
func (m *model) do(a action) (departed, arrived int) {
	m.process(a.at - 1)
	until := a.at
	idle := a.what == advance || a.what == stall && m.stalled || a.what == resume && !m.stalled
	if m.c.Trace != nil && (a.what >= 0 || idle && (m.stalled || len(m.queue) == 0)) {
		until--
	}
	m.process(until)
	if !m.stalled {
		m.arrive(a.at)
	}
	switch a.what {
	case stall:
		if !m.stalled {
			m.stalled, m.stalledAt = true, a.at
		}
	case resume:
		if m.stalled && m.c.Trace == nil {
			for i := range m.arriving {
				m.arriving[i] += a.at - m.stalledAt
			}
		}
		if m.stalled {
			m.resumedAt = a.at
		}
		m.stalled = false
	case advance:
		departed, arrived = m.departed, m.arrived
		m.departed, m.arrived = 0, 0
	default:
		m.queue = append(m.queue, int64(a.what))
	}
	return departed, arrived
}

func (m *model) arrive(now base.Time) {
	for len(m.arriving) > 0 && m.arriving[0] <= now {
		m.exact = append(m.exact, max(m.arriving[0], m.resumedAt))
		m.arriving = m.arriving[1:]
		m.arrived++
	}
}

// drawModel draws a configuration and lays its slots out up to an instant.
func drawModel(t *rapid.T, end base.Time) *model {
	c := linkmodel.Config{Latency: base.Duration(rapid.SampledFrom([]int64{0, 1, 1000_000, 3_500_000, 20_000_000}).Draw(t, "latency"))}
	m := &model{c: c}
	if rapid.Bool().Draw(t, "trace") {
		marks := drawMarks(t)
		m.c.Trace, m.slots = traceOf(t, marks), unroll(marks, end)
	} else {
		m.c.Rate = rapid.Int64Range(1, 2_000_000).Draw(t, "rate")
		m.c.Quantum = base.Duration(rapid.SampledFrom([]int64{1, 3, 10}).Draw(t, "quantum")) * base.Millisecond
		for at := base.Time(m.c.Quantum); at <= end; at += base.Time(m.c.Quantum) {
			m.slots = append(m.slots, at)
		}
	}
	return m
}

// Quantum and trace mode do what the plain model does, whatever is called when; and a direction that is only advanced at
// its own events delivers at the same instants as one that is advanced all the time.
func TestSlotsAgainstModel(t *testing.T) {
	const end = 600 * ms
	rapid.Check(t, func(t *rapid.T) {
		m := drawModel(t, end)
		d := newDirection(t, m.c)
		lazy := newDirection(t, m.c)
		lazy.WantDepartures(rapid.Bool().Draw(t, "departures"))
		var dense, sparse []base.Time
		now := base.Time(0)
		for range rapid.IntRange(1, 60).Draw(t, "actions") {
			now += base.Time(rapid.SampledFrom([]int64{0, 0, 1, 2, 4, 10, 20}).Draw(t, "gap")) * ms / 2
			a := action{now, rapid.SampledFrom([]int{stall, resume, advance, advance, 0, 1, 300, 1500, 1501, 4000}).Draw(t, "what")}
			if m.c.Trace == nil || a.what == advance {
				sparse = lazily(lazy, now, sparse)
			}
			if a.what != advance {
				call(lazy, a)
			}
			dep, arr := call(d, a)
			wantDep, wantArr := m.do(a)
			if dep != wantDep || arr != wantArr {
				t.Fatalf("%v at %v: departed %d, arrived %d, want %d, %d", m.c, now, dep, arr, wantDep, wantArr)
			}
			dense = append(dense, slices.Repeat([]base.Time{now}, arr)...)
			queued := int64(0)
			for _, n := range m.queue {
				queued += n
			}
			if d.QueuedBytes() != queued {
				t.Fatalf("%v at %v: %d bytes queued, want %d", m.c, now, d.QueuedBytes(), queued)
			}
			if at, ok := d.NextEvent(); ok && at < now || ok && d.Stalled() && at != now {
				t.Fatalf("%v at %v: event at %v", m.c, now, at)
			}
		}
		for _, x := range []*linkmodel.Direction{d, lazy} {
			x.Resume(now)
		}
		m.do(action{now, resume})
		dense = append(dense, arrivals(t, d)...)
		sparse = append(sparse, arrivals(t, lazy)...)
		if len(dense) != len(sparse) {
			t.Fatalf("%v: %d arrivals, with events alone %d", m.c, len(dense), len(sparse))
		}
		m.do(action{end, advance})
		for i := range min(len(sparse), len(m.exact)) {
			if m.c.Trace == nil && sparse[i] != m.exact[i] {
				t.Fatalf("%v: message %d arrives at %v, want %v", m.c, i, sparse[i], m.exact[i])
			}
		}
		for i := range dense {
			if sparse[i] > dense[i] {
				t.Fatalf("%v: message %d arrives at %v, with events alone at %v", m.c, i, dense[i], sparse[i])
			}
		}
		if n := len(m.queue) + len(m.arriving) + m.arrived; n > len(dense) {
			t.Fatalf("%v: the model has %d messages left", m.c, n)
		}
	})
}

// lazily goes from event to event up to an instant.
func lazily(d *linkmodel.Direction, now base.Time, got []base.Time) []base.Time {
	for next, ok := d.NextEvent(); ok && next <= now; next, ok = d.NextEvent() {
		_, n := d.Advance(next)
		got = append(got, slices.Repeat([]base.Time{next}, n)...)
	}
	return got
}
