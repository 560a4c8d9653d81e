package delta

import (
	"encoding/binary"
	"math"
	"math/bits"
	"unsafe"
)

// packer writes the packs of one message.
type packer struct {
	to    *pack  // nil before the first
	room  []byte // of it
	used  int
	last  int // how much room the last one has
	left  int // bytes of the message that are still to come
	spill []byte
	not   *Keys // the shape of the last object that a Packing was no use for, until one of Builder.Object is packed

	// What the fields under way began with: if they are packed, what was made of them meanwhile is made again.
	first *Value
	short *textBox
	from  int     // of the short texts, what was used
	spare []Value // room for fields, all null
}

const (
	// packFrom is how many bytes of a message have to be still to come for a pack to be begun.
	packFrom = 512
	// firstPack is how many bytes the first pack of a message has at the most.
	firstPack = 1 << 10
)

// Left says how many bytes of the message are still to come. Where there are many, small objects that hold no lists and no
// objects take the least memory that they can: they are packed, many in a block of at most 8 KiB.
func (b *Builder) Left(bytes int) { b.packs.left = bytes }

// Packing are the fields of one object that is to be packed. They are added in their order.
type Packing struct {
	room []byte
	used int // more than there is room if they did not fit
	size int // of the fields, as Value.Size has it
}

// Pack begins an object of a shape whose fields may all be scalars. ok is false where it is to be made by [Builder.Object].
func (b *Builder) Pack(k *Keys) (p Packing, ok bool) {
	if b.packs.off() || k == b.packs.not || k.Len() == 0 || k.Len() > flatLimit {
		return Packing{}, false
	}
	return b.packs.begin(), true
}

// Packed returns the object whose fields were added. ok is false if there is none, because it is too large or a field had
// no place: then it is to be made by [Builder.Object], and so are the next ones of the shape until one of them is packed.
func (b *Builder) Packed(k *Keys, p *Packing, all bool) (v Value, ok bool) {
	if all {
		v, ok = b.packs.end(k, p)
	}
	if !ok {
		b.packs.not = k
	}
	return v, ok
}

// add returns room for n bytes of a field, nil if there is none.
func (p *Packing) add(n int) []byte {
	from := p.used
	if p.used += n; p.used > len(p.room) {
		return nil
	}
	return p.room[from:p.used]
}

// tag adds a field that is a tag.
func (p *Packing) tag(tag byte, size int) {
	if to := p.add(1); to != nil {
		to[0] = tag
	}
	p.size += size
}

// Small adds an integer from 0 to 63.
func (p *Packing) Small(n int) {
	size := 1
	if n >= 10 {
		size++
	}
	p.tag(packSmall|byte(n), size)
}

// Number adds a number, as [Number] reads it.
func (p *Packing) Number(f float64) {
	switch n := int64(f); {
	case math.IsNaN(f) || math.IsInf(f, 0):
		p.Null()
	case f < -packInts || f > packInts || float64(n) != f || n == 0 && math.Signbit(f): // minus zero is not the integer 0
		if to := p.add(9); to != nil {
			to[0] = packDouble
			binary.LittleEndian.PutUint64(to[1:], math.Float64bits(f))
		}
		p.size += numberSize(f)
	case n >= 0 && n < 64:
		p.Small(int(n))
	default:
		u := uint64(n)<<1 ^ uint64(n>>63)
		if to := p.add(1 + (bits.Len64(u)+6)/7); to != nil {
			to[0] = packInt
			for to = to[1:]; u >= 0x80; to = to[1:] {
				to[0], u = byte(u)|0x80, u>>7
			}
			to[0] = byte(u)
		}
		p.size += numberSize(f)
	}
}

// Bool adds true or false.
func (p *Packing) Bool(b bool) {
	tag := byte(packFalse)
	if b {
		tag = packTrue
	}
	p.tag(tag, scalarSize)
}

// Null adds null.
func (p *Packing) Null() { p.tag(packNull, scalarSize) }

// Text adds a text of WTF-8, unless it is too long or has lone surrogates.
func (p *Packing) Text(s []byte) (ok bool) {
	if len(s) > pieceLimit {
		return false
	}
	units, ok := unitsOf(s)
	if ok {
		p.text(s, units)
	}
	return ok
}

