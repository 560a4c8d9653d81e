package delta

import "unsafe"

// Builder makes the values of one message for a decoder, a block of many at a time. The values are as any others; those of
// one block are freed together, and a text of 32 bytes or more is a view that keeps its message. A block has no more room
// than there may be values for, as far as Expect was told, nor than about four times that of the block before.
//
// The zero value is ready. A Builder must not be copied, and is not for use by several goroutines.
type Builder struct {
	source  *textBox // what the texts that are pieces of the message are pieces of
	short   *textBox // what the short texts are pieces of
	room    []byte   // of short, from used on
	used    int
	boxes   []textBox
	objects []objectBox
	lists   []listBox
	values  []Value
	expect  int // how many requests there may be from the next one on; 0 if there is no telling

	packs packer

	nextShort, nextBoxes, nextObjects, nextLists, nextValues int // how large the last blocks were
}

const (
	// borrowedText is the length in bytes from which a text is a view of its message. A shorter one is copied, so that it
	// does not keep the message alive.
	borrowedText = 32
	// smallMessage is the length in bytes up to which a message's texts are all copied, into one block.
	smallMessage = 216
	// blockBytes is how large a block is at the most; the first is small, for messages that are. It is a size that the
	// runtime has, less the word that it takes for itself.
	blockBytes  = 8<<10 - 8
	blockValues = blockBytes / int(unsafe.Sizeof(Value{}))
)

// Expect says that up to others more values may be asked for after the next one, as the lists and objects under way have
// announced. Until then there may be any number.
func (b *Builder) Expect(others int) { b.expect = others + 1 }

// block returns how many T there are to be in a block after one of last.
func block[T any](b *Builder, last int) int {
	var one T
	n := min(4*last+1, blockBytes/int(unsafe.Sizeof(one)))
	if b.expect > 0 {
		n = min(n, b.expect)
	}
	return n
}

// Text is TextIn for bytes that are all there is of their message.
func (b *Builder) Text(s []byte) Value { return b.TextIn(s, 0, len(s)) }

// TextIn returns the text of message[from:to], which is WTF-8 and read as [String] reads it. It panics unless
// 0 ≤ from ≤ to ≤ len(message). The bytes may be viewed from then on: they must not change.
func (b *Builder) TextIn(message []byte, from, to int) Value {
	s := message[from:to]
	if len(s) == 0 {
		return Value{ref: unsafe.Pointer(emptyText)}
	}
	if len(s) > pieceLimit || uint64(from) > pieceReach {
		return TextValue(b.long(s))
	}
	units, ok := unitsOf(s)
	switch {
	case !ok:
		return TextValue(NewText(stringOf(s)))
	case len(s) < borrowedText || len(message) <= smallMessage:
		return b.copied(s, units, len(message)-from)
	case b.source == nil || unsafe.StringData(b.source.flat) != unsafe.SliceData(message) || to > len(b.source.flat):
		b.source = newSource(message)
	}
	return Value{ref: unsafe.Pointer(b.source), bits: uint64(newPiece(from, units, len(s)))}
}

// NewText is Text for the operand of an op, which is seldom one of many.
func (b *Builder) NewText(s []byte) Text {
	if len(s) == 0 {
		return Text{}
	}
	if len(s) > pieceLimit {
		return b.long(s)
	}
	units, ok := unitsOf(s)
	switch {
	case !ok:
		return NewText(stringOf(s))
	case len(s) < borrowedText:
		return b.copied(s, units, 0).Text()
	}
	return pieceText(s, units)
}

// long returns a text that is no piece, ASCII as a view.
func (b *Builder) long(s []byte) Text {
	switch {
	case !isASCII(stringOf(s)):
		return NewText(stringOf(s))
	case len(s) > textLeafLimit:
		return viewText(s)
	}
	if len(b.boxes) == 0 {
		b.nextBoxes = block[textBox](b, b.nextBoxes)
		b.boxes = make([]textBox, b.nextBoxes)
	}
	box := &b.boxes[0]
	b.boxes = b.boxes[1:]
	box.kind, box.flat = KindText, stringOf(s)
	return Text{box: box}
}

// viewText returns an ASCII text of several leaves, each of which is a view.
func viewText(s []byte) Text {
	leaves := make([]textLeaf, 0, len(s)/textLeafLimit+1)
	for len(s) > 0 {
		n := min(len(s), textLeafLimit)
		leaves = append(leaves, textLeaf{ascii: s[:n:n]})
		s = s[n:]
	}
	return ropeText(rope{root: grow[textLeaf, textSum](leaves)})
}

// shortBlock is a source of short texts and its bytes in one piece.
type shortBlock[bytes any] struct {
	box   textBox
	bytes bytes
}

// copied returns a text as a piece of a block. It is shorter than borrowedText, or the message is small and has so many bytes
// left, this text's among them.
func (b *Builder) copied(s []byte, units, left int) Value {
	if len(s) > len(b.room)-b.used {
		b.moreShort(left)
	}
	at := b.used
	b.used += copy(b.room[at:], s)
	return Value{ref: unsafe.Pointer(b.short), bits: uint64(newPiece(at, units, len(s)))}
}

