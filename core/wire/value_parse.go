package wire

import (
	"encoding/binary"
	"math"
	"math/bits"

	"chordsim/core/delta"
)

// ParseValue reads a value that stands alone. No bytes at all are null.
func ParseValue(b []byte) (delta.Value, error) {
	if len(b) == 0 {
		return delta.Null(), nil
	}
	var n Names
	return n.ParseSnapshot(b)
}

// ParseSnapshot reads a document's value and keeps what it defines.
func (n *Names) ParseSnapshot(b []byte) (delta.Value, error) {
	r := NewReader("value", b)
	v := n.value(&r, delta.MaxDepth)
	if err := r.End(); err != nil {
		return delta.Null(), err
	}
	return v, nil
}

func (n *Names) value(r *Reader, depth int) delta.Value {
	tag := r.Byte()
	switch {
	case tag < tagShortText:
		return delta.Int(int(tag))
	case tag < tagNull:
		return readText(r, int(tag&0x3f))
	case tag&0xf0 == tagShapeLow:
		return n.shaped(r, int(tag&0x0f), depth)
	case tag&0xf0 == tagListLow:
		return n.list(r, int(tag&0x0f), depth)
	}
	switch tag {
	case tagNull:
		return delta.Null()
	case tagFalse:
		return delta.Bool(false)
	case tagTrue:
		return delta.Bool(true)
	case tagInt:
		return readInt(r)
	case tagDouble:
		if b := r.Bytes(8); b != nil {
			return delta.Number(math.Float64frombits(binary.LittleEndian.Uint64(b)))
		}
	case tagText:
		return readText(r, r.Count("text bytes"))
	case tagList:
		return n.list(r, r.Count("list items"), depth)
	case tagObject:
		return n.inline(r, depth)
	case tagDefine:
		return n.define(r, depth)
	case tagShape:
		return n.shaped(r, r.Uint(MaxNames-1, "shape id"), depth)
	default:
		r.Fail("unknown value tag")
	}
	return delta.Null()
}

func readInt(r *Reader) delta.Value {
	u := r.Uvarint()
	v := int64(u>>1) ^ -int64(u&1)
	if v < -maxExact || v > maxExact {
		r.Fail("integer is no double")
	}
	return delta.Number(float64(v))
}

func readText(r *Reader, size int) delta.Value {
	from := r.off
	if r.Bytes(size); r.Err() != nil {
		return delta.Null()
	}
	return r.build.TextIn(r.b, from, r.off)
}

// enter begins a container whose items are still to come. Each takes at least a byte, in this container and in those
// around it: together they may not promise more than what is left, so that no memory is taken for what cannot come.
func (r *Reader) enter(items, depth int) bool {
	if depth == 0 {
		r.Fail("nested too deeply")
	}
	if r.containers++; r.containers > delta.MaxContainers {
		r.Fail("more lists and objects than there may be")
	}
	if items > r.Len()-r.promised {
		r.Fail("items do not fit")
	}
	r.promised += items
	return r.err == nil
}

// item reads the next item of a container.
func (n *Names) item(r *Reader, depth int) delta.Value {
	r.promised--
	return n.value(r, depth-1)
}

// fill reads the next items of a container, all that there is room for, and reports whether they could be read. The values
// that messages are made of most, short texts, small integers and times, it reads itself, without a look at the reader
// between them.
func (n *Names) fill(r *Reader, items []delta.Value, depth int) bool {
	b, off, promised := r.b, r.off, r.promised
	for i := range items {
		if off+9 < len(b) {
			switch tag := b[off]; {
			case tag < tagShortText:
				items[i] = delta.Int(int(tag))
				off++
				continue
			case tag < tagNull:
				if end := off + 1 + int(tag&0x3f); end <= len(b) {
					items[i] = r.build.TextIn(b, off+1, end)
					off = end
					continue
				}
			case tag == tagInt:
				if u, size := uvarint8((*[8]byte)(b[off+1:])); size > 0 && u <= 2*maxExact {
					items[i] = delta.Number(float64(int64(u>>1) ^ -int64(u&1)))
					off += 1 + size
					continue
				}
			case tag == tagText && b[off+1] < 0x80:
				if end := off + 2 + int(b[off+1]); end <= len(b) {
					items[i] = r.build.TextIn(b, off+2, end)
					off = end
					continue
				}
			}
		}
		r.off, r.promised = off, promised-i
		if items[i] = n.item(r, depth); r.err != nil {
			return false
		}
		off = r.off
	}
	r.off, r.promised = off, promised-len(items)
	return true
}

