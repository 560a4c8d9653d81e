package faults

import (
	"fmt"
	"strconv"
	"strings"

	"chordsim/core/base"
)

// Knob is a setting of the world, such as "window" with the value "2".
type Knob struct {
	Name  string
	Value string // as [Knob.String] prints it; a duration as base.Duration does, a size in bytes, without a unit
}

// String prints the knob as a line of the language: "set window 2".
func (k Knob) String() string { return "set " + quoteName(k.Name) + " " + quoteValue(k.Value) }

// quoteValue prints a value: as it is if it is one word, else in quotes.
func quoteValue(value string) string {
	if value == "" || strings.ContainsFunc(value, func(r rune) bool { return !wordRune(r) }) {
		return strconv.Quote(value)
	}
	return value
}

// Validate returns nil, or an error that says that there is no such knob, or what its values are.
func (k Knob) Validate() error {
	row := findKnob(k.Name)
	if row == nil {
		return fmt.Errorf("faults: there is no knob %q; there are %s", clip(k.Name), strings.Join(KnobNames(), ", "))
	}
	value, ok := row.canonical(k.Value)
	if !ok || value != k.Value {
		return fmt.Errorf("faults: the knob %s is %q; want %s", k.Name, clip(k.Value), row.wants())
	}
	return nil
}

// knobKind is what values of a knob are.
type knobKind uint8

const (
	knobNumber knobKind = iota
	knobBytes
	knobSpan
	knobChoice
)

// knobRow is one knob that there is.
type knobRow struct {
	name     string
	kind     knobKind
	min, max int64    // of a number, bytes, or a duration in nanoseconds
	choices  []string // of a choice
	draws    []string // what the generator chooses from: away from the default, small ones most
}

// knobTable has the knobs in the order in which the generator draws them. What they are by default is the world's.
var knobTable = []knobRow{
	{name: "window", min: 1, max: 1024, draws: []string{"1", "2", "3", "8", "32"}},
	{name: "window-bytes", kind: knobBytes, min: 1, max: 64 * base.MiB, draws: []string{"1", "1024", "8192", "65536"}},
	{name: "chunk", kind: knobBytes, min: 64, max: 4096, draws: []string{"64", "256", "1024", "2048"}},
	{name: "bulk", kind: knobBytes, min: 1, max: 64 * base.MiB, draws: []string{"4096", "16384", "262144"}},
	{name: "bulk-slots", min: 1, max: 64, draws: []string{"1", "2", "64"}},
	{name: "small-run", min: 1, max: 1024, draws: []string{"1", "2", "64"}},
	{name: "ack", min: 1, max: 1024, draws: []string{"1", "2", "128"}},
	{name: "running", min: 1, max: 4096, draws: []string{"1", "2", "16"}},
	{name: "queued", min: 1, max: 4096, draws: []string{"16", "32", "1024"}},
	{name: "deflate", kind: knobChoice, choices: []string{"off", "on"}, draws: []string{"on"}},
	{name: "offload", kind: knobBytes, min: 1, max: 64 * base.MiB, draws: []string{"1", "16384", "262144"}},
	{name: "codec", kind: knobChoice, choices: []string{"binary", "text"}, draws: []string{"text"}},
	{name: "strategy", kind: knobChoice, choices: []string{"fifo", "random", "pct"}, draws: []string{"random", "pct"}},
	{name: "timeout", kind: knobSpan, min: 1, max: int64(base.Hour), draws: []string{"100ms", "1s", "30s"}},
	{name: "heartbeat", kind: knobSpan, min: 1, max: int64(base.Hour), draws: []string{"100ms", "1s", "30s"}},
}

// KnobNames lists the knobs that there are.
func KnobNames() []string {
	names := make([]string, len(knobTable))
	for i := range knobTable {
		names[i] = knobTable[i].name
	}
	return names
}

func findKnob(name string) *knobRow {
	for i := range knobTable {
		if knobTable[i].name == name {
			return &knobTable[i]
		}
	}
	return nil
}

// canonical returns a value as it is printed, or false if the knob cannot have it.
func (r *knobRow) canonical(value string) (string, bool) {
	n, printed := int64(0), value
	switch r.kind {
	case knobChoice:
		for _, c := range r.choices {
			if c == value {
				return value, true
			}
		}
		return "", false
	case knobSpan:
		d, err := base.ParseDuration(value)
		if err != nil {
			return "", false
		}
		n, printed = int64(d), d.String()
	case knobBytes:
		size, ok := parseSize(value)
		if !ok {
			return "", false
		}
		n, printed = size, strconv.FormatInt(size, 10)
	case knobNumber:
		number, ok := parseNumber(value)
		if !ok {
			return "", false
		}
		n, printed = number, strconv.FormatInt(number, 10)
	}
	return printed, r.min <= n && n <= r.max
}

// wants says what the knob's values are.
func (r *knobRow) wants() string {
	switch r.kind {
	case knobChoice:
		return strings.Join(r.choices, " or ")
	case knobSpan:
		return fmt.Sprintf("a duration of %v to %v", base.Duration(r.min), base.Duration(r.max))
	case knobBytes:
		return fmt.Sprintf("%d to %d bytes", r.min, r.max)
	}
	return fmt.Sprintf("a number from %d to %d", r.min, r.max)
}
