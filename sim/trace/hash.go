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
	KindFailed  Kind = 7 // something was found wrong: for people, and in no hash
	KindLost    Kind = 8 // a message that did not arrive, when its connection was reset: for people, and in no hash
)

var kindNames = [...]string{"", "deliver", "post", "timer", "connect", "fault", "note", "failed", "lost"}

// Hashed reports whether events of the kind go into hashes. Those that do have numbers.
func (k Kind) Hashed() bool { return k != KindFailed && k != KindLost }

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
type Hash struct {
	h     uint64
	added int64
}

// Add takes an event in: when, what, about whom, and a number that stands for what it carried.
func (h *Hash) Add(at base.Time, kind Kind, who uint64, what uint64) {
	h.mix(uint64(at))
	h.mix(uint64(kind)<<56 ^ who)
	h.mix(what)
	h.added++
}

// Bytes returns the number that stands for bytes.
func Bytes(b []byte) uint64 { return xxh3.Hash(b) }

// mix is the multiply-and-fold step of wyhash, with the fractional digits of π as constants.
func (h *Hash) mix(v uint64) {
	hi, lo := bits.Mul64(h.h^0x243f6a8885a308d3, v^0x13198a2e03707344)
	h.h = bits.RotateLeft64(h.h, 23) ^ hi ^ lo
}

// Added returns how many events were added.
func (h *Hash) Added() int64 { return h.added }

// Sum returns the hash.
func (h *Hash) Sum() uint64 { return h.h }

// String prints the hash as 16 hexadecimal digits.
func (h *Hash) String() string { return fmt.Sprintf("%016x", h.h) }
