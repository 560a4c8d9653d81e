package workload

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"chordsim/core/base"
	"chordsim/faults"
)

// Known is what a scenario can play.
type Known struct {
	// Names are those of the workloads, and Hosts those of the hosts that there may be.
	Names, Hosts []string
	// Verbs returns what a host can be told.
	Verbs func(host string) []string
}

// Parse reads the text of workloads. An error is a [*faults.SyntaxError]. What it returns is in order and within the bounds, and
// what it prints parses back to the same.
func Parse(text string) (Set, error) { return parse(text, nil) }

// Parse reads a text as [Parse] does; names, hosts and verbs that are not known are errors.
func (k Known) Parse(text string) (Set, error) { return parse(text, &k) }

func parse(text string, known *Known) (Set, error) {
	p := &parser{known: known}
	if len(text) > MaxBytes {
		p.line = strings.Count(text[:MaxBytes], "\n")
		p.begin(text[1+strings.LastIndexByte(text[:MaxBytes], '\n') : MaxBytes])
		p.at = len(p.text)
		return nil, p.failed(fmt.Sprintf("a text of %d bytes", len(text)), fmt.Sprintf("its end: workloads have at most %d bytes", MaxBytes))
	}
	for line := range strings.Lines(text) {
		p.begin(strings.TrimSuffix(line, "\n"))
		if err := p.read(); err != nil {
			return nil, err
		}
	}
	for i := range p.set {
		p.set[i].List.Sort()
	}
	if printed := len(p.set.String()); printed > MaxBytes { // quotes and times can make a line longer than it was written
		p.at = len(p.text)
		return nil, p.failed("the end of the text", fmt.Sprintf("at most %d bytes of text as it prints; it has %d", MaxBytes, printed))
	}
	return p.set, nil
}

// parser reads a text line by line.
type parser struct {
	known *Known
	set   Set
	items int

	line  int
	text  string // of the line
	at    int    // where the next token may begin
	start int    // where the newest one began
}

// begin goes to the next line.
func (p *parser) begin(text string) { p.line, p.text, p.at, p.start = p.line+1, text, 0, 0 }

// next returns the next token of the line, "" at its end.
func (p *parser) next() (string, error) {
	for p.at < len(p.text) && (p.text[p.at] == ' ' || p.text[p.at] == '\t' || p.text[p.at] == '\r') {
		p.at++
	}
	p.start = p.at
	rest := p.text[p.at:]
	if rest == "" || rest[0] == '#' {
		p.at = len(p.text)
		return "", nil
	}
	if rest[0] == '"' {
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil {
			return "", p.failed("a name without its closing quote", "a name in quotes")
		}
		p.at += len(quoted)
		return quoted, nil
	}
	end := strings.IndexAny(rest, " \t\r")
	if end < 0 {
		end = len(rest)
	}
	p.at += end
	return rest[:end], nil
}

// failed makes the error for the newest token.
func (p *parser) failed(found, expected string) error {
	return &faults.SyntaxError{Line: p.line, Column: 1 + utf8.RuneCountInString(p.text[:p.start]), Found: found, Expected: expected}
}

// wrong is the error that a token is not what it should be; words are those that may be meant.
func (p *parser) wrong(token, expected string, words []string) error {
	found := "the end of the line"
	hint := ""
	if token != "" {
		found, hint = strconv.Quote(clip(token)), faults.Nearest(token, words)
	}
	return &faults.SyntaxError{
		Line: p.line, Column: 1 + utf8.RuneCountInString(p.text[:p.start]), Found: found, Expected: expected, Hint: hint,
	}
}

// maxShown is how many bytes of what was found an error shows.
const maxShown = 40

