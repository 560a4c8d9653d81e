package delta

import "strconv"

// exactDigits is how many decimal digits every double holds: as integers they are below 2^53, and so is the power of ten that
// such a number may be divided by.
const exactDigits = 15

var powersOfTen = [exactDigits + 1]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// number reads a number. Those of few digits and without an exponent are an integer, divided by a power of ten: both are exact,
// so that the quotient is the double nearest.
func (p *parser) number() (Value, error) {
	in, at := p.in, p.at
	negative := in[at] == '-'
	if negative {
		at++
	}
	n, end := p.digits(at)
	whole, fraction := end-at, 0
	if whole == 0 || whole > 1 && in[at] == '0' {
		return Value{}, p.fail("not a number")
	}
	if end < len(in) && in[end] == '.' {
		for end++; end < len(in) && in[end]-'0' <= 9; end++ {
			n = n*10 + uint64(in[end]-'0')
			fraction++
		}
		if fraction == 0 {
			return Value{}, p.fail("not a number")
		}
	}
	if whole+fraction > exactDigits || end < len(in) && in[end]|0x20 == 'e' {
		return p.longNumber(end)
	}
	p.at = end
	f := float64(n)
	if fraction > 0 {
		f /= powersOfTen[fraction]
	}
	if negative {
		f = -f
	}
	return Number(f), nil
}

// digits reads digits from a place on. The number wraps around beyond 19 of them.
func (p *parser) digits(at int) (n uint64, end int) {
	for in := p.in; at < len(in) && in[at]-'0' <= 9; at++ {
		n = n*10 + uint64(in[at]-'0')
	}
	return n, at
}

// longNumber reads a number whose digits, and their point, go on to a place.
func (p *parser) longNumber(end int) (Value, error) {
	in := p.in
	if end < len(in) && in[end]|0x20 == 'e' {
		if end++; end < len(in) && (in[end] == '+' || in[end] == '-') {
			end++
		}
		from := end
		if _, end = p.digits(from); end == from {
			return Value{}, p.fail("not a number")
		}
	}
	f, err := strconv.ParseFloat(stringOf(in[p.at:end]), 64)
	if err != nil {
		return Value{}, p.fail("a number too large for a double")
	}
	p.at = end
	return Number(f), nil
}

// index reads an integer from 0 on that has no sign, point or exponent and at most exactDigits.
func (p *parser) index() (n int, ok bool) {
	at := p.at
	v, end := p.digits(at)
	size := end - at
	if size == 0 || size > exactDigits || size > 1 && p.in[at] == '0' || uint64(int(v)) != v {
		return 0, false
	}
	if end < len(p.in) && (p.in[end] == '.' || p.in[end]|0x20 == 'e') {
		return 0, false
	}
	p.at = end
	return int(v), true
}
