package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"chordsim/core/base"
	"chordsim/sim"
)

// result is what a run gave, to be printed.
type result struct {
	scenario *sim.Scenario
	run      *runCmd
	values   sim.Values
	report   *sim.Report
	second   *sim.Report // of the second run with --twice
	wall     time.Duration

	difference *sim.Difference // between the two; nil: none
}

// differs reports whether a second run went another way.
func (r *result) differs() bool {
	return r.second != nil && (r.second.Hash != r.report.Hash || r.difference != nil)
}

func (r *result) exit() int {
	switch {
	case r.differs():
		return exitDiffers
	case len(r.report.Violations) > 0 || len(r.report.Failures) > 0:
		return exitFailed
	case len(r.report.Stuck) > 0:
		return exitStuck
	}
	return exitOK
}

// command returns what to type to have the same run again.
func (r *result) command() string {
	parts := []string{"go run ./cmd/simrun run", r.scenario.Name, "--seed", fmt.Sprint(r.run.Seed)}
	for _, s := range r.values.Changed() {
		parts = append(parts, "--set", quoted(s))
	}
	if r.run.Link != nil {
		parts = append(parts, "--link", quoted(*r.run.Link))
	}
	if r.run.Plan != nil {
		parts = append(parts, "--plan", quoted(*r.run.Plan))
	}
	if r.differs() {
		parts = append(parts, "--twice")
	}
	return strings.Join(parts, " ")
}

// quoted puts a word in quotes if a shell would take it apart.
func quoted(s string) string {
	if strings.IndexFunc(s, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("-_=./:,+", c))
	}) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func (r *result) virtualSeconds() float64 { return float64(r.report.Virtual) / float64(base.Second) }

// print shows the report to a person.
func (r *result) print(w io.Writer) error {
	rep := r.report
	fmt.Fprintf(w, "%s\n", rep.Headline)
	fmt.Fprintf(w, "%.0f s of virtual time in %.2f s: %.0f × real time · %d events, %d ties, %s events/s · hash %016x\n",
		r.virtualSeconds(), r.wall.Seconds(), r.virtualSeconds()/r.wall.Seconds(), rep.Events, rep.Ties,
		thousands(float64(rep.Events)/r.wall.Seconds()), rep.Hash)
	for _, t := range rep.Tables {
		if len(t.Rows) > 0 {
			fmt.Fprintf(w, "\n%s\n%s\n", t.Title, render(t))
			for _, n := range t.Notes {
				fmt.Fprintf(w, "  %s\n", n)
			}
		}
	}
	fmt.Fprint(w, "\ninvariants:")
	for _, c := range rep.Invariants {
		verdict := "held"
		if c.Violations > 0 {
			verdict = fmt.Sprintf("VIOLATED %d ×", c.Violations)
		}
		fmt.Fprintf(w, " %s %s (%d looks)", c.ID, verdict, c.Checks)
	}
	fmt.Fprintln(w)
	if r.second != nil {
		if r.differs() {
			fmt.Fprintf(w, "twice: DIFFERENT: %016x and %016x, %d and %d events\n", rep.Hash, r.second.Hash, rep.Events, r.second.Events)
			if r.difference != nil {
				fmt.Fprint(w, r.difference)
			}
		} else {
			fmt.Fprintf(w, "twice: the second run has the same hash, %016x\n", r.second.Hash)
		}
	}
	r.printFailures(w)
	return nil
}

// shownFailures is how many failures of a kind are printed in full.
const shownFailures = 10

func (r *result) printFailures(w io.Writer) {
	for _, group := range []struct {
		name string
		list []string
	}{{"violated", r.report.Violations}, {"missed", r.report.Failures}, {"stuck", r.report.Stuck}} {
		for i, text := range group.list {
			if i == shownFailures {
				fmt.Fprintf(w, "%s: and %d more\n", group.name, len(group.list)-i)
				break
			}
			fmt.Fprintf(w, "%s: %s\n", group.name, text)
		}
	}
	if r.exit() != exitOK {
		fmt.Fprintf(w, "reproduce: %s\n", r.command())
	}
}

