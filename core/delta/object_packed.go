package delta

import (
	"encoding/binary"
	"math"
	"unsafe"
)

// A pack is a block of bytes that has the fields of many small objects, one object after the other. An object of it needs no
// memory but those bytes: which pack, where, of which shape and how large it is fits into the two words of a [Value]. So do
// its texts, which are pieces of the pack as other texts are of their source. A field is read anew each time, which allocates
// nothing, so that nothing of an object has to be remembered, and whoever reads all of a list keeps no more than before. What
// changes an object makes a box of it.
//
// What a packed object lacks is a memo of its hash.
type pack struct {
	header         // of the objects, all of which are one level deep
	texts  textBox // the source of the texts; its bytes are those of the pack
	shapes []*Keys
}

// packed is an object of a pack: its place << 32 | index of its shape << 16 | its size, less the two of the braces.
type packed uint64

const (
	// packedLimit is how many bytes the fields of an object may take in a pack. It keeps it quick to hash one, and is what may
	// be left over at the end of a pack.
	packedLimit = 512
	// packBytes is how many bytes a pack has at the most: what the smallest object that is left of it may keep.
	packBytes = 8 << 10
	// packShapes is how many shapes the objects of a pack may have.
	packShapes = 16
)

// The tags of fields. Those below 0x80 hold a small number or a short text in the tag itself.
const (
	packSmall  = 0x00 // to 0x3f: the integers 0 to 63
	packShort  = 0x40 // to 0x7f: a text of 0 to 63 bytes of ASCII follows
	packNull   = 0x80
	packFalse  = 0x81
	packTrue   = 0x82
	packInt    = 0x83 // zigzag varint
	packDouble = 0x84 // 8 bytes, little-endian
	packASCII  = 0x85 // a byte: how many bytes less one; bytes
	packUTF8   = 0x86 // a byte: how many bytes less one; a byte: how many units less one; bytes
)

// packInts is up to which magnitude an integer is a varint.
const packInts = 1 << 53

func newPack(room []byte) *pack {
	p := &pack{header: header{kind: KindObject, depth: 1}}
	p.texts = textBox{header: header{kind: KindText}, flat: stringOf(room), rope: &pieces}
	return p
}

func newPacked(at, shape, size int) packed {
	return packed(at)<<32 | packed(shape)<<16 | packed(size-2)
}

func (o packed) at() int { return int(o >> 32) }

func (o packed) size() int { return int(uint16(o)) + 2 }

// fitsPacked reports whether a packed object can have the size.
func fitsPacked(size int) bool { return size > 2 && size-2 <= math.MaxUint16 }

func (o packed) keys(p *pack) *Keys { return p.shapes[uint16(o>>16)] }

// isPacked reports whether an object is one. Invariant: v is an object.
func (v Value) isPacked() bool { return v.bits != 0 }

// packed returns the pack of an object, its place there and its keys. Invariant: v is packed.
func (v Value) packed() (p *pack, o packed, k *Keys) {
	p, o = (*pack)(v.ref), packed(v.bits)
	return p, o, o.keys(p)
}

// field reads the field at a place, and returns where the next one is.
func (p *pack) field(at int) (v Value, next int) {
	s := p.texts.flat
	tag := s[at]
	at++
	switch {
	case tag < packShort:
		return Int(int(tag)), at
	case tag < packNull:
		n := int(tag & 0x3f)
		return p.text(at, n, n)
	}
	switch tag {
	case packFalse, packTrue:
		return Bool(tag == packTrue), at
	case packInt:
		u, next := packedVarint(s, at)
		return Number(float64(int64(u>>1) ^ -int64(u&1))), next
	case packDouble:
		return Number(math.Float64frombits(binary.LittleEndian.Uint64(bytesOf(s[at : at+8])))), at + 8
	case packASCII:
		n := int(s[at]) + 1
		return p.text(at+1, n, n)
	case packUTF8:
		return p.text(at+2, int(s[at+1])+1, int(s[at])+1)
	}
	return Value{}, at
}

func (p *pack) text(at, units, n int) (v Value, next int) {
	if n == 0 {
		return Value{ref: unsafe.Pointer(emptyText)}, at
	}
	return Value{ref: unsafe.Pointer(&p.texts), bits: uint64(newPiece(at, units, n))}, at + n
}

func packedVarint(s string, at int) (u uint64, next int) {
	for shift := 0; ; shift += 7 {
		c := s[at]
		at++
		u |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return u, at
		}
	}
}

// skip returns where the field behind the one at a place is.
func (p *pack) skip(at int) int {
	s := p.texts.flat
	tag := s[at]
	at++
	switch {
	case tag < packShort:
		return at
	case tag < packNull:
		return at + int(tag&0x3f)
	}
	switch tag {
	case packInt:
		for s[at] >= 0x80 {
			at++
		}
		return at + 1
	case packDouble:
		return at + 8
	case packASCII:
		return at + 2 + int(s[at])
	case packUTF8:
		return at + 3 + int(s[at])
	}
	return at
}

// unpacked returns a box of the same fields. Invariant: v is packed.
func (v Value) unpacked() *objectBox {
	p, o, k := v.packed()
	return (*objectBox)(objectOf(k, p.values(o)).ref)
}

// packedAt is FieldAt. Invariant: v is packed.
func (v Value) packedAt(i int) Value {
	p, o, k := v.packed()
	if uint(i) >= uint(k.Len()) {
		panic("delta: a field of no key")
	}
	return p.index(o, i)
}

// index returns field i of an object.
func (p *pack) index(o packed, i int) Value {
	at := o.at()
	for range i {
		at = p.skip(at)
	}
	v, _ := p.field(at)
	return v
}

// each calls yield for every field of an object in order until it returns false.
func (p *pack) each(o packed, yield func(string, Value) bool) {
	at := o.at()
	for _, name := range o.keys(p).names {
		var v Value
		if v, at = p.field(at); !yield(name, v) {
			return
		}
	}
}

// values returns the fields of an object in a slice of their own.
func (p *pack) values(o packed) []Value {
	out := make([]Value, o.keys(p).Len())
	at := o.at()
	for i := range out {
		out[i], at = p.field(at)
	}
	return out
}

func (p *pack) contentHash(o packed) uint64 {
	var content uint64
	k, at := o.keys(p), o.at()
	for _, name := range k.names {
		var v Value
		v, at = p.field(at)
		content += fieldHash(name, v)
	}
	return finish(hashObject, k.Len(), content)
}

// equalPacked compares two objects, the first of which is packed.
func equalPacked(v, w Value) bool {
	p, o, k := v.packed()
	if o.size() != w.Size() || w.Depth() != 1 {
		return false
	}
	l := w.Shape()
	if !k.Equal(l) {
		return v.equalByKeys(w)
	}
	at := o.at()
	if w.isPacked() {
		q, other, _ := w.packed()
		there := other.at()
		for range k.names {
			var a, b Value
			a, at = p.field(at)
			if b, there = q.field(there); !a.Equal(b) {
				return false
			}
		}
		return true
	}
	for _, b := range w.object().vals {
		var a Value
		if a, at = p.field(at); !a.Equal(b) {
			return false
		}
	}
	return true
}
