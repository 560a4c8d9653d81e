package trace_test

import (
	"errors"
	"strings"
	"testing"

	"chordsim/core/base"
	"chordsim/sim/trace"
)

func TestWriterColumns(t *testing.T) {
	var out strings.Builder
	w := trace.NewWriter(&out)
	for _, e := range []trace.Event{
		{At: 0, Kind: trace.KindConnect, To: "worker", What: "accept from tab"},
		{At: 1, Kind: trace.KindDeliver, From: "tab", To: "worker", What: "hello", Bytes: 21},
		{At: base.Time(base.Second), Kind: trace.KindTimer, To: "worker", What: "timer"},
		{At: base.Time(90*base.Second + 50*base.Millisecond), Kind: trace.KindFault, To: "tab", What: "stalled for 60s"},
		{At: base.Time(100 * base.Hour), Kind: trace.KindDeliver, From: "a-longer-host-name", To: "tab", What: "bound",
			Bytes: 1 << 20, Note: "late"},
		{At: base.Time(100 * base.Hour), Kind: trace.KindNote, What: "done"},
	} {
		w.Event(e)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	const want = `
        time (s)  kind     from         to             bytes  what
     0.000000000  connect               worker             0  accept from tab
     0.000000001  deliver  tab          worker            21  hello
     1.000000000  timer                 worker             0  timer
    90.050000000  fault                 tab                0  stalled for 60s
360000.000000000  deliver  a-longer-host-name tab          1048576  bound  late
360000.000000000  note                                     0  done
`
	if got := "\n" + out.String(); got != want {
		t.Errorf("got%s\nwant%s", got, want)
	}
}

var errDisk = errors.New("the disk is full")

// shortWriter takes so many bytes and fails then.
type shortWriter struct{ room int }

func (s *shortWriter) Write(p []byte) (int, error) {
	if s.room -= len(p); s.room < 0 {
		return 0, errDisk
	}
	return len(p), nil
}

// An error comes out of Close, be it of the first line or of the last.
func TestWriterReturnsItsError(t *testing.T) {
	for _, c := range []struct{ room, events int }{{0, 0}, {0, 1}, {0, 10_000}, {100_000, 10_000}} {
		w := trace.NewWriter(&shortWriter{room: c.room})
		for range c.events {
			w.Event(trace.Event{Kind: trace.KindNote, What: "line"})
		}
		if err := w.Close(); !errors.Is(err, errDisk) {
			t.Errorf("room for %d bytes, %d events: %v", c.room, c.events, err)
		}
	}
}
