package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"chordsim/sim"
)

// benchCmd holds the benchmarks that are not scenarios: what code costs here and now, not what a protocol does in virtual time.
type benchCmd struct {
	Growth growthCmd `cmd:"" help:"What a transaction costs as its document grows."`
	Wire   wireCmd   `cmd:"" help:"Bytes of messages, and what it costs to write and read them."`
	Links  linksCmd  `cmd:"" help:"What the core costs between two hosts: holds, frames, calls, reconnects, beside the figures."`
	Sim    simCmd    `cmd:"" help:"Events of the simulator a second, beside goroutines, and deliveries of the whole stack."`
}

// benchReport is what a benchmark gave. Times are of this machine and this moment, so that they are shown and not
// required; what does not depend on them is.
type benchReport struct {
	Bench     string        `json:"bench"`
	Headline  string        `json:"headline"`
	Figures   []benchFigure `json:"figures"`
	Bars      []benchBar    `json:"bars"`
	Notes     []string      `json:"notes"`
	Reproduce string        `json:"reproduce"` // the command that gives the report again
	Exit      int           `json:"exit"`
}

// benchFigure is what one operation cost at one size, each as a median or mean over many.
type benchFigure struct {
	Name   string  `json:"name"`
	Size   int     `json:"size"`
	Unit   string  `json:"unit"` // of the size
	NS     float64 `json:"ns_op"`
	Bytes  float64 `json:"bytes_op"` // allocated
	Allocs float64 `json:"allocs_op"`
}

// benchBar holds a ratio against the most that it should be.
type benchBar struct {
	Name    string  `json:"name"`
	Measure string  `json:"measure"` // "time" or "bytes"
	What    string  `json:"what"`    // the sizes or the things that are compared
	Ratio   float64 `json:"ratio"`
	Most    float64 `json:"bar"`
	Gated   bool    `json:"gated"` // whether to be over is a failure
	Verdict string  `json:"verdict"`
}

// judge fills in the verdicts and the exit status.
func (r *benchReport) judge() {
	r.Exit = exitOK
	for i := range r.Bars {
		b := &r.Bars[i]
		b.Verdict = "within"
		if !(b.Ratio <= b.Most) { // what is no number is over
			b.Verdict = "over"
			if b.Gated {
				r.Exit = exitFailed
			}
		}
		if !b.Gated {
			b.Verdict += " (shown)"
		}
	}
}

// write judges the report and prints it as a table or as JSON.
func (r *benchReport) write(e *env, asJSON bool) error {
	r.judge()
	e.exit = r.Exit
	if !asJSON {
		r.print(e.stdout)
		return nil
	}
	r.Figures, r.Bars, r.Notes = notNil(r.Figures), notNil(r.Bars), notNil(r.Notes)
	enc := json.NewEncoder(e.stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}

// notNil returns the list, an empty one for none, which JSON shows as a list and not as null.
func notNil[E any](list []E) []E {
	if list == nil {
		return []E{}
	}
	return list
}

func (r *benchReport) print(w io.Writer) {
	fmt.Fprintln(w, r.Headline)
	figures := sim.Table{Columns: []string{"  what", ">size", "", ">ns/op", ">B/op", ">allocs/op"}}
	for i, f := range r.Figures {
		name := "  " + f.Name
		if i > 0 && r.Figures[i-1].Name == f.Name {
			name = ""
		}
		figures.Rows = append(figures.Rows, []string{
			name, thousands(float64(f.Size)), f.Unit, thousands(f.NS), thousands(f.Bytes), strconv.FormatFloat(f.Allocs, 'f', 1, 64),
		})
	}
	bars := sim.Table{Columns: []string{"  what", "measure", "of", ">ratio", ">bar", "verdict"}}
	for _, b := range r.Bars {
		bars.Rows = append(bars.Rows, []string{
			"  " + b.Name, b.Measure, b.What, fmt.Sprintf("%.2f", b.Ratio), fmt.Sprintf("≤ %g", b.Most), b.Verdict,
		})
	}
	for _, t := range []sim.Table{figures, bars} {
		if len(t.Rows) > 0 {
			fmt.Fprintf(w, "\n%s\n", render(t))
		}
	}
	for _, n := range r.Notes {
		fmt.Fprintf(w, "  %s\n", n)
	}
	if r.Exit != exitOK {
		fmt.Fprintf(w, "\nreproduce: %s\n", r.Reproduce)
	}
}
