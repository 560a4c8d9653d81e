package main

import (
	"encoding/json"
	"fmt"
	"io"

	"chordsim/core/wire"
	"chordsim/sim"
)

// linksLine is one line of the report: an id in one codec.
type linksLine struct {
	ID      string   `json:"id"`
	Case    string   `json:"case"`
	Variant string   `json:"variant"` // binary or text
	Value   *float64 `json:"value"`   // null: there is none yet
	Best    *float64 `json:"best"`    // of times: the least lap
	Spread  *float64 `json:"spread"`  // of times: how far the middle half of the laps is apart, as a share of the median
	Unit    string   `json:"unit"`
	Figure  *float64 `json:"figure"` // the seed document's
	Ratio   *float64 `json:"ratio"`  // value ÷ figure
	Goal    *float64 `json:"goal"`
	Gated   bool     `json:"gated"` // whether to miss the goal is a failure
	Verdict string   `json:"verdict"`
	NotYet  string   `json:"not_yet,omitempty"` // why there is no value

	goal wireGoal
}

// linksReport is what was measured.
type linksReport struct {
	Bench     string      `json:"bench"`
	Headline  string      `json:"headline"`
	Rows      []linksLine `json:"rows"`
	Notes     []string    `json:"notes"`
	Reproduce string      `json:"reproduce"` // the command that gives the report again
	Exit      int         `json:"exit"`
}

// linksLines returns the lines of the table whose ids begin with a prefix.
func linksLines(prefix string) []linksLine {
	var list []linksLine
	for i := range linksTable {
		row := &linksTable[i]
		if len(row.id) < len(prefix) || row.id[:len(prefix)] != prefix {
			continue
		}
		for codec, c := range []wire.Codec{wire.Binary, wire.Text} {
			l := linksLine{ID: row.id, Case: row.what, Variant: c.String(), Unit: row.unit, goal: row.goals[codec]}
			if f := row.figures[codec]; f != 0 {
				l.Figure = &f
			}
			if bound := l.goal.bound; l.goal.sense != noGoal {
				l.Goal, l.Gated = &bound, !row.timed
			}
			list = append(list, l)
		}
	}
	return list
}

// fill puts in what was measured. Times come in microseconds.
func (l *linksLine) fill(v linksValue) {
	if v.notYet != "" {
		l.NotYet = v.notYet
		return
	}
	if v.timed {
		if l.Unit == "ms" {
			v.value, v.best = thousandths(v.value/1000), thousandths(v.best/1000)
		}
		l.Best, l.Spread = &v.best, &v.spread
	}
	l.Value = &v.value
}

// judge fills in ratios, verdicts and the exit status.
func (r *linksReport) judge() {
	r.Exit = exitOK
	for i := range r.Rows {
		l := &r.Rows[i]
		if l.Value != nil && l.Figure != nil {
			l.Ratio = quotient(*l.Value, *l.Figure)
		}
		switch {
		case l.NotYet != "":
			l.Verdict = "not yet"
		case l.goal.sense == noGoal:
			l.Verdict = "shown"
		case l.Value != nil && l.goal.met(*l.Value):
			l.Verdict = "within"
		default:
			l.Verdict = "over"
			if l.Gated {
				r.Exit = exitFailed
			}
		}
	}
}

// write judges the report and prints it as a table or as JSON.
func (r *linksReport) write(e *env, asJSON bool) error {
	r.judge()
	e.exit = r.Exit
	if !asJSON {
		r.print(e.stdout)
		return nil
	}
	enc := json.NewEncoder(e.stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}

func (r *linksReport) print(w io.Writer) {
	t := sim.Table{Columns: []string{"  id", "case", "codec", ">figure", ">ours", ">best", ">spread", ">ratio", "verdict"}}
	id := ""
	for i := range r.Rows {
		l := &r.Rows[i]
		cells := []string{"  " + l.ID, l.Case, l.Variant, l.maybe(l.Figure), l.maybe(l.Value), l.maybe(l.Best), "", "", l.verdict()}
		if l.ID == id {
			cells[0], cells[1] = "", ""
		}
		id = l.ID
		if l.Spread != nil {
			cells[6] = fmt.Sprintf("%.0f %%", 100**l.Spread)
		}
		if l.Ratio != nil {
			cells[7] = fmt.Sprintf("%.2f", *l.Ratio)
		}
		t.Rows = append(t.Rows, cells)
	}
	fmt.Fprintf(w, "%s\n\n%s\n", r.Headline, render(t))
	for _, n := range r.Notes {
		fmt.Fprintf(w, "  %s\n", n)
	}
	if r.Exit == exitOK {
		return
	}
	fmt.Fprintln(w)
	for i := range r.Rows {
		if l := &r.Rows[i]; l.Verdict == "over" && l.Gated {
			fmt.Fprintf(w, "missed: %s, %s: %s, want %s\n", l.ID, l.Variant, l.maybe(l.Value), l.goalText())
		}
	}
	fmt.Fprintf(w, "reproduce: %s\n", r.Reproduce)
}

// maybe returns a quantity, nothing if there is none.
func (l *linksLine) maybe(f *float64) string {
	if f == nil {
		return ""
	}
	return l.like().quantity(*f)
}

// like is a line of the other report with the same unit and goal.
func (l *linksLine) like() *wireLine { return &wireLine{Unit: l.Unit, goal: l.goal} }

// goalText returns the goal; bytes and times as whole ones, which goals are.
func (l *linksLine) goalText() string { return l.like().goalText() }

// verdict returns the verdict with the goal that it is about, and whether it is only shown.
func (l *linksLine) verdict() string {
	switch {
	case l.NotYet != "":
		return l.Verdict + ": " + l.NotYet
	case l.goal.sense == noGoal:
		return l.Verdict
	case !l.Gated:
		return l.Verdict + " (" + l.goalText() + ", shown)"
	}
	return l.Verdict + " (" + l.goalText() + ")"
}
