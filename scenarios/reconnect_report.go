package scenarios

import (
	"fmt"

	"chordsim/sim"
)

// resumedBytes is how many bytes may come to the tab as its session goes on, besides what it missed.
const resumedBytes = 200

// knownBytes is how many bytes may come to the tab for a bind of what it missed.
const knownBytes = 100

// reportReconnect appends the figures of all cases and their table.
func reportReconnect(found []*reconnectFound, report *sim.Report) {
	table := sim.Table{
		Title: "Until all references are live",
		Columns: []string{
			"case", ">snapshots", ">deltas", ">bytes down", ">figure", ">ratio", ">up", ">figure", ">live s", ">limit s", ">of limit", ">unknown", "verdict",
		},
		Notes: []string{
			"from when the way is there again; bytes over the tab's link, to a second after all is live",
			"deltas: binds of what was committed since the tab lost its session, which the provider knows in the cases of that name alone: in the",
			"others hosts keep no history, so that there are snapshots to be seen, and holds name no revisions",
			"figure: the seed document's, in which each reference has a snapshot of its own",
			"limit: the round trips that it takes to connect, to shake hands and without a session to hold, and the bytes ÷ rate; behind a",
			"server that lost the provider also what it takes to find that out; goal: 2 % more, and what a way idles that holds more than a window",
			"unknown: calls that were sent and whose outcome is not known",
		},
	}
	for _, f := range found {
		if f.stuck != "" {
			row := make([]string, len(table.Columns))
			row[0], row[len(row)-1] = f.label(), "stuck"
			table.Rows = append(table.Rows, row)
			continue
		}
		c := &caseRows{report: report, variant: f.plan.setup.codec.String(), label: f.label()}
		f.rows(c)
		down, up := f.reference("down", c.variant), f.reference("up", c.variant)
		took, limit := sim.Seconds(f.took), sim.Seconds(f.limit)
		table.Rows = append(table.Rows, []string{
			f.label(), itoa(f.snapshots), itoa(f.deltas), itoa(f.down), down, ratio(itoa(f.down), down), itoa(f.up), up, micros(took), micros(limit),
			ratio(took, limit), itoa(int64(f.unknown)), c.verdict(),
		})
	}
	report.Tables = []sim.Table{table}
}

// reference is the seed document's figure for as many references.
func (f *reconnectFound) reference(what, variant string) string {
	return figure(fmt.Sprintf("reconnect%d.%s", f.references, what), variant)
}

// rows appends the figures of a case, and what they miss.
func (f *reconnectFound) rows(c *caseRows) {
	id, figures := f.id(), f.plan.entries == 1000
	reference := func(what string) string {
		if figures {
			return f.reference(what, c.variant)
		}
		return ""
	}
	snapshots, unknown := int64(1), f.sent
	if !f.shared {
		snapshots = int64(f.references)
	}
	goalDown := reference("down")
	if f.loss == lossKnown {
		goalDown = itoa(resumedBytes + snapshots*knownBytes)
		c.add(id+".deltas", itoa(f.deltas), "1", itoa(snapshots))
		snapshots = 0
	}
	if f.goesOn() {
		snapshots, unknown = 0, 0
		goalDown = itoa(f.missed + resumedBytes)
	}
	c.add(id+".snapshots", itoa(f.snapshots), "1", itoa(snapshots))
	c.addBeside(id+".down", itoa(f.down), "B", goalDown, reference("down"))
	goalUp := ""
	if c.variant == "binary" { // a credit and a hold are some 15 bytes more each in text
		goalUp = reference("up")
	}
	c.addBeside(id+".up", itoa(f.up), "B", goalUp, reference("up"))
	c.add(id+".live", sim.Seconds(f.took), "s", sim.Seconds(f.goal))
	c.add(id+".limit", sim.Seconds(f.limit), "s", "")
	c.add(id+".unknown", itoa(int64(f.unknown)), "1", itoa(int64(unknown)))
	if f.settled != f.sent || f.unknown != unknown || f.results != f.sent-unknown {
		c.fail("%d calls were sent, %d have a result and %d an unknown outcome, %d settled; want %d unknown", f.sent, f.results, f.unknown,
			f.settled, unknown)
	}
}

// goesOn reports whether no session was lost.
func (f *reconnectFound) goesOn() bool { return f.loss == lossResumed || f.loss == lossRoute }
