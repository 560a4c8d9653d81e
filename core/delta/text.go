package delta

import (
	"strings"
	"sync/atomic"
	"unsafe"
)

// Text is an immutable sequence of UTF-16 units, as a JavaScript string is: lone surrogates are legal, and two halves
// that meet are one code point. Runs of ASCII take a byte a unit. The zero value is the empty text.
//
// Appending to the newest version of a text is amortised O(1) in the text that is there; appending to an older one,
// slicing and concatenating are O(log n).
type Text struct {
	box   *textBox // nil if empty
	piece piece    // of the box, which is a source; 0 if it is none
}

// textBox is a text of at least one unit (emptyText apart).
type textBox struct {
	header
	hash atomic.Uint64 // memo of the value's hash, 0 while it is not known
	flat string        // an ASCII text of one leaf at most, if rope is nil
	rope *rope         // &pieces in a source, whose bytes flat is
}

// ascii returns the units of a text that is one run of ASCII.
func (t Text) ascii() (s string, ok bool) {
	switch {
	case t.piece != 0:
		return t.piece.of(t.box.flat), t.piece.isASCII()
	case t.box == nil:
		return "", true
	}
	return t.box.flat, t.box.rope == nil
}

// UTF8 returns a text that is at hand as one run of UTF-8, as most short ones are. ok is false for any other.
func (t Text) UTF8() (s string, ok bool) {
	if t.piece != 0 {
		return t.piece.of(t.box.flat), true
	}
	return t.ascii()
}

// asRope returns any other text than what ascii does as a rope, which must not be changed.
func (t Text) asRope() *rope {
	if t.piece != 0 {
		return pieceRope(t.piece.of(t.box.flat), t.piece.units())
	}
	return t.box.rope
}

// rope is any other text: the units of a tree and then those of a tail, which grows in place while it is the newest.
type rope struct {
	root    *textNode
	tail    textLeaf
	tailSum textSum
	own     *textTail // what the tail is a part of; nil if it cannot grow in place
}

// textTail is the storage of a tail. Every version of a text sees a beginning of it; only the version that sees all that
// is used may use more.
type textTail struct {
	ascii []byte   // all of the storage, used or not
	wide  []uint16 // or this, if the tail has other than ASCII
	used  atomic.Int64
	// The polynomial of a beginning, which every version that is longer can go on from.
	hashed atomic.Pointer[hashedPrefix]
}

var emptyText = &textBox{header: header{kind: KindText}}

func flatText(ascii string) Text {
	if ascii == "" {
		return Text{}
	}
	return Text{box: &textBox{header: header{kind: KindText}, flat: ascii}}
}

// bytesOf returns the bytes of s, which are never to be written.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// stringOf returns the bytes, which must not change while it is in use, as a string.
func stringOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

func ropeText(r rope) Text {
	switch {
	case r.len() == 0:
		return Text{}
	case r.root == nil && r.own == nil && r.tail.wide == nil:
		return flatText(string(r.tail.ascii))
	}
	both := &struct {
		box  textBox
		rope rope
	}{box: textBox{header: header{kind: KindText}}, rope: r}
	both.box.rope = &both.rope
	return Text{box: &both.box}
}

// Len returns the number of UTF-16 units.
func (t Text) Len() int {
	switch {
	case t.piece != 0:
		return t.piece.units()
	case t.box == nil:
		return 0
	case t.box.rope == nil:
		return len(t.box.flat)
	}
	return t.box.rope.len()
}

// EncodedLen returns the number of bytes of the text in WTF-8, which for a text without lone surrogates is UTF-8.
func (t Text) EncodedLen() int {
	if t.piece != 0 {
		return t.piece.bytes()
	}
	return t.sum().encoded
}

func (t Text) sum() textSum {
	if s, ok := t.UTF8(); ok {
		return textSum{encoded: len(s)}
	}
	return t.box.rope.sum()
}

// Append returns t and then u.
func (t Text) Append(u Text) Text {
	switch {
	case u.Len() == 0:
		return t
	case t.Len() == 0:
		return u
	case u.Len() > textLeafLimit:
		return ropeText(rope{root: concat(t.tree(), u.tree())})
	}
	r := t.grown()
	u.leaves(func(l textLeaf) bool {
		r.push(l)
		return true
	})
	return ropeText(r)
}

// AppendString returns t and then s, which is read as [String] reads it.
func (t Text) AppendString(s string) Text {
	if s == "" {
		return t
	}
	if len(s) <= textLeafLimit && isASCII(s) && t.Len() > 0 {
		r := t.grown()
		r.push(textLeaf{ascii: bytesOf(s)})
		return ropeText(r)
	}
	return t.Append(NewText(s))
}

