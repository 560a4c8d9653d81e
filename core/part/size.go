package part

import (
	"math"

	"chordsim/core/base"
	"chordsim/core/wire"
)

// Threshold is the size in bytes up to which a raw part is never deflated: it takes few chunks as it is.
const Threshold = 16 * base.KiB

// MaxRatio bounds how many bytes a byte of a deflate stream can stand for, and so how much memory a part of so many bytes
// may make its reader take. One match is at most 258 bytes long and takes two bits at least, one for its length and one
// for its distance (RFC 1951, 3.2.5 and 3.2.7): eight bits are at most 4 × 258 bytes.
const MaxRatio = 4 * 258

// Size returns how many bytes a deflated part declares to inflate to, without inflating it. The number is at most
// [MaxRatio] times the length of the part, and more than that length: deflating never grows a part (C10), so that a limit
// on the size bounds the work as well. Errors: [base.CodeProtocol] for a part that cannot be valid, [base.CodeLimit] for
// a size that this machine has no number for.
func Size(part []byte) (int, error) {
	size, _, err := split(part)
	return size, err
}

// split returns the declared size and the stream behind it, as a view.
func split(part []byte) (size int, stream []byte, err error) {
	r := wire.NewReader("deflated part", part)
	declared := r.Uvarint()
	stream = r.Rest()
	switch err := r.Err(); {
	case err != nil:
		return 0, nil, err
	case declared > MaxRatio*uint64(len(stream)):
		return 0, nil, base.Errorf(base.CodeProtocol,
			"deflated part: declares %d bytes, which no stream of %d gives", declared, len(stream))
	case declared <= uint64(len(part)):
		return 0, nil, base.Errorf(base.CodeProtocol,
			"deflated part: declares %d bytes, no more than its own %d", declared, len(part))
	case declared > math.MaxInt:
		return 0, nil, base.Errorf(base.CodeLimit, "deflated part: declares %d bytes", declared)
	}
	return int(declared), stream, nil
}
