package delta

import (
	"math"
	"math/bits"
)

// hash.go computes content hashes. The function is fixed: texts and lists hash as polynomials over the field of 2^61-1,
// so that the hash of a whole follows from those of its parts wherever they were cut; objects as a sum over their fields, in
// which order does not matter; and every value through the finalizer of splitmix64. A hash is not meant to withstand
// somebody who looks for collisions.

const (
	hashPrime = 1<<61 - 1
	hashBase  = 0x0b7e151628aed2a7 // digits of e: any number that is no small one will do
)

// The start of every kind's hash.
const (
	hashNull = 0x9216d5d98979fb1b + uint64(iota)
	hashFalse
	hashTrue
	hashNumber
	hashText
	hashList
	hashObject
	hashField
)

// basePowers[i] is hashBase to the power of 2^i.
var basePowers = func() (powers [64]uint64) {
	p := uint64(hashBase)
	for i := range powers {
		powers[i] = p
		p = mulHash(p, p)
	}
	return powers
}()

// Hash returns a hash of v's content: equal values have equal hashes, on every machine and however they came about. Each
// container remembers the hashes of its parts, so that a value that differs from one that was hashed by a small change costs
// O(log n).
func (v Value) Hash() uint64 {
	switch v.Kind() {
	case KindNull:
		return mix(hashNull)
	case KindBool:
		return mix(hashFalse + v.bits)
	case KindNumber:
		if v.Number() == 0 {
			return mix(hashNumber) // minus zero is zero
		}
		return mix(hashNumber ^ mix(math.Float64bits(v.Number())))
	case KindText:
		return v.Text().hash()
	case KindList:
		return v.list().contentHash()
	}
	if v.isPacked() {
		p, o, _ := v.packed()
		return p.contentHash(o)
	}
	return v.object().contentHash()
}

func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// finish makes the hash of a container out of the polynomial or sum over its content, never 0.
func finish(start uint64, count int, content uint64) uint64 {
	return max(mix(start^mix(uint64(count)^mix(content))), 1)
}

func mulHash(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return foldHash(lo&hashPrime + (lo>>61 | hi<<3))
}

// foldHash reduces a number below 2^62.
func foldHash(x uint64) uint64 {
	if x >= hashPrime {
		x -= hashPrime
	}
	return x
}

// basePower returns hashBase to the power of n.
func basePower(n int) uint64 {
	p := uint64(1)
	for i := 0; n > 0; i, n = i+1, n>>1 {
		if n&1 == 1 {
			p = mulHash(p, basePowers[i])
		}
	}
	return p
}

// chain returns the polynomial of a sequence and n more elements whose polynomial is known.
func chain(before, after uint64, n int) uint64 {
	return foldHash(mulHash(before, basePower(n)) + after)
}

// polynomial returns the polynomial of a subtree, of which of() computes that of a leaf.
func polynomial[L leaf[L, S], S sum[S]](n *node[L, S], of func(L) uint64) uint64 {
	if n == nil {
		return 0
	}
	if known := n.hash.Load(); known != 0 {
		return known - 1
	}
	var h uint64
	if n.isLeaf() {
		h = of(n.leaf)
	} else {
		h = chain(polynomial(n.left, of), polynomial(n.right, of), n.right.count)
	}
	n.hash.Store(h + 1)
	return h
}

func (l textLeaf) polynomial() uint64 { return l.extend(0) }

// lowPowers[i] is hashBase to the power of i.
var lowPowers = func() (powers [9]uint64) {
	powers[0] = 1
	for i := range powers[1:] {
		powers[i+1] = mulHash(powers[i], hashBase)
	}
	return powers
}()

// extend8 returns the polynomial of what h is that of, and then eight units. It reduces once: their products are below
// 2^70, and that of h is below 2^122.
func extend8(h uint64, s *[8]byte) uint64 {
	hi, lo := bits.Mul64(h, lowPowers[8])
	var carry uint64
	for i, c := range s {
		h2, l2 := bits.Mul64(uint64(c)+1, lowPowers[7-i])
		lo, carry = bits.Add64(lo, l2, 0)
		hi += h2 + carry
	}
	return foldHash(lo&hashPrime + (lo>>61 | hi<<3))
}

