package trace_test

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"testing"

	"chordsim/core/base"
	"chordsim/sim/trace"
)

var rewrite = flag.Bool("rewrite", false, "write the golden files from what the tests print")

const (
	ms  = base.Time(base.Millisecond)
	sec = base.Time(base.Second)
)

// wantGolden compares a text with a file in testdata.
func wantGolden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *rewrite {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is\n%s\nnow\n%s", file, want, got)
	}
}

// night is a tab that follows a worker through a server: a hold, a snapshot in chunks, a call, a stall, and what comes after
// it. Then another world begins.
func night() []trace.Event {
	view, far := []trace.Hold{{ID: 0, Object: "Session/42/View"}}, []trace.Hold{{ID: 0, Object: "View"}}
	deliver := func(at base.Time, from, to, what string, bytes int, holds []trace.Hold, origin uint64) trace.Event {
		link := "tab-server"
		if from == "worker" || to == "worker" {
			link = "worker-server"
		}
		return trace.Event{
			World: "relayed-1s", At: at, Kind: trace.KindDeliver, From: from, To: to, Link: link, What: what, Bytes: bytes,
			Holds: holds, Origin: origin,
		}
	}
	list := []trace.Event{
		{World: "relayed-1s", Kind: trace.KindNote, What: "case relayed-1s"},
		{World: "relayed-1s", Kind: trace.KindConnect, To: "server", Link: "worker-server", What: "accept from worker"},
		{World: "relayed-1s", At: 20 * ms, Kind: trace.KindConnect, To: "server", Link: "tab-server", What: "accept from tab"},
		deliver(30*ms, "tab", "server", "hello", 21, nil, 0),
		deliver(40*ms, "server", "tab", "welcome", 18, nil, 0),
		{World: "relayed-1s", At: 41 * ms, Kind: trace.KindPost, To: "tab", What: "app"},
		deliver(50*ms, "tab", "server", "hold", 20, view, 0),
		deliver(50*ms+7, "server", "worker", "hold", 12, far, 1),
	}
	for _, leg := range []struct {
		from, to string
		at, each base.Time
		bytes    int
		holds    []trace.Hold
		origin   uint64
	}{{"worker", "server", 60 * ms, 0, 4108, far, 1}, {"server", "tab", 100 * ms, 64 * ms, 4106, view, 0}} {
		for i, what := range []string{"bound", "bulk-more", "bulk-more", "bulk-more", "bulk-more"} {
			list = append(list, deliver(leg.at+base.Time(i)*leg.each, leg.from, leg.to, what, leg.bytes, leg.holds, leg.origin))
		}
	}
	call := deliver(400*ms, "tab", "server", "call", 9, view, 0)
	call.Call, call.HasCall = 3, true
	result := deliver(410*ms, "server", "tab", "result", 7, view, 0)
	result.Call, result.HasCall = 3, true
	credit := deliver(411*ms, "tab", "server", "credit", 3, nil, 0)
	credit.Note = "5 bulk"
	list = append(list, call, result, credit,
		trace.Event{World: "relayed-1s", At: 500 * ms, Kind: trace.KindFault, To: "tab", Link: "tab-server", What: "stalled for 60s"},
		trace.Event{World: "relayed-1s", At: 2 * sec, Kind: trace.KindTimer, To: "worker", What: "timer"},
		deliver(60*sec+500*ms, "server", "tab", "state", 4107, view, 0),
		trace.Event{World: "relayed-1s", At: 61 * sec, Kind: trace.KindConnect, To: "worker", Link: "worker-server",
			What: "closed by server", Note: "a reason that is longer than the line has room for, whatever else is on it, and so is cut"},
		trace.Event{World: "relayed-1s", At: 61 * sec, Kind: trace.KindLost, From: "tab", To: "server", Link: "tab-server", What: "credit", Bytes: 3},
		trace.Event{World: "relayed-1s", At: 61 * sec, Kind: trace.KindLost, From: "worker", To: "server", Link: "worker-server", What: "state", Bytes: 9},
		trace.Event{World: "relayed-1s", At: 61 * sec, Kind: trace.KindFailed, To: "tab", What: "C11 violated", Note: "missed revision 4107 of notes"},
		trace.Event{World: "relayed-1s", At: 62 * sec, Kind: trace.KindFailed, What: "goal: a text that has all the room behind the names, and a little more than that"},
		trace.Event{World: "direct\x1b[2J", At: 0, Kind: trace.KindNote, What: "case direct"},
		trace.Event{World: "direct\x1b[2J", At: 1, Kind: trace.KindDeliver, From: "tab", To: "server", What: "hello", Bytes: 1,
			Note: "note\nof two lines", Holds: []trace.Hold{{ID: 1 << 63}, {ID: 7, Object: "A"}}},
	)
	number := int64(0)
	for i := range list {
		if list[i].Kind.Hashed() {
			number++
		}
		list[i].Number = number
	}
	return list
}

var nightHeader = trace.FileHeader{
	Scenario: "throttled-tab", Seed: 7, Settings: []string{"size=small", "token= é"}, Link: "trace:steady.down", Build: "a test",
	Command: "simrun run throttled-tab --seed 7",
}

var nightVerdict = trace.Verdict{Ended: true, Ran: 31, Headline: "throttled tab · seed 7", Findings: []trace.Finding{
	{Kind: "violated", Count: 12, Texts: []string{"C11 violated at 1s at tab: a gap", "C1 violated at 2s at tab: é"}},
	{Kind: "panic", Count: 1, Texts: []string{"index out of range"}, Place: "throttled-tab@7 at core.(*Host).turn", Stack: []string{"core.(*Host).turn turn.go:12"}},
}}

const nightHash = 0xcb6072f77b4ba0e1

// written returns the trace file of events.
func written(t testing.TB, h trace.FileHeader, list []trace.Event) []byte {
	t.Helper()
	var out bytes.Buffer
	w := trace.NewFileWriter(&out, h)
	for _, e := range list {
		w.Event(e)
	}
	if err := w.Close(nightHash, nightVerdict); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// readAll reads a trace file as far as it goes.
func readAll(file []byte) (h trace.FileHeader, list []trace.Event, end trace.FileEnd, err error) {
	r, err := trace.NewFileReader(bytes.NewReader(file))
	if err != nil {
		return h, nil, end, err
	}
	defer r.Close()
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			return r.Header(), list, r.End(), nil
		}
		if err != nil {
			return r.Header(), list, r.End(), err
		}
		list = append(list, e)
	}
}
