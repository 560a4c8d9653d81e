package linkmodel

import (
	"fmt"
	"sort"

	"chordsim/core/base"
)

// MarkBytes is how many bytes one opportunity of a trace delivers: mahimahi's packet.
const MarkBytes = 1500

// Trace is a recorded sequence of opportunities to deliver 1,500 bytes each, in the format of mahimahi. It repeats: its
// period is its last timestamp, so that mark i of round r is at r*period + timestamp i, and a timestamp of 0 falls
// together with the end of the round before. It is absolute: round 0 begins at instant 0. A Trace never changes; it is
// made by [ParseTrace].
type Trace struct {
	name  string
	marks []base.Time // not decreasing, in one round; the last one is the period and over 0
}

// Name returns the name that the trace was parsed under.
func (t *Trace) Name() string { return t.name }

// Marks returns how many opportunities one round has.
func (t *Trace) Marks() int { return len(t.marks) }

// Period returns how long one round takes.
func (t *Trace) Period() base.Duration { return base.Duration(t.marks[len(t.marks)-1]) }

// String prints name, marks, period and average rate in one line.
func (t *Trace) String() string {
	return fmt.Sprintf("%s: %d marks over %v, %d bytes/s", t.name, t.Marks(), t.Period(), t.AverageRate())
}

// AverageRate returns what a round carries in bytes per second, rounded down.
func (t *Trace) AverageRate() int64 {
	rate, _ := base.MulDiv(uint64(len(t.marks))*MarkBytes, uint64(base.Second), uint64(t.Period()))
	return int64(min(rate, 1<<63-1))
}

// NextMark returns the instant of the first mark strictly after an instant. A negative instant finds a mark at 0. It takes
// time logarithmic in the number of marks.
func (t *Trace) NextMark(after base.Time) base.Time { return t.timeOf(t.countBefore(after.Add(1))) }

// Capacity returns how many bytes the marks in (from, to] deliver, saturating. It takes time logarithmic in the number of
// marks.
func (t *Trace) Capacity(from, to base.Time) int64 {
	if to <= from {
		return 0
	}
	return saturatedProduct(t.countBefore(to.Add(1))-t.countBefore(from.Add(1)), MarkBytes)
}

// timeOf returns the instant of mark number i ≥ 0, counted over all rounds.
func (t *Trace) timeOf(i int64) base.Time {
	round, within := i/int64(len(t.marks)), i%int64(len(t.marks))
	return base.Time(saturatedProduct(round, int64(t.Period()))).Add(base.Duration(t.marks[within]))
}

// countBefore returns how many marks of all rounds are strictly before an instant. The marks of a round lie in
// [start, end], both included, so the round to search is the one that holds the last instant before.
func (t *Trace) countBefore(instant base.Time) int64 {
	if instant <= 0 {
		return 0
	}
	round := int64(instant-1) / int64(t.Period())
	rest := instant - base.Time(round*int64(t.Period()))
	within := sort.Search(len(t.marks), func(i int) bool { return t.marks[i] >= rest })
	return saturatedSum(saturatedProduct(round, int64(len(t.marks))), int64(within))
}
