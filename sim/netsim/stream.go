package netsim

import (
	"fmt"

	"chordsim/core/base"
	"chordsim/core/wire"
)

// StreamConfig makes a link two byte streams, which know nothing of messages. Hosts write and read whole messages all the same: a
// framer at each end puts lengths in front of them and takes them out again, as on a socket. A message is at least 1 byte,
// and at most [wire.MaxFrame].
//
// A write takes as many bytes as a draw says, from Min to Max, or all there are; they travel as one segment, which may hold several
// messages or a part of one. What finds the buffer full waits, and is then cut anew. A read takes as many bytes of an
// arrived segment as another draw says.
type StreamConfig struct {
	Min, Max int // bytes; 1 ≤ Min ≤ Max
}

func (c StreamConfig) validate() error {
	if c.Min < 1 || c.Max < c.Min {
		return fmt.Errorf("segments of %d to %d bytes; want at least 1, and no more at least than at most", c.Min, c.Max)
	}
	return nil
}

// stream is one direction of a byte stream. Places in it are counted in bytes from its start.
type stream struct {
	cfg           StreamConfig
	writes, reads *base.Stream
	framer        wire.Framer

	pending []byte // framed, and not yet taken by the link
	ending  bool   // the end follows what is pending

	frames ring[frame] // messages that were written and neither delivered nor lost, oldest first
	wrote  int64       // where what was written ends
	sent   int64       // where what the link has taken ends
	passed int64       // where what has arrived ends, read or lost
	whole  int64       // where the last message that was delivered ends
	seen   int64       // where the last message ends of which something fell into a black hole
}

// frame is where in the stream a message of so many bytes ends.
type frame struct {
	end  int64
	size int
}

func newStream(cfg StreamConfig, rand base.Rand, link, way string) *stream {
	return &stream{cfg: cfg, writes: rand.Stream("write", link, way), reads: rand.Stream("read", link, way)}
}

// waiting reports whether bytes wait for the link to take them.
func (s *stream) waiting() bool { return len(s.pending) > 0 }

// write frames a message.
func (s *stream) write(chunk []byte) {
	if len(chunk) == 0 || len(chunk) > wire.MaxFrame {
		panic(fmt.Sprintf("netsim: D2: a message of %d bytes on a byte stream; want 1 to %d", len(chunk), wire.MaxFrame))
	}
	before := len(s.pending)
	s.pending = wire.AppendFrame(s.pending, chunk)
	s.wrote += int64(len(s.pending) - before)
	s.frames.push(frame{s.wrote, len(chunk)})
}

// take cuts the next segment off what is pending.
func (s *stream) take() []byte {
	n := min(s.cfg.draw(s.writes), len(s.pending))
	segment := s.pending[:n:n]
	s.pending = s.pending[n:]
	s.sent += int64(n)
	return segment
}

func (c StreamConfig) draw(from *base.Stream) int {
	return c.Min + int(from.Below(uint64(c.Max-c.Min)+1))
}

// pass counts bytes that have arrived.
func (s *stream) pass(n int) { s.passed += int64(n) }

// touch counts the messages that the next n bytes to arrive are the first of to be lost.
func (s *stream) touch(n int, lost *Lost) {
	begin := int64(0) // of the oldest one: it has arrived, at least
	for i := s.frames.first; i != s.frames.end && begin < s.passed+int64(n); i++ {
		f := s.frames.at(i)
		if begin = f.end; f.end > s.seen {
			s.seen = f.end
			lost.add(f.size)
		}
	}
}

// pump has the link take what is pending, as long as there is room.
func (d *direction) pump() {
	s := d.stream
	if s == nil {
		return
	}
	for s.waiting() && (d.buffer == 0 || d.model.QueuedBytes() < d.buffer) {
		d.put(parcel{chunk: s.take()})
	}
	if s.ending && !s.waiting() {
		s.ending = false
		d.put(parcel{kind: kindEnd})
	}
}

// feed reads a segment, piece by piece.
func (d *direction) feed(segment []byte) {
	s := d.stream
	s.pass(len(segment))
	for len(segment) > 0 && !d.link.dead {
		n := min(s.cfg.draw(s.reads), len(segment))
		if err := s.framer.Feed(segment[:n], d.message); err != nil {
			panic("netsim: D2: the framer refuses what a framer made: " + err.Error())
		}
		segment = segment[n:]
	}
}

// message hands over a message that the framer has put together.
func (d *direction) message(chunk []byte) error {
	if d.link.dead {
		return nil
	}
	d.stream.whole = d.stream.frames.pop().end
	d.land(chunk)
	return nil
}

// Partial returns how many bytes of a message that is not complete the end of a byte stream has read, with those that say its
// length; 0 on other links.
func (e *End) Partial() int64 {
	if s := e.inbound().stream; s != nil {
		return s.passed - s.whole
	}
	return 0
}