// pack reads n fields of an object from a place on, if all are scalars that can be packed. Whatever else they are, it says so
// and no more: they are read again.
func pack(b []byte, off, n int, p *delta.Packing) (end int, ok bool) {
	for range n {
		if off+9 >= len(b) {
			return 0, false
		}
		switch tag := b[off]; {
		case tag < tagShortText:
			p.Small(int(tag))
			off++
		case tag < tagNull:
			end := off + 1 + int(tag&0x3f)
			if end > len(b) || !p.Text(b[off+1:end]) {
				return 0, false
			}
			off = end
		case tag == tagInt:
			u, size := uvarint8((*[8]byte)(b[off+1:]))
			if size == 0 || u > 2*maxExact {
				return 0, false
			}
			p.Number(float64(int64(u>>1) ^ -int64(u&1)))
			off += 1 + size
		case tag == tagText:
			size, from := int(b[off+1]), off+2
			if size >= 0x80 {
				size, from = size&0x7f|int(b[off+2])<<7, off+3
			}
			end := from + size
			if from == off+3 && b[off+2]-1 > 1 || end > len(b) || !p.Text(b[from:end]) { // 128 to 383 bytes in two
				return 0, false
			}
			off = end
		case tag == tagDouble:
			p.Number(math.Float64frombits(binary.LittleEndian.Uint64(b[off+1:])))
			off += 9
		case tag == tagNull:
			p.Null()
			off++
		case tag == tagFalse || tag == tagTrue:
			p.Bool(tag == tagTrue)
			off++
		default:
			return 0, false
		}
	}
	return off, true
}

// uvarint8 reads a varint in its shortest form of at most eight bytes. The size is 0 if there is none.
func uvarint8(b *[8]byte) (v uint64, size int) {
	v = binary.LittleEndian.Uint64(b[:])
	ends := ^v & 0x8080808080808080
	size = bits.TrailingZeros64(ends)/8 + 1
	v &= (ends ^ (ends - 1)) & 0x7f7f7f7f7f7f7f7f
	v = v&0x007f007f007f007f | v>>1&0x3f803f803f803f80
	v = v&0x00003fff00003fff | v>>2&0x0fffc0000fffc000
	v = v&0x000000000fffffff | v>>4&0x00fffffff0000000
	if ends == 0 || size > 1 && v>>(7*(size-1)) == 0 {
		return 0, 0
	}
	return v, size
}

func (n *Names) list(r *Reader, count, depth int) delta.Value {
	others := r.promised
	if !r.enter(count, depth) {
		return delta.Null()
	}
	if count > longList {
		return n.longList(r, count, depth)
	}
	r.build.Expect(others)
	items := r.build.Values(count)
	if !n.fill(r, items, depth) {
		return delta.Null()
	}
	r.build.Expect(others)
	return r.build.List(items)
}

// longList is how many items a list has to have to be read run by run.
const longList = 64

func (n *Names) longList(r *Reader, count, depth int) delta.Value {
	runs := delta.NewRuns(count)
	for run := runs.Next(); run != nil; run = runs.Next() {
		if !n.fill(r, run, depth) {
			return delta.Null()
		}
	}
	return runs.List()
}

func (n *Names) inline(r *Reader, depth int) delta.Value {
	count := r.Count("object fields")
	if !r.enter(count, depth) {
		return delta.Null()
	}
	fields := make([]delta.Field, count)
	for i := range fields {
		fields[i].Key = r.Text(math.MaxInt, "key")
		if fields[i].Value = n.item(r, depth); r.Err() != nil {
			return delta.Null()
		}
	}
	v := delta.Object(fields...)
	if v.Len() != count {
		r.Fail("an object has a key twice")
	}
	return v
}

func (n *Names) define(r *Reader, depth int) delta.Value {
	id := r.Uint(MaxNames-1, "shape id")
	keys := make([]string, r.Uint(MaxNameBytes, "shape keys"))
	size := len(keys)
	from := r.off
	for range keys {
		size += len(r.Bytes(r.Count("key")))
	}
	if size > MaxNameBytes {
		r.Fail("shape over its limit")
	}
	if r.Err() != nil {
		return delta.Null()
	}
	// The keys stay for as long as the stream, the message must not: one copy holds them all, with the lengths between.
	names := string(r.b[from:r.off])
	r.off = from
	for i := range keys {
		size := r.Count("key")
		at := r.off - from
		keys[i] = names[at : at+size]
		r.Bytes(size)
	}
	shape, err := delta.KeysOf(keys)
	if err != nil {
		r.Fail("a shape has a key twice")
		return delta.Null()
	}
	n.shapes.define(id, shape)
	return n.shaped(r, id, depth)
}

func (n *Names) shaped(r *Reader, id, depth int) delta.Value {
	if id >= len(n.shapes.byID) || n.shapes.byID[id] == nil {
		r.Fail("unknown shape id")
		return delta.Null()
	}
	shape := n.shapes.byID[id]
	others := r.promised
	if !r.enter(shape.Len(), depth) {
		return delta.Null()
	}
	r.build.Left(r.Len())
	if p, ok := r.build.Pack(shape); ok {
		end, all := pack(r.b, r.off, shape.Len(), &p)
		if v, ok := r.build.Packed(shape, &p, all); ok {
			r.off, r.promised = end, others
			return v
		}
	}
	r.build.Expect(others)
	values := r.build.Fields(shape.Len())
	if !n.fill(r, values, depth) {
		return delta.Null()
	}
	r.build.Expect(others)
	r.build.Left(r.Len())
	return r.build.Object(shape, values)
}
