package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"chordsim/core/base"
	"chordsim/sim/trace"
)

// tracePage is a way to show events. It sees all of them twice: to measure, and to print.
type tracePage interface {
	takes(*trace.Event) bool
	measure(*trace.Event)
	begin() error
	print(*trace.Event) error
	end() error
}

// traceTable shows a line an event.
type traceTable struct {
	out     io.Writer
	columns *trace.Columns
	w       *bufio.Writer
	world   string
}

func (t *traceTable) takes(*trace.Event) bool { return true }

func (t *traceTable) measure(e *trace.Event) { t.columns.Measure(e) }

func (t *traceTable) begin() error {
	t.w = bufio.NewWriter(t.out)
	_, err := fmt.Fprintln(t.w, t.columns.Heading())
	return err
}

func (t *traceTable) print(e *trace.Event) error {
	if e.World != t.world {
		t.world = e.World
		fmt.Fprintf(t.w, "world: %s\n", clipLine(e.World, trace.MinWidth-len("world: ")))
	}
	_, err := fmt.Fprintln(t.w, t.columns.Line(e))
	return err
}

func (t *traceTable) end() error { return t.w.Flush() }

// traceDiagram draws messages between hosts.
type traceDiagram struct {
	out      io.Writer
	width    int
	kinds    []string // that were asked for
	hosts    *trace.Survey
	decimals int
	last     base.Time
	*trace.Diagram
}

// takes leaves turns and timers out, unless they are asked for: there are many, and none is between hosts.
func (d *traceDiagram) takes(e *trace.Event) bool {
	return e.Kind != trace.KindPost && e.Kind != trace.KindTimer || slices.Contains(d.kinds, e.Kind.String())
}

func (d *traceDiagram) measure(e *trace.Event) {
	d.hosts.Event(e)
	d.decimals = max(d.decimals, trace.Decimals(e.At))
	d.last = max(d.last, e.At)
}

func (d *traceDiagram) begin() (err error) {
	d.Diagram, err = trace.NewDiagram(d.out, d.width, d.hosts.Path(), min(d.decimals, 6), d.last)
	if err != nil {
		return fmt.Errorf("trace: --diagram: %w; choose with --host, or a larger --width", err)
	}
	return nil
}

func (d *traceDiagram) print(e *trace.Event) error { d.Event(*e); return nil }

func (d *traceDiagram) end() error { return d.Close() }

// traceLines prints JSON.
type traceLines struct {
	w   *bufio.Writer
	enc *json.Encoder
}

func newTraceLines(out io.Writer) *traceLines {
	w := bufio.NewWriter(out)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return &traceLines{w, enc}
}

// jsonEvent is an event as a line of JSON. Times are in nanoseconds.
type jsonEvent struct {
	Number int64      `json:"n"`
	World  string     `json:"world,omitempty"`
	At     int64      `json:"at_ns"`
	Kind   string     `json:"kind"`
	From   string     `json:"from,omitempty"`
	To     string     `json:"to,omitempty"`
	Link   string     `json:"link,omitempty"`
	What   string     `json:"what"`
	Bytes  int        `json:"bytes,omitempty"`
	Origin uint64     `json:"origin,omitempty"`
	Holds  []jsonHold `json:"holds,omitempty"`
	Call   *uint64    `json:"call,omitempty"`
	Note   string     `json:"note,omitempty"`
}

type jsonHold struct {
	ID     uint64 `json:"id"`
	Object string `json:"object,omitempty"`
}

func (t *traceLines) takes(*trace.Event) bool { return true }
func (t *traceLines) measure(*trace.Event)    {}
func (t *traceLines) begin() error            { return nil }

func (t *traceLines) print(e *trace.Event) error {
	j := jsonEvent{
		Number: e.Number, World: e.World, At: int64(e.At), Kind: e.Kind.String(), From: e.From, To: e.To, Link: e.Link,
		What: e.What, Bytes: e.Bytes, Origin: e.Origin, Note: e.Note,
	}
	for _, h := range e.Holds {
		j.Holds = append(j.Holds, jsonHold{h.ID, h.Object})
	}
	if e.HasCall {
		j.Call = &e.Call
	}
	return t.enc.Encode(j)
}

func (t *traceLines) end() error { return t.w.Flush() }

// clipLine cuts a line to so many characters, and takes out what a terminal would obey.
func clipLine(s string, width int) string {
	runes := []rune(strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f {
			return ' '
		}
		return c
	}, s))
	if len(runes) > width {
		return string(runes[:width-1]) + "…"
	}
	return string(runes)
}
