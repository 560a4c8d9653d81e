package delta

import "bytes"

const (
	// textLeafLimit is how many units a leaf of a text may have: 2 KiB of ASCII, 4 KiB of anything else.
	textLeafLimit = 2048
	// textWidenLimit is how many ASCII units a tail may have to be widened in place when something else is appended;
	// a longer one is closed, so that it stays at a byte a unit.
	textWidenLimit = 256
)

type textNode = node[textLeaf, textSum]

// textLeaf is a run of units: ASCII or anything.
type textLeaf struct {
	ascii []byte
	wide  []uint16 // if ascii is empty
}

// textSum is what a run of text knows of itself.
type textSum struct {
	encoded  int  // bytes in WTF-8
	startsIn bool // the first unit is the second half of a pair
	endsIn   bool // the last unit is the first half of a pair
}

// plus sums up two runs in a row. A pair that meets takes 4 bytes, its halves alone take 3 each.
func (s textSum) plus(t textSum) textSum {
	if s.encoded == 0 {
		return t
	}
	if t.encoded == 0 {
		return s
	}
	out := textSum{encoded: s.encoded + t.encoded, startsIn: s.startsIn, endsIn: t.endsIn}
	if s.endsIn && t.startsIn {
		out.encoded -= 2
	}
	return out
}

func (l textLeaf) len() int { return len(l.ascii) + len(l.wide) }

func (l textLeaf) limit() int { return textLeafLimit }

// part returns units [i, j) without copying them.
func (l textLeaf) part(i, j int) textLeaf {
	if l.wide != nil {
		return textLeaf{wide: l.wide[i:j:j]}
	}
	return textLeaf{ascii: l.ascii[i:j:j]}
}

func (l textLeaf) cut(i, j int) textLeaf {
	p := l.part(i, j)
	if p.wide != nil {
		return newTextLeaf(p.wide)
	}
	return textLeaf{ascii: bytes.Clone(p.ascii)}
}

func (l textLeaf) merge(m textLeaf) textLeaf {
	if l.wide == nil && m.wide == nil {
		out := make([]byte, 0, l.len()+m.len())
		return textLeaf{ascii: append(append(out, l.ascii...), m.ascii...)}
	}
	out := make([]uint16, 0, l.len()+m.len())
	return textLeaf{wide: m.appendUnits(l.appendUnits(out))}
}

func (l textLeaf) appendUnits(dst []uint16) []uint16 {
	dst = append(dst, l.wide...)
	for _, c := range l.ascii {
		dst = append(dst, uint16(c))
	}
	return dst
}

func (l textLeaf) unit(i int) uint16 {
	if l.wide != nil {
		return l.wide[i]
	}
	return uint16(l.ascii[i])
}

func (l textLeaf) sum() textSum {
	if l.wide == nil {
		return textSum{encoded: len(l.ascii)}
	}
	var s textSum
	for i := 0; i < len(l.wide); i++ {
		switch u := l.wide[i]; {
		case u < 0x80:
			s.encoded++
		case u < 0x800:
			s.encoded += 2
		case isHigh(u) && i+1 < len(l.wide) && isLow(l.wide[i+1]):
			s.encoded += 4
			i++
		default:
			s.encoded += 3
		}
	}
	s.startsIn, s.endsIn = isLow(l.wide[0]), isHigh(l.wide[len(l.wide)-1])
	return s
}

// sameUnits reports whether n units of two leaves are the same.
func (l textLeaf) sameUnits(i int, m textLeaf, j, n int) bool {
	if l.wide == nil && m.wide == nil {
		return bytes.Equal(l.ascii[i:i+n], m.ascii[j:j+n])
	}
	for k := range n {
		if l.unit(i+k) != m.unit(j+k) {
			return false
		}
	}
	return true
}

// newTextLeaf copies units into a leaf, narrow if they are ASCII.
func newTextLeaf(units []uint16) textLeaf {
	for _, u := range units {
		if u >= 0x80 {
			return textLeaf{wide: append(make([]uint16, 0, len(units)), units...)}
		}
	}
	ascii := make([]byte, len(units))
	for i, u := range units {
		ascii[i] = byte(u)
	}
	return textLeaf{ascii: ascii}
}

func isHigh(u uint16) bool { return u&0xfc00 == 0xd800 }

func isLow(u uint16) bool { return u&0xfc00 == 0xdc00 }
