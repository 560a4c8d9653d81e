package delta

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// MaxDepth is how many containers may be nested in a value that is parsed or made by ops, and how many segments a path may
// have.
const MaxDepth = 512

// ErrDepth says that containers are nested more than [MaxDepth] deep, or that a path is longer.
var ErrDepth = errors.New("delta: nested too deep")

// SyntaxError says where bytes are no JSON.
type SyntaxError struct {
	Offset int // in bytes, from 0
	Reason string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("delta: bad JSON at byte %d: %s", e.Offset, e.Reason)
}

// ParseJSON reads one JSON value. Surrogate escapes are kept, lone ones too; bytes in strings that are no UTF-8 become
// U+FFFD; a key that is there twice has its later value at its first place. Numbers are read as doubles, and one too large
// for a double is refused. Errors are a [*SyntaxError], or wrap [ErrDepth].
func ParseJSON(b []byte) (Value, error) { return parseJSON(b, MaxDepth) }

func parseJSON(b []byte, depth int) (Value, error) {
	p := parser{in: b, depth: depth}
	v, err := p.value()
	if err != nil {
		return Value{}, err
	}
	if p.space(); p.at < len(b) {
		return Value{}, p.fail("something follows the value")
	}
	return v, nil
}

// parser reads one input. Objects of one shape that it reads share their keys.
type parser struct {
	in    []byte
	at    int
	depth int // containers that may still be opened

	scratch []byte
	values  []Value           // of the containers that are open
	keysOf  []string          // of the objects that are open
	names   map[string]string // canonical keys by their bytes
	shapes  map[string]*Keys  // by the keys, each closed by a byte that is in no WTF-8
	shape   []byte
	last    *Keys // of the object before
}

func (p *parser) fail(reason string) error { return &SyntaxError{p.at, reason} }

func (p *parser) space() {
	for p.at < len(p.in) {
		switch p.in[p.at] {
		case ' ', '\t', '\n', '\r':
			p.at++
		default:
			return
		}
	}
}

// next skips spaces and returns the byte that follows, 0 at the end.
func (p *parser) next() byte {
	p.space()
	if p.at < len(p.in) {
		return p.in[p.at]
	}
	return 0
}

func (p *parser) value() (Value, error) {
	switch c := p.next(); c {
	case 0:
		if p.at < len(p.in) {
			return Value{}, p.fail("a value does not start with a zero byte")
		}
		return Value{}, p.fail("a value is missing")
	case '"':
		raw, err := p.str()
		if err != nil {
			return Value{}, err
		}
		return String(stringOf(raw)), nil
	case '[':
		return p.container(p.list)
	case '{':
		return p.container(p.object)
	case 't':
		return Bool(true), p.word("true")
	case 'f':
		return Bool(false), p.word("false")
	case 'n':
		return Value{}, p.word("null")
	default:
		if c == '-' || c >= '0' && c <= '9' {
			return p.number()
		}
		return Value{}, p.fail("no value starts with " + strconv.QuoteRune(rune(c)))
	}
}

func (p *parser) word(word string) error {
	if len(p.in)-p.at < len(word) || string(p.in[p.at:p.at+len(word)]) != word {
		return p.fail("not " + word)
	}
	p.at += len(word)
	return nil
}

func (p *parser) container(read func() (Value, error)) (Value, error) {
	if p.depth == 0 {
		return Value{}, fmt.Errorf("%w at byte %d", ErrDepth, p.at)
	}
	p.depth--
	p.at++
	v, err := read()
	p.depth++
	return v, err
}

func (p *parser) list() (Value, error) {
	if p.next() == ']' {
		p.at++
		return ListOf(nil), nil
	}
	from := len(p.values)
	for {
		v, err := p.value()
		if err != nil {
			return Value{}, err
		}
		p.values = append(p.values, v)
		switch p.next() {
		case ',':
			p.at++
		case ']':
			p.at++
			v := List(p.values[from:]...)
			p.values = p.values[:from]
			return v, nil
		default:
			return Value{}, p.fail("a list goes on with a comma or ends")
		}
	}
}

func (p *parser) object() (Value, error) {
	if p.next() == '}' {
		p.at++
		return objectOf(p.keys(nil), nil), nil
	}
	from, keysFrom := len(p.values), len(p.keysOf)
	for {
		if p.next() != '"' {
			return Value{}, p.fail("a key is missing")
		}
		raw, err := p.str()
		if err != nil {
			return Value{}, err
		}
		p.keysOf = append(p.keysOf, p.name(raw))
		if p.next() != ':' {
			return Value{}, p.fail("a colon is missing after a key")
		}
		p.at++
		v, err := p.value()
		if err != nil {
			return Value{}, err
		}
		p.values = append(p.values, v)
		switch p.next() {
		case ',':
			p.at++
		case '}':
			p.at++
			v := p.build(p.keysOf[keysFrom:], slices.Clone(p.values[from:]))
			p.values, p.keysOf = p.values[:from], p.keysOf[:keysFrom]
			return v, nil
		default:
			return Value{}, p.fail("an object goes on with a comma or ends")
		}
	}
}

