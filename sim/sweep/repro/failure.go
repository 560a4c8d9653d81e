package repro

import (
	"strings"
	"unicode/utf8"

	"chordsim/sim"
)

// Kind says how a run failed.
type Kind string

// The kinds of failures.
const (
	Violated Kind = "violated" // an invariant did not hold
	Missed   Kind = "missed"   // a goal was missed
	Stuck    Kind = "stuck"    // something did not come to an end in its virtual time or its events
	Panicked Kind = "panic"
	Hung     Kind = "hang"    // no end in its wall time
	Memory   Kind = "memory"  // more memory than a world may have
	Died     Kind = "died"    // its process ended without a word
	Differs  Kind = "differs" // two runs of one seed differ
	Refused  Kind = "refused" // the scenario would not play what it was given
)

// Kinds lists all kinds.
var Kinds = []Kind{Violated, Missed, Stuck, Panicked, Hung, Memory, Died, Differs, Refused}

// Limits of what is kept of one failure.
const (
	MaxText   = 4 << 10 // bytes of its text
	MaxFrames = 12      // of its stack
	MaxFrame  = 200     // bytes of a frame
)

// Failure is one way in which a run failed.
type Failure struct {
	Kind Kind   `json:"kind"`
	Text string `json:"text"`
	// Place is where it was, if that is known by other means than the text: a function, a scenario.
	Place string `json:"place,omitempty"`
	// Stack is the innermost frames, innermost first, as "function file:line". Of runs that differ it is their first
	// differing event and those before it.
	Stack []string `json:"stack,omitempty"`
}

// FailureOf returns what a report is to be named after: its first violation, else its first missed goal, else what was
// first found stuck. It returns false if nothing failed.
func FailureOf(r *sim.Report) (Failure, bool) {
	for _, group := range []struct {
		kind Kind
		list []string
	}{{Violated, r.Violations}, {Missed, r.Failures}, {Stuck, r.Stuck}} {
		if len(group.list) > 0 {
			return Failure{Kind: group.kind, Text: Clip(group.list[0], MaxText)}, true
		}
	}
	return Failure{}, false
}

// SplitLines makes the lines of a stack of a text.
func SplitLines(text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = Line(line, MaxFrame); line != "" && len(lines) < MaxFrames {
			lines = append(lines, line)
		}
	}
	return lines
}

// Clip cuts a text to a number of bytes, between two characters, and marks that with an ellipsis.
func Clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	const mark = "…"
	cut := max(limit-len(mark), 0)
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + mark
}

// Line makes one line of a text, without anything that a terminal would obey, of at most so many bytes.
func Line(s string, limit int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.Map(func(c rune) rune {
		if c < ' ' || c >= 0x7f && c < 0xa0 || c == '\u2028' || c == '\u2029' {
			return ' '
		}
		return c
	}, s)
	return Clip(strings.TrimSpace(s), limit)
}
