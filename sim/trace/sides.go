package trace

import "strings"

// Sides shows the events before a difference, then the event in which two runs differ as "-" of the first and "+" of the
// second run; nil: that run had ended.
func Sides(before []Event, first, second *Event) string {
	var all []Event
	all = append(all, before...)
	for _, e := range []*Event{first, second} {
		if e != nil {
			all = append(all, *e)
		}
	}
	columns := NewColumns(DefaultWidth - 2)
	for i := range all {
		columns.Measure(&all[i])
	}
	var out strings.Builder
	line := func(sign string, e *Event) {
		out.WriteString(sign)
		if e == nil {
			out.WriteString("(the run had ended)")
		} else {
			out.WriteString(columns.Line(e))
		}
		out.WriteByte('\n')
	}
	out.WriteString("  " + columns.Heading() + "\n")
	for i := range before {
		line("  ", &before[i])
	}
	if first != nil && second != nil && columns.Line(first) == columns.Line(second) {
		line("- ", first)
		line("+ ", second)
		out.WriteString("  (of other bytes)\n")
		return out.String()
	}
	line("- ", first)
	line("+ ", second)
	return out.String()
}
