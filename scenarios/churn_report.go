package scenarios

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"chordsim/core/base"
	"chordsim/sim"
)

// churnTally counts what happened.
type churnTally struct {
	made      map[string]int    // calls, by method
	codes     map[base.Code]int // of calls that settled
	unwaited  int               // calls that nobody waits for
	dropped   int               // calls of lives that ended
	frames    int
	snapshots int
	reloads   int // lives that were ended by their own hosts
	redials   int
	costs     int // hosts whose CPUs take time
}

func newChurnTally() churnTally {
	return churnTally{made: map[string]int{}, codes: map[base.Code]int{}}
}

func (w *churnWorld) headline() string {
	plan := "drawn"
	if w.byHand {
		plan = "by hand"
	}
	work := ""
	if w.run.Workload != "" {
		work = fmt.Sprintf(" · workload given: %d items", w.items)
	}
	return fmt.Sprintf("churn · %d workers, a server, %d tabs · faults for %v, plan %s: %d faults, %d knobs%s · seed %d",
		len(w.workers), len(w.tabs), w.heal, plan, len(w.plan.Faults), len(w.plan.Knobs), work, w.run.Seed)
}

// report says what happened.
func (w *churnWorld) report(report *sim.Report) {
	report.Add(w.world)
	report.Workload = w.text
	report.AddEffects(w.world, w.byHand)
	for _, why := range w.broken {
		report.Failures = append(report.Failures, "churn: "+why)
	}
	for _, l := range w.links {
		report.Knobs = append(report.Knobs, "link="+l.kind)
	}
	slices.Sort(report.Knobs)
	report.Knobs = slices.Compact(report.Knobs)
	if w.tally.costs > 0 {
		report.Knobs = append(report.Knobs, "costs=on")
	}
	report.Tables = []sim.Table{w.hostTable(), w.callTable(), w.faultTable(report)}
	report.Rows = append(report.Rows,
		sim.Row{ID: "churn.frames", Value: itoa(int64(w.tally.frames)), Unit: "1"},
		sim.Row{ID: "churn.snapshots", Value: itoa(int64(w.tally.snapshots)), Unit: "1"},
		sim.Row{ID: "churn.reloads", Value: itoa(int64(w.tally.reloads)), Unit: "1"},
		sim.Row{ID: "churn.redials", Value: itoa(int64(w.tally.redials)), Unit: "1"},
		sim.Row{ID: "churn.lived", Value: sim.Seconds(w.lived), Unit: "s", Goal: sim.Seconds(w.liveWithin()), Missed: w.lived > w.liveWithin()},
	)
}

// hostTable says who is there.
func (w *churnWorld) hostTable() sim.Table {
	table := sim.Table{
		Title:   "Hosts and the links that they dial",
		Columns: []string{"host", "dials", "link", "up", "down", ">lives", ">patience s"},
		Notes: []string{
			fmt.Sprintf("%d reloads by hosts themselves, %d connections dialed again; all was well %s s after the heal", w.tally.reloads, w.tally.redials, sim.Seconds(w.lived)),
		},
	}
	table.Rows = append(table.Rows, []string{"server", "", "", "", "", itoa(int64(w.server.host.Incarnation())), ""})
	for i, l := range w.lines {
		table.Rows = append(table.Rows, []string{
			l.host.Name(), l.to.Name(), w.links[i].kind, l.link.cfg.Up.String(), l.link.cfg.Down.String(),
			itoa(int64(l.host.Incarnation())), micros(sim.Seconds(l.patience)),
		})
	}
	return table
}

// callTable says what became of calls.
func (w *churnWorld) callTable() sim.Table {
	made := 0
	for _, method := range slices.Sorted(maps.Keys(w.tally.made)) {
		made += w.tally.made[method]
	}
	table := sim.Table{
		Title:   "Calls",
		Columns: []string{"outcome", ">calls"},
		Rows:    [][]string{{"made", itoa(int64(made))}},
		Notes: []string{
			fmt.Sprintf("%d frames were seen, %d of them snapshots", w.tally.frames, w.tally.snapshots),
		},
	}
	for _, code := range slices.Sorted(maps.Keys(w.tally.codes)) {
		outcome := "failed: " + code.String()
		if code == base.CodeNone {
			outcome = "answered"
		}
		table.Rows = append(table.Rows, []string{outcome, itoa(int64(w.tally.codes[code]))})
	}
	open := 0
	for _, t := range w.tabs {
		open += len(t.open)
	}
	return w.restOfCalls(table, open)
}

func (w *churnWorld) restOfCalls(table sim.Table, open int) sim.Table {
	for _, row := range []struct {
		what string
		n    int
	}{{"nobody waited", w.tally.unwaited}, {"gone with their callers", w.tally.dropped}, {"open", open}} {
		table.Rows = append(table.Rows, []string{row.what, itoa(int64(row.n))})
	}
	return table
}

// faultTable says what the faults did.
func (w *churnWorld) faultTable(report *sim.Report) sim.Table {
	table := sim.Table{
		Title:   "Faults",
		Columns: []string{"fault", ">fired", ">messages", ">connections", ">turns", "else"},
	}
	for _, e := range report.Effects {
		var more []string
		for _, x := range []struct {
			what string
			n    int64
		}{{"hosts", e.Hosts}, {"writes", e.Writes}, {"clock reads", e.Clock}} {
			if x.n > 0 {
				more = append(more, fmt.Sprintf("%d %s", x.n, x.what))
			}
		}
		if e.None() {
			more = append(more, "no effect: "+e.Why)
		}
		table.Rows = append(table.Rows, []string{
			e.Fault, itoa(e.Fired), itoa(e.Messages), itoa(e.Connections), itoa(e.Turns), strings.Join(more, ", "),
		})
	}
	return table
}
