package delta

// packed reads an object of a shape, from its first value on, if all its fields are scalars that can be packed. Whatever else
// it is, nothing of it is read.
func (p *parser) packed(k *Keys) (v Value, ok bool) {
	p.build.Left(len(p.in) - p.at)
	f, ok := p.build.Pack(k)
	if !ok {
		return Value{}, false
	}
	from := p.at
	all := p.packFields(k, &f)
	p.build.Left(len(p.in) - p.at)
	if v, ok = p.build.Packed(k, &f, all); !ok {
		p.at = from
	}
	return v, ok
}

// packFields reads the fields of an object and its end.
func (p *parser) packFields(k *Keys, f *Packing) (ok bool) {
	for n := 1; ; n++ {
		if !p.packScalar(f) {
			return false
		}
		switch p.next() {
		case ',':
			p.at++
			if p.next(); !p.follows(k, n) {
				return false
			}
		case '}':
			p.at++
			return n == len(k.names)
		default:
			return false
		}
	}
}

// packScalar reads a scalar, unless it is a string with escapes.
func (p *parser) packScalar(f *Packing) (ok bool) {
	switch c := p.next(); c {
	case '"':
		from := p.at + 1
		end, ascii := p.plain(from)
		if end == len(p.in) || p.in[end] != '"' || end-from > pieceLimit {
			return false
		}
		p.at = end + 1
		if ascii {
			f.text(p.in[from:end], end-from)
			return true
		}
		return f.Text(p.in[from:end])
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		v, err := p.number()
		f.Number(v.Number())
		return err == nil
	case 't', 'f':
		f.Bool(c == 't')
		if c == 't' {
			return p.word("true") == nil
		}
		return p.word("false") == nil
	case 'n':
		f.Null()
		return p.word("null") == nil
	}
	return false
}
