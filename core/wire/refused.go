package wire

import "encoding/binary"

// Refused answers a Hold that cannot be bound. The hold id is free again.
type Refused struct {
	ID uint64
	Failure
}

// Append appends the message.
func (m Refused) Append(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, m.ID)
	return m.append(dst)
}

// ParseRefused reads a Refused.
func ParseRefused(body []byte) (Refused, error) {
	r := NewReader("refused", body)
	m := Refused{ID: r.Uvarint(), Failure: readFailure(&r)}
	return m, r.End()
}
