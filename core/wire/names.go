package wire

import (
	"strconv"
	"strings"

	"chordsim/core/delta"
)

// MaxNames is how many paths, and how many shapes, a stream may have interned at a time. Ids are below it.
const MaxNames = 1024

// MaxNameBytes is the size of the largest path or shape that is interned: its keys, and a byte for each key or index. A
// longer one is always written in full. With MaxNames it bounds what a reader has to keep for its peer.
const MaxNameBytes = 1024

// Dict interns the paths and the object shapes of one document, for all that read it. A path gets its id the second time
// that it is used, a shape the first time. What each reader was told of it is in the reader's [Told]; an encoding defines
// what its reader does not know yet, so that readers who know the same get the same bytes. A full Dict starts afresh.
//
// The zero value is empty and ready.
type Dict struct {
	generation uint64
	paths      map[string]int // canonical path → id, or -1: seen once
	pathIDs    int
	shapes     map[string]int      // joined keys → id
	shapeOf    map[*delta.Keys]int // the same by identity, so that a shared shape is joined once
	encodings  int64
}

// Encodings returns how many snapshots and batches of ops were encoded with the dictionary.
func (d *Dict) Encodings() int64 { return d.encodings }

// Told is what a reader of a document was told of its Dict. The zero value knows nothing.
type Told struct {
	generation uint64
	paths      idSet
	shapes     idSet
}

// idSet is a set of ids below MaxNames, a bit each.
type idSet []uint64

func (s idSet) has(id int) bool { return id>>6 < len(s) && s[id>>6]&(1<<(id&63)) != 0 }

func (s *idSet) add(id int) {
	for len(*s) <= id>>6 {
		*s = append(*s, 0)
	}
	(*s)[id>>6] |= 1 << (id & 63)
}

func (s *idSet) addAll(t idSet) {
	for len(*s) < len(t) {
		*s = append(*s, 0)
	}
	for i, word := range t {
		(*s)[i] |= word
	}
}

// within reports whether t has all that s has.
func (s idSet) within(t idSet) bool {
	for i, word := range s {
		if i < len(t) {
			word &^= t[i]
		}
		if word != 0 {
			return false
		}
	}
	return true
}

// names a reader has for what was defined to it.
type names[T any] struct{ byID []T }

func (n *names[T]) define(id int, v T) {
	for len(n.byID) <= id {
		var none T
		n.byID = append(n.byID, none)
	}
	n.byID[id] = v
}

// Names is the reading side of a Told: the paths and shapes that were defined so far. The zero value is empty.
type Names struct {
	paths  names[delta.Path]
	shapes names[*delta.Keys]
	tuples delta.WireDecoder // of the text codec, instead of both
}

func (d *Dict) reset() {
	d.generation++
	clear(d.paths)
	clear(d.shapes)
	clear(d.shapeOf)
	d.pathIDs = 0
}

// path returns the id of p, or -1 if p was not used before or is too long for one.
func (d *Dict) path(p delta.Path) int {
	if pathBytes(p) > MaxNameBytes {
		return -1
	}
	var room [128]byte
	key := p.AppendKey(room[:0])
	id, seen := d.paths[string(key)]
	switch {
	case !seen:
		if len(d.paths) >= MaxNames {
			d.reset()
		}
		if d.paths == nil {
			d.paths = map[string]int{}
		}
		d.paths[string(key)] = -1
		return -1
	case id < 0:
		id = d.pathIDs
		d.pathIDs++
		d.paths[string(key)] = id
	}
	return id
}

// shape returns the id of k, or -1 if it is too long for one.
func (d *Dict) shape(k *delta.Keys) int {
	if id, ok := d.shapeOf[k]; ok {
		return id
	}
	if shapeBytes(k) > MaxNameBytes {
		return -1
	}
	joined := joinKeys(k)
	id, ok := d.shapes[joined]
	if !ok {
		if len(d.shapes) >= MaxNames {
			d.reset()
		}
		id = len(d.shapes)
		if d.shapes == nil {
			d.shapes = map[string]int{}
		}
		d.shapes[joined] = id
	}
	if len(d.shapeOf) >= MaxNames {
		clear(d.shapeOf)
	}
	if d.shapeOf == nil {
		d.shapeOf = map[*delta.Keys]int{}
	}
	d.shapeOf[k] = id
	return id
}

// joinKeys is unambiguous for any keys: each is preceded by its length.
func joinKeys(k *delta.Keys) string {
	var b strings.Builder
	for i := range k.Len() {
		b.WriteString(strconv.Itoa(len(k.At(i))))
		b.WriteByte(':')
		b.WriteString(k.At(i))
	}
	return b.String()
}

func (k *Told) follow(d *Dict) {
	if k.generation != d.generation {
		k.generation = d.generation
		k.paths, k.shapes = k.paths[:0], k.shapes[:0]
	}
}

// pathBytes returns the size of a path for MaxNameBytes.
func pathBytes(p delta.Path) int {
	n := len(p)
	for _, s := range p {
		n += len(s.Key())
	}
	return n
}

// shapeBytes returns the size of a shape for MaxNameBytes.
func shapeBytes(k *delta.Keys) int {
	n := k.Len()
	for i := range k.Len() {
		n += len(k.At(i))
	}
	return n
}
