package trace

import (
	"encoding/binary"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"

	"chordsim/core/base"
)

// FileWriter writes the events of a run to a trace file. The same events give the same bytes with the same build.
type FileWriter struct {
	zstd   *zstd.Encoder
	err    error // the first one
	record []byte
	head   [binary.MaxVarintLen64]byte

	names     map[string]uint64
	nameBytes int
	events    int64
	at        base.Time
	world     string
}

var _ Sink = (*FileWriter)(nil)

// NewFileWriter begins a trace on w.
func NewFileWriter(w io.Writer, h FileHeader) *FileWriter {
	// One thread, a fixed window and a fixed level: nothing of the machine shows in the bytes.
	z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedDefault),
		zstd.WithWindowSize(window), zstd.WithEncoderCRC(true), zstd.WithLowerEncoderMem(true))
	f := &FileWriter{zstd: z, err: err, names: map[string]uint64{}}
	f.put([]byte(magicLine))
	f.record = append(f.record[:0], tagHeader)
	f.text(h.Scenario)
	f.number(h.Seed)
	settings := h.Settings[:min(len(h.Settings), MaxSettings)]
	f.number(uint64(len(settings)))
	for _, s := range settings {
		f.text(s)
	}
	f.text(h.Link)
	f.text(h.Build)
	f.text(h.Command)
	f.end()
	f.flush()
	return f
}

// Event writes an event. Texts over MaxText are shortened, and what is not UTF-8 in them is replaced.
func (f *FileWriter) Event(e Event) {
	flags := uint64(0)
	set := func(flag uint64, on bool) {
		if on {
			flags |= flag
		}
	}
	holds := e.Holds[:min(len(e.Holds), MaxHolds)]
	set(hasWorld, e.World != f.world)
	set(hasFrom, e.From != "")
	set(hasTo, e.To != "")
	set(hasLink, e.Link != "")
	set(hasBytes, e.Bytes > 0)
	set(hasOrigin, e.Origin != 0)
	set(hasHolds, len(holds) > 0)
	set(hasCall, e.HasCall)
	set(hasNote, e.Note != "")

	f.record = append(f.record[:0], tagEvent, byte(e.Kind))
	f.number(flags)
	f.record = binary.AppendVarint(f.record, int64(e.At-f.at))
	f.ref(e.What)
	f.refIf(flags&hasWorld, e.World)
	f.refIf(flags&hasFrom, e.From)
	f.refIf(flags&hasTo, e.To)
	f.refIf(flags&hasLink, e.Link)
	if flags&hasBytes != 0 {
		f.number(uint64(e.Bytes))
	}
	if flags&hasOrigin != 0 {
		f.number(e.Origin)
	}
	if len(holds) > 0 {
		f.number(uint64(len(holds)))
		for _, h := range holds {
			f.number(h.ID)
			f.ref(h.Object)
		}
	}
	if e.HasCall {
		f.number(e.Call)
	}
	if e.Note != "" {
		f.text(e.Note)
	}
	f.at, f.world = e.At, e.World
	f.events++
	f.end()
	if f.events%flushEvents == 0 {
		f.flush()
	}
}

// flush hands on what was written.
func (f *FileWriter) flush() {
	if f.err == nil {
		f.err = f.zstd.Flush()
	}
}

// Close writes the end with the hash of the run, 0 if it came to none, and its verdict, and returns the first error.
func (f *FileWriter) Close(hash uint64, v Verdict) error {
	f.record = append(f.record[:0], tagEnd)
	f.number(uint64(f.events))
	f.record = binary.LittleEndian.AppendUint64(f.record, hash)
	f.verdict(&v)
	f.end()
	return f.Abandon()
}

// Abandon ends the file as one that was cut: nobody knows how the run ended. It returns the first error.
func (f *FileWriter) Abandon() error {
	if f.zstd != nil {
		if err := f.zstd.Close(); f.err == nil {
			f.err = err
		}
	}
	return f.err
}

// end writes the record.
func (f *FileWriter) end() {
	f.put(f.head[:binary.PutUvarint(f.head[:], uint64(len(f.record)))])
	f.put(f.record)
}

func (f *FileWriter) put(b []byte) {
	if f.err == nil {
		_, f.err = f.zstd.Write(b)
	}
}

func (f *FileWriter) number(n uint64) { f.record = binary.AppendUvarint(f.record, n) }

func (f *FileWriter) text(s string) {
	s = storable(s)
	f.number(uint64(len(s)))
	f.record = append(f.record, s...)
}

func (f *FileWriter) refIf(flag uint64, s string) {
	if flag != 0 {
		f.ref(s)
	}
}

// ref writes a text that may come again.
func (f *FileWriter) ref(s string) {
	s = storable(s)
	if n, ok := f.names[s]; ok {
		f.number(n)
		return
	}
	f.number(0)
	f.text(s)
	if len(f.names) < maxNames && f.nameBytes+len(s) <= maxNameBytes {
		f.nameBytes += len(s)
		f.names[s] = uint64(len(f.names)) + 1
	}
}

// storable returns a text as it is kept: short enough, and UTF-8.
func storable(s string) string {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, string(utf8.RuneError))
	}
	return clip(s, MaxText)
}
