package wire

import (
	"encoding/binary"
	"math"

	"chordsim/core/delta"
)

// The tags of encoded values. Those below 0x80 hold a small number or a short text in the tag itself.
const (
	tagSmallInt  = 0x00 // to 0x3f: the integers 0 to 63
	tagShortText = 0x40 // to 0x7f: a text of 0 to 63 bytes follows
	tagNull      = 0x80
	tagFalse     = 0x81
	tagTrue      = 0x82
	tagInt       = 0x83 // zigzag varint
	tagDouble    = 0x84 // 8 bytes, little-endian
	tagText      = 0x85 // varint length, bytes
	tagList      = 0x86 // varint count, values
	tagObject    = 0x87 // varint count, (text key, value) each
	tagDefine    = 0x88 // varint shape id, varint count, text keys, values
	tagShape     = 0x89 // varint shape id, values
	tagShapeLow  = 0x90 // to 0x9f: shape ids 0 to 15, values
	tagListLow   = 0xa0 // to 0xaf: a list of 0 to 15 values
)

// maxExact is the largest integer below which every integer is a double.
const maxExact = 1 << 53

// encoding is one run of the encoder over a value or a batch of ops.
type encoding struct {
	dict  *Dict
	known *Told
	used  *Used
}

// Used is what an encoding needs its reader to know, and what it defines.
type Used struct {
	generation          uint64
	paths, shapes       idSet // referred to, and defined by an earlier encoding
	newPaths, newShapes idSet
	// The dictionary started afresh in the middle: ids of both generations are in the encoding, so that it is for the
	// reader that it was made for and no other.
	torn bool
	// A replacement in the text codec made the reader forget all paths. Those in newPaths were defined after it.
	forgot bool
}

func (u *Used) reset(generation uint64) {
	u.generation, u.torn, u.forgot = generation, false, false
	u.paths, u.shapes, u.newPaths, u.newShapes = u.paths[:0], u.shapes[:0], u.newPaths[:0], u.newShapes[:0]
}

// FitsFor reports whether a reader who knows k can read the encoding, and if so adds to k what the encoding defines.
func (u *Used) FitsFor(k *Told) bool {
	if u.torn || k.generation != u.generation || !u.paths.within(k.paths) || !u.shapes.within(k.shapes) {
		return false
	}
	if u.forgot {
		k.paths = k.paths[:0]
	}
	k.paths.addAll(u.newPaths)
	k.shapes.addAll(u.newShapes)
	return true
}

// refer notes that an id is used, unless the encoding itself has defined it.
func (u *Used) refer(needed *idSet, defined idSet, id int) {
	if !defined.has(id) {
		needed.add(id)
	}
}

// follow takes note that the dictionary may have started afresh in the middle of the encoding.
func (e *encoding) follow() {
	if e.known.generation != e.dict.generation {
		e.known.follow(e.dict)
		e.used.torn = true
	}
}

// AppendValue appends the encoding of a value that stands alone, such as an argument or a result.
func AppendValue(dst []byte, v delta.Value) []byte {
	e := encoding{}
	return e.value(dst, v)
}

// AppendSnapshot appends the encoding of a document's value for a reader who knows k, and adds to k what it defines.
func AppendSnapshot(dst []byte, v delta.Value, d *Dict, k *Told, used *Used) []byte {
	d.encodings++
	k.follow(d)
	used.reset(d.generation)
	e := encoding{dict: d, known: k, used: used}
	return e.value(dst, v)
}

func (e *encoding) value(dst []byte, v delta.Value) []byte {
	switch v.Kind() {
	case delta.KindNull:
		return append(dst, tagNull)
	case delta.KindBool:
		if v.Bool() {
			return append(dst, tagTrue)
		}
		return append(dst, tagFalse)
	case delta.KindNumber:
		return appendNumber(dst, v.Number())
	case delta.KindText:
		t := v.Text()
		n := t.EncodedLen()
		if n < 64 {
			dst = append(dst, tagShortText|byte(n))
		} else {
			dst = append(dst, tagText)
			dst = binary.AppendUvarint(dst, uint64(n))
		}
		return t.AppendTo(dst)
	case delta.KindList:
		if n := v.Len(); n < 16 {
			dst = append(dst, tagListLow|byte(n))
		} else {
			dst = append(dst, tagList)
			dst = binary.AppendUvarint(dst, uint64(n))
		}
		for _, item := range v.Elements() {
			dst = e.value(dst, item)
		}
		return dst
	}
	return e.object(dst, v)
}

