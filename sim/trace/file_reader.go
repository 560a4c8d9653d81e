package trace

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"strings"

	"github.com/klauspost/compress/zstd"

	"chordsim/core/base"
)

// FileReader reads a trace file. Whatever is in the file, it takes bounded memory and does not panic; what is wrong is one
// error that says where.
type FileReader struct {
	zstd   *zstd.Decoder
	in     *bufio.Reader
	header FileHeader
	end    FileEnd
	ended  bool
	err    error // sticks

	record []byte // of which the rest was not read yet
	buffer []byte
	offset int64 // of the record in what is compressed, in bytes
	size   int64 // of it with its length

	names     []string
	nameBytes int
	events    int64
	numbered  int64 // of the events, those that have numbers of their own
	at        base.Time
	world     string
}

// ErrNotTrace is for a file that is something else.
var ErrNotTrace = errors.New("not a trace")

// ErrCut is for a file without an end: the run did not come to its end, or the file is not whole. What [FileReader.Next]
// returned before is what there is.
var ErrCut = errors.New("cut short")

// zstdMagic begins a zstd frame.
const zstdMagic = "\x28\xb5\x2f\xfd"

// NewFileReader begins to read a trace and has its header.
func NewFileReader(r io.Reader) (*FileReader, error) {
	raw := bufio.NewReader(r)
	switch first, err := raw.Peek(len(zstdMagic)); {
	case len(first) == 0 && errors.Is(err, io.EOF):
		return nil, fmt.Errorf("%w: it is empty", ErrNotTrace)
	case err != nil && !errors.Is(err, io.EOF):
		return nil, err
	case string(first) != zstdMagic:
		return nil, fmt.Errorf("%w: it is not compressed by zstd", ErrNotTrace)
	}
	z, err := zstd.NewReader(raw, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(window), zstd.WithDecoderLowmem(true))
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrNotTrace, err)
	}
	f := &FileReader{zstd: z, in: bufio.NewReader(z)}
	if err := f.begin(); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// begin reads the line and the header.
func (f *FileReader) begin() error {
	line := make([]byte, len(magicLine))
	n, err := io.ReadFull(f.in, line)
	stem, ok := strings.CutPrefix(string(line[:n]), magicStem)
	switch {
	case err != nil && !errors.Is(err, io.EOF) && strings.HasPrefix(magicLine, string(line[:n])):
		return f.failed(err) // as far as it can be read, it is one
	case !ok:
		return fmt.Errorf("%w: it is compressed, and of something else", ErrNotTrace)
	case string(line[:n]) != magicLine:
		return fmt.Errorf("a trace of version %q, this build reads version %s", strings.TrimSpace(stem), version)
	}
	f.offset = int64(n)
	tag := f.next()
	if f.err == nil && tag != tagHeader {
		f.fail("no header")
	}
	h := &f.header
	h.Scenario, h.Seed = f.text(), f.number()
	for range f.upTo(MaxSettings, "settings") {
		h.Settings = append(h.Settings, f.text())
	}
	h.Link, h.Build, h.Command = f.text(), f.text(), f.text()
	f.done()
	return f.err
}

// Header returns what the trace is of.
func (f *FileReader) Header() FileHeader { return f.header }

// End returns what was known when the run was over. It is there once Next has returned io.EOF.
func (f *FileReader) End() FileEnd { return f.end }

// Close gives back what reading takes.
func (f *FileReader) Close() { f.zstd.Close() }

// Next returns the next event, or io.EOF behind the last one of a trace that is whole.
func (f *FileReader) Next() (Event, error) {
	if f.ended {
		return Event{}, io.EOF
	}
	switch tag := f.next(); {
	case f.err != nil:
	case tag == tagEvent:
		if e := f.event(); f.err == nil {
			return e, nil
		}
	case tag == tagEnd:
		f.finish()
		if f.err == nil {
			return Event{}, io.EOF
		}
	default:
		f.fail(fmt.Sprintf("a record of unknown kind 0x%02x", tag))
	}
	return Event{}, f.err
}

// finish reads the end. Only behind it does the decoder compare its checksum.
func (f *FileReader) finish() {
	f.end.Events = f.count()
	if b := f.bytes(8); f.err == nil {
		f.end.Hash = binary.LittleEndian.Uint64(b)
	}
	f.end.Verdict = f.verdict()
	f.done()
	if f.err == nil && f.end.Events != f.events {
		f.fail(fmt.Sprintf("the end says %d events", f.end.Events))
	}
	if f.err != nil {
		return
	}
	switch _, err := f.in.ReadByte(); {
	case err == nil:
		f.offset += f.size
		f.fail("bytes behind the end")
	case !errors.Is(err, io.EOF):
		_ = f.failed(err)
	}
	f.ended = f.err == nil
}

func (f *FileReader) event() Event {
	f.events++
	e := Event{Kind: Kind(f.byte())}
	if e.Kind.Hashed() {
		f.numbered++
	}
	e.Number = f.numbered
	if f.err == nil && (e.Kind == 0 || e.Kind.String() == unknownKind) {
		f.fail("an event of unknown kind")
	}
	flags := f.number()
	if flags&^allFields != 0 {
		f.fail("fields that this build does not know")
	}
	f.at += base.Time(f.signed())
	if f.err == nil && f.at < 0 {
		f.fail("a time before the start")
	}
	e.At, e.What = f.at, f.ref()
	if flags&hasWorld != 0 {
		f.world = f.ref()
	}
	e.World = f.world
	e.From, e.To, e.Link = f.refIf(flags&hasFrom), f.refIf(flags&hasTo), f.refIf(flags&hasLink)
	if flags&hasBytes != 0 {
		e.Bytes = f.upTo(math.MaxInt32, "bytes")
	}
	if flags&hasOrigin != 0 {
		e.Origin = f.number()
	}
	if flags&hasHolds != 0 {
		e.Holds = make([]Hold, 0, 1)
		for range f.upTo(MaxHolds, "holds") {
			e.Holds = append(e.Holds, Hold{f.number(), f.ref()})
		}
	}
	if flags&hasCall != 0 {
		e.Call, e.HasCall = f.number(), true
	}
	if flags&hasNote != 0 {
		e.Note = f.text()
	}
	f.done()
	return e
}

// The rest reads records and what they are made of. After the first error all that is read is zero.

// next reads the next record and returns its tag.
func (f *FileReader) next() byte {
	if f.err != nil {
		return 0
	}
	f.offset += f.size
	n, err := binary.ReadUvarint(f.in)
	switch {
	case err != nil:
		_ = f.failed(err)
		return 0
	case n == 0 || n > maxRecord:
		f.fail(fmt.Sprintf("a record of %d bytes, at most %d", n, maxRecord))
		return 0
	}
	if uint64(len(f.buffer)) < n {
		f.buffer = make([]byte, n+n/2)
	}
	f.record = f.buffer[:n]
	if _, err := io.ReadFull(f.in, f.record); err != nil {
		_ = f.failed(err)
		return 0
	}
	f.size = int64(n) + int64(bits.Len64(n|1)+6)/7
	return f.byte()
}
