package link

import (
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
	buf      []byte // [Link.room] bytes of room, then what is left of the body
	off      int    // of the body's next byte in buf
	owner    Owner
}

func (it *item) left() int { return len(it.buf) - it.off }

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