func appendNumber(dst []byte, f float64) []byte {
	if f >= -maxExact && f <= maxExact {
		// Minus zero is not the integer 0.
		if n := int64(f); float64(n) == f && (n != 0 || !math.Signbit(f)) {
			if n >= 0 && n < 64 {
				return append(dst, tagSmallInt|byte(n))
			}
			dst = append(dst, tagInt)
			return binary.AppendVarint(dst, n)
		}
	}
	dst = append(dst, tagDouble)
	return binary.LittleEndian.AppendUint64(dst, math.Float64bits(f))
}

func (e *encoding) object(dst []byte, v delta.Value) []byte {
	shape := v.Shape()
	if shape == nil || shape.Len() == 0 {
		return e.inline(dst, v)
	}
	if e.dict == nil { // a value that stands alone brings its own names
		e.dict, e.known, e.used = &Dict{}, &Told{}, &Used{}
	}
	id := e.dict.shape(shape)
	if id < 0 {
		return e.inline(dst, v)
	}
	e.follow()
	switch {
	case !e.known.shapes.has(id):
		e.known.shapes.add(id)
		e.used.newShapes.add(id)
		dst = append(dst, tagDefine)
		dst = binary.AppendUvarint(dst, uint64(id))
		dst = binary.AppendUvarint(dst, uint64(shape.Len()))
		for i := range shape.Len() {
			dst = appendText(dst, shape.At(i))
		}
	case id < 16:
		e.used.refer(&e.used.shapes, e.used.newShapes, id)
		dst = append(dst, tagShapeLow|byte(id))
	default:
		e.used.refer(&e.used.shapes, e.used.newShapes, id)
		dst = append(dst, tagShape)
		dst = binary.AppendUvarint(dst, uint64(id))
	}
	for _, field := range v.Fields() {
		dst = e.value(dst, field)
	}
	return dst
}

func (e *encoding) inline(dst []byte, v delta.Value) []byte {
	dst = append(dst, tagObject)
	dst = binary.AppendUvarint(dst, uint64(v.Len()))
	for key, field := range v.Fields() {
		dst = appendText(dst, key)
		dst = e.value(dst, field)
	}
	return dst
}

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
		return delta.Number(float64(tag))
	case tag < tagNull:
		return n.text(r, int(tag&0x3f))
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
		return n.text(r, r.Count("text bytes"))
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

func (n *Names) text(r *Reader, size int) delta.Value {
	b := r.Bytes(size)
	if r.Err() != nil {
		return delta.Null()
	}
	return r.build.Text(b)
}

// enter begins a container whose items are still to come. Each takes at least a byte, in this container and in those
// around it: together they may not promise more than what is left, so that no memory is taken for what cannot come.
func (r *Reader) enter(items, depth int) bool {
	if depth == 0 {
		r.Fail("nested too deeply")
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

func (n *Names) list(r *Reader, count, depth int) delta.Value {
	if !r.enter(count, depth) {
		return delta.Null()
	}
	items := make([]delta.Value, count)
	for i := range items {
		if items[i] = n.item(r, depth); r.Err() != nil {
			return delta.Null()
		}
	}
	return delta.ListOf(items)
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
	for i := range keys {
		keys[i] = r.Text(MaxNameBytes, "key")
		size += len(keys[i])
	}
	if size > MaxNameBytes {
		r.Fail("shape over its limit")
	}
	if r.Err() != nil {
		return delta.Null()
	}
	shape, err := delta.NewKeys(keys...)
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
	if !r.enter(shape.Len(), depth) {
		return delta.Null()
	}
	values := r.build.Values(shape.Len())
	for i := range values {
		if values[i] = n.item(r, depth); r.Err() != nil {
			return delta.Null()
		}
	}
	return r.build.Object(shape, values)
}
