package faults

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"chordsim/core/base"
)

// Parse reads a plan: a line each for a knob, a fault or the heal, or that the plan was drawn, in any order; "#" begins a comment. An error is a
// [*SyntaxError]. What it returns is valid, and what it prints parses back to the same.
func Parse(text string) (Plan, error) {
	if len(text) > MaxText {
		return Plan{}, tooLong(text)
	}
	var plan Plan
	p := &parser{tokens: scan(text)}
	for p.err == nil && p.peek().kind != tokenFinish {
		if p.peek().kind == tokenEnd {
			p.advance()
			continue
		}
		p.line(&plan)
		if p.err == nil && !p.ended() {
			p.other = append(p.other, "the end of the line")
			p.fail()
		}
	}
	if p.err != nil {
		return Plan{}, p.err
	}
	if printed := plan.String(); len(printed) > MaxText { // a unit or quotes can make a line longer than it was written
		last := p.peek()
		p.failAt(last, "at most "+strconv.Itoa(MaxText)+" bytes of plan as it prints; it has "+strconv.Itoa(len(printed)), nil)
		return Plan{}, p.err
	}
	return plan, nil
}

// ParseFault reads one fault.
func ParseFault(text string) (Fault, error) {
	plan, err := Parse(text)
	if err != nil {
		return Fault{}, err
	}
	if len(plan.Faults) != 1 || len(plan.Knobs) != 0 || plan.Heal != 0 {
		return Fault{}, &SyntaxError{
			Line: 1, Column: 1, Found: plural(int64(len(plan.Faults)), "fault") + " and " + plural(int64(len(plan.Knobs)), "knob"),
			Expected: "one fault and nothing else",
		}
	}
	return plan.Faults[0], nil
}

// tooLong says where a text is over the bound.
func tooLong(text string) error {
	head := text[:MaxText]
	start := strings.LastIndexByte(head, '\n') + 1
	return &SyntaxError{
		Line: 1 + strings.Count(head, "\n"), Column: 1 + utf8.RuneCountInString(head[start:]),
		Found: "a text of " + strconv.Itoa(len(text)) + " bytes", Expected: "its end: a plan has at most " + strconv.Itoa(MaxText) + " bytes",
	}
}

// line reads a line that is not empty.
func (p *parser) line(plan *Plan) {
	start := p.peek()
	switch {
	case p.accept("drawn"):
		if plan.Drawn {
			p.failAt(start, "that line once", nil)
		}
		plan.Drawn = true
		return
	case p.accept("set"):
		plan.Knobs = append(plan.Knobs, p.knob(plan))
		return
	case p.accept("heal"):
		p.need("at")
		t := p.peek()
		if plan.Heal != 0 {
			p.failAt(start, "one line about the heal", nil)
		}
		if plan.Heal = p.time(); plan.Heal == 0 {
			p.failAt(t, "a time after 0s", nil)
		}
		return
	}
	var f Fault
	if f.When = p.trigger(); p.err != nil {
		return
	}
	if f.Kind = p.kind(); f.When.Kind == From && !f.Kind.Lasts() {
		p.failAt(start, `"at": `+f.Kind.String()+" happens at once", nil)
	}
	for _, c := range f.Kind.row().clauses {
		if p.err != nil {
			return
		}
		c.parse(p, &f)
	}
	if len(plan.Faults) == MaxFaults {
		p.failAt(start, "at most "+strconv.Itoa(MaxFaults)+" faults", nil)
	}
	plan.Faults = append(plan.Faults, f)
}

// knob reads what follows "set".
func (p *parser) knob(plan *Plan) (k Knob) {
	t, ok := p.word("a knob: " + orList(KnobNames()))
	if !ok {
		return k
	}
	row := findKnob(t.text)
	if row == nil {
		p.failAt(t, "a knob: "+orList(KnobNames()), KnobNames())
		return k
	}
	if slices.ContainsFunc(plan.Knobs, func(other Knob) bool { return other.Name == row.name }) {
		p.failAt(t, "each knob once", nil)
		return k
	}
	value, ok := p.word(row.wants())
	if !ok {
		return k
	}
	printed, ok := row.canonical(value.text)
	if !ok {
		p.failAt(value, row.wants(), row.choices)
	}
	return Knob{row.name, printed}
}

// trigger reads when a fault happens.
func (p *parser) trigger() (t Trigger) {
	switch {
	case p.accept("at"):
		t.Kind, t.Time = At, p.time()
	case p.accept("from"):
		t.Kind, t.Time = From, p.time()
	case p.accept("every"):
		t.Kind, t.Period = Every, p.duration(base.Nanosecond)
		if p.accept("from") {
			t.Time = p.time()
		}
		t.Count = p.count(false)
	case p.accept("when"):
		p.occasion(&t)
	default:
		p.fail()
	}
	return t
}

// occasion reads what follows "when".
func (p *parser) occasion(t *Trigger) {
	switch {
	case p.accept("message"):
		t.Kind, t.Message = OnMessage, p.name("the type of a message, or any")
		if p.accept("from") {
			t.From = p.name("a host")
		}
		if p.accept("to") {
			t.To = p.name("a host")
		}
		t.Count = p.count(true)
	case p.accept("event"):
		t.Kind, t.Count = OnEvent, p.count(true)
	case p.accept("violation"):
		t.Kind, t.Violation = OnViolation, p.name("an invariant such as C11")
	default:
		p.fail()
	}
}

// kind reads what goes wrong.
func (p *parser) kind() Kind {
	for k := Kind(1); k < kinds; k++ {
		first, second, two := strings.Cut(k.String(), " ")
		if two && (p.peek().kind != tokenWord || p.peek().text != first) {
			p.words = append(p.words, k.String())
			continue
		}
		if p.accept(first) {
			if two {
				p.need(second)
			}
			return k
		}
	}
	p.fail()
	return 0
}
