package delta

import "unsafe"

// Builder makes the values of one message for a decoder, a block of many at a time, and makes a short text that comes
// again only once. The values are as any others; those of one block are freed together.
//
// The zero value is ready. A Builder must not be copied, and is not for use by several goroutines.
type Builder struct {
	texts   []textBox
	objects []objectBox
	values  []Value
	bytes   []byte

	nextTexts, nextObjects, nextValues int // how large the next blocks are

	recent *[recentTexts]Value // short texts, by a hash of their bytes; nil in a message that has few
	short  int                 // how many short texts there were
}

const (
	// borrowedText is the length in bytes from which a text is a view of its message. A shorter one is copied, so that it
	// does not keep the message alive.
	borrowedText = 32
	// recentText is the longest text in bytes that is looked up among the recent ones.
	recentText  = 12
	recentTexts = 64
	// recentFrom is after how many short texts the recent ones are kept.
	recentFrom = 8
	// blockLimit is how many values a block has at the most; the first has few, for messages that are small.
	blockLimit = 128
	blockBytes = 1024 // of short texts
)

// Text returns the text of WTF-8 bytes, which are read as [String] reads them. The bytes may be viewed from then on: they
// must not change.
func (b *Builder) Text(s []byte) Value {
	if len(s) == 0 {
		return TextValue(Text{})
	}
	if len(s) > textLeafLimit || !isASCII(stringOf(s)) {
		return TextValue(NewText(stringOf(s)))
	}
	if len(s) > recentText || !b.keepsRecent() {
		return TextValue(b.flat(s))
	}
	slot := &b.recent[recentHash(s)]
	if t := slot.Text(); t.box != nil && t.box.flat == stringOf(s) {
		return *slot
	}
	*slot = TextValue(b.flat(s))
	return *slot
}

// NewText is Text for the operand of an op, which is seldom one that came before.
func (b *Builder) NewText(s []byte) Text {
	switch {
	case len(s) == 0:
		return Text{}
	case len(s) > textLeafLimit || !isASCII(stringOf(s)):
		return NewText(stringOf(s))
	}
	return b.flat(s)
}

func (b *Builder) keepsRecent() bool {
	if b.recent == nil {
		if b.short++; b.short < recentFrom {
			return false
		}
		b.recent = new([recentTexts]Value)
	}
	return true
}

func recentHash(s []byte) int {
	h := uint32(len(s))
	for _, c := range s {
		h = h*31 + uint32(c)
	}
	return int((h ^ h>>7) % recentTexts)
}

// shortText is a short text and its bytes in one piece, for messages that have few.
type shortText struct {
	box   textBox
	bytes [borrowedText]byte
}

// flat returns an ASCII text of one leaf: a long one as a view, a short one copied.
func (b *Builder) flat(s []byte) Text {
	if len(s) < borrowedText && b.nextTexts == 0 {
		b.nextTexts = 1
		one := &shortText{}
		n := copy(one.bytes[:], s)
		one.box.kind, one.box.flat = KindText, stringOf(one.bytes[:n:n])
		return Text{&one.box}
	}
	if len(b.texts) == 0 {
		b.nextTexts = min(4*b.nextTexts+1, blockLimit)
		b.texts = make([]textBox, b.nextTexts)
	}
	box := &b.texts[0]
	b.texts = b.texts[1:]
	box.kind, box.flat = KindText, b.keep(s)
	return Text{box}
}

// keep returns the bytes as a string: a view of them, or of a copy in a block.
func (b *Builder) keep(s []byte) string {
	if len(s) >= borrowedText {
		return stringOf(s)
	}
	if len(s) > len(b.bytes) {
		b.bytes = make([]byte, max(len(s), min(b.nextTexts*borrowedText/2, blockBytes)))
	}
	n := copy(b.bytes, s)
	kept := stringOf(b.bytes[:n:n])
	b.bytes = b.bytes[n:]
	return kept
}

// Values returns room for n values, all null, to be handed to [ListOf] or [Builder.Object].
func (b *Builder) Values(n int) []Value {
	if n > blockLimit/4 {
		return make([]Value, n)
	}
	if n > len(b.values) {
		b.nextValues = min(max(4*b.nextValues, n), blockLimit)
		b.values = make([]Value, b.nextValues)
	}
	v := b.values[:n:n]
	b.values = b.values[n:]
	return v
}

// Object is [ObjectOf] in a block.
func (b *Builder) Object(k *Keys, values []Value) Value {
	if len(values) != k.Len() || len(values) > flatLimit {
		return ObjectOf(k, values)
	}
	if len(b.objects) == 0 {
		b.nextObjects = min(4*b.nextObjects+1, blockLimit)
		b.objects = make([]objectBox, b.nextObjects)
	}
	box := &b.objects[0]
	b.objects = b.objects[1:]
	box.size, box.depth = flatMeasure(k, values)
	box.kind, box.keys, box.vals = KindObject, k, values
	box.depth++
	return Value{ref: unsafe.Pointer(box)}
}
