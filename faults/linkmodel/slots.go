package linkmodel

import (
	"math"
	"math/bits"

	"chordsim/core/base"
)

// grid numbers the instants at which a direction that is not continuous may deliver: ticks of a quantum or marks of a
// trace. Slot 0 is the tick at instant 0, or the trace's first mark. Several marks may share an instant.
type grid struct {
	quantum base.Duration // used without a trace
	trace   *Trace
	grant   uint64 // what a slot adds to the budget, in 1/unit bytes, under 2^63; 0 is without limit
	unit    uint64 // how many budget units a byte costs
}

// newGrid returns the grid of a valid configuration that has a quantum or a trace.
func newGrid(c Config) grid {
	if c.Trace != nil {
		return grid{trace: c.Trace, grant: MarkBytes, unit: 1}
	}
	return grid{quantum: c.Quantum, grant: uint64(c.Rate) * uint64(c.Quantum), unit: uint64(base.Second)}
}

// timeOf returns the instant of a slot.
func (g *grid) timeOf(slot int64) base.Time {
	if g.trace != nil {
		return g.trace.timeOf(slot)
	}
	return base.Time(saturatedProduct(slot, int64(g.quantum)))
}

// lastThrough returns the last slot at or before t, -1 if there is none.
func (g *grid) lastThrough(t base.Time) int64 {
	if g.trace != nil {
		return g.trace.countBefore(t.Add(1)) - 1
	}
	return int64(t) / int64(g.quantum)
}

// lastBefore returns the last slot strictly before t, -1 if there is none.
func (g *grid) lastBefore(t base.Time) int64 {
	if g.trace != nil {
		return g.trace.countBefore(t) - 1
	}
	if t <= 0 {
		return -1
	}
	return int64(t-1) / int64(g.quantum)
}

// cover returns after how many slots, at least minimum (0 or 1), a budget of rest covers size bytes, and what is then left
// of it. Both saturate.
func (g *grid) cover(rest uint64, size, minimum int64) (slots int64, left uint64) {
	if g.grant == 0 {
		return minimum, 0
	}
	hi, cost := bits.Mul64(uint64(size), g.unit)
	if hi == 0 && cost <= rest {
		return minimum, rest - cost + uint64(minimum)*g.grant
	}
	need, borrow := bits.Sub64(cost, rest, 0)
	hi -= borrow
	if hi >= g.grant {
		return math.MaxInt64, 0
	}
	n, short := bits.Div64(hi, need, g.grant)
	if short != 0 {
		n, left = n+1, g.grant-short
	}
	if n > math.MaxInt64 {
		return math.MaxInt64, 0
	}
	return int64(n), left
}

// saturatedProduct returns a*b for a and b ≥ 0, or the largest int64 if that does not fit.
func saturatedProduct(a, b int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi != 0 || lo > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(lo)
}

// saturatedSum returns a+b for a and b ≥ -1, or the largest int64 if that does not fit.
func saturatedSum(a, b int64) int64 {
	if b > 0 && a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
