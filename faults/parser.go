package faults

import (
	"slices"
	"strconv"
	"strings"

	"chordsim/core/base"
	"chordsim/faults/linkmodel"
)

// parser reads tokens. The first error stays: after it everything reads as nothing.
type parser struct {
	tokens []token
	at     int
	err    *SyntaxError

	// What was looked for at the present token, and not found.
	words []string
	other []string
}

// peek returns the present token.
func (p *parser) peek() *token { return &p.tokens[p.at] }

// advance goes on to the next token. The last one stays.
func (p *parser) advance() {
	if p.at < len(p.tokens)-1 {
		p.at++
	}
	p.words, p.other = p.words[:0], p.other[:0]
}

// ended reports whether the present token ends a line.
func (p *parser) ended() bool { return p.peek().kind == tokenEnd || p.peek().kind == tokenFinish }

// accept passes over the word if it is the present token, and else remembers that it could have been.
func (p *parser) accept(word string) bool {
	if p.err != nil {
		return false
	}
	if t := p.peek(); t.kind == tokenWord && t.text == word {
		p.advance()
		return true
	}
	p.words = append(p.words, word)
	return false
}

// need passes over a word that must be there.
func (p *parser) need(word string) bool {
	if p.accept(word) {
		return true
	}
	p.fail()
	return false
}

// fail makes the present token an error: it is nothing that was looked for.
func (p *parser) fail() {
	if p.err != nil {
		return
	}
	expected := make([]string, 0, len(p.words)+len(p.other))
	for _, w := range p.words {
		expected = append(expected, strconv.Quote(w))
	}
	p.failAt(p.peek(), orList(append(expected, p.other...)), p.words)
}

// failAt makes a token an error.
func (p *parser) failAt(t *token, expected string, words []string) {
	if p.err != nil {
		return
	}
	p.err = &SyntaxError{Line: t.line, Column: t.column, Found: t.found(), Expected: expected}
	if t.kind == tokenWord {
		p.err.Hint = Nearest(t.text, words)
	}
}

// word returns a word that is not one of the language, and passes over it.
func (p *parser) word(what string) (t *token, ok bool) {
	if p.err != nil {
		return nil, false
	}
	if t = p.peek(); t.kind != tokenWord {
		p.other = append(p.other, what)
		p.fail()
		return nil, false
	}
	p.advance()
	return t, true
}

// name reads the name of something, in quotes or plain.
func (p *parser) name(what string) string {
	if p.err != nil {
		return ""
	}
	t := p.peek()
	if t.kind != tokenName && (t.kind != tokenWord || !plainName(t.text)) {
		p.other = append(p.other, what)
		p.fail()
		return ""
	}
	if why := checkName(what, t.text); why != "" {
		p.failAt(t, what+" of 1 to "+strconv.Itoa(MaxName)+" bytes of UTF-8", nil)
		return ""
	}
	p.advance()
	return t.text
}

const aDuration = "a duration such as 10ms or 1.5s"

// duration reads a duration from min on, and before [base.Forever].
func (p *parser) duration(least base.Duration) base.Duration {
	t, ok := p.word(aDuration)
	if !ok {
		return 0
	}
	d, err := base.ParseDuration(t.text)
	switch {
	case err != nil:
		p.failAt(t, aDuration, nil)
	case d < least || d == base.Forever:
		p.failAt(t, aDuration+", from "+least.String()+" on", nil)
	}
	return d
}

// time reads an instant.
func (p *parser) time() base.Time { return base.Time(p.duration(0)) }

// number reads a whole number between bounds, which suffix follows at once.
func (p *parser) number(least, most int64, suffix string) int64 {
	want := "a number from " + strconv.FormatInt(least, 10) + suffix + " to " + strconv.FormatInt(most, 10) + suffix
	t, ok := p.word(want)
	if !ok {
		return 0
	}
	digits, ok := strings.CutSuffix(t.text, suffix)
	n, isNumber := parseNumber(digits)
	if !ok || !isNumber || n < least || n > most {
		p.failAt(t, want, nil)
	}
	return n
}

// count reads "count N".
func (p *parser) count(optional bool) int64 {
	if !p.accept("count") {
		if optional {
			return 1
		}
		p.fail()
		return 0
	}
	return p.number(1, MaxCount, "")
}

// size reads a number of bytes.
func (p *parser) size(least, most int64) int64 {
	want := "a size from " + strconv.FormatInt(least, 10) + "B to " + strconv.FormatInt(most, 10) + "B, such as 512B or 8KiB"
	t, ok := p.word(want)
	if !ok {
		return 0
	}
	n, ok := parseSize(t.text)
	if !ok || n < least || n > most {
		p.failAt(t, want, nil)
	}
	return n
}

// rate reads bytes per second.
func (p *parser) rate(most int64) int64 {
	const what = "a rate such as 8KiB/s or 1Mbit/s"
	t, ok := p.word(what)
	if !ok {
		return 0
	}
	n, err := linkmodel.ParseRate(t.text)
	switch {
	case err != nil:
		p.failAt(t, what, nil)
	case n < 1 || n > most:
		p.failAt(t, what+", from 1B/s to "+linkmodel.FormatRate(most), nil)
	}
	return n
}

// link reads which links are meant.
func (p *parser) link() (l Link) {
	const what = "the name of a link or of the host that dialed"
	if p.err != nil {
		return l
	}
	t := p.peek()
	if p.accept(reserved) {
		l.All = true
		t = p.peek()
		if word, rest := cutDirection(t.text); t.kind != tokenWord || word != "links" {
			p.words = append(p.words, "links")
			p.fail()
		} else {
			p.advance()
			l.Direction = p.direction(t, rest)
		}
		return l
	}
	if t.kind == tokenWord {
		name, rest := cutDirection(t.text)
		if !plainName(name) {
			p.other = append(p.other, what)
			p.fail()
			return l
		}
		if len(name) > MaxName {
			p.failAt(t, what+" of at most "+strconv.Itoa(MaxName)+" bytes", nil)
			return l
		}
		p.advance()
		return Link{Name: name, Direction: p.direction(t, rest)}
	}
	l.Name = p.name(what)
	if t = p.peek(); p.err == nil && t.glued && t.kind == tokenWord {
		p.advance()
		l.Direction = p.direction(t, t.text)
	}
	return l
}

// cutDirection cuts a word before its first dot.
func cutDirection(word string) (name, rest string) {
	if i := strings.IndexByte(word, '.'); i >= 0 {
		return word[:i], word[i:]
	}
	return word, ""
}

// direction reads what stands behind a name.
func (p *parser) direction(t *token, rest string) Direction {
	if d := slices.Index(directionNames[:], rest); d >= 0 {
		return Direction(d)
	}
	p.failAt(&token{kind: tokenWord, text: rest, line: t.line, column: t.column + len([]rune(t.text)) - len([]rune(rest))},
		`".up", ".down" or nothing`, directionNames[1:])
	return Both
}
