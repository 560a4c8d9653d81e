package wire

import "encoding/binary"

// After is a watermark: a result that carries it is not to be seen before state entry number Entry of the hold was
// applied. Entries of a hold are counted from 1, from its Bound on.
type After struct {
	Hold  uint64
	Entry uint64
}

// maxAfter bounds the watermarks of a result: one for each hold of an origin that the call may have changed.
const maxAfter = 4096

// Result settles a call.
type Result struct {
	ID    uint64
	Err   *Failure // nil: the call succeeded
	After []After  // empty, and without a byte, when nothing is pending
	Value []byte   // the encoded value of a success; empty: null. A view after ParseResult
}

const (
	resultErr   = 1 << 0
	resultAfter = 1 << 1
	resultParts = 1 << 2 // kept for a value with raw bytes beside it
	resultFlags = resultErr | resultAfter
)

// Append appends the message.
func (m Result) Append(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, m.ID)
	flags := byte(0)
	if m.Err != nil {
		flags |= resultErr
	}
	if len(m.After) > 0 {
		flags |= resultAfter
	}
	dst = append(dst, flags)
	if len(m.After) > 0 {
		dst = binary.AppendUvarint(dst, uint64(len(m.After)))
		for _, a := range m.After {
			dst = binary.AppendUvarint(dst, a.Hold)
			dst = binary.AppendUvarint(dst, a.Entry)
		}
	}
	if m.Err != nil {
		return m.Err.append(dst)
	}
	return append(dst, m.Value...)
}

// ResultID reads the call id that a Result begins with. It is all that a relay reads of one.
func ResultID(body []byte) (uint64, error) {
	r := NewReader("result id", body)
	id := r.Uvarint()
	return id, r.Err()
}

// ParseResult reads a Result.
func ParseResult(body []byte) (Result, error) {
	r := NewReader("result", body)
	m := Result{ID: r.Uvarint()}
	flags := r.Byte()
	if flags&^resultFlags != 0 {
		r.Fail("unknown flags")
	}
	if flags&resultAfter != 0 {
		n := r.Uint(maxAfter, "watermarks")
		if n == 0 {
			r.Fail("no watermark")
		}
		for range n {
			a := After{Hold: r.Uvarint(), Entry: r.Uvarint()}
			if r.Err() != nil {
				break
			}
			m.After = append(m.After, a)
		}
	}
	if flags&resultErr != 0 {
		f := readFailure(&r)
		m.Err = &f
	} else {
		m.Value = r.Rest()
	}
	return m, r.End()
}
