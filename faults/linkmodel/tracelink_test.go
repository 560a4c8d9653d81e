package linkmodel_test

import (
	"testing"

	"chordsim/core/base"
	"chordsim/faults/linkmodel"
)

func TestTraceMarks(t *testing.T) {
	trace := newTrace(t, "0\n10\n20\n20\n50\n") // 0 10 20 20 50=50 60 70 70 100=100 ...
	for _, c := range []struct {
		why     string
		latency base.Duration
		actions []action
		want    []base.Time
	}{
		{"a mark at the same instant", 0, []action{{0, 1500}, {10 * ms, 1500}}, []base.Time{0, 10 * ms}},
		{"several share a mark", 0, []action{{1, 500}, {1, 500}, {1, 500}, {1, 1}}, []base.Time{10 * ms, 10 * ms, 10 * ms, 20 * ms}},
		{"one spans marks", 0, []action{{1, 1501}}, []base.Time{20 * ms}},
		{"one spans rounds", 0, []action{{1, 6001}, {1, 1499}}, []base.Time{50 * ms, 50 * ms}},
		{"the rest of a mark is lost", 0, []action{{1, 1}, {11 * ms, 1}}, []base.Time{10 * ms, 20 * ms}},
		{"a spent instant is spent", 0, []action{{20 * ms, 1}, {20 * ms, advance}, {20 * ms, 1}}, []base.Time{20 * ms, 50 * ms}},
		{"unless nothing used it", 0, []action{{20 * ms, advance}, {20 * ms, 1}}, []base.Time{20 * ms}},
		{"shared before it is used", 0, []action{{20 * ms, 1}, {20 * ms, 1499}, {20 * ms, 1500}, {20 * ms, 1}},
			[]base.Time{20 * ms, 20 * ms, 20 * ms, 50 * ms}},
		{"empty messages", 0, []action{{1, 0}, {1, 1500}, {1, 0}}, []base.Time{10 * ms, 10 * ms, 10 * ms}},
		{"latency", 7, []action{{1, 1500}, {1, 1500}}, []base.Time{10*ms + 7, 20*ms + 7}},
		{"a stall passes marks", 0, []action{{1, 3001}, {11 * ms, stall}, {50*ms - 1, resume}}, []base.Time{50 * ms}},
		{"and the mark at its end", 0, []action{{1, 3001}, {11 * ms, stall}, {50 * ms, resume}}, []base.Time{70 * ms}},
		{"but not the one at its beginning", 0, []action{{1, 1500}, {10 * ms, stall}, {12 * ms, resume}}, []base.Time{10 * ms}},
		{"sent in a stall", 0, []action{{1, stall}, {10 * ms, 1500}, {10 * ms, resume}}, []base.Time{20 * ms}},
		{"arrivals are put off", 5 * base.Millisecond, []action{{1, 1}, {1, 1500}, {11 * ms, stall}, {19 * ms, resume}},
			[]base.Time{19 * ms, 25 * ms}},
		{"but only those in the stall", 9 * base.Millisecond, []action{{1, 1}, {11 * ms, stall}, {12 * ms, resume}},
			[]base.Time{19 * ms}},
	} {
		d := newDirection(t, linkmodel.Config{Trace: trace, Latency: c.latency})
		var got []base.Time
		for _, a := range c.actions { // in batches of an instant, so that a script's events do not come between
			for next, ok := d.NextEvent(); ok && next < a.at; next, ok = d.NextEvent() {
				_, n := d.Advance(next)
				for range n {
					got = append(got, next)
				}
			}
			_, n := call(d, a)
			for range n {
				got = append(got, a.at)
			}
		}
		wantTimes(t, c.why, append(got, arrivals(t, d)...), c.want...)
	}
}
