package delta

import (
	"slices"
	"strings"
)

func (p *parser) object() (Value, error) {
	source, used := p.texts.source, p.texts.used
	v, err := p.anyObject()
	if err == nil && v.isPacked() { // with the texts that were copied for it
		if p.texts.source != source {
			used = 0
		}
		p.texts.used = used
	}
	return v, err
}

func (p *parser) anyObject() (Value, error) {
	if p.next() == '}' {
		p.at++
		return p.objectOf(p.shapes.of(nil), nil), nil
	}
	like := p.shapes.likely.at(p.depth)
	if like == nil || p.next() != '"' || !p.follows(like, 0) {
		return p.unlikely(nil, nil)
	}
	if v, ok := p.packed(like); ok {
		return v, nil
	}
	p.build.Expect(len(p.in) - p.at)
	fields := p.build.Fields(len(like.names))
	for n := 0; ; {
		v, err := p.value()
		if err != nil {
			return Value{}, err
		}
		fields[n] = v
		n++
		switch c := p.next(); {
		case c == ',':
			p.at++
			if p.next(); !p.follows(like, n) {
				return p.unlikely(like.names[:n], fields[:n])
			}
		case c != '}':
			return Value{}, p.fail(badObject)
		case n < len(like.names):
			p.at++
			return p.objectOf(p.shapes.of(like.names[:n]), fields[:n:n]), nil
		default:
			p.at++
			return p.objectOf(like, fields), nil
		}
	}
}

const badObject = "an object goes on with a comma or ends"

// unlikely reads the rest of an object, which has other keys than the shape that was likely. Invariant: the next thing is a key.
func (p *parser) unlikely(names []string, values []Value) (Value, error) {
	from, namesFrom := len(p.values), len(p.names)
	p.values, p.names = append(p.values, values...), append(p.names, names...)
	plain := true // no key has an escape
	for {
		escaped, err := p.key()
		if err != nil {
			return Value{}, err
		}
		plain = plain && !escaped
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
			v := p.closeObject(p.names[namesFrom:], p.values[from:], plain)
			p.values, p.names = p.values[:from], p.names[:namesFrom]
			return v, nil
		default:
			return Value{}, p.fail(badObject)
		}
	}
}

// follows reads key n of a shape and its colon, if they are what follows and nothing is between them.
func (p *parser) follows(k *Keys, n int) bool {
	if n >= len(k.names) {
		return false
	}
	name := k.names[n]
	end := p.at + 1 + len(name)
	if end+1 >= len(p.in) || p.in[end] != '"' || p.in[end+1] != ':' || p.in[p.at] != '"' || string(p.in[p.at+1:end]) != name {
		return false
	}
	p.at = end + 2
	return true
}

// key reads a key and its colon, whatever they are.
func (p *parser) key() (escaped bool, err error) {
	if p.next() != '"' {
		return false, p.fail("a key is missing")
	}
	s, err := p.str()
	if err != nil {
		return false, err
	}
	name := stringOf(s.bytes)
	if s.escaped {
		name = string(s.bytes)
	}
	if !s.ascii {
		name = canonical(name)
	}
	if p.names == nil {
		p.names = make([]string, 0, openNames)
	}
	p.names = append(p.names, name)
	if p.next() != ':' {
		return false, p.fail("a colon is missing after a key")
	}
	p.at++
	return s.escaped, nil
}

// closeObject makes the object of keys that are not those of the shape that was likely. It copies them and the values.
func (p *parser) closeObject(names []string, values []Value, plain bool) Value {
	k := p.shapes.of(names)
	if k == nil { // a key is there twice
		fields := make([]Field, len(names))
		for i, name := range names {
			fields[i] = Field{strings.Clone(name), values[i]}
		}
		return Object(fields...)
	}
	if plain {
		p.shapes.likely.set(p.depth, k)
	}
	p.build.Expect(p.others())
	fields := p.build.Fields(len(values))
	copy(fields, values)
	return p.objectOf(k, fields)
}

// objectOf makes an object of a shape and takes the fields over.
func (p *parser) objectOf(k *Keys, fields []Value) Value {
	p.build.Expect(p.others())
	p.build.Left(len(p.in) - p.at)
	return p.build.Object(k, fields)
}

// likelyShapes are the shapes of the objects before, by how deep they are: those of one list mostly have one. Invariant: no
// key needs an escape in JSON.
type likelyShapes [likelyLevels]*Keys

const (
	// likelyLevels is how many levels have a likely shape of their own.
	likelyLevels = 16
	// likelyBytes is how long the keys of a likely shape may be together, which may be kept for as long as a stream.
	likelyBytes = 1024
)

func (l *likelyShapes) at(depth int) *Keys { return l[depth%likelyLevels] }

func (l *likelyShapes) set(depth int, k *Keys) {
	if len(k.names) <= flatLimit && k.bytes <= likelyBytes {
		l[depth%likelyLevels] = k
	}
}

// jsonShapes are the shapes of one input, so that objects of one shape share it.
type jsonShapes struct {
	likely likelyShapes
	few    []*Keys          // all, while they are few
	many   map[string]*Keys // all, by the keys, each closed by a byte that is in no WTF-8
	joined []byte
}

// fewKeys is up to how many shapes it takes less time to compare them one by one.
const fewKeys = 8

// of returns the shape with the names, nil if a name is there twice. It copies them.
func (s *jsonShapes) of(names []string) *Keys {
	if len(names) > flatLimit {
		return freshShape(names)
	}
	for _, k := range s.likely {
		if k != nil && slices.Equal(k.names, names) {
			return k
		}
	}
	if s.many != nil {
		return s.ofMany(names)
	}
	for _, k := range s.few {
		if slices.Equal(k.names, names) {
			return k
		}
	}
	k := freshShape(names)
	if k == nil {
		return nil
	}
	if s.few = append(s.few, k); len(s.few) == fewKeys {
		s.many = make(map[string]*Keys, 2*fewKeys)
		for _, k := range s.few {
			s.join(k.names)
			s.many[string(s.joined)] = k
		}
	}
	return k
}

func (s *jsonShapes) ofMany(names []string) *Keys {
	s.join(names)
	k := s.many[string(s.joined)]
	if k == nil {
		if k = freshShape(names); k != nil {
			s.many[string(s.joined)] = k
		}
	}
	return k
}

func (s *jsonShapes) join(names []string) {
	s.joined = s.joined[:0]
	for _, name := range names {
		s.joined = append(append(s.joined, name...), 0xff)
	}
}

// freshShape returns a shape with copies of the names, nil if one is there twice. The names of a small object are one copy.
func freshShape(names []string) *Keys {
	if duplicate(names) >= 0 {
		return nil
	}
	own := make([]string, len(names))
	if len(names) > flatLimit {
		for i, name := range names {
			own[i] = strings.Clone(name)
		}
		return newShape(own)
	}
	size := 0
	for _, name := range names {
		size += len(name)
	}
	bytes := make([]byte, 0, size)
	for _, name := range names {
		bytes = append(bytes, name...)
	}
	all := stringOf(bytes)
	for i, name := range names {
		own[i], all = all[:len(name)], all[len(name):]
	}
	return newShape(own)
}
