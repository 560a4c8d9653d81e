package wire

import (
	"encoding/binary"

	"chordsim/core/base"
)

// MaxDetail is the longest explanation of a code, in bytes. A longer one is cut when it is written.
const MaxDetail = 512

// Failure is a code with an explanation for people.
type Failure struct {
	Code   base.Code
	Detail string
}

func (f Failure) append(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(f.Code))
	return append(dst, f.Detail[:min(len(f.Detail), MaxDetail)]...)
}

func readFailure(r *Reader) Failure {
	f := Failure{Code: base.Code(r.Uint(1<<32-1, "code"))}
	rest := r.Rest()
	if len(rest) > MaxDetail {
		r.Fail("detail over its limit")
	}
	f.Detail = string(rest)
	return f
}

// Bye ends a link: whatever was said before it still counts.
type Bye struct{ Failure }

// Append appends the message.
func (m Bye) Append(dst []byte) []byte { return m.append(dst) }

// ParseBye reads a Bye.
func ParseBye(body []byte) (Bye, error) {
	r := NewReader("bye", body)
	m := Bye{readFailure(&r)}
	return m, r.End()
}
