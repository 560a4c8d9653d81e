package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"chordsim/core/base"
	"chordsim/sim"
)

func reportInterleave(r *sim.Run, plan callPlan, ways []interleaved, report *sim.Report) {
	table := sim.Table{
		Title: "Calls while the snapshot crosses",
		Columns: []string{
			"case", ">calls", ">median s", ">longest s", ">bound s", ">late", ">bytes a call", ">snapshot s", ">alone s", ">more %", "verdict",
		},
		Notes: []string{
			"median, longest: from a call to its result, behind the change that it made to what the tab holds",
			"bound: two chunks of 4 KiB with their headers, and the latency of both directions; late: calls that took longer",
			"in one lane with the snapshot, a call would take as long as what is left of it",
			"bytes a call: what the tab was delivered more than alone, for each; more: what the snapshot took longer than alone, at most 2",
		},
	}
	if r.Link != nil {
		table.Notes[1] = "late: calls that took longer than the link needed for what could be before their results; bound: the least of that"
	}
	for i := range ways {
		w := &ways[i]
		if w.with.stuck+w.with.broken+w.alone.stuck+w.alone.broken != "" {
			row := make([]string, len(table.Columns))
			row[0], row[len(row)-1] = w.label, "stuck"
			table.Rows = append(table.Rows, row)
			continue
		}
		table.Rows = append(table.Rows, w.rows(r, plan, report))
	}
	report.Tables = []sim.Table{table, burstTable(plan, ways, report)}
}

// burstTable appends the figures of the bursts, and returns their table.
func burstTable(plan callPlan, ways []interleaved, report *sim.Report) sim.Table {
	table := sim.Table{
		Title:   fmt.Sprintf("The same in bursts of %d calls, more than the window takes", burstCalls),
		Columns: []string{"case", ">calls", ">longest s", ">waited", ">unread", ">snapshot s", "verdict"},
		Notes: []string{
			"waited: changes that had no room in the window, so that their results had to name them (C15)",
			"unread: results that were seen before what their calls changed",
		},
	}
	for i := range ways {
		w := &ways[i].burst
		if w.label == "" {
			continue // not played
		}
		if w.stuck+w.broken != "" {
			table.Rows = append(table.Rows, []string{ways[i].label, "", "", "", "", "", "stuck"})
			continue
		}
		longest := base.Duration(0)
		for _, c := range w.calls {
			longest = max(longest, c.took)
		}
		row := sim.Row{ID: ways[i].id + ".burst.unread", Variant: plan.codec.String(), Value: itoa(int64(w.unread)), Unit: "1", Goal: "0"}
		verdict := "within"
		switch {
		case w.unread > 0:
			row.Missed, verdict = true, "MISSED .unread"
			report.Failures = append(report.Failures, fmt.Sprintf("%s: %s is %s, want at most 0", w.label, row.ID, row.Value))
		case w.folded == 0:
			verdict = "never full"
		}
		report.Rows = append(report.Rows, row, sim.Row{
			ID: ways[i].id + ".burst.waited", Variant: row.Variant, Value: itoa(w.folded), Unit: "1",
		})
		table.Rows = append(table.Rows, []string{
			ways[i].label, itoa(int64(len(w.calls))), micros(sim.Seconds(longest)), itoa(w.folded), row.Value,
			micros(sim.Seconds(w.snapshot)), verdict,
		})
	}
	return table
}

// rows appends the figures of a way, and what they miss, and returns its line of the table.
func (w *interleaved) rows(r *sim.Run, plan callPlan, report *sim.Report) []string {
	missed, goals := "", false
	add := func(suffix, value, unit, goal string) {
		row := sim.Row{ID: w.id + suffix, Variant: plan.codec.String(), Value: value, Unit: unit, Goal: goal}
		if goals = goals || goal != ""; goal != "" && compare(value, goal) > 0 {
			row.Missed = true
			text := fmt.Sprintf("%s: %s is %s %s, want at most %s", w.label, row.ID, value, unit, goal)
			report.Failures = append(report.Failures, strings.Replace(text, " 1,", ",", 1)) // a count has no unit
			if missed == "" {
				missed = "MISSED " + suffix
			}
		}
		report.Rows = append(report.Rows, row)
	}
	median, longest, bytes := "", "", ""
	bound, late := w.late(r, plan)
	add(".calls", itoa(int64(len(w.with.calls))), "1", "")
	if n := len(w.with.calls); n > 0 {
		took := make([]base.Duration, n)
		for i := range w.with.calls {
			took[i] = w.with.calls[i].took
		}
		slices.Sort(took)
		median, longest = sim.Seconds(took[(n-1)/2]), sim.Seconds(took[n-1])
		bytes = itoa((w.with.bytes - w.alone.bytes) / int64(n))
		limit := bound
		if r.Link != nil {
			limit = "" // each call has its own
		}
		add(".median", median, "s", "")
		add(".longest", longest, "s", limit)
		if bound != "" {
			add(".late", late, "1", "0")
		}
		add(".call.bytes", bytes, "B", "")
		add(".unread", itoa(int64(w.with.unread)), "1", "0")
	}
	snapshot, goal := sim.Seconds(w.with.snapshot), ""
	if most, ok := plan.snapshotBound(r, &w.alone); ok {
		goal = sim.Seconds(most)
	}
	add(".snapshot", snapshot, "s", goal)
	add(".alone", sim.Seconds(w.alone.snapshot), "s", "")
	add(".bytes", itoa(w.with.bytes), "B", "")

	verdict := "within"
	switch {
	case missed != "":
		verdict = missed
	case len(w.with.calls) == 0:
		verdict = "no call"
	case bound == "" && goal == "":
		verdict = "no goal"
	}
	return []string{
		w.label, itoa(int64(len(w.with.calls))), micros(median), micros(longest), micros(bound), late, bytes,
		micros(snapshot), micros(sim.Seconds(w.alone.snapshot)), w.more(), verdict,
	}
}

// late returns the bound of the way's calls, over a recorded link the least one, and how many took longer than theirs. Both
// are empty where nothing is promised.
func (w *interleaved) late(r *sim.Run, plan callPlan) (bound, late string) {
	least, promised := plan.bound(r)
	if r.Link == nil && !promised || len(w.with.calls) == 0 {
		return "", ""
	}
	n := int64(0)
	for i := range w.with.calls {
		c := &w.with.calls[i]
		most := least
		if r.Link != nil {
			if most = plan.traceBound(r.Link, c); i == 0 || most < least {
				least = most
			}
		}
		if c.took > most {
			n++
		}
	}
	return sim.Seconds(least), itoa(n)
}

// more returns by how many percent the calls made the snapshot longer, to two places.
func (w *interleaved) more() string {
	if w.alone.snapshot == 0 {
		return ""
	}
	longer := int64(w.with.snapshot - w.alone.snapshot)
	whole, _ := base.MulDiv(uint64(max(longer, 0)), 10_000, uint64(w.alone.snapshot))
	return sim.Decimal(int64(whole), 2)
}

// micros cuts a number of seconds off behind the microseconds, for people.
func micros(s string) string {
	d, err := base.ParseDuration(s + "s")
	if err != nil {
		return ""
	}
	return sim.Decimal(int64(d/base.Microsecond), 6)
}
