package wire

import (
	"encoding/binary"
	"math"
	"slices"

	"chordsim/core/delta"
)

// An encoded batch is its ops one after the other. Each begins with a byte:
//
//	bits 0-2  which op, in the order of opCodes
//	bits 3-4  its path: as the op before · by id · defined under an id · in full
//	bits 5-7  with an id: the id itself if below 7, else 7 and a varint follows
//
// A replacement has no path. What follows the path is: a value (replace, set), a text (append), a number of units
// (truncate), index, number removed and inserted values (splice), or the permutation (permute).
var opCodes = [...]delta.Code{
	delta.OpReplace, delta.OpSet, delta.OpDelete, delta.OpAppend, delta.OpTruncate, delta.OpSplice, delta.OpPermute,
}

const (
	pathSame   = 0 << 3
	pathID     = 1 << 3
	pathDefine = 2 << 3
	pathInline = 3 << 3
	pathMask   = 3 << 3

	lowIDs = 7
)

func opNumber(c delta.Code) byte {
	for i, code := range opCodes {
		if code == c {
			return byte(i)
		}
	}
	panic("wire: op without a number: " + string(rune(c)))
}

// AppendOps appends the encoding of a batch of a document's ops for a reader who knows k, adds to k what it defines, and
// notes in used what it needs. An encoded batch has to be sent.
func AppendOps(dst []byte, ops []delta.Op, d *Dict, k *Told, used *Used) []byte {
	d.encodings++
	k.follow(d)
	used.reset(d.generation)
	e := encoding{dict: d, known: k, used: used}
	var last delta.Path
	for i := range ops {
		dst = e.op(dst, &ops[i], &last)
	}
	return dst
}

func (e *encoding) op(dst []byte, op *delta.Op, last *delta.Path) []byte {
	code := opNumber(op.Code)
	if op.Code == delta.OpReplace {
		*last = nil
		return e.value(append(dst, code), op.Value)
	}
	dst = e.path(dst, code, op.Path, last)
	switch op.Code {
	case delta.OpSet:
		dst = e.value(dst, op.Value)
	case delta.OpAppend:
		dst = binary.AppendUvarint(dst, uint64(op.Text.EncodedLen()))
		dst = op.Text.AppendTo(dst)
	case delta.OpTruncate:
		dst = binary.AppendUvarint(dst, uint64(op.N))
	case delta.OpSplice:
		dst = binary.AppendUvarint(dst, uint64(op.N))
		dst = binary.AppendUvarint(dst, uint64(op.Remove))
		dst = binary.AppendUvarint(dst, uint64(len(op.Items)))
		for _, item := range op.Items {
			dst = e.value(dst, item)
		}
	case delta.OpPermute:
		dst = binary.AppendUvarint(dst, uint64(len(op.Perm)))
		for _, from := range op.Perm {
			dst = binary.AppendUvarint(dst, uint64(from))
		}
	}
	return dst
}

func (e *encoding) path(dst []byte, code byte, p delta.Path, last *delta.Path) []byte {
	if *last != nil && p.Equal(*last) {
		return append(dst, code|pathSame)
	}
	*last = p
	if p == nil {
		*last = delta.Path{} // an empty path is a path; nil means that there was none
	}
	id := e.dict.path(p)
	e.follow()
	if id < 0 {
		return appendPath(append(dst, code|pathInline), p)
	}
	if e.known.paths.has(id) {
		e.used.refer(&e.used.paths, e.used.newPaths, id)
		return appendPathID(dst, code|pathID, id)
	}
	e.known.paths.add(id)
	e.used.newPaths.add(id)
	return appendPath(appendPathID(dst, code|pathDefine, id), p)
}

func appendPathID(dst []byte, head byte, id int) []byte {
	if id < lowIDs {
		return append(dst, head|byte(id)<<5)
	}
	return binary.AppendUvarint(append(dst, head|lowIDs<<5), uint64(id))
}

func appendPath(dst []byte, p delta.Path) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(p)))
	for _, s := range p {
		if s.IsIndex() {
			dst = binary.AppendUvarint(dst, uint64(s.Index())<<1|1)
			continue
		}
		dst = binary.AppendUvarint(dst, uint64(len(s.Key()))<<1)
		dst = append(dst, s.Key()...)
	}
	return dst
}

