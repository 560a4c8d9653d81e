package main

import (
	"fmt"

	"chordsim/core/delta"
)

// growthCmd measures transactions on documents of growing size.
type growthCmd struct {
	JSON  bool `name:"json" help:"Print the figures as JSON."`
	Quick bool `hidden:"" help:"Small documents and few blocks, to see that it works."`
}

// growthPlan says how much is measured.
type growthPlan struct {
	items, units []int // sizes of lists and of texts, the smallest first
	blocks, ops  int   // blocks of each case and size; transactions in a block
	warm         int   // bytes of the heap to be warm: more than the blocks of one case allocate
}

var (
	fullGrowth  = growthPlan{[]int{1_000, 10_000, 100_000, 1_000_000}, []int{1_000, 10_000, 100_000, 1_000_000, 10_000_000}, 41, 96, 256 << 20}
	quickGrowth = growthPlan{[]int{1_000, 4_000}, []int{1_000, 10_000}, 5, 96, 16 << 20}
)

// growthSide is an authority's document and a replica's, which share nothing.
type growthSide struct {
	size              int
	document, replica delta.Value
}

// Run measures and prints the report.
func (c *growthCmd) Run(e *env) error {
	plan := fullGrowth
	if c.Quick {
		plan = quickGrowth
	}
	report := &benchReport{
		Bench: "growth",
		Headline: fmt.Sprintf("growth · a draft, its commit, and the change applied at a replica · %d blocks of %d transactions at each size",
			plan.blocks, plan.ops),
		Notes: []string{
			"ratio: the largest document beside the smallest, the median over blocks that were run side by side",
			"bytes allocated are required to be within; times are those of this machine and only shown",
		},
	}
	p := newProgress(e.stderr)
	err := plan.run(p, report)
	p.done()
	report.Reproduce = "go run ./cmd/simrun bench growth"
	if err != nil {
		return &brokenError{err, report.Reproduce}
	}
	return report.write(e, c.JSON)
}

// run measures every case. The documents of one kind are built once, one size after the other.
func (plan growthPlan) run(p *progress, report *benchReport) error {
	total := len(plan.items) + len(plan.units) + len(growthCases)*plan.blocks
	done := 0
	step := func(what string) {
		p.show(done, total, what)
		done++
	}
	for _, kind := range []struct {
		unit  string
		sizes []int
		build func(int) delta.Value
	}{{"items", plan.items, listDocument}, {"units", plan.units, textDocument}} {
		var sides []growthSide
		for _, n := range kind.sizes {
			step(fmt.Sprintf("building %d %s", n, kind.unit))
			sides = append(sides, growthSide{n, kind.build(n), kind.build(n)})
		}
		for i := range growthCases {
			if c := &growthCases[i]; c.unit == kind.unit {
				if err := plan.measure(c, sides, report, func() { step(c.name) }); err != nil {
					return fmt.Errorf("bench growth: %s: %w", c.name, err)
				}
			}
		}
	}
	return nil
}

// measure runs the blocks of one case: in turn one of each size.
func (plan growthPlan) measure(c *growthCase, sides []growthSide, report *benchReport, step func()) error {
	warmHeap(plan.warm)
	blocks := make([][]benchBlock, len(sides))
	for b := range plan.blocks + 1 {
		if b > 0 { // the first block warms up
			step()
		}
		for k := range sides {
			// The block before was another size's, which pushed this one's out of the caches: what of it fits there is
			// brought back by other transactions than those that are measured.
			if err := c.check(&sides[k], 2*b*plan.ops, plan.ops); err != nil {
				return err
			}
			block, err := measureBlock(plan.ops, func(ops int) error { return c.run(&sides[k], (2*b+1)*ops, ops) })
			if err != nil {
				return err
			}
			if b > 0 {
				blocks[k] = append(blocks[k], block)
			}
		}
	}
	ns := func(b benchBlock) float64 { return b.ns }
	bytes := func(b benchBlock) float64 { return b.bytes }
	for k, s := range sides {
		report.Figures = append(report.Figures, benchFigure{
			Name: c.name, Size: s.size, Unit: c.unit, NS: median(blocks[k], ns), Bytes: median(blocks[k], bytes),
			Allocs: median(blocks[k], func(b benchBlock) float64 { return b.allocs }),
		})
	}
	last := len(sides) - 1
	what := fmt.Sprintf("%s to %s", thousands(float64(sides[0].size)), thousands(float64(sides[last].size)))
	report.Bars = append(report.Bars,
		benchBar{Name: c.name, Measure: "time", What: what, Ratio: medianRatio(blocks[last], blocks[0], ns), Most: c.time},
		benchBar{Name: c.name, Measure: "bytes", What: what, Ratio: medianRatio(blocks[last], blocks[0], bytes), Most: c.bytes, Gated: true})
	return nil
}
