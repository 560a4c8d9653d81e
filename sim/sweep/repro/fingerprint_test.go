package repro

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestFingerprint(t *testing.T) {
	for _, c := range []struct {
		f    Failure
		want string
	}{
		{Failure{Kind: Violated, Text: "C11 violated at 64.31s at tab2: missed revision 4107 of notes"}, "C11 violated at tab#: missed revision # of notes"},
		{Failure{Kind: Violated, Text: "C2 violated at 1m30.5s at worker: base 0x1f3a is not \"entry-7\" of 'v1'"}, "C2 violated at worker: base # is not _ of _"},
		{Failure{Kind: Violated, Text: "C8 violated at 0s at tab-server#2: 5 messages, 300 KiB and 262144 bytes"}, "C8 violated at tab-server#: # message, # and # byte"},
		{Failure{Kind: Violated, Text: "C1 violated at 2s at tab: it's behind, the worker's is 7"}, "C1 violated at tab: it's behind, the worker's is #"},
		{Failure{Kind: Violated, Text: "C1 violated at 2s at tab: hash 9555e8555c62dcfd after C8, deadbeef too"}, "C1 violated at tab: hash # after C8, deadbeef too"},
		{Failure{Kind: Missed, Text: "direct 10 s: caught up in 0.381s, goal 0.38 s; 1,234 events"}, "missed: direct #: caught up in #, goal # event"},
		{Failure{Kind: Missed, Text: "D3: the fault `at 2s stall tab.down for 60s` had no effect"}, "D3 missed: the fault _ had no effect"},
		{Failure{Kind: Stuck, Text: "sim: C13: 200000000 events and no end, at 5s: a loop in virtual time"}, "C13 stuck: # event and no end, at #: a loop in virtual time"},
		{Failure{Kind: Panicked, Text: "core: C5: call 17 settled twice", Place: "core.(*Host).settle", Stack: []string{"x"}}, "C5 panic at core.(*Host).settle: call # settled twice"},
		{Failure{Kind: Panicked, Text: "runtime error: index out of range [5] with length 5", Place: "wire.Parse16"}, "panic at wire.Parse16: runtime error: index out of range [#] with length #"},
		{Failure{Kind: Hung, Text: "no end after 1m0s of wall time"}, "hang: no end after # of wall time"},
		{Failure{Kind: Differs, Text: "D1: hashes differ", Place: "churn"}, "D1 differs at churn: hashes differ"},
		{Failure{Kind: Died}, "died"},
		{Failure{Kind: Missed, Text: "list [1 2 3] and [4, 5]\nnext\x1b[31m"}, "missed: list [#] and [#] next [#"},
	} {
		if got := c.f.Fingerprint(); got != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.f.Text, got, c.want)
		}
	}
}

// What a run is called must not depend on its seed, and say which invariant it was.
func TestFingerprintIsShort(t *testing.T) {
	f := Failure{Kind: Violated, Text: "C1 violated at 1s at tab: " + strings.Repeat("é ", 5000)}
	got := f.Fingerprint()
	if len(got) > MaxFingerprint || !utf8.ValidString(got) || !strings.HasSuffix(got, "…") {
		t.Errorf("%d bytes: %s", len(got), got)
	}
	if id := ID(got); id != "C1" {
		t.Errorf("id %s", id)
	}
	if id := ID(Failure{Kind: Hung, Text: "x"}.Fingerprint()); id != "hang" {
		t.Errorf("id %s", id)
	}
	if got := Line("a\x00b\u2028c\xffd", 100); got != "a b c\uFFFDd" {
		t.Errorf("%q", got)
	}
	if got := Clip("ééé", 5); got != "é…" {
		t.Errorf("%q", got)
	}
}

const panicStack = `goroutine 1 [running]:
runtime/debug.Stack()
	/usr/lib/go/src/runtime/debug/stack.go:26 +0x5e
chordsim/sim/sweep.guarded.func1()
	/home/x/sim/sweep/worker.go:180 +0x45
panic({0x8b1234?, 0xc000012345?})
	/usr/lib/go/src/runtime/panic.go:785 +0x132
runtime.goPanicIndex(0x5, 0x5)
	/usr/lib/go/src/runtime/panic.go:115 +0x74
strings.(*Builder).Grow(...)
	/usr/lib/go/src/strings/builder.go:70
chordsim/core.(*Host).Do.func1.2({0x1, 0x2})
	/home/x/core/host.go:117 +0x1d
chordsim/core/delta.each[...](0xc000)
	/home/x/core/delta/each.go:9 +0x1d
chordsim/sim/sweep.guarded(0xc000)
	/home/x/sim/sweep/worker.go:190 +0x1d
created by main.main in goroutine 1
	/home/x/main.go:3 +0x1
`

func TestParseStack(t *testing.T) {
	frames := AfterPanic(ParseStack(panicStack))
	want := []string{
		"strings.(*Builder).Grow builder.go:70", "core.(*Host).Do host.go:117", "core/delta.each each.go:9", "sim/sweep.guarded worker.go:190",
	}
	for i, line := range want {
		if i >= len(frames) || frames[i].String() != line {
			t.Fatalf("frame %d of %v, want %s", i, frames, line)
		}
	}
	if got := Place(frames); got != "core.(*Host).Do" {
		t.Errorf("place %s", got)
	}
	if got := Place(nil); got != "" {
		t.Errorf("place %q of nothing", got)
	}
	recursion := []Frame{{Function: "a"}, {Function: "a"}, {Function: "b"}}
	if got := Lines(recursion); len(got) != 2 {
		t.Errorf("lines %q", got)
	}
}

func TestCommon(t *testing.T) {
	stack := func(names ...string) (frames []Frame) {
		for _, n := range names {
			frames = append(frames, Frame{Function: n})
		}
		return frames
	}
	got := Common([][]Frame{stack("x", "spin", "turn", "run"), stack("spin", "turn", "run"), stack("y", "z", "spin", "turn", "run")})
	if len(got) != 3 || got[0].Function != "spin" {
		t.Errorf("%v", got)
	}
	if got := Common([][]Frame{stack("a"), stack("b")}); len(got) != 0 {
		t.Errorf("%v", got)
	}
	if got := Common(nil); got != nil {
		t.Errorf("%v", got)
	}
}
