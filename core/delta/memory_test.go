package delta

import (
	"runtime"
	"testing"
)

// parseBudget is how many bytes of memory a parser may take for so many bytes of input: a constant for its tables, and a
// factor for what the input spells out.
func parseBudget(input int) uint64 { return 64<<10 + 256*uint64(input) }

// wantLittleMemory runs a parser and checks what it took.
func wantLittleMemory(t *testing.T, in []byte, parse func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	parse()
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > parseBudget(len(in)) {
		t.Errorf("%q takes %d bytes of memory, at most %d", in, got, parseBudget(len(in)))
	}
}