// ParseOps reads an encoded batch and keeps what it defines. After an error the names may hold what was defined before
// it; the stream is dead.
func (n *Names) ParseOps(b []byte) ([]delta.Op, error) {
	r := NewReader("ops", b)
	var ops []delta.Op
	var room []delta.Value
	if len(b) > 0 && b[0]&7 < byte(len(opCodes)) && opCodes[b[0]&7] == delta.OpSplice {
		// Most batches are one op, and most splices put in one item: both are made in one piece.
		one := &struct {
			ops   [1]delta.Op
			items [1]delta.Value
		}{}
		ops, room = one.ops[:0], one.items[:]
	} else {
		ops = make([]delta.Op, 0, 1)
	}
	var last delta.Path
	for r.Len() > 0 && r.Err() == nil {
		if len(ops) == delta.MaxOps {
			r.Fail("more ops than a batch may have")
			break
		}
		if n := len(ops); n > 0 && n&(n-1) == 0 {
			ops = slices.Grow(ops, min(n, r.Len())) // an op takes a byte at the least
		}
		ops = append(ops, n.op(&r, &last, room))
		room = nil
	}
	return ops, r.Err()
}

// op reads an op. Its items may be put in room, if that is where they fit.
func (n *Names) op(r *Reader, last *delta.Path, room []delta.Value) delta.Op {
	head := r.Byte()
	if int(head&7) >= len(opCodes) {
		r.Fail("unknown op")
		return delta.Op{}
	}
	op := delta.Op{Code: opCodes[head&7]}
	if op.Code == delta.OpReplace {
		if head>>3 != 0 {
			r.Fail("a replacement has no path")
		}
		*last = nil
		op.Value = n.value(r, delta.MaxDepth)
		return op
	}
	op.Path = n.path(r, head, last)
	switch op.Code {
	case delta.OpSet:
		op.Value = n.value(r, delta.MaxDepth)
	case delta.OpAppend:
		op.Text = r.build.NewText(r.Bytes(r.Count("text bytes")))
	case delta.OpTruncate:
		op.N = r.Uint(math.MaxInt64, "units")
	case delta.OpSplice:
		op.N, op.Remove = r.Uint(math.MaxInt64, "index"), r.Uint(math.MaxInt64, "items removed")
		op.Items = n.items(r, room)
	case delta.OpPermute:
		count := r.Count("permutation entries")
		op.Perm = make([]int, count)
		for i := range op.Perm {
			op.Perm[i] = r.Uint(math.MaxInt64, "permutation entry")
		}
	}
	return op
}

func (n *Names) items(r *Reader, room []delta.Value) []delta.Value {
	count := r.Count("items")
	if !r.enter(count, delta.MaxDepth) {
		return nil
	}
	items := room[:min(count, len(room)):len(room)]
	if count != len(items) {
		items = make([]delta.Value, count)
	}
	for i := range items {
		items[i] = n.item(r, delta.MaxDepth)
	}
	return items
}

func (n *Names) path(r *Reader, head byte, last *delta.Path) delta.Path {
	id := int(head >> 5)
	form := head & pathMask
	if form == pathID || form == pathDefine {
		if id == lowIDs {
			id = r.Uint(MaxNames-1, "path id")
		}
	} else if id != 0 {
		r.Fail("a path id that nothing reads")
	}
	switch form {
	case pathSame:
		if *last == nil {
			r.Fail("no path to repeat")
		}
		return *last
	case pathID:
		if id >= len(n.paths.byID) || n.paths.byID[id] == nil {
			r.Fail("unknown path id")
			return nil
		}
		*last = n.paths.byID[id]
	case pathDefine:
		*last = readPath(r)
		if pathBytes(*last) > MaxNameBytes {
			r.Fail("path with an id over its limit")
		}
		if r.Err() == nil {
			n.paths.define(id, *last)
		}
	default:
		*last = readPath(r)
	}
	return *last
}

func readPath(r *Reader) delta.Path {
	count := r.Count("path segments")
	if count > delta.MaxDepth {
		r.Fail("path nested too deeply")
		count = 0
	}
	p := make(delta.Path, 0, count)
	for range count {
		s := r.Uvarint()
		if s&1 != 0 {
			if s>>1 > math.MaxInt32 {
				r.Fail("index over its limit")
			}
			p = append(p, delta.Index(int(s>>1)))
			continue
		}
		if s>>1 > uint64(r.Len()) {
			r.Fail("key does not fit")
			break
		}
		p = append(p, delta.Key(string(r.Bytes(int(s>>1)))))
	}
	return p
}
