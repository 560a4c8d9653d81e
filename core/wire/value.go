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

// firstRoom is how many bytes an encoding that is made afresh gets room for at the most, before it is known how long it is.
const firstRoom = 4096

// fewShapes is from how many shapes on a value that stands alone gets a dictionary.
const fewShapes = 8

// encoding is one run of the encoder over a value or a batch of ops.
type encoding struct {
	dict  *Dict
	known *Told
	used  *Used

	// The shapes of a value that stands alone, by their ids, while it has no dictionary.
	own   [fewShapes]*delta.Keys
	owned int

	// With a dictionary, the shape of the object before, which is the next one's more often than not.
	last           *delta.Keys
	lastID         int
	lastGeneration uint64
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
	if dst == nil {
		dst = make([]byte, 0, min(v.Size()+2, firstRoom)) // a tag and a length may take two bytes more than quotes
	}
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
		if s, ok := t.UTF8(); ok {
			return append(appendTextTag(dst, len(s)), s...)
		}
		return t.AppendTo(appendTextTag(dst, t.EncodedLen()))
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

func appendTextTag(dst []byte, n int) []byte {
	if n < 64 {
		return append(dst, tagShortText|byte(n))
	}
	return binary.AppendUvarint(append(dst, tagText), uint64(n))
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
	id, defined := e.shape(shape)
	switch {
	case id < 0:
		return e.inline(dst, v)
	case !defined:
		dst = append(dst, tagDefine)
		dst = binary.AppendUvarint(dst, uint64(id))
		dst = binary.AppendUvarint(dst, uint64(shape.Len()))
		for i := range shape.Len() {
			dst = appendText(dst, shape.At(i))
		}
	case id < 16:
		dst = append(dst, tagShapeLow|byte(id))
	default:
		dst = append(dst, tagShape)
		dst = binary.AppendUvarint(dst, uint64(id))
	}
	for i := range shape.Len() {
		dst = e.value(dst, v.FieldAt(i))
	}
	return dst
}

// shape returns the id of a shape, and whether the reader knows it by now. The id is -1 if the shape is written in full.
func (e *encoding) shape(k *delta.Keys) (id int, defined bool) {
	if e.last != nil && e.lastGeneration == e.dict.generation && k.Equal(e.last) {
		return e.lastID, true
	}
	if e.dict == nil {
		if id, defined = e.ownShape(k); id < fewShapes {
			return id, defined
		}
	}
	if id = e.dict.shape(k); id < 0 {
		return id, false
	}
	e.follow()
	e.last, e.lastID, e.lastGeneration = k, id, e.dict.generation
	if e.known.shapes.has(id) {
		e.used.refer(&e.used.shapes, e.used.newShapes, id)
		return id, true
	}
	e.known.shapes.add(id)
	e.used.newShapes.add(id)
	return id, false
}

// ownShape is shape for a value that stands alone and brings its own names. Most have so few shapes that they need no
// dictionary; to begin one returns fewShapes.
func (e *encoding) ownShape(k *delta.Keys) (id int, defined bool) {
	for id, own := range e.own[:e.owned] {
		if k.Equal(own) {
			return id, true
		}
	}
	if shapeBytes(k) > MaxNameBytes {
		return -1, false
	}
	if e.owned < fewShapes {
		e.own[e.owned] = k
		e.owned++
		return e.owned - 1, false
	}
	e.dict, e.known, e.used = &Dict{}, &Told{}, &Used{}
	for _, own := range e.own {
		e.known.shapes.add(e.dict.shape(own))
	}
	return fewShapes, false
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
