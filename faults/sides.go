package faults

import (
	"slices"
	"strconv"
	"strings"
)

// sides are the two sides of a partition, and whether it holds up both ways ("from") or one ("to").
type sides struct{}

func (c sides) parse(p *parser, f *Fault) {
	f.Left = p.side(nil)
	if p.err != nil {
		return
	}
	if f.OneWay = p.accept("to"); !f.OneWay && !p.need("from") {
		return
	}
	f.Right = p.side(f.Left)
}

// side reads hosts in braces, none of which are taken.
func (p *parser) side(taken []string) (hosts []string) {
	if !p.brace("{") {
		return nil
	}
	for p.err == nil && (len(hosts) == 0 || !p.closes()) {
		t := p.peek()
		host := p.name("a host")
		switch {
		case p.err != nil:
			return nil
		case slices.Contains(hosts, host) || slices.Contains(taken, host):
			p.failAt(t, "each host once", nil)
		case len(hosts) == MaxSide:
			p.failAt(t, "at most "+strconv.Itoa(MaxSide)+" hosts on a side", nil)
		}
		hosts = append(hosts, host)
	}
	return hosts
}

// brace passes over a brace that must be there.
func (p *parser) brace(text string) bool {
	if t := p.peek(); p.err == nil && t.kind == tokenBrace && t.text == text {
		p.advance()
		return true
	}
	p.other = append(p.other, strconv.Quote(text))
	p.fail()
	return false
}

// closes passes over a closing brace, if it is there.
func (p *parser) closes() bool {
	if t := p.peek(); t.kind == tokenBrace && t.text == "}" {
		p.advance()
		return true
	}
	p.other = append(p.other, `"}"`)
	return false
}

func (sides) print(out *strings.Builder, f *Fault) {
	word := " from "
	if f.OneWay {
		word = " to "
	}
	out.WriteString(" " + sideText(f.Left) + word + sideText(f.Right))
}

func sideText(hosts []string) string {
	list := make([]string, len(hosts))
	for i, h := range hosts {
		list[i] = quoteName(h)
	}
	return "{" + strings.Join(list, " ") + "}"
}

func (sides) check(f *Fault) string {
	if len(f.Left) == 0 || len(f.Right) == 0 {
		return "it lacks the hosts of a side"
	}
	if len(f.Left) > MaxSide || len(f.Right) > MaxSide {
		return "it has over " + strconv.Itoa(MaxSide) + " hosts on a side"
	}
	all := slices.Concat(f.Left, f.Right)
	for i, host := range all {
		if why := checkName("a host of a side", host); why != "" {
			return why
		}
		if slices.Contains(all[:i], host) {
			return "the host " + quoteName(host) + " is there twice"
		}
	}
	return ""
}

func (sides) fields() fields { return fieldSides }
