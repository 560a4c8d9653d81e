package trace

import (
	"fmt"
	"math/bits"

	"github.com/zeebo/xxh3"

	"chordsim/core/base"
)

// Kind says what an event was.
type Kind uint8

// The kinds. Their numbers go into hashes.
const (
	KindDeliver Kind = 1 // bytes reached a host
	KindPost    Kind = 2 // a posted turn ran
	KindTimer   Kind = 3 // a timer came due
	KindConnect Kind = 4 // a connection opened or closed
	KindFault   Kind = 5 // a fault took effect
	KindNote    Kind = 6 // a scenario said something
)

var kindNames = [...]string{"", "deliver", "post", "timer", "connect", "fault", "note"}

// String returns the kind's name.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return unknownKind
}

const unknownKind = "unknown"

// ParseKind returns the kind of a name.
func ParseKind(name string) (Kind, bool) {
	for k, known := range kindNames {
		if known == name && k > 0 {
			return Kind(k), true
		}
	}
	return 0, false
}

// Hash is a rolling hash over events. The zero value is the hash of no event.
type Hash struct{ h uint64 }

// Add takes an event in: when, what, about whom, and a number that stands for what it carried.
func (h *Hash) Add(at base.Time, kind Kind, who uint64, what uint64) {
	h.mix(uint64(at))
	h.mix(uint64(kind)<<56 ^ who)
	h.mix(what)
}

// Bytes returns the number that stands for bytes.
func Bytes(b []byte) uint64 { return xxh3.Hash(b) }

// mix is the multiply-and-fold step of wyhash, with the fractional digits of π as constants.
func (h *Hash) mix(v uint64) {
	hi, lo := bits.Mul64(h.h^0x243f6a8885a308d3, v^0x13198a2e03707344)
	h.h = bits.RotateLeft64(h.h, 23) ^ hi ^ lo
}

// Sum returns the hash.
func (h *Hash) Sum() uint64 { return h.h }

// String prints the hash as 16 hexadecimal digits.
func (h *Hash) String() string { return fmt.Sprintf("%016x", h.h) }
