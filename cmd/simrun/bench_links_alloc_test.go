package main

import (
	"testing"

	"chordsim/core"
)

// TestLinksAllocations bounds what a small call and a streamed token allocate in both hosts together, from the call or the
// change to the result or the credit of the frame. One allocation more on the way fails.
func TestLinksAllocations(t *testing.T) {
	const callMost, tokenMost = 7, 31
	for _, c := range linksCodecs {
		caller, err := smallCaller(c)
		if err != nil {
			t.Fatal(err)
		}
		edits, err := newLinksEdits(c, "stream", func(core.Frame) {})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range []struct {
			what string
			run  func() error
			most float64
		}{{"a call", caller.next, callMost}, {"a token", edits.next, tokenMost}} {
			allocs := testing.AllocsPerRun(1000, func() {
				if err := m.run(); err != nil {
					t.Fatal(err)
				}
			})
			t.Logf("%s, %s: %v allocations", c, m.what, allocs)
			if allocs > m.most {
				t.Errorf("%s, %s: %v allocations, want %v at most", c, m.what, allocs, m.most)
			}
		}
		if err := edits.check(); err != nil {
			t.Error(err)
		}
	}
}
