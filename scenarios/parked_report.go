package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"chordsim/core/base"
	"chordsim/sim"
)

// reportParked appends the figures of all cases and their tables.
func reportParked(plan parkedPlan, found []*parkedFound, report *sim.Report) {
	order := sim.Table{
		Title:   fmt.Sprintf("%d calls made while the link is down", plan.calls),
		Columns: []string{"case", ">calls", ">bytes up", ">down", ">last s", ">limit s", ">of limit", "verdict"},
		Notes: []string{
			"resumed: the link is gone for 1 s and the session goes on; cold: for longer than it is kept, so that the object is held again",
			"last: from the bind to the last result; limit: one round trip, what crosses the busier way, and one message",
		},
	}
	late := sim.Table{
		Title:   "Calls that must not arrive, and calls of who hears that the link is back",
		Columns: []string{"case", ">made", ">settled", ">timed out", ">arrived", ">timers", "order", "verdict"},
		Notes:   []string{"arrived: calls that the provider ran; timers: that the tab has set in the end, but for the heartbeat's"},
	}
	flood := sim.Table{
		Title:   fmt.Sprintf("%d calls, of which %d or %d bytes may wait", plan.flood, plan.setup.limits.ParkedCalls, plan.setup.limits.ParkedBytes),
		Columns: []string{"case", ">made", ">refused", ">kept", ">bytes", ">arrived", ">left", "verdict"},
	}
	mixed := mixedTable()
	inOrder := true
	for _, f := range found {
		c := &caseRows{report: report, variant: f.plan.setup.codec.String(), label: f.label}
		id := fmt.Sprintf("parked%d.%s.%s.%s", f.plan.calls, f.form, f.kind, f.what)
		inOrder = inOrder && (f.want == nil || slices.Equal(f.seen, f.want))
		f.rows(c, id)
		verdict := c.verdict()
		if f.stuck != "" {
			verdict = "stuck"
		}
		last, limit := sim.Seconds(f.last), sim.Seconds(f.limit)
		switch f.what {
		case "order":
			order.Rows = append(order.Rows, []string{
				f.form + " " + f.kind, itoa(int64(f.made)), itoa(f.up), itoa(f.down), micros(last), micros(limit), ratio(last, limit), verdict,
			})
		case "expired", "listener":
			late.Rows = append(late.Rows, []string{
				f.label, itoa(int64(f.made)), itoa(int64(f.settled)), itoa(int64(f.codes[base.CodeTimeout])), itoa(int64(f.arrived)),
				itoa(f.timers), shown(f.seen), verdict,
			})
		case partMixed:
			mixed.Rows = append(mixed.Rows, f.mixedRow(verdict))
		default:
			flood.Rows = append(flood.Rows, []string{
				f.label, itoa(int64(f.made)), itoa(int64(f.refused)), itoa(int64(f.kept.Parked)), itoa(int64(f.kept.ParkedBytes)),
				itoa(int64(f.arrived)), itoa(int64(f.left.Parked)), verdict,
			})
		}
	}
	if plan.calls == 1000 && len(order.Rows) > 0 {
		row := sim.Row{ID: "parked1000.order", Variant: "both", Value: "0", Unit: "bool", Reference: figure("parked1000.order", "both")}
		if inOrder {
			row.Value = "1"
		}
		row.Missed = !inOrder
		report.Rows = append(report.Rows, row)
	}
	for _, table := range []sim.Table{order, late, flood, mixed} {
		if len(table.Rows) > 0 {
			report.Tables = append(report.Tables, table)
		}
	}
}

// rows appends the figures of a case.
func (f *parkedFound) rows(c *caseRows, id string) {
	if f.stuck != "" {
		return
	}
	if f.what == partMixed {
		f.mixedRows(c, id)
		return
	}
	if f.want != nil && !slices.Equal(f.seen, f.want) {
		c.fail("the provider ran %s, want %s", shown(f.seen), shown(f.want))
	}
	if f.settled != f.made {
		c.fail("%d results of %d calls", f.settled, f.made)
	}
	want := f.made - f.refused
	if f.want != nil {
		want = len(f.want)
	}
	if good := f.codes[base.CodeNone]; f.arrived != want || good != want || f.codes[base.CodeTimeout]+f.codes[base.CodeLimit]+good != f.made {
		c.fail("%d calls arrived and %d have a result, want %d of each; in all %v", f.arrived, good, want, f.codes)
	}
	c.add(id+".arrived", itoa(int64(f.arrived)), "1", itoa(int64(want)))
	c.add(id+".timers", itoa(f.timers), "1", "0")
	switch f.what {
	case "order":
		goal := ""
		if f.plan.pipelined() {
			goal = sim.Seconds(f.limit + base.Microsecond) // each message ends on a whole nanosecond
		}
		c.add(id+".last", sim.Seconds(f.last), "s", goal)
		c.add(id+".up", itoa(f.up), "B", "")
		c.add(id+".down", itoa(f.down), "B", "")
	case "flood", "heap":
		c.add(id+".kept", itoa(int64(f.kept.Parked)), "1", itoa(int64(f.keptWant)))
		c.add(id+".kept.bytes", itoa(int64(f.kept.ParkedBytes)), "B", itoa(int64(f.bytesWant)))
		c.add(id+".refused", itoa(int64(f.refused)), "1", itoa(int64(f.made-f.keptWant)))
		if f.kept.Parked != f.keptWant || f.kept.ParkedBytes != f.bytesWant || f.refused != f.made-f.keptWant {
			c.fail("%d calls of %d bytes wait and %d are refused, want %d of %d, and %d", f.kept.Parked, f.kept.ParkedBytes, f.refused,
				f.keptWant, f.bytesWant, f.made-f.keptWant)
		}
		if f.left.Parked != 0 || f.left.ParkedBytes != 0 || f.left.Unanswered != 0 {
			c.fail("%+v is left at the tab once all have settled", f.left)
		}
	}
}

// shown prints a list that may be long.
func shown(list []string) string {
	const most = 6
	if len(list) > most {
		return strings.Join(list[:most-1], ", ") + fmt.Sprintf(" … %s (%d)", list[len(list)-1], len(list))
	}
	return strings.Join(list, ", ")
}