// build makes the object of fields whose keys may be there twice.
func (p *parser) build(names []string, vals []Value) Value {
	if k := p.known(names); k != nil {
		return objectOf(k, vals)
	}
	if duplicate(names) >= 0 {
		fields := make([]Field, len(names))
		for i, name := range names {
			fields[i] = Field{name, vals[i]}
		}
		return Object(fields...)
	}
	return objectOf(p.keys(names), vals)
}

// name returns the canonical key of raw bytes, the same string for the same key.
func (p *parser) name(raw []byte) string {
	if name, ok := p.names[string(raw)]; ok {
		return name
	}
	if p.names == nil {
		p.names = make(map[string]string)
	}
	name := canonical(string(raw))
	p.names[string(raw)] = name
	return name
}

// known returns the key set of an earlier object with the same keys, nil if there was none.
func (p *parser) known(names []string) *Keys {
	if p.last != nil && slices.Equal(p.last.names, names) {
		return p.last
	}
	p.last = p.lookup(names)
	return p.last
}

func (p *parser) lookup(names []string) *Keys {
	p.shape = p.shape[:0]
	for _, name := range names {
		p.shape = append(append(p.shape, name...), 0xff)
	}
	return p.shapes[string(p.shape)]
}

// keys returns the key set of names that are distinct. It copies them.
func (p *parser) keys(names []string) *Keys {
	k := p.known(names)
	if k == nil {
		if p.shapes == nil {
			p.shapes = make(map[string]*Keys)
		}
		k = newShape(slices.Clone(names))
		p.shapes[string(p.shape)], p.last = k, k
	}
	return k
}

func (p *parser) number() (Value, error) {
	start, at, in := p.at, p.at, p.in
	digits := func() bool {
		from := at
		for at < len(in) && in[at] >= '0' && in[at] <= '9' {
			at++
		}
		return at > from
	}
	if in[at] == '-' {
		at++
	}
	zero := at < len(in) && in[at] == '0'
	if whole := at; !digits() || zero && at > whole+1 {
		return Value{}, p.fail("not a number")
	}
	plain := at
	if at < len(in) && in[at] == '.' {
		if at++; !digits() {
			return Value{}, p.fail("not a number")
		}
	}
	if at < len(in) && (in[at] == 'e' || in[at] == 'E') {
		if at++; at < len(in) && (in[at] == '+' || in[at] == '-') {
			at++
		}
		if !digits() {
			return Value{}, p.fail("not a number")
		}
	}
	if at == plain && at-start <= 15 && in[start] != '-' {
		n := int64(0)
		for _, c := range in[start:at] {
			n = n*10 + int64(c-'0')
		}
		p.at = at
		return Number(float64(n)), nil
	}
	f, err := strconv.ParseFloat(string(in[start:at]), 64)
	if err != nil {
		return Value{}, p.fail("a number too large for a double")
	}
	p.at = at
	return Number(f), nil
}

// str reads a string and returns it as WTF-8, in which halves of a pair may not be joined yet. The bytes are valid until the
// next call.
func (p *parser) str() ([]byte, error) {
	p.at++
	start := p.at
	for i := start; i < len(p.in); i++ {
		switch c := p.in[i]; {
		case c == '"':
			p.at = i + 1
			return p.in[start:i], nil
		case c == '\\':
			p.scratch = append(p.scratch[:0], p.in[start:i]...)
			p.at = i
			return p.escaped()
		case c < 0x20:
			p.at = i
			return nil, p.fail("a control character in a string")
		}
	}
	p.at = len(p.in)
	return nil, p.fail("a string does not end")
}

// escaped reads the rest of a string from its first escape on.
func (p *parser) escaped() ([]byte, error) {
	for p.at < len(p.in) {
		c := p.in[p.at]
		switch {
		case c == '"':
			p.at++
			return p.scratch, nil
		case c < 0x20:
			return nil, p.fail("a control character in a string")
		case c == '\\':
			if err := p.escape(); err != nil {
				return nil, err
			}
		default:
			p.scratch = append(p.scratch, c)
			p.at++
		}
	}
	return nil, p.fail("a string does not end")
}

func (p *parser) escape() error {
	if p.at+1 >= len(p.in) {
		return p.fail("a string does not end")
	}
	switch c := p.in[p.at+1]; c {
	case '"', '\\', '/':
		p.scratch = append(p.scratch, c)
	case 'b':
		p.scratch = append(p.scratch, '\b')
	case 'f':
		p.scratch = append(p.scratch, '\f')
	case 'n':
		p.scratch = append(p.scratch, '\n')
	case 'r':
		p.scratch = append(p.scratch, '\r')
	case 't':
		p.scratch = append(p.scratch, '\t')
	case 'u':
		if len(p.in)-p.at < 6 {
			return p.fail("not an escape")
		}
		unit := rune(0)
		for _, h := range p.in[p.at+2 : p.at+6] {
			d := hexDigit(h)
			if d < 0 {
				return p.fail("not an escape")
			}
			unit = unit<<4 | rune(d)
		}
		p.scratch = appendWTF8(p.scratch, unit)
		p.at += 4
	default:
		return p.fail("not an escape")
	}
	p.at += 2
	return nil
}

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
