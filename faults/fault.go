package faults

import (
	"errors"
	"fmt"
	"strings"

	"chordsim/core/base"
)

// ErrFault is what every error of Validate about a fault wraps.
var ErrFault = errors.New("faults: not a fault")

// Fault is one thing that goes wrong. Which fields a fault has depends on its kind; the others are zero.
type Fault struct {
	When Trigger
	Kind Kind

	Link Link   // whom it happens to, of the kinds that are about links
	Host string // whom it happens to, of the kinds that are about hosts; which end acts, of close and half-open (empty: the dialer)

	Left, Right []string // the two sides of a partition, in the order in which they are written
	OneWay      bool     // of a partition: only what goes from Left to Right is held up

	Amount int64         // a number whose unit the kind has: see [Kind]
	Span   base.Duration // the latency, the jitter, the lateness of timers or the jump of a clock, in nanoseconds

	For   base.Duration // how long it lasts, in nanoseconds; 0: it happens at once, or lasts to the heal
	Again bool          // the connection is dialed again, or the host started again, After the fault
	After base.Duration // in nanoseconds; 0: at once
}

// String prints the fault as a line of the language, without the end of the line.
func (f Fault) String() string {
	var out strings.Builder
	f.When.print(&out)
	out.WriteString(" " + f.Kind.String())
	for _, c := range f.Kind.row().clauses {
		c.print(&out, &f)
	}
	return out.String()
}

// Validate returns nil, or an error that wraps [ErrFault] and says what the fault lacks, or has and cannot have.
func (f Fault) Validate() error {
	bad := func(why string) error { return fmt.Errorf("%w: %s: %s", ErrFault, f.Kind, why) }
	if f.Kind == 0 || f.Kind >= kinds {
		return bad("there is no such kind")
	}
	if why := f.When.check(); why != "" {
		return bad(why)
	}
	allowed := fieldFor
	for _, c := range f.Kind.row().clauses {
		if why := c.check(&f); why != "" {
			return bad(why)
		}
		allowed |= c.fields()
	}
	if stray := f.fields() &^ allowed; stray != 0 {
		return bad("it has " + stray.String() + ", which it cannot have")
	}
	if why := f.lasts(); why != "" {
		return bad(why)
	}
	return nil
}

// lasts says what is wrong with how long the fault lasts, or "".
func (f *Fault) lasts() string {
	from := f.When.Kind == From
	switch {
	case f.For < 0 || f.For == base.Forever:
		return "it lasts " + f.For.String() + "; want a span of time"
	case !f.Kind.Lasts() && f.For != 0:
		return "it happens at once and lasts for no time"
	case !f.Kind.Lasts() && from:
		return `it happens at once: want "at", not "from"`
	case f.Kind.Lasts() && from && f.For != 0:
		return `"from" begins what lasts to the heal; it has no span`
	case f.Kind.Lasts() && !from && f.For == 0:
		return `it lacks "for" and how long it lasts`
	}
	return ""
}

// fields is a set of fields of a fault.
type fields uint16

const (
	fieldLink fields = 1 << iota
	fieldHost
	fieldSides
	fieldAmount
	fieldSpan
	fieldAgain
	fieldFor
)

var fieldNames = [...]string{"a link", "a host", "sides", "an amount", "a span", "a return", "a length"}

func (s fields) String() string {
	for i, name := range fieldNames {
		if s&(1<<i) != 0 {
			return name
		}
	}
	return "nothing"
}

// fields returns which fields of the fault are not zero.
func (f *Fault) fields() (s fields) {
	for _, has := range [...]struct {
		field fields
		is    bool
	}{
		{fieldLink, f.Link != Link{}},
		{fieldHost, f.Host != ""},
		{fieldSides, len(f.Left)+len(f.Right) > 0 || f.OneWay},
		{fieldAmount, f.Amount != 0},
		{fieldSpan, f.Span != 0},
		{fieldAgain, f.Again || f.After != 0},
		{fieldFor, f.For != 0},
	} {
		if has.is {
			s |= has.field
		}
	}
	return s
}