func (p *Packing) text(s []byte, units int) {
	n := len(s)
	p.size += n + textQuotes
	switch {
	case units != n:
		if to := p.add(3 + n); to != nil {
			to[0], to[1], to[2] = packUTF8, byte(n-1), byte(units-1)
			copy(to[3:], s)
		}
	case n < 64:
		if to := p.add(1 + n); to != nil {
			to[0] = packShort | byte(n)
			copy(to[1:], s)
		}
	default:
		if to := p.add(2 + n); to != nil {
			to[0], to[1] = packASCII, byte(n-1)
			copy(to[2:], s)
		}
	}
}

// off reports whether there is no pack, and there is to be none.
func (p *packer) off() bool { return p.to == nil && p.left < packFrom }

func (p *packer) begin() Packing {
	if len(p.room)-p.used >= packedLimit {
		return Packing{room: p.room[p.used : p.used+packedLimit]}
	}
	if p.spill == nil { // it may not fit into the pack
		p.spill = make([]byte, packedLimit)
	}
	return Packing{room: p.spill}
}

// packedSize returns about how many bytes the fields of an object of scalars take in a pack.
func packedSize(k *Keys, size int) int { return size - k.bytes - 2 - 2*len(k.names) }

func (p *packer) end(k *Keys, f *Packing) (v Value, ok bool) {
	size := 2 + k.bytes + 2*len(k.names) + f.size
	if f.used > len(f.room) || f.size > packedLimit || !fitsPacked(size) {
		return Value{}, false
	}
	if f.used > len(p.room)-p.used {
		if p.left < packFrom {
			return Value{}, false
		}
		p.more(f.used)
	}
	shape := p.shape(k)
	if shape < 0 {
		return Value{}, false
	}
	if to := p.room[p.used:]; &to[0] != &f.room[0] {
		copy(to, f.room[:f.used])
	}
	v = Value{ref: unsafe.Pointer(p.to), bits: uint64(newPacked(p.used, shape, size))}
	p.used += f.used
	return v, true
}

// more begins a pack with room for n bytes and what is likely to come.
func (p *packer) more(n int) {
	p.last = max(n, min(max(4*p.last, firstPack), packBytes, n+p.left+p.left/8))
	p.room = make([]byte, p.last)
	p.to, p.used = newPack(p.room), 0
}

// shape returns the index of a shape in the pack, -1 if it has too many.
func (p *packer) shape(k *Keys) int {
	shapes := p.to.shapes
	for i := len(shapes) - 1; i >= 0; i-- {
		if shapes[i] == k {
			return i
		}
	}
	if len(shapes) == packShapes {
		return -1
	}
	p.to.shapes = append(shapes, k)
	return len(shapes)
}

// begin remembers what there is before some fields are read.
func (b *Builder) begin(fields []Value) {
	if len(fields) > 0 {
		b.packs.first, b.packs.short, b.packs.from = &fields[0], b.short, b.used
	}
}

// pack makes a packed object of scalars, if it can be one.
func (b *Builder) pack(k *Keys, fields []Value) (v Value, ok bool) {
	if b.packs.off() || len(fields) == 0 {
		return Value{}, false
	}
	p := b.packs.begin()
	for _, v := range fields {
		switch v.Kind() {
		case KindNumber:
			p.Number(v.Number())
		case KindBool:
			p.Bool(v.Bool())
		case KindText:
			t := v.Text()
			s, ok := t.UTF8()
			if !ok || len(s) > pieceLimit {
				return Value{}, false
			}
			p.text(bytesOf(s), t.Len())
		default:
			p.Null()
		}
	}
	if v, ok = b.packs.end(k, &p); ok {
		b.takeBack(fields)
		b.packs.not = nil
	}
	return v, ok
}

// takeBack takes back what was made for fields that were packed.
func (b *Builder) takeBack(fields []Value) {
	p := &b.packs
	if p.first == &fields[0] {
		if b.short != p.short {
			p.from = 0
		}
		b.used = p.from
	}
	clear(fields)
	p.first, p.spare = nil, fields
}