// Slice returns units [i, j). It panics unless 0 ≤ i ≤ j ≤ t.Len(). It may part a surrogate pair.
func (t Text) Slice(i, j int) Text {
	if i < 0 || i > j || j > t.Len() {
		panic("delta: text slice out of range")
	}
	if i == 0 && j == t.Len() {
		return t
	}
	if s, ok := t.ascii(); ok {
		// A short piece of a long string must not keep it all.
		return flatText(strings.Clone(s[i:j]))
	}
	r := *t.asRope()
	head := r.root.size()
	if j == t.Len() && i < head {
		r.root = slice(r.root, i, head)
		return ropeText(r)
	}
	var out rope
	if i < head {
		out.root = slice(r.root, i, min(j, head))
	}
	if j > head {
		out.push(r.tail.cut(max(i-head, 0), j-head))
	}
	return ropeText(out.settled())
}

// Unit returns unit i. It panics unless 0 ≤ i < t.Len().
func (t Text) Unit(i int) uint16 {
	if i < 0 || i >= t.Len() {
		panic("delta: text index out of range")
	}
	if s, ok := t.ascii(); ok {
		return uint16(s[i])
	}
	r := t.asRope()
	if head := r.root.size(); i >= head {
		return r.tail.unit(i - head)
	}
	l, at := r.root.find(i)
	return l.unit(at)
}

// Equal reports whether both texts have the same units. What they share is not compared.
func (t Text) Equal(u Text) bool {
	switch {
	case t == u:
		return true
	case t.Len() != u.Len() || t.sum() != u.sum():
		return false
	case t.Len() == 0:
		return true
	}
	s, ok := t.UTF8()
	if z, both := u.UTF8(); ok && both {
		return s == z
	}
	return compare(t.tree(), u.tree(), func(la textLeaf, ia int, lb textLeaf, ib, n int) bool {
		return la.sameUnits(ia, lb, ib, n)
	})
}

// leaves calls yield for every run of units in order, until it returns false.
func (t Text) leaves(yield func(textLeaf) bool) {
	if s, ok := t.ascii(); ok {
		if s != "" {
			yield(textLeaf{ascii: bytesOf(s)})
		}
		return
	}
	r := t.asRope()
	if r.root.each(yield) && r.tail.len() > 0 {
		yield(r.tail)
	}
}

// tree returns all units as a tree.
func (t Text) tree() *textNode {
	if s, ok := t.ascii(); ok {
		return leafNode[textLeaf, textSum](textLeaf{ascii: bytesOf(s)})
	}
	return t.asRope().tree()
}

// grown returns the text as a rope to push to.
func (t Text) grown() rope {
	if s, ok := t.ascii(); ok {
		return rope{tail: textLeaf{ascii: bytesOf(s)}, tailSum: textSum{encoded: len(s)}}
	}
	return *t.asRope()
}

func (r *rope) len() int { return r.root.size() + r.tail.len() }

func (r *rope) sum() textSum { return r.root.total().plus(r.tailSum) }

func (r *rope) tree() *textNode {
	return concat(r.root, leafNode[textLeaf, textSum](r.tail))
}

// settled returns the rope with its tail cut to size, for a text that nobody appends to at once.
func (r *rope) settled() rope {
	if r.root == nil && r.tail.wide == nil {
		return rope{tail: r.tail, tailSum: r.tailSum}
	}
	return rope{root: r.tree()}
}

// push appends a run of units.
func (r *rope) push(l textLeaf) {
	for l.len() > 0 {
		if r.tail.len() >= textLeafLimit || l.wide != nil && len(r.tail.ascii) > textWidenLimit {
			r.root, r.tail, r.tailSum, r.own = r.tree(), textLeaf{}, textSum{}, nil
		}
		n := min(l.len(), textLeafLimit-r.tail.len())
		run := l.part(0, n)
		r.reserve(n, run.wide != nil || r.tail.wide != nil)
		r.own.write(r.tail.len(), run)
		r.tail = r.own.view(r.tail.len() + n)
		r.tailSum = r.tailSum.plus(run.sum())
		l = l.part(n, l.len())
	}
}

// reserve makes the tail one that has n more units of storage which are this rope's alone.
func (r *rope) reserve(n int, wide bool) {
	have := r.tail.len()
	if r.own != nil && (r.own.wide != nil) == wide && have+n <= r.own.room() &&
		r.own.used.CompareAndSwap(int64(have), int64(have+n)) {
		return
	}
	room := 32
	for room < have+n {
		room *= 2
	}
	own := &textTail{}
	if wide {
		own.wide = make([]uint16, room)
	} else {
		own.ascii = make([]byte, room)
	}
	own.write(0, r.tail)
	own.used.Store(int64(have + n))
	r.own = own
}

func (o *textTail) room() int { return len(o.ascii) + len(o.wide) }

// view returns the first n units.
func (o *textTail) view(n int) textLeaf {
	if o.wide != nil {
		return textLeaf{wide: o.wide[:n:n]}
	}
	return textLeaf{ascii: o.ascii[:n:n]}
}

// write stores a run at a place. Invariant: storage for ASCII gets only ASCII.
func (o *textTail) write(at int, l textLeaf) {
	switch {
	case o.wide == nil:
		copy(o.ascii[at:], l.ascii)
	case l.wide != nil:
		copy(o.wide[at:], l.wide)
	default:
		for i, c := range l.ascii {
			o.wide[at+i] = uint16(c)
		}
	}
}
