package base

import (
	"math/bits"
	"strings"
)

// Rand draws random numbers by name: each is a fixed function of (seed, label, ordinal). A draw that is added in one
// place therefore moves no draw in another, and a recorded seed keeps its meaning when code changes.
//
// The function is part of the contract of recorded seeds and never changes: FNV-1a over the label's parts (each closed
// by a zero byte), then splitmix64's finalizer over seed, label and ordinal (Steele, Lea and Flood, "Fast splittable
// pseudorandom number generators", 2014).
type Rand struct {
	seed     uint64
	observer Observer
	steer    Steer
}

// Observer is told of draws as they are made. It must not draw.
type Observer interface {
	// Drew is told of a draw and of its stream's label, whose parts are joined by spaces.
	Drew(label string, draw uint64)
}

// Steer may put other numbers in the place of draws, so that something else than the seed decides. It must not draw.
type Steer interface {
	// Steer returns the number to draw, given the stream's label, as [Observer] has it, and what the seed gives.
	Steer(label string, draw uint64) uint64
}

// NewRand returns the source of a seed. Every seed is valid, zero too. Nobody observes it.
func NewRand(seed uint64) Rand { return Rand{seed: seed} }

// Observed returns the same source, of which an observer is told each draw of the streams that are made of it from now on.
// It draws the same numbers. Nil: nobody is told.
func (r Rand) Observed(o Observer) Rand {
	r.observer = o
	return r
}

// Steered returns the same source, of whose streams each next draw is what s makes of it. [Stream.At], which may be asked for
// a draw again and again, stays the seed's. Nil: the seed decides.
func (r Rand) Steered(s Steer) Rand {
	r.steer = s
	return r
}

// Stream returns the named stream of draws. The label says what the draws are for and for whom, such as
// ("jitter", "tab.down").
func (r Rand) Stream(label ...string) *Stream {
	const offset, prime = 14695981039346656037, 1099511628211
	h := uint64(offset)
	for _, part := range label {
		for i := 0; i < len(part); i++ {
			h = (h ^ uint64(part[i])) * prime
		}
		h *= prime // the closing zero byte: h ^ 0 is h
	}
	s := &Stream{key: mix(r.seed + mix(h))}
	if r.observer != nil || r.steer != nil {
		s.observer, s.steer, s.label = r.observer, r.steer, strings.Join(label, " ")
	}
	return s
}

// Stream is one named sequence of draws.
type Stream struct {
	key  uint64
	next uint64

	observer Observer // nil: nobody
	steer    Steer    // nil: the seed decides
	label    string   // for those two
}

// At returns draw number i of the stream without moving it. An observer is told of it each time.
func (s *Stream) At(i uint64) uint64 {
	v := s.of(i)
	if s.observer != nil {
		s.observer.Drew(s.label, v)
	}
	return v
}

// of is the seed's draw number i.
func (s *Stream) of(i uint64) uint64 { return mix(s.key + mix(i+0x9e3779b97f4a7c15)) }

// Next returns the stream's next draw.
func (s *Stream) Next() uint64 {
	v := s.of(s.next)
	s.next++
	if s.steer != nil {
		v = s.steer.Steer(s.label, v)
	}
	if s.observer != nil {
		s.observer.Drew(s.label, v)
	}
	return v
}

// Below returns the next draw in [0, n), or 0 if n is 0. The bias is under n/2^64.
func (s *Stream) Below(n uint64) uint64 {
	hi, _ := bits.Mul64(s.Next(), n)
	return hi
}

func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
