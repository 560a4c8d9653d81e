package linkmodel

import (
	"math"
	"math/bits"

	"chordsim/core/base"
)

// CatchUpLimit returns how long a direction of a fixed rate needs at least to bring missed bytes while a stream of streamRate
// bytes per second goes on: missed ÷ (rate − streamRate), rounded up to a nanosecond. It is false if the rate is not
// over the stream's, as then it never does; 0 is no rate here, not an unlimited one. Nothing missed takes no time.
func CatchUpLimit(missed, rate, streamRate int64) (base.Duration, bool) {
	if rate <= streamRate {
		return 0, false
	}
	if missed <= 0 {
		return 0, true
	}
	limit, rest := base.MulDiv(uint64(missed), uint64(base.Second), uint64(rate)-uint64(streamRate))
	if rest != 0 {
		limit++
	}
	return base.Duration(min(limit, math.MaxInt64)), true
}

// CatchUp returns the trace's own limit for the same: the first mark T after from at which the marks in (from, T] deliver
// missed bytes and what a stream of rate bytes per second has made since from, and true. It is false if there is none
// before [base.Never]. Nothing missed is caught up at from. It takes time linear in the marks of one round, however many
// rounds the answer is away.
func (t *Trace) CatchUp(from base.Time, missed, rate int64) (base.Time, bool) {
	if missed <= 0 {
		return from, true
	}
	start, count := t.countBefore(from.Add(1)), int64(len(t.marks))
	rate = max(rate, 0)
	want := product(uint64(missed), uint64(base.Second))

	// The surplus after mark i of a round and its mark i one round later differ by gain, whatever i. So the rounds before
	// the first in which the best mark suffices can be left out.
	best := wide{math.MinInt64, 0}
	for i := start; i < start+count; i++ {
		surplus := t.surplus(from, start, i, rate)
		if !surplus.less(want) {
			return t.within(i)
		}
		if best.less(surplus) {
			best = surplus
		}
	}
	gain := product(uint64(count)*MarkBytes, uint64(base.Second)).minus(product(uint64(rate), uint64(t.Period())))
	if !(wide{}).less(gain) {
		return base.Never, false
	}
	// MaxTraceMarks keeps gain under 2^63.
	lack := want.minus(best)
	if uint64(lack.hi) >= gain.lo {
		return base.Never, false
	}
	rounds, rest := bits.Div64(uint64(lack.hi), lack.lo, gain.lo)
	if rest != 0 {
		rounds++
	}
	if rounds > uint64(math.MaxInt64/count)-1 {
		return base.Never, false
	}
	first := saturatedSum(start, int64(rounds)*count)
	for i := first; i < saturatedSum(first, count); i++ {
		if t.timeOf(i) == base.Never {
			break
		}
		if !t.surplus(from, start, i, rate).less(want) {
			return t.within(i)
		}
	}
	return base.Never, false
}

// within returns the instant of a mark, if there is such an instant.
func (t *Trace) within(i int64) (base.Time, bool) {
	at := t.timeOf(i)
	return at, at != base.Never
}

// surplus returns what the marks from start to i deliver over a stream that began at from, in 1e-9 bytes.
func (t *Trace) surplus(from base.Time, start, i, rate int64) wide {
	delivered := product(uint64(i-start+1), MarkBytes*uint64(base.Second))
	return delivered.minus(product(uint64(rate), uint64(t.timeOf(i).Sub(from))))
}

// wide is a signed integer of 128 bits.
type wide struct {
	hi int64
	lo uint64
}

// product returns a*b for a and b under 2^63.
func product(a, b uint64) wide {
	hi, lo := bits.Mul64(a, b)
	return wide{int64(hi), lo}
}

func (a wide) minus(b wide) wide {
	lo, borrow := bits.Sub64(a.lo, b.lo, 0)
	return wide{a.hi - b.hi - int64(borrow), lo}
}

func (a wide) less(b wide) bool { return a.hi < b.hi || a.hi == b.hi && a.lo < b.lo }
