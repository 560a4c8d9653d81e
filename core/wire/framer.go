package wire

import (
	"encoding/binary"

	"chordsim/core/base"
)

// MaxFrame is the largest chunk that a byte stream carries, in bytes: a header and a body.
const MaxFrame = MaxHeader + MaxChunk

// AppendFrame appends a chunk with its length in front, as a byte stream carries it: a varint, then that many bytes.
func AppendFrame(dst, chunk []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(chunk)))
	return append(dst, chunk...)
}

// Framer takes chunks out of a byte stream that comes in pieces of any size. The zero value is at the start of a stream.
// It holds at most one chunk that is not complete, and takes no memory for one over MaxFrame.
type Framer struct {
	length  uint64 // of the chunk under way, as far as its varint was read
	shift   uint
	reading bool   // the varint is complete
	chunk   []byte // of the chunk under way; its bytes so far
	err     error
}

// Feed takes the next piece of the stream and calls each for every chunk that it completes, in order. A chunk is the
// callee's to keep. After an error, of the stream or of each, the framer is dead and returns the same error for ever.
func (f *Framer) Feed(piece []byte, each func(chunk []byte) error) error {
	for f.err == nil && len(piece) > 0 {
		if !f.reading {
			piece = f.readLength(piece)
			continue
		}
		n := min(len(piece), int(f.length)-len(f.chunk))
		f.chunk = append(f.chunk, piece[:n]...)
		piece = piece[n:]
		if len(f.chunk) == int(f.length) {
			chunk := f.chunk
			*f = Framer{}
			f.err = each(chunk)
		}
	}
	return f.err
}

// End says that the stream ended. It is an error if that was within a chunk.
func (f *Framer) End() error {
	if f.err == nil && (f.reading || f.shift > 0) {
		f.err = base.Errorf(base.CodeProtocol, "stream: ended within a chunk: %d bytes of %d", len(f.chunk), f.length)
	}
	return f.err
}

func (f *Framer) readLength(piece []byte) []byte {
	c := piece[0]
	f.length |= uint64(c&0x7f) << f.shift
	f.shift += 7
	switch {
	case f.length > MaxFrame || f.shift > 14:
		f.err = base.Errorf(base.CodeLimit, "stream: a chunk of over %d bytes", MaxFrame)
	case c >= 0x80:
	case c == 0 && f.shift > 7:
		f.err = base.Errorf(base.CodeProtocol, "stream: a length not in its shortest form")
	case f.length == 0:
		f.err = base.Errorf(base.CodeProtocol, "stream: an empty chunk")
	default:
		f.reading = true
		f.chunk = make([]byte, 0, f.length)
	}
	return piece[1:]
}
