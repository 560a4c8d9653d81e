package scenarios

import (
	"strings"

	"chordsim/core/base"
	"chordsim/sim"
)

// reportHalfOpen appends the figures of all cases and their table.
func reportHalfOpen(codec string, found []*halfOpenFound, report *sim.Report) {
	table := sim.Table{
		Title: "Something goes away at each place of a session",
		Columns: []string{
			"case", ">places", ">resumed", ">new session", ">settled s", ">bound s", ">at", ">live s", ">bound s", ">at", "verdict",
		},
		Notes: []string{
			"places: behind each message that is delivered, or with bytes and cut each byte of the connection; each is a world",
			"settled, live: the longest of all places from when what went is back, or can be dialed: to the last result, and until all that is",
			"held shows the newest; bound: for each hop two heartbeats, an attempt, a wait, and bytes ÷ rate; at: the place",
			"cut: with a reset; others in silence",
		},
	}
	cuts := 0
	for _, f := range found {
		cuts += f.cuts
	}
	for _, f := range found {
		c := &caseRows{report: report, variant: codec, label: f.label()}
		for _, text := range f.wrong {
			c.fail("%s", text)
		}
		if cuts == 0 {
			c.fail("no case has the place that was asked for")
		}
		if more := f.wrongs - len(f.wrong); more > 0 {
			c.fail("something goes wrong at %d places more", more)
		}
		id := "halfopen." + strings.ReplaceAll(f.label(), " ", ".")
		c.add(id+".places", itoa(int64(f.cuts)), "1", "")
		c.add(id+".settled", sim.Seconds(f.settle), "s", sim.Seconds(f.settleBound))
		c.add(id+".live", sim.Seconds(f.live), "s", sim.Seconds(f.liveBound))
		c.add(id+".resumed", itoa(int64(f.resumed)), "1", "")
		c.add(id+".unknown", itoa(int64(f.results[base.CodeUnknown])), "1", "")
		table.Rows = append(table.Rows, []string{
			f.label(), itoa(int64(f.cuts)), itoa(int64(f.resumed)), itoa(int64(f.cold)),
			micros(sim.Seconds(f.settle)), micros(sim.Seconds(f.settleBound)), itoa(int64(f.settleAt)),
			micros(sim.Seconds(f.live)), micros(sim.Seconds(f.liveBound)), itoa(int64(f.liveAt)), c.verdict(),
		})
	}
	report.Tables = []sim.Table{table}
}
