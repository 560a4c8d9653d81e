package delta

import (
	"errors"
	"fmt"
	"strconv"
)

// MaxDepth is how many containers may be nested in a value that is parsed or made by ops, and how many segments a path may
// have.
const MaxDepth = 512

// ErrDepth says that containers are nested more than [MaxDepth] deep, or that a path is longer.
var ErrDepth = errors.New("delta: nested too deep")

// MaxContainers is how many lists and objects a value, or a batch of ops, may have that is parsed. One takes a byte or two of
// input and some hundred bytes of memory, so that a message of them would take far more than its size.
const MaxContainers = 1 << 21

// ErrContainers says that there are more lists and objects than [MaxContainers].
var ErrContainers = errors.New("delta: too many lists and objects")

// SyntaxError says where bytes are no JSON.
type SyntaxError struct {
	Offset int // in bytes, from 0
	Reason string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("delta: bad JSON at byte %d: %s", e.Offset, e.Reason)
}

// ParseJSON reads one JSON value, of which nothing is a view of b. Surrogate escapes are kept, lone ones too; bytes in strings
// that are no UTF-8 become U+FFFD; a key that is there twice has its later value at its first place. Numbers are read as
// doubles, and one too large for a double is refused. Errors are a [*SyntaxError], or wrap [ErrDepth] or
// [ErrContainers].
func ParseJSON(b []byte) (Value, error) { return parseJSON(b, MaxDepth) }

func parseJSON(b []byte, depth int) (Value, error) {
	p := parser{in: b, depth: depth}
	v, err := p.value()
	if err != nil {
		return Value{}, err
	}
	if err := p.end(); err != nil {
		return Value{}, err
	}
	return v, nil
}

// openValues and openNames are how many values and keys of open containers a parser has room for at first.
const openValues, openNames = 16, 8

// parser reads one input. What it makes are copies, many in a block.
type parser struct {
	in    []byte
	at    int
	depth int // containers that may still be opened
	count int // containers so far

	values []Value  // of the containers that are open
	names  []string // of the objects that are open: canonical keys, views of the input
	shapes jsonShapes
	build  Builder
	texts  textChunk
	spare  []byte // what a string with escapes is unescaped into
}

func (p *parser) fail(reason string) error { return &SyntaxError{p.at, reason} }

// end checks that nothing follows.
func (p *parser) end() error {
	if p.space(); p.at < len(p.in) {
		return p.fail("something follows the value")
	}
	return nil
}

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
	if p.at < len(p.in) && p.in[p.at] > ' ' {
		return p.in[p.at]
	}
	return p.afterSpace()
}

func (p *parser) afterSpace() byte {
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
		return p.text()
	case '[', '{':
		return p.container(c)
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return p.number()
	case 't':
		return Bool(true), p.word("true")
	case 'f':
		return Bool(false), p.word("false")
	case 'n':
		return Value{}, p.word("null")
	default:
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

func (p *parser) container(c byte) (v Value, err error) {
	if p.depth == 0 {
		return Value{}, fmt.Errorf("%w at byte %d", ErrDepth, p.at)
	}
	if p.count++; p.count > MaxContainers {
		return Value{}, fmt.Errorf("%w at byte %d", ErrContainers, p.at)
	}
	if p.values == nil {
		p.values = make([]Value, 0, openValues)
	}
	p.depth--
	p.at++
	if c == '[' {
		v, err = p.list()
	} else {
		v, err = p.object()
	}
	p.depth++
	return v, err
}

func (p *parser) list() (Value, error) {
	if p.next() == ']' {
		p.at++
		return ListOf(nil), nil
	}
	from := len(p.values)
	var runs Runs // of a long list, those that are full
	for {
		v, err := p.value()
		if err != nil {
			return Value{}, err
		}
		p.values = append(p.values, v)
		switch p.next() {
		case ',':
			p.at++
			if len(p.values)-from == listLeafLimit {
				p.run(&runs, from)
			}
		case ']':
			p.at++
			if len(runs.leaves) > 0 {
				p.run(&runs, from)
				return runs.List(), nil
			}
			return p.shortList(from), nil
		default:
			return Value{}, p.fail("a list goes on with a comma or ends")
		}
	}
}

// run moves the open values from a place on to the runs of a list.
func (p *parser) run(r *Runs, from int) {
	leaf := make(listLeaf, len(p.values)-from)
	copy(leaf, p.values[from:])
	r.leaves = append(r.leaves, leaf)
	p.values = p.values[:from]
}

// shortList makes a list of the open values from a place on.
func (p *parser) shortList(from int) Value {
	others := p.others()
	p.build.Expect(others)
	items := p.build.Values(len(p.values) - from)
	copy(items, p.values[from:])
	p.values = p.values[:from]
	p.build.Expect(others)
	return p.build.List(items)
}

// others returns how many more containers there may be behind this place: none if all that is left are some brackets around
// it that make no value, as after the last argument of an op, else no more than there are bytes.
func (p *parser) others() int {
	left := p.in[p.at:]
	if len(left) <= opsDepth {
		for i, c := range left {
			if c != ']' {
				return len(left) - i
			}
		}
		return 0
	}
	return len(left)
}
