package linkmodel

import (
	"math"
	"math/bits"

	"chordsim/core/base"
)

// flow is how a continuous direction carries bytes: one message after the other, each for as long as its bytes take at the
// rate. Only the head of the queue has an instant at which it leaves, so that a change of the rate concerns no other.
//
// A byte takes perByte of work and the rate is work per nanosecond. Work is an integer at every integer instant, whatever
// rates there were before: nothing is rounded but the instant at which a message is seen to have left.
type flow struct {
	rate    uint64 // 0: without limit
	perByte uint64 // 1e9, as a rate of r bytes per second is r of 1e-9 bytes per nanosecond; times shares at a bottleneck

	// The head, or what was the head last, has left at exactly free + rest/rate, in link time.
	// Invariant: rest < rate, or both are 0.
	free base.Time
	rest uint64
}

// open starts the first message of a queue that was empty, at now or where the one before ended.
func (f *flow) open(now base.Time, size int64) {
	if f.free < now {
		f.free, f.rest = now, 0
	}
	f.next(size)
}

// next starts the message behind the head where that one ends.
func (f *flow) next(size int64) {
	if f.rate == 0 {
		return
	}
	whole, rest := base.MulDiv(uint64(size), f.perByte, f.rate)
	if f.rest += rest; f.rest >= f.rate {
		f.rest -= f.rate
		whole++
	}
	f.free = f.free.Add(base.Duration(min(whole, math.MaxInt64)))
}

// depart returns when the head has left, rounded up.
func (f *flow) depart() base.Time {
	if f.rest > 0 {
		return f.free.Add(1)
	}
	return f.free
}

// setRate has what is left of a head of size bytes go at another rate from now on.
func (f *flow) setRate(now base.Time, rate uint64, size int64) {
	hi, lo := f.left(now, size)
	f.free, f.rest, f.rate = now, 0, rate
	switch {
	case rate == 0:
	case hi >= rate:
		f.free = base.Never
	default:
		var whole uint64
		whole, f.rest = bits.Div64(hi, lo, rate)
		f.free = now.Add(base.Duration(min(whole, math.MaxInt64)))
	}
}

// left returns the work that is left of the head. It is all of it if the head cannot have begun: without a limit what
// is queued was handed over in a stall. A head that would never have left starts again.
func (f *flow) left(now base.Time, size int64) (hi, lo uint64) {
	if f.rate == 0 || f.free == base.Never {
		return bits.Mul64(uint64(size), f.perByte)
	}
	hi, lo = bits.Mul64(uint64(f.free.Sub(now)), f.rate)
	lo, carry := bits.Add64(lo, f.rest, 0)
	return hi + carry, lo
}

// idle sets another rate while nothing is queued.
func (f *flow) idle(rate uint64) { f.rate, f.rest = rate, 0 }

// drop forgets the head.
func (f *flow) drop() { f.free, f.rest = 0, 0 }