// moreShort makes a block for short texts: first of 80, 144 or 256 bytes in all, as what is left of the message asks for, then
// of 256, and then always of 1,024, where pointers have 64 bits.
func (b *Builder) moreShort(left int) {
	switch {
	case b.nextShort > 1:
		one := &shortBlock[[976]byte]{}
		b.short, b.room = &one.box, one.bytes[:]
	case b.nextShort == 1 || left > 104 && left <= smallMessage:
		one := &shortBlock[[smallMessage]byte]{}
		b.short, b.room = &one.box, one.bytes[:]
	case left > 40 && left <= smallMessage:
		one := &shortBlock[[104]byte]{}
		b.short, b.room = &one.box, one.bytes[:]
	default:
		one := &shortBlock[[40]byte]{}
		b.short, b.room = &one.box, one.bytes[:]
	}
	*b.short = textBox{header: header{kind: KindText}, flat: stringOf(b.room), rope: &pieces}
	b.nextShort++
	b.used = 0
}

// Values returns room for n values, all null, to be handed to [Builder.List] or [Builder.Object].
func (b *Builder) Values(n int) []Value {
	if n > blockValues/4 {
		return make([]Value, n)
	}
	if n > len(b.values) {
		fits := blockValues / max(n, 1)
		if b.expect > 0 {
			fits = min(fits, b.expect)
		}
		b.nextValues = max(n, min(4*b.nextValues, n*fits))
		b.values = make([]Value, b.nextValues)
	}
	v := b.values[:n:n]
	b.values = b.values[n:]
	return v
}

// Fields is Values for the fields of one object. The first one of a message that has few is made in one piece. What is made
// until [Builder.Object] takes them must be in them.
func (b *Builder) Fields(n int) []Value {
	fields := b.fields(n)
	b.begin(fields)
	return fields
}

func (b *Builder) fields(n int) []Value {
	if n <= len(b.packs.spare) {
		fields := b.packs.spare[:n:n]
		b.packs.spare = nil
		return fields
	}
	if b.expect != 1 || n > 8 || b.nextValues > 0 || b.nextObjects > 0 {
		return b.Values(n)
	}
	b.nextValues, b.nextObjects = n, 1
	if n <= 4 {
		one := &struct {
			box    objectBox
			values [4]Value
		}{}
		b.objects = unsafe.Slice(&one.box, 1)
		return one.values[:n:n]
	}
	one := &struct {
		box    objectBox
		values [8]Value
	}{}
	b.objects = unsafe.Slice(&one.box, 1)
	return one.values[:n:n]
}

// Object is [ObjectOf] in a block, or packed: see [Builder.Left]. The values may be used again for another object.
func (b *Builder) Object(k *Keys, values []Value) Value {
	if len(values) != k.Len() || len(values) > flatLimit {
		return ObjectOf(k, values)
	}
	size, depth := flatMeasure(k, values)
	if depth == 0 && packedSize(k, size) <= packedLimit {
		if v, ok := b.pack(k, values); ok {
			return v
		}
	}
	if len(b.objects) == 0 {
		b.nextObjects = block[objectBox](b, b.nextObjects)
		b.objects = make([]objectBox, b.nextObjects)
	}
	box := &b.objects[0]
	b.objects = b.objects[1:]
	box.size, box.depth = size, depth+1
	box.kind, box.keys, box.vals = KindObject, k, values
	return Value{ref: unsafe.Pointer(box)}
}

// List is [ListOf], in a block if the list is short.
func (b *Builder) List(values []Value) Value {
	if len(values) == 0 || len(values) > listLeafLimit {
		return ListOf(values)
	}
	if len(b.lists) == 0 {
		b.nextLists = block[listBox](b, b.nextLists)
		b.lists = make([]listBox, b.nextLists)
	}
	box := &b.lists[0]
	b.lists = b.lists[1:]
	box.tailSum = listLeaf(values).sum()
	box.kind, box.depth, box.tail = KindList, box.tailSum.depth+1, values
	return Value{ref: unsafe.Pointer(box)}
}

// Runs are the elements of a long list under way, run by run, so that none is copied.
type Runs struct {
	leaves []listLeaf
	left   int
}

// NewRuns begins a list of n elements. The memory for them is taken run by run.
func NewRuns(n int) Runs {
	return Runs{leaves: make([]listLeaf, 0, (n+listLeafLimit-1)/listLeafLimit), left: n}
}

// Next returns the next run of elements, all null and to be set, nil if there are no more.
func (r *Runs) Next() []Value {
	if r.left == 0 {
		return nil
	}
	run := make(listLeaf, min(r.left, listLeafLimit))
	r.left -= len(run)
	r.leaves = append(r.leaves, run)
	return run
}

// List returns the list of all runs, which must not be changed any more.
func (r *Runs) List() Value {
	if len(r.leaves) == 1 {
		return ListOf(r.leaves[0])
	}
	if len(r.leaves) == 0 {
		return ListOf(nil)
	}
	return listValue(rows{root: grow[listLeaf, listSum](r.leaves)})
}