// extend returns the polynomial of what h is that of, and then the leaf.
func (l textLeaf) extend(h uint64) uint64 {
	s := l.ascii
	for ; len(s) >= 8; s = s[8:] {
		h = extend8(h, (*[8]byte)(s))
	}
	for _, c := range s {
		h = foldHash(mulHash(h, hashBase) + uint64(c) + 1)
	}
	for _, u := range l.wide {
		h = foldHash(mulHash(h, hashBase) + uint64(u) + 1)
	}
	return h
}

// hashedPrefix is the polynomial of the first units of a tail.
type hashedPrefix struct {
	units      int
	polynomial uint64
}

// tailPolynomial returns the polynomial of the tail. Of one that grows only what is new is computed.
func (r *rope) tailPolynomial() uint64 {
	if r.own == nil {
		return r.tail.polynomial()
	}
	known := r.own.hashed.Load()
	if known == nil || known.units > r.tail.len() {
		known = &hashedPrefix{}
	}
	h := r.tail.part(known.units, r.tail.len()).extend(known.polynomial)
	if known.units < r.tail.len() {
		r.own.hashed.Store(&hashedPrefix{r.tail.len(), h})
	}
	return h
}

func (t Text) hash() uint64 {
	switch {
	case t.box == nil:
		return finish(hashText, 0, 0)
	case t.piece != 0:
		s := t.piece.of(t.box.flat)
		if t.piece.isASCII() {
			return finish(hashText, len(s), textLeaf{ascii: bytesOf(s)}.polynomial())
		}
		return finish(hashText, t.piece.units(), polynomialUTF8(s))
	}
	if known := t.box.hash.Load(); known != 0 {
		return known
	}
	var content uint64
	if r := t.box.rope; r != nil {
		content = chain(polynomial(r.root, textLeaf.polynomial), r.tailPolynomial(), r.tail.len())
	} else {
		content = textLeaf{ascii: bytesOf(t.box.flat)}.polynomial()
	}
	h := finish(hashText, t.Len(), content)
	t.box.hash.Store(h)
	return h
}

func (l listLeaf) polynomial() uint64 {
	var h uint64
	for _, v := range l {
		h = foldHash(mulHash(h, hashBase) + v.Hash()%hashPrime)
	}
	return h
}

func (l *listBox) contentHash() uint64 {
	if known := l.hash.Load(); known != 0 {
		return known
	}
	content := chain(polynomial(l.root, listLeaf.polynomial), l.tail.polynomial(), len(l.tail))
	h := finish(hashList, l.len(), content)
	l.hash.Store(h)
	return h
}

func fieldHash(key string, v Value) uint64 {
	h := textLeaf{ascii: bytesOf(key)}.polynomial()
	return mix(mix(hashField^h) ^ v.Hash())
}

// fieldsHash returns the sum over a subtree's fields.
func fieldsHash(n *fieldNode) uint64 {
	if known := n.hash.Load(); known != 0 {
		return known - 1
	}
	var h uint64
	if n.isLeaf() {
		for _, f := range n.leaf {
			h += fieldHash(f.key, f.value)
		}
	} else {
		h = fieldsHash(n.left) + fieldsHash(n.right)
	}
	n.hash.Store(h + 1) // a sum of 2^64-1 is computed again each time
	return h
}

func (o *objectBox) contentHash() uint64 {
	if known := o.hash.Load(); known != 0 {
		return known
	}
	var content uint64
	if o.tree != nil {
		content = fieldsHash(o.tree.fields)
	} else {
		for i, v := range o.vals {
			content += fieldHash(o.keys.names[i], v)
		}
	}
	h := finish(hashObject, o.len(), content)
	o.hash.Store(h)
	return h
}
