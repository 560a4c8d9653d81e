package delta

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// jsonString is a string that was read, as WTF-8 in which halves of a pair may not be joined yet.
type jsonString struct {
	bytes   []byte // a view of the input; if escaped, valid until the next string is read
	ascii   bool
	escaped bool // it has escapes in the input
}

// str reads a string. Invariant: p.at is at its opening quote.
func (p *parser) str() (jsonString, error) {
	start := p.at + 1
	end, ascii := p.plain(start)
	p.at = end
	switch {
	case end == len(p.in):
		return jsonString{}, p.fail("a string does not end")
	case p.in[end] == '"':
		p.at++
		return jsonString{p.in[start:end], ascii, false}, nil
	case p.in[end] != '\\':
		return jsonString{}, p.fail("a control character in a string")
	}
	p.spare = append(p.spare[:0], p.in[start:end]...)
	if err := p.escaped(); err != nil {
		return jsonString{}, err
	}
	return jsonString{p.spare, isASCII(stringOf(p.spare)), true}, nil
}

// plain returns where the string's bytes from a place on are no longer what they stand for: at a quote, an escape, a control
// character or the end of the input. It looks at eight bytes at a time.
func (p *parser) plain(from int) (to int, ascii bool) {
	in, i := p.in, from
	var all uint64
	for ; i+8 <= len(in); i += 8 {
		eight := binary.LittleEndian.Uint64(in[i:])
		if ends := endsPlain(eight); ends != 0 {
			all |= eight & (ends&-ends - 1)
			return i + bits.TrailingZeros64(ends)/8, all&notASCII == 0
		}
		all |= eight
	}
	for ; i < len(in); i++ {
		c := in[i]
		if c == '"' || c == '\\' || c < 0x20 {
			break
		}
		all |= uint64(c)
	}
	return i, all&notASCII == 0
}

// endsPlain returns the high bit of each of eight bytes that is a quote, a backslash or a control character. The lowest bit that
// it returns is right; those above it may be too many.
func endsPlain(eight uint64) uint64 {
	const ones = 0x0101010101010101
	quote, backslash := eight^'"'*ones, eight^'\\'*ones
	return ((quote-ones)&^quote | (backslash-ones)&^backslash | (eight-0x20*ones)&^eight) & notASCII
}

// escaped reads the rest of a string from its first escape on.
func (p *parser) escaped() error {
	for {
		if err := p.escape(); err != nil {
			return err
		}
		from := p.at
		p.at, _ = p.plain(from)
		p.spare = append(p.spare, p.in[from:p.at]...)
		switch {
		case p.at == len(p.in):
			return p.fail("a string does not end")
		case p.in[p.at] == '"':
			p.at++
			return nil
		case p.in[p.at] != '\\':
			return p.fail("a control character in a string")
		}
	}
}

// escape reads one escape.
func (p *parser) escape() error {
	if p.at+1 >= len(p.in) {
		return p.fail("a string does not end")
	}
	switch c := p.in[p.at+1]; c {
	case '"', '\\', '/':
		p.spare = append(p.spare, c)
	case 'b':
		p.spare = append(p.spare, '\b')
	case 'f':
		p.spare = append(p.spare, '\f')
	case 'n':
		p.spare = append(p.spare, '\n')
	case 'r':
		p.spare = append(p.spare, '\r')
	case 't':
		p.spare = append(p.spare, '\t')
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
		p.spare = appendWTF8(p.spare, unit)
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

// text reads a string as a value.
func (p *parser) text() (Value, error) {
	s, err := p.str()
	if err != nil {
		return Value{}, err
	}
	n := len(s.bytes)
	units := n
	switch {
	case n == 0:
		return Value{ref: unsafe.Pointer(emptyText)}, nil
	case n > textLeafLimit:
		return String(stringOf(s.bytes)), nil
	case !s.ascii:
		ok := n <= pieceLimit
		if ok {
			units, ok = unitsOf(s.bytes)
		}
		if !ok {
			return String(stringOf(s.bytes)), nil
		}
	}
	if n < borrowedText {
		return p.build.copied(s.bytes, units, 0), nil
	}
	at := p.texts.add(s.bytes, len(p.in)-p.at)
	if n > pieceLimit {
		return TextValue(p.build.long(p.texts.bytes[at : at+n : at+n])), nil
	}
	return Value{ref: unsafe.Pointer(p.texts.source), bits: uint64(newPiece(at, units, n))}, nil
}

// textChunk is a source that texts are copied to, many to one. One that is full makes way for a larger one.
type textChunk struct {
	source *textBox
	bytes  []byte
	used   int
}

// textChunkBytes is how large a chunk is at the most: what the shortest text that is a piece of it may keep.
const textChunkBytes = 8 << 10

// add copies a text of at most textChunkBytes and returns where. There are to be at most left more bytes of texts.
func (c *textChunk) add(s []byte, left int) (at int) {
	if len(s) > len(c.bytes)-c.used {
		c.bytes = make([]byte, max(len(s), min(4*len(c.bytes), textChunkBytes, len(s)+left)))
		c.source, c.used = newSource(c.bytes), 0
	}
	at = c.used
	c.used += copy(c.bytes[at:], s)
	return at
}
