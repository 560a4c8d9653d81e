package wire

import (
	"encoding/binary"

	"chordsim/core/base"
)

// Down tells a consumer that holds lost their provider behind a relay. They may be held again.
type Down struct {
	Code  base.Code
	Holds []uint64
}

// Append appends the message.
func (m Down) Append(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(m.Code))
	for _, id := range m.Holds {
		dst = binary.AppendUvarint(dst, id)
	}
	return dst
}

// ParseDown reads a Down.
func ParseDown(body []byte) (Down, error) {
	r := NewReader("down", body)
	m := Down{Code: base.Code(r.Uint(1<<32-1, "code"))}
	for r.Len() > 0 && r.Err() == nil {
		m.Holds = append(m.Holds, r.Uvarint())
	}
	return m, r.End()
}
