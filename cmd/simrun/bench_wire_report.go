package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"chordsim/core/wire"
	"chordsim/sim"
)

// wireLine is one line of the report: an id in one variant.
type wireLine struct {
	ID      string   `json:"id"`
	Case    string   `json:"case"`
	Variant string   `json:"variant"` // binary, text, or encoding/json
	Value   float64  `json:"value"`
	Unit    string   `json:"unit"`
	Figure  *float64 `json:"figure"` // the seed document's
	Ratio   *float64 `json:"ratio"`  // value ÷ figure; of times as fast as encoding/json: our time ÷ its
	Goal    *float64 `json:"goal"`
	Verdict string   `json:"verdict"`

	goal  wireGoal
	timed bool
}

// wireReport is what was measured.
type wireReport struct {
	Bench     string     `json:"bench"`
	Headline  string     `json:"headline"`
	Rows      []wireLine `json:"rows"`
	Notes     []string   `json:"notes"`
	Reproduce string     `json:"reproduce"` // the command that gives the report again
	Exit      int        `json:"exit"`
}

// jsonVariant is the variant of what encoding/json does.
const jsonVariant = "encoding/json"

// wireLines returns the lines of the table whose ids begin with a prefix.
func wireLines(prefix string) []wireLine {
	var list []wireLine
	for i := range wireTable {
		row := &wireTable[i]
		if !strings.HasPrefix(row.id, prefix) {
			continue
		}
		line := func(variant string, codec int) {
			l := wireLine{ID: row.id, Case: row.what, Variant: variant, Unit: row.unit, goal: row.goals[codec], timed: row.timed}
			if f := row.figures[codec]; f != 0 {
				l.Figure = &f
			}
			list = append(list, l)
		}
		switch row.only {
		case jsonOnly:
			line(jsonVariant, 1) // without a goal
		case binaryOnly:
			line(wire.Binary.String(), 0)
		default:
			line(wire.Binary.String(), 0)
			line(wire.Text.String(), 1)
		}
	}
	for i := range list { // where they stay
		if list[i].goal.sense != noGoal {
			list[i].Goal = &list[i].goal.bound
		}
	}
	return list
}

// judge fills in ratios, verdicts and the exit status.
func (r *wireReport) judge() {
	r.Exit = exitOK
	for i := range r.Rows {
		l := &r.Rows[i]
		switch {
		case l.Unit == "x":
			l.Ratio = quotient(1, l.Value)
		case l.Figure != nil:
			l.Ratio = quotient(l.Value, *l.Figure)
		}
		met := l.goal.met(l.Value)
		switch {
		case l.goal.sense == noGoal:
			l.Verdict = "shown"
		case l.goal.sense == atLeast && met:
			l.Verdict = "ahead"
		case l.goal.sense == atLeast:
			l.Verdict = "behind"
		case met:
			l.Verdict = "within"
		default:
			l.Verdict = "over"
			r.Exit = exitFailed
		}
	}
}

// met reports whether a value meets the goal. What is no number meets none.
func (g wireGoal) met(value float64) bool {
	switch g.sense {
	case atMost:
		return value <= g.bound
	case exactly:
		return value == g.bound
	case atLeast:
		return value >= g.bound
	}
	return !math.IsNaN(value)
}

// quotient returns a ÷ b to three digits behind the point, nil if there is none.
func quotient(a, b float64) *float64 {
	if q := math.Round(a/b*1000) / 1000; !math.IsNaN(q) && !math.IsInf(q, 0) {
		return &q
	}
	return nil
}

// write judges the report and prints it as a table or as JSON.
func (r *wireReport) write(e *env, asJSON bool) error {
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

func (r *wireReport) print(w io.Writer) {
	t := sim.Table{Columns: []string{"  id", "case", "codec", ">figure", ">ours", ">ratio", "verdict"}}
	id := ""
	for i := range r.Rows {
		l := &r.Rows[i]
		cells := []string{"  " + l.ID, l.Case, l.Variant, "", l.quantity(l.Value), "", l.verdict()}
		if l.ID == id {
			cells[0], cells[1] = "", ""
		}
		id = l.ID
		if l.Figure != nil {
			cells[3] = l.quantity(*l.Figure)
		}
		if l.Ratio != nil {
			cells[5] = fmt.Sprintf("%.2f", *l.Ratio)
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
		if l := &r.Rows[i]; l.Verdict == "over" {
			fmt.Fprintf(w, "missed: %s, %s: %s, want %s\n", l.ID, l.Variant, l.quantity(l.Value), l.goalText())
		}
	}
	fmt.Fprintf(w, "reproduce: %s\n", r.Reproduce)
}

// verdict returns the verdict with the goal that it is about.
func (l *wireLine) verdict() string {
	if goal := l.goalText(); goal != "" {
		return l.Verdict + " (" + goal + ")"
	}
	return l.Verdict
}

func (l *wireLine) goalText() string {
	switch l.goal.sense {
	case atMost:
		return "≤ " + l.quantity(math.Floor(l.goal.bound))
	case exactly:
		return "= " + l.quantity(l.goal.bound)
	case atLeast:
		return "≥ " + strconv.FormatFloat(l.goal.bound, 'g', -1, 64) + " x"
	}
	return ""
}

// quantity returns a value in the line's unit: whole bytes and counts, other things to three digits.
func (l *wireLine) quantity(f float64) string {
	switch {
	case l.Unit == "1":
		return thousands(f)
	case l.Unit == "B":
		return thousands(f) + " B"
	case f >= 100:
		return fmt.Sprintf("%.0f %s", f, l.Unit)
	case f >= 10:
		return fmt.Sprintf("%.1f %s", f, l.Unit)
	case f >= 1:
		return fmt.Sprintf("%.2f %s", f, l.Unit)
	}
	return fmt.Sprintf("%.3f %s", f, l.Unit)
}
