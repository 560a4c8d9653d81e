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
	"chordsim/sim/sweep/repro"
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

// play plays the run, twice if that is wanted. What broke off, the player knows.
func (r *result) play(p *player) (err error) {
	first := p.given()
	first.Wall, first.Heap = wallClock(), liveHeap
	start := time.Now()
	if !r.run.Twice {
		r.report, err = p.play(p.scenario.Run, first)
		r.wall = time.Since(start)
		return err
	}
	twice := sim.NewTwice(p.scenario, p.given)
	r.report, err = p.play(twice.Play, first)
	r.wall = time.Since(start)
	if err != nil || p.broken != nil {
		return err
	}
	p.keep.leave()
	if r.second, err = p.play(twice.Play, p.given()); err != nil || p.broken != nil {
		return err
	}
	_, err = p.play(func(*sim.Run) (_ *sim.Report, err error) {
		r.difference, err = twice.Difference()
		return nil, err
	}, p.given())
	return err
}

// twiceText says what differs between the two runs.
func (r *result) twiceText() string {
	return fmt.Sprintf("%016x and %016x, %d and %d events", r.report.Hash, r.second.Hash, r.report.Events, r.second.Events)
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
	if r.run.Workload != nil {
		parts = append(parts, "--workload", quoted(*r.run.Workload))
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
			fmt.Fprintf(w, "twice: DIFFERENT: %s\n", r.twiceText())
			if r.difference != nil {
				fmt.Fprint(w, r.difference)
			}
		} else {
			fmt.Fprintf(w, "twice: the second run has the same hash, %016x\n", r.second.Hash)
		}
	}
	v := verdictIn(rep)
	printVerdict(w, &v, "", 0)
	if r.exit() != exitOK {
		fmt.Fprintf(w, "reproduce: %s\n", r.command())
	}
	return nil
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
	Traced      int64           `json:"traced"` // of a trace
	Rows        []jsonRow       `json:"rows"`
	Invariants  []jsonInvariant `json:"invariants"`
	Violations  []string        `json:"violations"`
	Failures    []string        `json:"failures"`
	Stuck       []string        `json:"stuck"`
	Broken      *repro.Failure  `json:"broken,omitempty"` // of a run that did not come to its end
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
		Virtual: r.virtualSeconds(), Wall: r.wall.Seconds(), Events: rep.Events, Traced: rep.Traced, Rows: []jsonRow{}, Invariants: []jsonInvariant{},
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
	return printIndented(w, out)
}

// printIndented prints JSON for people and programs.
func printIndented(w io.Writer, what any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(what)
}

// printBroken prints a run that broke off. It has no hash, and a failure.
func (r *result) printBroken(w io.Writer, p *player) error {
	return printIndented(w, jsonReport{
		Scenario: r.scenario.Name, Seed: r.run.Seed, Settings: orEmpty(r.values.Changed()), Events: p.events, Traced: p.events, Wall: r.wall.Seconds(),
		Virtual: float64(p.at()) / float64(base.Second), Rows: []jsonRow{}, Invariants: []jsonInvariant{}, Violations: []string{}, Failures: []string{}, Stuck: []string{},
		Broken: p.broken, Reproduce: p.header.Command, ExitStatus: exitFailed,
	})
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
