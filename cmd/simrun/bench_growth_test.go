package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"chordsim/core/delta"
)

// Each case changes what it says, by as many transactions as it is told, and leaves the documents that it starts from.
func TestGrowthCases(t *testing.T) {
	const n, ops = 1000, 40
	sides := map[string]growthSide{"items": {n, listDocument(n), listDocument(n)}, "units": {n, textDocument(n), textDocument(n)}}
	for _, c := range growthCases {
		side := sides[c.unit]
		before := side.document.Hash()
		if err := c.run(&side, 0, ops); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if side.document.String() != side.replica.String() || side.document.Hash() != before {
			t.Errorf("%s: a document that it starts from changed", c.name)
		}
		d := delta.NewDraft(side.document)
		for i := range ops {
			if err := c.change(d, i, n); err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
		}
		if v, _ := d.Commit(); v.Equal(side.document) {
			t.Errorf("%s: nothing changed", c.name)
		}
	}
}

// A change that copies its document misses the gated bar, whatever the machine.
func TestGrowthFindsACopy(t *testing.T) {
	plan := growthPlan{blocks: 3, ops: 4, warm: 1 << 20}
	c := growthCase{"copy", "items", 1e9, 2.5, func(d *delta.Draft, i, n int) error { return d.At("items").Set(make([]delta.Value, n+i)) }}
	sides := []growthSide{{100, listDocument(100), listDocument(100)}, {10_000, listDocument(10_000), listDocument(10_000)}}
	report := &benchReport{}
	if err := plan.measure(&c, sides, report, func() {}); err != nil {
		t.Fatal(err)
	}
	if report.judge(); report.Exit != exitFailed {
		t.Errorf("a copy is %+v", report.Bars)
	}
}

// A quick run has a figure for every case and size, and shows how far it is to its last step.
func TestGrowthRun(t *testing.T) {
	report := &benchReport{}
	var shown bytes.Buffer
	if err := quickGrowth.run(&progress{w: &shown, start: time.Now().Add(-2 * quiet)}, report); err != nil {
		t.Fatal(err)
	}
	total := len(quickGrowth.items) + len(quickGrowth.units) + len(growthCases)*quickGrowth.blocks
	if first, last := fmt.Sprintf("0 of %d: building 1000 items", total), fmt.Sprintf("%d of %d: ", total-1, total); !strings.Contains(shown.String(), first) ||
		strings.Count(shown.String(), last) != 1 || strings.Contains(shown.String(), fmt.Sprintf("%d of", total)) {
		t.Errorf("%q does not go from %q to %q", shown.String(), first, last)
	}
	if len(report.Figures) != 2*len(growthCases) || len(report.Bars) != 2*len(growthCases) {
		t.Fatalf("%d figures and %d bars for %d cases", len(report.Figures), len(report.Bars), len(growthCases))
	}
	for _, f := range report.Figures {
		if f.NS <= 0 || f.Bytes <= 0 || f.Allocs <= 0 || f.Size < 1000 {
			t.Errorf("%+v", f)
		}
	}
}
