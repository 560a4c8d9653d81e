package faults

import (
	"strconv"
	"strings"

	"chordsim/core/base"
	"chordsim/faults/linkmodel"
)

// amount is a number with words around it: "loses 3 messages", "keep 40%", "200ppm".
type amount struct {
	before   string // the word before it
	after    string // the noun behind it, in the singular
	suffix   string // at once behind it
	min, max int64
	optional bool // 0 is not written
}

func (c amount) parse(p *parser, f *Fault) {
	if c.before != "" && !p.accept(c.before) {
		if !c.optional {
			p.fail()
		}
		return
	}
	t := p.peek()
	if f.Amount = p.number(c.min, c.max, c.suffix); p.err == nil && c.check(f) != "" {
		p.failAt(t, "another number than 0"+c.suffix, nil)
	}
	if c.after != "" && p.err == nil && !p.accept(c.after) {
		p.need(c.after + "s")
	}
}

func (c amount) print(out *strings.Builder, f *Fault) {
	if c.optional && f.Amount == 0 {
		return
	}
	if c.before != "" {
		out.WriteString(" " + c.before)
	}
	if c.after != "" {
		out.WriteString(" " + plural(f.Amount, c.after))
		return
	}
	out.WriteString(" " + strconv.FormatInt(f.Amount, 10) + c.suffix)
}

func (c amount) check(f *Fault) string {
	switch {
	case f.Amount < c.min || f.Amount > c.max:
		return "its number is " + strconv.FormatInt(f.Amount, 10) + c.suffix + "; want " + strconv.FormatInt(c.min, 10) + c.suffix + " to " + strconv.FormatInt(c.max, 10) + c.suffix
	case c.min < 0 && f.Amount == 0:
		return "its number is 0" + c.suffix + ", which changes nothing"
	}
	return ""
}

func (amount) fields() fields { return fieldAmount }

// rate is bytes per second.
type rate struct{}

func (rate) parse(p *parser, f *Fault) { f.Amount = p.rate(maxRate) }
func (rate) print(out *strings.Builder, f *Fault) {
	out.WriteString(" " + linkmodel.FormatRate(f.Amount))
}
func (rate) fields() fields { return fieldAmount }

func (rate) check(f *Fault) string {
	if f.Amount < 1 || f.Amount > maxRate {
		return "its rate is " + strconv.FormatInt(f.Amount, 10) + " bytes per second; want 1 to " + strconv.FormatInt(maxRate, 10)
	}
	return ""
}

// size is a number of bytes.
type size struct{}

func (size) parse(p *parser, f *Fault) { f.Amount = p.size(1, maxBytes) }
func (size) print(out *strings.Builder, f *Fault) {
	out.WriteString(" " + strconv.FormatInt(f.Amount, 10) + "B")
}
func (size) fields() fields { return fieldAmount }

func (size) check(f *Fault) string {
	if f.Amount < 1 || f.Amount > maxBytes {
		return "its size is " + strconv.FormatInt(f.Amount, 10) + " bytes; want 1 to " + strconv.FormatInt(maxBytes, 10)
	}
	return ""
}

// span is a span of time that is not how long the fault lasts.
type span struct {
	before string // the word before it
	what   string
	signed bool
}

func (c span) parse(p *parser, f *Fault) {
	if c.before != "" && !p.need(c.before) {
		return
	}
	t, least := p.peek(), base.Nanosecond
	if c.signed {
		least = -base.Forever
	}
	if f.Span = p.duration(least); p.err == nil && f.Span == 0 {
		p.failAt(t, "another span than 0s", nil)
	}
}

func (c span) print(out *strings.Builder, f *Fault) {
	if c.before != "" {
		out.WriteString(" " + c.before)
	}
	out.WriteString(" " + f.Span.String())
}

func (c span) check(f *Fault) string {
	switch {
	case f.Span == 0:
		return "it lacks " + c.what
	case f.Span < 0 && !c.signed || f.Span == base.Forever || f.Span < -base.Forever:
		return c.what + " is " + f.Span.String() + "; want a span of time"
	}
	return ""
}

func (span) fields() fields { return fieldSpan }
