package part

import (
	"encoding/binary"
	"errors"

	"github.com/klauspost/compress/flate"
)

// level is the effort of deflating: the least, as parts are deflated while a turn waits.
const level = flate.BestSpeed

// Deflater deflates parts, one after another. It makes its writer (about 0.8 MB) for the first part over [Threshold] and
// keeps that one. The zero value is ready. Not for use by several goroutines.
type Deflater struct {
	writer *flate.Writer
	sink   sink
	stats  Stats
}

// Append appends the deflated form of raw to dst and reports true, or returns dst as it was and reports false: if raw is
// at or under [Threshold], or if its deflated form would not be smaller. Less than len(raw) bytes are written behind dst,
// also where false is reported, when they lie between its length and its capacity; raw must not lie there.
func (d *Deflater) Append(dst, raw []byte) (out []byte, ok bool) {
	if len(raw) <= Threshold {
		return dst, false
	}
	d.sink = sink{to: binary.AppendUvarint(dst, uint64(len(raw))), most: len(dst) + len(raw) - 1}
	err := d.deflate(raw)
	out = d.sink.to
	d.sink = sink{} // what it wrote to is the caller's
	if err != nil {
		d.stats.Refused++
		return dst, false
	}
	d.stats.add(len(raw), len(out)-len(dst))
	return out, true
}

// Stats returns what was done so far. Parts at or under [Threshold] are not counted.
func (d *Deflater) Stats() Stats { return d.stats }

// deflate writes the stream of raw to the sink. Whatever goes wrong, the part can still be sent as it is.
func (d *Deflater) deflate(raw []byte) error {
	if d.writer == nil {
		w, err := flate.NewWriter(&d.sink, level)
		if err != nil {
			return err
		}
		d.writer = w
	} else {
		d.writer.Reset(&d.sink)
	}
	if _, err := d.writer.Write(raw); err != nil {
		return err
	}
	return d.writer.Close()
}

var errNotSmaller = errors.New("part: not smaller when deflated")

// sink takes a stream as long as that is worth it. Invariant: len(to) ≤ most, but for the size that it starts with.
type sink struct {
	to   []byte
	most int // bytes that to may have
}

func (s *sink) Write(p []byte) (int, error) {
	if len(p) > s.most-len(s.to) {
		return 0, errNotSmaller
	}
	s.to = append(s.to, p...)
	return len(p), nil
}
