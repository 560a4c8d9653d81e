package link

import (
	"slices"

	"chordsim/core/base"
	"chordsim/core/wire"
)

// item is one message, or one forwarded chunk, that waits in a lane.
type item struct {
	typ      wire.Type
	slot     uint8
	more     bool   // a forwarded chunk after which its message goes on
	due      bool   // and with which credit is
	begun    bool   // the first chunk was written
	gated    bool   // counts against the bulk or state bytes in flight of its stream
	origin   uint64 // of a control message; a stream's items have the stream's
	sequence uint64
	buf      []byte   // [Link.room] bytes of room, then the body's first piece; once that is written, the next one
	off      int      // of the body's next byte in buf
	behind   [][]byte // the pieces behind it, which are the sender's until they are written
	later    bool     // buf is one of those
	block    []byte   // room that is left for chunks
	owner    Owner
}

// left returns how many bytes of the body are not written.
func (it *item) left() int {
	n := len(it.buf) - it.off
	for _, piece := range it.behind {
		n += len(piece)
	}
	return n
}

// whole reports whether n bytes are all of the body, behind its room for the header.
func (it *item) whole(n, room int) bool {
	return !it.later && it.off == room && len(it.behind) == 0 && n == len(it.buf)-room
}

// take moves bytes of the body to dst, which is not longer than what is left.
func (it *item) take(dst []byte) {
	for {
		n := copy(dst, it.buf[it.off:])
		it.off += n
		if dst = dst[n:]; it.off < len(it.buf) || len(it.behind) == 0 {
			return
		}
		it.buf, it.off, it.later, it.behind = it.behind[0], 0, true, it.behind[1:]
	}
}

// chunkBlock is how many bytes are allocated at once for the chunks of a large message. A chunk of 4 KiB and its header would
// take a size class of 4,864 B; in a block of so many they take a fifteenth each. It is in memory until all of them are
// acknowledged, and read by the other side where that is in the same process.
const chunkBlock = 64 * base.KiB

// room returns room for a chunk of so many bytes, of which left come of the body from its first byte on.
func (it *item) room(bytes, left int) []byte {
	if len(it.block) < bytes {
		if left < chunkBlock {
			it.block = nil
			return make([]byte, bytes)
		}
		it.block = make([]byte, chunkBlock)
	}
	chunk := it.block[:bytes:bytes]
	it.block = it.block[bytes:]
	return chunk
}

// body returns what is left of the body in one piece.
func (it *item) body() []byte {
	if len(it.behind) == 0 {
		return it.buf[it.off:]
	}
	return append(slices.Clone(it.buf[it.off:]), slices.Concat(it.behind...)...)
}

// own copies what is still the sender's.
func (it *item) own() {
	if it.later {
		it.buf, it.off = slices.Clone(it.buf[it.off:]), 0
	}
	kept := make([][]byte, len(it.behind))
	for i, piece := range it.behind {
		kept[i] = slices.Clone(piece)
	}
	it.behind = kept
}

// fifo is a queue of items.
type fifo = base.Ring[item]

// turns is the order in which streams that have bulk to send take turns.
type turns struct{ list []*stream }

func (t *turns) add(s *stream)  { t.list = append(t.list, s) }
func (t *turns) empty() bool    { return len(t.list) == 0 }
func (t *turns) first() *stream { return t.list[0] }

// next puts the first stream behind the others, or takes it out.
func (t *turns) next(again bool) {
	first := t.list[0]
	n := copy(t.list, t.list[1:])
	if again {
		t.list[n] = first
		return
	}
	t.list[n] = nil
	t.list = t.list[:n]
}
