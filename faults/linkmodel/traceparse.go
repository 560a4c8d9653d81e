package linkmodel

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"chordsim/core/base"
)

// The bounds of a trace file.
const (
	// MaxTraceMarks is how many marks a trace may have.
	MaxTraceMarks = 1 << 22
	// MaxTraceLine is how many bytes a line may have, without its end.
	MaxTraceLine = 64
	// MaxTraceMillis is the largest timestamp, in milliseconds: over two years.
	MaxTraceMillis = 1 << 36
)

// TraceError says what is wrong with a trace file, and where.
type TraceError struct {
	Name    string // as given to ParseTrace
	Line    int    // from 1; 0 if it is about the whole file
	Problem string
	Err     error // what reading the file returned, or nil
}

// Error prints "name:line: problem", without the line if it is about the whole file.
func (e *TraceError) Error() string {
	if e.Line == 0 {
		return e.Name + ": " + e.Problem
	}
	return fmt.Sprintf("%s:%d: %s", e.Name, e.Line, e.Problem)
}

// Unwrap returns the error of the reader, if that was the problem.
func (e *TraceError) Unwrap() error { return e.Err }

// ParseTrace reads a trace in the format of mahimahi: a line holds one opportunity as a whole number of milliseconds, and
// the numbers do not decrease. Empty lines may stand at the end only; a line may end in CR LF. There are no comments. The
// name is what errors, which are [*TraceError], call the file.
func ParseTrace(name string, r io.Reader) (*Trace, error) {
	t := &Trace{name: name}
	blank := 0 // the first empty line
	lines := bufio.NewScanner(r)
	line := 0
	last, lastLine := int64(0), 0
	for lines.Scan() {
		line++
		text := lines.Bytes()
		if len(text) == 0 {
			if blank == 0 {
				blank = line
			}
			continue
		}
		if blank != 0 {
			return nil, &TraceError{Name: name, Line: blank, Problem: "empty line before the end, want a whole number of milliseconds"}
		}
		millis, problem := parseMillis(text)
		switch {
		case problem != "":
			return nil, &TraceError{Name: name, Line: line, Problem: problem}
		case millis < last:
			return nil, &TraceError{Name: name, Line: line,
				Problem: fmt.Sprintf("%d ms is before the %d ms of line %d, want timestamps that do not decrease", millis, last, lastLine)}
		case len(t.marks) == MaxTraceMarks:
			return nil, &TraceError{Name: name, Line: line, Problem: fmt.Sprintf("more than %d marks", MaxTraceMarks)}
		}
		last, lastLine = millis, line
		t.marks = append(t.marks, base.Time(millis*int64(base.Millisecond)))
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, &TraceError{Name: name, Line: line + 1, Problem: tooLong}
	case err != nil:
		return nil, &TraceError{Name: name, Line: line + 1, Problem: "reading: " + err.Error(), Err: err}
	case len(t.marks) == 0:
		return nil, &TraceError{Name: name, Problem: "no marks, want a whole number of milliseconds on each line"}
	case last == 0:
		return nil, &TraceError{Name: name, Line: lastLine, Problem: "every timestamp is 0 ms, so the trace has no period to repeat with"}
	}
	return t, nil
}

var tooLong = fmt.Sprintf("longer than %d bytes, want a whole number of milliseconds", MaxTraceLine)

// parseMillis reads one line, or says what is wrong with it.
func parseMillis(text []byte) (millis int64, problem string) {
	if len(text) > MaxTraceLine {
		return 0, tooLong
	}
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0, fmt.Sprintf("%q, want a whole number of milliseconds", text)
		}
		millis = millis*10 + int64(c-'0')
		if millis > MaxTraceMillis {
			return 0, fmt.Sprintf("%s ms is over the limit of %d ms", text, int64(MaxTraceMillis))
		}
	}
	return millis, ""
}
