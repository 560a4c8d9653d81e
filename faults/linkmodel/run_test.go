package linkmodel_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chordsim/core/base"
	"chordsim/faults/linkmodel"
)

const (
	ms  = base.Time(base.Millisecond)
	sec = base.Time(base.Second)
)

func newReader(s string) io.Reader { return strings.NewReader(s) }

// tester is what *testing.T and *rapid.T share here.
type tester interface {
	Helper()
	Fatalf(format string, args ...any)
}

func newDirection(t tester, c linkmodel.Config) *linkmodel.Direction {
	t.Helper()
	d, err := linkmodel.NewDirection(c, base.NewRand(7).Stream("jitter", "test"))
	if err != nil {
		t.Fatalf("%v: %v", c, err)
	}
	return d
}

func newTrace(t tester, text string) *linkmodel.Trace {
	t.Helper()
	trace, err := linkmodel.ParseTrace("test", newReader(text))
	if err != nil {
		t.Fatalf("%v", err)
	}
	return trace
}

// recorded reads a recorded trace that lies beside the project, or skips the test.
func recorded(t *testing.T, name string) *linkmodel.Trace {
	t.Helper()
	path := filepath.Join("..", "..", "..", "shared", "data", "traces", name)
	f, err := os.Open(path)
	if err != nil {
		t.Skipf("no recorded trace %s here: %v", name, err)
	}
	defer f.Close()
	trace, err := linkmodel.ParseTrace(name, f)
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

// arrivals goes from event to event until nothing is under way and returns the instant of each arrival.
func arrivals(t tester, d *linkmodel.Direction) []base.Time {
	t.Helper()
	_, arrived := run(t, d)
	return arrived
}

// run goes from event to event until nothing is under way. Every event must have something to report, in order of time.
func run(t tester, d *linkmodel.Direction) (departures, arrivals []base.Time) {
	t.Helper()
	last := base.Time(-1)
	for {
		now, ok := d.NextEvent()
		if !ok {
			if n, b := d.UnderWay(); n != 0 || b != 0 || d.QueuedBytes() != 0 {
				t.Fatalf("no event, but %d messages of %d bytes under way", n, b)
			}
			return departures, arrivals
		}
		departed, arrived := d.Advance(now)
		if departed+arrived == 0 || now <= last {
			t.Fatalf("event at %v after %v reports nothing new: %d, %d", now, last, departed, arrived)
		}
		last = now
		for range departed {
			departures = append(departures, now)
		}
		for range arrived {
			arrivals = append(arrivals, now)
		}
	}
}

func wantTimes(t tester, what string, got []base.Time, want ...base.Time) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d instants %v, want %d: %v", what, len(got), got, len(want), want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("%s: number %d at %v, want %v (all: %v)", what, i, got[i], want[i], got)
		}
	}
}

// ceilDiv returns ceil(a*b/c).
func ceilDiv(a, b, c uint64) base.Duration {
	q, r := base.MulDiv(a, b, c)
	if r > 0 {
		q++
	}
	return base.Duration(q)
}
