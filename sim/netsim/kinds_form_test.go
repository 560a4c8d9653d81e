package netsim_test

import (
	"encoding/binary"
	"math/big"
	"slices"
	"testing"

	"chordsim/core/base"
)

// The closed forms of all kinds of links, in exact arithmetic and without the code under test. All messages are handed over
// at 0, so that a direction is busy to the end and message i is gone when the first n bytes are, which end with its own.

// ratio is a rate of so many bytes in so many seconds.
type ratio struct{ bytes, seconds int64 }

// piece is a rate that holds from an instant on.
type piece struct {
	from base.Time
	rate ratio
}

// curve is what a busy direction carries. The first piece is from 0 on; the last one has no end.
type curve []piece

// when returns the first whole nanosecond at which n bytes have been carried.
func (c curve) when(n int64) base.Time {
	left := new(big.Rat).SetInt(new(big.Int).Mul(big.NewInt(n), big.NewInt(int64(base.Second))))
	for i, p := range c {
		rate := big.NewRat(p.rate.bytes, p.rate.seconds)
		if i+1 < len(c) {
			carried := new(big.Rat).Mul(rate, new(big.Rat).SetInt64(int64(c[i+1].from-p.from)))
			if carried.Cmp(left) < 0 {
				left.Sub(left, carried)
				continue
			}
		}
		return p.from.Add(base.Duration(ceilRat(new(big.Rat).Quo(left, rate))))
	}
	panic("a curve without pieces")
}

func ceilRat(r *big.Rat) int64 {
	q, rest := new(big.Int).QuoRem(r.Num(), r.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		q.Add(q, big.NewInt(1))
	}
	return q.Int64()
}

// stalled has the curve stand still in a span, which lies within one of its pieces.
func (c curve) stalled(s span) (out curve) {
	for i, p := range c {
		out = append(out, p)
		if p.from <= s.from && (i+1 == len(c) || s.from < c[i+1].from) {
			out = append(out, piece{s.from, ratio{0, 1}}, piece{s.to, p.rate})
		}
	}
	return out
}

// ticks returns the tick of a quantum at which n bytes are gone: each adds what the curve carries in a quantum, but for those
// that a stall takes.
func (c curve) ticks(n int64, quantum base.Duration, stall *span) base.Time {
	budget, want := new(big.Int), new(big.Int).Mul(big.NewInt(n), big.NewInt(int64(base.Second)))
	for at := base.Time(quantum); ; at = at.Add(quantum) {
		if stall != nil && at > stall.from && at <= stall.to {
			continue
		}
		rate := c[0].rate
		for _, p := range c[1:] {
			if p.from < at {
				rate = p.rate
			}
		}
		budget.Add(budget, new(big.Int).Mul(big.NewInt(rate.bytes), big.NewInt(int64(quantum))))
		if budget.Cmp(want) >= 0 {
			return at
		}
	}
}

// marks returns the mark of a trace, given in milliseconds, with which n bytes are gone, but for those that a stall takes.
func marks(trace []int64, n int64, stall *span) base.Time {
	left := (n + 1499) / 1500
	for round := int64(0); ; round++ {
		for _, mark := range trace {
			at := base.Time(round*trace[len(trace)-1]+mark) * ms
			if stall != nil && at > stall.from && at <= stall.to {
				continue
			}
			if left--; left == 0 {
				return at
			}
		}
	}
}

// share is what n busy flows have of a bottleneck: the first one, whose own rate may bound it (0: it does not), and each of
// the others.
func share(rate, own int64, n int64) (first, others ratio) {
	if own > 0 && own*n <= rate {
		return ratio{own, 1}, ratio{rate - own, max(n-1, 1)}
	}
	return ratio{rate, n}, ratio{rate, n}
}

// arrive returns when something arrives that left at an instant, and what the latency was then.
func arrive(left base.Time, latency base.Duration, stall *span, traced bool) base.Time {
	at := left.Add(latency)
	switch {
	case stall == nil || left > stall.from || at <= stall.from:
		return at
	case traced:
		return max(at, stall.to)
	}
	return at.Add(stall.to.Sub(stall.from))
}

// ends returns where each message ends, in bytes: with those in front of it that say how long it is, in a byte stream.
func ends(sizes []int64, stream bool) []int64 {
	out, total := make([]int64, len(sizes)), int64(0)
	for i, size := range sizes {
		if total += size; stream {
			total += int64(len(binary.AppendUvarint(nil, uint64(size))))
		}
		out[i] = total
	}
	return out
}

// cuts returns where the segments of a byte stream end, whose messages end at those places and are written at once: each has
// so many bytes as next says. The buffer is full from so many bytes on; what is behind them waits, and is cut without regard
// for messages.
func cuts(ends []int64, next func() int64, buffer int64) (out []int64) {
	at := int64(0)
	for _, end := range ends {
		for at < end && at < buffer {
			at = min(at+next(), end)
			out = append(out, at)
		}
	}
	for last := ends[len(ends)-1]; at < last; out = append(out, at) {
		at = min(at+next(), last)
	}
	return out
}

// The forms themselves, by hand.
func TestD2ClosedForms(t *testing.T) {
	c := curve{{0, ratio{1000, 1}}, {sec, ratio{1000, 3}}}
	for n, want := range map[int64]base.Time{0: 0, 1: ms, 1000: sec, 1001: sec + 3*ms, 2000: 4 * sec} {
		if got := c.when(n); got != want {
			t.Errorf("%d bytes are gone at %v, want %v", n, got, want)
		}
	}
	s := span{sec / 2, 3 * sec / 4}
	if got := c.stalled(s).when(1000); got != sec+3*ms*250+0 {
		t.Errorf("with a stall 1,000 bytes are gone at %v", got)
	}
	if got := c.ticks(1001, base.Second, &span{3 * sec, 9 * sec}); got != 2*sec {
		t.Errorf("1,001 bytes are gone at the tick %v", got)
	}
	if got := marks([]int64{1, 1, 5}, 4*1500+1, &span{3 * ms, 5 * ms}); got != 10*ms {
		t.Errorf("the fifth mark that is left is at %v", got)
	}
	if got := cuts([]int64{5, 12, 20}, func() int64 { return 4 }, 8); !slices.Equal(got, []int64{4, 5, 9, 13, 17, 20}) {
		t.Errorf("segments end at %v", got)
	}
}
