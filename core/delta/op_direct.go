package delta

// Tuples are read straight from their bytes where they are written as peers write them: a plain letter, a path or an id that is
// known, arguments of the right kinds. Any other tuple, a wrong one above all, is read as a value first, and then judged.

// directSegments and directPerm are how many segments of a path and indexes of a permutation are read with one allocation.
const directSegments, directPerm = 8, 16

// parsedTo is how far a parser is.
type parsedTo struct{ at, depth, values, names int }

func (p *parser) here() parsedTo { return parsedTo{p.at, p.depth, len(p.values), len(p.names)} }

func (p *parser) back(to parsedTo) {
	p.at, p.depth, p.values, p.names = to.at, to.depth, p.values[:to.values], p.names[:to.names]
}

// direct reads one tuple; a definition leaves the code '#'. If it returns false nothing was read, and d knows nothing new.
// Last is the path of the op before it, nil if there is none.
func (d *WireDecoder) direct(p *parser, op *Op, last Path) bool {
	from := p.here()
	if d.directTuple(p, op, last) {
		p.depth = from.depth
		return true
	}
	p.back(from)
	return false
}

func (d *WireDecoder) directTuple(p *parser, op *Op, last Path) bool {
	if *op = (Op{}); !p.directCode(&op.Code) {
		return false
	}
	switch op.Code {
	case '#':
		return d.directDefinition(p)
	case OpReplace:
		if !op.directArguments(p) || op.check() != nil {
			return false
		}
		d.forget()
		return true
	}
	from := p.here()
	if d.directRef(p, op) && op.directArguments(p) {
		return op.check() == nil
	}
	p.back(from) // it has no path, if it has all else
	*op = Op{Code: op.Code, Path: last}
	return last != nil && op.directArguments(p) && op.check() == nil
}

// directCode reads the beginning of a tuple.
func (p *parser) directCode(c *Code) bool {
	if p.next() != '[' {
		return false
	}
	p.depth--
	p.at++
	if p.next() != '"' || len(p.in)-p.at < 3 || p.in[p.at+2] != '"' {
		return false
	}
	*c = Code(p.in[p.at+1])
	p.at += 3
	return true
}

// mark reads a comma or bracket.
func (p *parser) mark(c byte) bool {
	if p.next() != c {
		return false
	}
	p.at++
	return true
}

// directNumber reads a comma and a number.
func (p *parser) directNumber(n *int) (ok bool) {
	if !p.mark(',') {
		return false
	}
	p.next()
	*n, ok = p.index()
	return ok
}

// directArguments reads what follows the path, and the end of the tuple.
func (o *Op) directArguments(p *parser) bool {
	ok := true
	switch o.Code {
	case OpReplace, OpSet:
		ok = p.mark(',')
		if ok {
			var err error
			o.Value, err = p.value()
			ok = err == nil
		}
	case OpDelete:
	case OpAppend:
		ok = p.mark(',') && p.next() == '"'
		if ok {
			v, err := p.text()
			o.Text, ok = v.Text(), err == nil
		}
	case OpTruncate:
		ok = p.directNumber(&o.N)
	case OpSplice:
		ok = p.directNumber(&o.N) && p.directNumber(&o.Remove) && p.mark(',') && o.directItems(p)
	case OpPermute:
		ok = p.mark(',') && o.directPermutation(p)
	default:
		ok = false
	}
	return ok && p.mark(']')
}

// directItems reads the items of a splice.
func (o *Op) directItems(p *parser) bool {
	if !p.mark('[') {
		return false
	}
	p.depth--
	from := len(p.values)
	for more := !p.mark(']'); more; {
		v, err := p.value()
		if err != nil {
			return false
		}
		p.values = append(p.values, v)
		if more = p.mark(','); !more && !p.mark(']') {
			return false
		}
	}
	p.depth++
	o.Items = make([]Value, len(p.values)-from)
	copy(o.Items, p.values[from:])
	p.values = p.values[:from]
	return true
}

func (o *Op) directPermutation(p *parser) bool {
	if !p.mark('[') {
		return false
	}
	var room [directPerm]int
	perm := room[:0]
	for more := !p.mark(']'); more; {
		p.next()
		n, ok := p.index()
		if !ok {
			return false
		}
		perm = append(perm, n)
		if more = p.mark(','); !more && !p.mark(']') {
			return false
		}
	}
	o.Perm = make([]int, len(perm))
	copy(o.Perm, perm)
	return true
}

// directRef reads a comma and a path, or the id of one. The path is never nil.
func (d *WireDecoder) directRef(p *parser, op *Op) (ok bool) {
	if !p.mark(',') {
		return false
	}
	if p.next() == '[' {
		op.Path, ok = p.directPath()
		return ok
	}
	id, ok := p.index()
	if ok {
		op.Path, ok = d.paths[id]
	}
	return ok
}

// directDefinition reads the rest of a definition.
func (d *WireDecoder) directDefinition(p *parser) bool {
	var id int
	if !p.directNumber(&id) || !p.mark(',') {
		return false
	}
	path, ok := p.directPath()
	return ok && p.mark(']') && d.define(id, path) == nil
}

// directPath reads a path, which is never nil.
func (p *parser) directPath() (Path, bool) {
	if !p.mark('[') {
		return nil, false
	}
	var room [directSegments]Segment
	path := room[:0]
	for more := !p.mark(']'); more; {
		s, ok := p.directSegment()
		if !ok || len(path) == MaxDepth {
			return nil, false
		}
		path = append(path, s)
		if more = p.mark(','); !more && !p.mark(']') {
			return nil, false
		}
	}
	out := make(Path, len(path))
	copy(out, path)
	return out, true
}

func (p *parser) directSegment() (Segment, bool) {
	if p.next() != '"' {
		n, ok := p.index()
		return Segment{next: n + 1}, ok
	}
	s, err := p.str()
	if err != nil {
		return Segment{}, false
	}
	return Segment{key: canonical(string(s.bytes))}, true
}