func render(t sim.Table) string {
	tw := table.NewWriter()
	style := table.StyleLight
	style.Options = table.OptionsNoBordersAndSeparators
	style.Format.Header = text.FormatDefault
	tw.SetStyle(style)
	head := make(table.Row, len(t.Columns))
	var configs []table.ColumnConfig
	for i, c := range t.Columns {
		name, right := strings.CutPrefix(c, ">")
		head[i] = name
		if right {
			configs = append(configs, table.ColumnConfig{Number: i + 1, Align: text.AlignRight, AlignHeader: text.AlignRight})
		}
	}
	tw.AppendHeader(head)
	tw.SetColumnConfigs(configs)
	for _, cells := range t.Rows {
		row := make(table.Row, len(cells))
		for i, c := range cells {
			row[i] = c
		}
		tw.AppendRow(row)
	}
	return tw.Render()
}

func thousands(f float64) string {
	digits := fmt.Sprintf("%.0f", f)
	var b strings.Builder
	for i, c := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(c)
	}
	return b.String()
}

type jsonRow struct {
	ID        string       `json:"id"`
	Variant   string       `json:"variant"`
	Value     json.Number  `json:"value"`
	Unit      string       `json:"unit"`
	Reference *json.Number `json:"reference"`
	Goal      *json.Number `json:"goal,omitempty"`
	Missed    bool         `json:"missed,omitempty"`
	Measured  bool         `json:"measured,omitempty"`
}

type jsonInvariant struct {
	ID         string `json:"id"`
	Checks     int64  `json:"checks"`
	Violations int64  `json:"violations"`
}

type jsonReport struct {
	Scenario    string          `json:"scenario"`
	Seed        uint64          `json:"seed"`
	Settings    []string        `json:"settings"`
	Hash        string          `json:"hash"`
	SecondHash  string          `json:"second_hash,omitempty"`
	Difference  string          `json:"difference,omitempty"`
	Virtual     float64         `json:"virtual_s"`
	Wall        float64         `json:"wall_s"`
	Events      int64           `json:"events"`
	Rows        []jsonRow       `json:"rows"`
	Invariants  []jsonInvariant `json:"invariants"`
	Violations  []string        `json:"violations"`
	Failures    []string        `json:"failures"`
	Stuck       []string        `json:"stuck"`
	Reproduce   string          `json:"reproduce"`
	ExitStatus  int             `json:"exit"`
	Description string          `json:"headline"`
}

func optional(s string) *json.Number {
	if s == "" {
		return nil
	}
	n := json.Number(s)
	return &n
}

func (r *result) printJSON(w io.Writer) error {
	rep := r.report
	out := jsonReport{
		Scenario: r.scenario.Name, Seed: r.run.Seed, Settings: orEmpty(r.values.Changed()), Hash: fmt.Sprintf("%016x", rep.Hash),
		Virtual: r.virtualSeconds(), Wall: r.wall.Seconds(), Events: rep.Events, Rows: []jsonRow{}, Invariants: []jsonInvariant{},
		Violations: orEmpty(rep.Violations), Failures: orEmpty(rep.Failures), Stuck: orEmpty(rep.Stuck),
		Reproduce: r.command(), ExitStatus: r.exit(), Description: rep.Headline,
	}
	if r.second != nil {
		out.SecondHash = fmt.Sprintf("%016x", r.second.Hash)
		if r.difference != nil {
			out.Difference = r.difference.String()
		}
	}
	for _, row := range rep.Rows {
		out.Rows = append(out.Rows, jsonRow{
			ID: row.ID, Variant: row.Variant, Value: json.Number(row.Value), Unit: row.Unit, Reference: optional(row.Reference),
			Goal: optional(row.Goal), Missed: row.Missed, Measured: row.Measured,
		})
	}
	for _, c := range rep.Invariants {
		out.Invariants = append(out.Invariants, jsonInvariant{c.ID, c.Checks, c.Violations})
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
