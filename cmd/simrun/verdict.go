package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"chordsim/sim"
	"chordsim/sim/sweep/repro"
	"chordsim/sim/trace"
)

// shownFailures is how many failures of a kind are printed in full.
const shownFailures = trace.MaxTexts

// verdictIn says how a run that came to its end went.
func verdictIn(r *sim.Report) trace.Verdict {
	v := trace.Verdict{Ended: true, Ran: r.Events, Headline: r.Headline}
	v.Find(string(repro.Violated), r.Violations)
	v.Find(string(repro.Missed), r.Failures)
	v.Find(string(repro.Stuck), r.Stuck)
	return v
}

// verdictExit is the exit status of a run.
func verdictExit(v *trace.Verdict) int {
	exit := exitOK
	for i := range v.Findings {
		switch repro.Kind(v.Findings[i].Kind) {
		case repro.Differs:
			return exitDiffers
		case repro.Stuck:
			exit = max(exit, exitStuck)
		default:
			exit = exitFailed
		}
	}
	return exit
}

// printVerdict says what failed, and how to have it again if a command is given. A width over 0 breaks lines there, but not
// the command's.
func printVerdict(w io.Writer, v *trace.Verdict, command string, width int) {
	line := func(s string) { fmt.Fprintln(w, fold(oneLine(s), width)) }
	for i := range v.Findings {
		found := &v.Findings[i]
		kind := found.Kind
		if found.Place != "" {
			kind += ": " + found.Place
		}
		for _, s := range found.Texts {
			line(kind + ": " + s)
		}
		if n := found.Count - int64(len(found.Texts)); n > 0 {
			line(fmt.Sprintf("%s: and %d more", kind, n))
		}
		for _, frame := range found.Stack {
			line("    " + frame)
		}
	}
	if len(v.Findings) > 0 && command != "" {
		fmt.Fprintf(w, "reproduce: %s\n", oneLine(command))
	}
}

// oneLine takes out of a text what a terminal would obey, but no spaces.
func oneLine(s string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' || c >= 0x7f && c < 0xa0 {
			return ' '
		}
		return c
	}, s)
}

// fold breaks a line at spaces, or where there are none anywhere, so that none has more characters than the width; what
// follows the first is indented. A width of 0: as it is.
func fold(s string, width int) string {
	if width <= 0 || len([]rune(s)) <= width {
		return s
	}
	const indent = "    "
	lines := strings.Split(text.WrapSoft(s, width-len(indent)), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return strings.Join(lines, "\n"+indent)
}