func clip(s string) string {
	if len(s) <= maxShown {
		return s
	}
	cut := maxShown
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

// read reads the line.
func (p *parser) read() error {
	token, err := p.next()
	switch {
	case err != nil || token == "":
		return err
	case token == keyword:
		return p.name()
	case len(p.set) == 0:
		return p.wrong(token, `"workload" and a name, before any item`, []string{keyword})
	}
	host, err := p.host(token)
	if err != nil {
		return err
	}
	return p.run(host)
}

// name reads what follows "workload".
func (p *parser) name() error {
	name, err := p.next()
	if err != nil {
		return err
	}
	want := "the name of a workload: letters, digits, \"-\", \"_\" and \".\", a letter first"
	switch _, twice := p.set.Find(name); {
	case !isWord(name, '.'):
		return p.wrong(name, want, nil)
	case twice:
		return p.wrong(name, "each workload once", nil)
	case p.known != nil && !slices.Contains(p.known.Names, name):
		return p.wrong(name, "a workload: "+orList(p.known.Names), p.known.Names)
	case len(p.set) == MaxSets:
		return p.wrong(name, "at most "+strconv.Itoa(MaxSets)+" workloads", nil)
	}
	p.set = append(p.set, Named{Name: name})
	token, err := p.next()
	if err == nil && token != "" {
		err = p.wrong(token, "the end of the line", nil)
	}
	return err
}

// host reads the name of a host.
func (p *parser) host(token string) (string, error) {
	host := token
	if token[0] == '"' {
		unquoted, err := strconv.Unquote(token)
		if err != nil {
			return "", p.failed("a name in quotes that are no Go string", "the name of a host")
		}
		host = unquoted
	} else if !plainName(token) {
		return "", p.wrong(token, "the name of a host, in quotes where it is not letters, digits, \"-\", \"_\" and \".\"", nil)
	}
	if !isName(host) {
		return "", p.wrong(token, "the name of a host, of 1 to "+strconv.Itoa(MaxName)+" bytes in UTF-8", nil)
	}
	if p.known != nil && !slices.Contains(p.known.Hosts, host) {
		return "", p.wrong(token, "a host: "+orList(p.known.Hosts), p.known.Hosts)
	}
	return host, nil
}

// run reads what follows a host: a time, then items.
func (p *parser) run(host string) error {
	token, err := p.next()
	if err != nil {
		return err
	}
	d, bad := base.ParseDuration(token)
	if bad != nil || d < 0 || token[0] == '-' || base.Time(d) > MaxTime {
		return p.wrong(token, "a time such as 1.5s or 20ms, at most "+MaxTime.String(), nil)
	}
	at := base.Time(d)
	token, err = p.next()
	for first := true; err == nil && (first || token != ""); first = false {
		token, err = p.item(host, &at, token, first)
	}
	return err
}

// item reads an item that begins with a token, and returns the token behind it.
func (p *parser) item(host string, at *base.Time, token string, first bool) (string, error) {
	start := p.start
	verb := token
	if later, rest, ok := strings.Cut(token, ":"); ok && !first {
		d, ok := parseMillis(later)
		if !ok || at.Add(d) > MaxTime {
			return "", p.wrong(token, "a verb, or how many milliseconds later, a colon and a verb, such as 20:"+p.example(host), nil)
		}
		*at, verb = at.Add(d), rest
		p.start += len(later) + 1
	}
	if err := p.verb(host, verb); err != nil {
		return "", err
	}
	if p.items++; p.items > MaxItems {
		p.start = start
		return "", p.wrong(token, "at most "+strconv.Itoa(MaxItems)+" items", nil)
	}
	it := Item{At: *at, Host: host, Verb: verb}
	for {
		token, err := p.next()
		if err != nil {
			return "", err
		}
		if token == "" || token[0] > '9' || strings.Contains(token, ":") {
			last := &p.set[len(p.set)-1]
			last.List = append(last.List, it)
			return token, nil
		}
		n, bad := strconv.ParseUint(token, 10, 64)
		if bad != nil {
			return "", p.wrong(token, "a whole number, a verb or the end of the line", nil)
		}
		if len(it.Operands) == MaxOperands {
			return "", p.wrong(token, "at most "+strconv.Itoa(MaxOperands)+" numbers behind a verb", nil)
		}
		it.Operands = append(it.Operands, n)
	}
}

// example is a verb for an error.
func (p *parser) example(host string) string {
	if p.known != nil && len(p.known.Verbs(host)) > 0 {
		return p.known.Verbs(host)[0]
	}
	return "act"
}

func (p *parser) verb(host, verb string) error {
	if p.known != nil {
		if verbs := p.known.Verbs(host); !slices.Contains(verbs, verb) {
			return p.wrong(verb, "what "+host+" can be told: "+orList(verbs), verbs)
		}
	}
	if !isWord(verb, '-') {
		return p.wrong(verb, "a verb: letters, digits, \"-\" and \"_\", a letter first", nil)
	}
	return nil
}

// parseMillis reads a number of milliseconds, exact to nanoseconds.
func parseMillis(text string) (base.Duration, bool) {
	d, err := base.ParseDuration(text + "ms")
	return d, err == nil && text != "" && text[0] >= '0' && text[0] <= '9'
}

func orList(list []string) string {
	if n := len(list); n > 1 {
		return strings.Join(list[:n-1], ", ") + " or " + list[n-1]
	}
	return strings.Join(list, "")
}
