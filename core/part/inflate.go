package part

import (
	"bytes"
	"errors"
	"io"

	"github.com/klauspost/compress/flate"

	"chordsim/core/base"
)

// Inflater inflates parts, one after another. It makes its reader (about 45 KB) for the first part and keeps that one.
// The zero value is ready. Not for use by several goroutines.
type Inflater struct {
	reader io.ReadCloser // a flate.Resetter
	source bytes.Reader
	beyond [1]byte // what a stream gives behind the declared size
	stats  Stats
}

// Inflate returns the raw part of a deflated one. It has exactly the size that the part declares, at most limit bytes (a
// negative limit is 0), and is the caller's own: no later call touches it. Memory is taken only once the declared size is
// known to be in the limit and within [MaxRatio] of what came. Parts at or under [Threshold] are taken too.
//
// Errors: [base.CodeLimit] for a declared size over the limit; [base.CodeProtocol] for a size that is not a varint in its
// shortest form, that no stream of this length gives or that is not over the part's own length, and for a stream that is damaged, cut short, gives more or less
// than declared, or has bytes behind its end.
func (i *Inflater) Inflate(part []byte, limit int) ([]byte, error) {
	raw, err := i.inflate(part, limit)
	i.source.Reset(nil) // the part is the caller's
	if err != nil {
		i.stats.Refused++
		return nil, err
	}
	i.stats.add(len(raw), len(part))
	return raw, nil
}

// Stats returns what was done so far.
func (i *Inflater) Stats() Stats { return i.stats }

func (i *Inflater) inflate(part []byte, limit int) ([]byte, error) {
	size, stream, err := split(part)
	if err != nil {
		return nil, err
	}
	if size > max(limit, 0) {
		return nil, base.Errorf(base.CodeLimit, "deflated part: declares %d bytes, the limit is %d", size, limit)
	}
	i.open(stream)
	raw := make([]byte, size)
	n, err := i.fill(raw)
	if err == nil {
		var more int
		more, err = i.fill(i.beyond[:])
		n += more
	}
	at := len(part) - i.source.Len()
	switch {
	case n > size:
		return nil, base.Errorf(base.CodeProtocol, "deflated part: gives more than the %d bytes declared", size)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, base.Errorf(base.CodeProtocol, "deflated part: cut short at byte %d of %d", at, len(part))
	case !errors.Is(err, io.EOF):
		return nil, base.Errorf(base.CodeProtocol, "deflated part: damaged before byte %d of %d", at, len(part))
	case n < size:
		return nil, base.Errorf(base.CodeProtocol, "deflated part: gives %d bytes, %d are declared", n, size)
	case at < len(part):
		return nil, base.Errorf(base.CodeProtocol, "deflated part: trailing bytes at byte %d of %d", at, len(part))
	}
	return raw, nil
}

// fill reads into b until it is full or the stream ends, and returns the error of the last read, [io.EOF] at a good end.
func (i *Inflater) fill(b []byte) (n int, err error) {
	for n < len(b) && err == nil {
		var more int
		more, err = i.reader.Read(b[n:])
		n += more
	}
	return n, err
}

// rinse is a stream that gives nothing: a last block with codes of its own, of which one ends the block and one, never
// used, is a distance (24,577 and up, the farthest).
//
// The reader keeps the tables of codes of the block before, and takes them for those of a block that has no distance
// codes but uses one, which is damaged; so what became of such a part would depend on the parts before it. Behind this
// stream the tables are always the same.
var rinse = []byte{0x05, 0xfd, 0xb1, 0x0d, 0x00, 0x30, 0x0c, 0xc3, 0x30, 0xfc, 0xff, 0x35, 0x2f, 0x21}

// open makes the reader read a stream, in the same state whatever was read before.
func (i *Inflater) open(stream []byte) {
	i.source.Reset(rinse)
	if i.reader == nil {
		i.reader = flate.NewReader(&i.source)
	} else {
		i.reset()
	}
	_, _ = i.reader.Read(i.beyond[:]) // the end
	i.source.Reset(stream)
	i.reset()
}

func (i *Inflater) reset() {
	// Reset of this reader returns no error: that is for readers that read a header first.
	_ = i.reader.(flate.Resetter).Reset(&i.source, nil)
}
