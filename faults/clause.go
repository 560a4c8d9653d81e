package faults

import (
	"strings"

	"chordsim/core/base"
)

// clause is a part of a fault behind its kind: it is read, printed and checked in one place.
type clause interface {
	parse(p *parser, f *Fault)
	print(out *strings.Builder, f *Fault)
	check(f *Fault) string // what is wrong with it, or ""
	fields() fields        // which the clause sets
}

// onLink is whom it happens to: a link, or a direction of it.
type onLink struct {
	whole    bool // it happens to both directions together
	directed bool // it happens to one direction
}

func (c onLink) parse(p *parser, f *Fault) {
	t := p.peek()
	f.Link = p.link()
	if p.err == nil && c.check(f) != "" {
		if c.whole {
			p.failAt(t, "the name without .up or .down: both directions are meant", nil)
		} else {
			p.failAt(t, "the name with .up or .down", nil)
		}
	}
}

func (c onLink) print(out *strings.Builder, f *Fault) { out.WriteString(" " + f.Link.String()) }

func (c onLink) check(f *Fault) string {
	l := f.Link
	if !l.All {
		if why := checkName("the name of a link", l.Name); why != "" {
			return why
		}
	}
	switch {
	case l.All && l.Name != "":
		return "it is about all links, and has the name of one as well"
	case l.Direction > Down:
		return "it has a direction that is not one"
	case c.whole && l.Direction != Both:
		return "it is about both directions of a link, and names one"
	case c.directed && l.Direction == Both:
		return "it lacks the direction of the link"
	}
	return ""
}

func (onLink) fields() fields { return fieldLink }

// onHost is the host that it happens to.
type onHost struct{}

func (onHost) parse(p *parser, f *Fault)            { f.Host = p.name("a host") }
func (onHost) print(out *strings.Builder, f *Fault) { out.WriteString(" " + quoteName(f.Host)) }
func (onHost) check(f *Fault) string                { return checkName("a host", f.Host) }
func (onHost) fields() fields                       { return fieldHost }

// byHost is the host whose end acts; none: the dialer's.
type byHost struct{}

func (byHost) parse(p *parser, f *Fault) {
	if p.accept("by") {
		f.Host = p.name("a host")
	}
}

func (byHost) print(out *strings.Builder, f *Fault) {
	if f.Host != "" {
		out.WriteString(" by " + quoteName(f.Host))
	}
}

func (byHost) check(f *Fault) string {
	if f.Host == "" {
		return ""
	}
	return checkName("a host", f.Host)
}

func (byHost) fields() fields { return fieldHost }

// lasting is how long it goes on. With the trigger From that is to the heal, and nothing is written.
type lasting struct{}

func (lasting) parse(p *parser, f *Fault) {
	if f.When.Kind != From && p.need("for") {
		f.For = p.duration(base.Nanosecond)
	}
}

func (lasting) print(out *strings.Builder, f *Fault) {
	if f.For != 0 {
		out.WriteString(" for " + f.For.String())
	}
}

func (lasting) check(*Fault) string { return "" } // see Fault.lasts
func (lasting) fields() fields      { return fieldFor }

// again is that, and when, what broke is there again.
type again struct{ word string }

func (c again) parse(p *parser, f *Fault) {
	if p.accept(c.word) && p.need("after") {
		f.Again, f.After = true, p.duration(0)
	}
}

func (c again) print(out *strings.Builder, f *Fault) {
	if f.Again {
		out.WriteString(" " + c.word + " after " + f.After.String())
	}
}

func (c again) check(f *Fault) string {
	switch {
	case !f.Again && f.After != 0:
		return "it has when to " + c.word + " and not that it does"
	case f.After < 0 || f.After == base.Forever:
		return "it would " + c.word + " after " + f.After.String() + "; want a span of time from 0s on"
	}
	return ""
}

func (again) fields() fields { return fieldAgain }
