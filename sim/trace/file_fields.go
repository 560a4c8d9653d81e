package trace

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"unicode/utf8"
)

// fail notes what is wrong with the record that is being read, unless something was wrong before.
func (f *FileReader) fail(what string) {
	if f.err == nil {
		f.err = fmt.Errorf("damaged at byte %d of what is compressed, %s: %s", f.offset, f.place(), what)
		f.record = nil
	}
}

// failed notes an error of reading.
func (f *FileReader) failed(err error) error {
	switch {
	case f.err != nil:
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		f.err = fmt.Errorf("%w %s", ErrCut, f.place())
	default:
		f.err = fmt.Errorf("damaged %s: %w", f.place(), err)
	}
	f.record = nil
	return f.err
}

// place says how far the file was read.
func (f *FileReader) place() string {
	if f.events == 0 {
		return "before the first event"
	}
	return fmt.Sprintf("at or behind event %d (%v)", f.events, f.at)
}

// done checks that the record has nothing left.
func (f *FileReader) done() {
	if f.err == nil && len(f.record) > 0 {
		f.fail("bytes that nothing explains")
	}
}

func (f *FileReader) byte() byte {
	if b := f.bytes(1); len(b) == 1 {
		return b[0]
	}
	return 0
}

// bytes returns the next n bytes of the record, or none.
func (f *FileReader) bytes(n uint64) []byte {
	if n > uint64(len(f.record)) {
		f.fail("a record that is too short")
		return nil
	}
	b := f.record[:n]
	f.record = f.record[n:]
	return b
}

func (f *FileReader) number() uint64 {
	v, n := binary.Uvarint(f.record)
	if n <= 0 {
		f.fail("no number")
		return 0
	}
	f.record = f.record[n:]
	return v
}

func (f *FileReader) signed() int64 {
	v, n := binary.Varint(f.record)
	if n <= 0 {
		f.fail("no number")
		return 0
	}
	f.record = f.record[n:]
	return v
}

// count reads a number that is no more than an int64 holds.
func (f *FileReader) count() int64 {
	n := f.number()
	if n > math.MaxInt64 {
		f.fail("a number that is too large")
		return 0
	}
	return int64(n)
}

// upTo reads a number of at most limit.
func (f *FileReader) upTo(limit uint64, what string) int {
	n := f.number()
	if n > limit {
		f.fail(fmt.Sprintf("%d %s, at most %d", n, what, limit))
		return 0
	}
	return int(n)
}

func (f *FileReader) text() string {
	n := f.number()
	if n > MaxText {
		f.fail(fmt.Sprintf("a text of %d bytes, at most %d", n, MaxText))
		return ""
	}
	b := f.bytes(n)
	if !utf8.Valid(b) {
		f.fail("a text that is not UTF-8")
		return ""
	}
	return string(b)
}

// ref reads a text that may come again.
func (f *FileReader) ref() string {
	n := f.number()
	if n > uint64(len(f.names)) {
		f.fail(fmt.Sprintf("text number %d of %d", n, len(f.names)))
		return ""
	}
	if n > 0 {
		return f.names[n-1]
	}
	s := f.text()
	if f.err == nil && len(f.names) < maxNames && f.nameBytes+len(s) <= maxNameBytes {
		f.nameBytes += len(s)
		f.names = append(f.names, s)
	}
	return s
}

func (f *FileReader) refIf(flag uint64) string {
	if flag == 0 {
		return ""
	}
	return f.ref()
}
