package wire

import "encoding/binary"

// Credit tells a provider that chunks of its state and bulk lanes were taken in: applied, or thrown away. Chunks are
// credited in the order in which they were written, so counts are all that is needed; the provider knows their sizes.
type Credit struct {
	State uint64 // chunks of state messages
	Bulk  uint64 // chunks of bulk messages
}

// Append appends the message. A credit of state alone has no byte for bulk.
func (m Credit) Append(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, m.State)
	if m.Bulk != 0 {
		dst = binary.AppendUvarint(dst, m.Bulk)
	}
	return dst
}

// ParseCredit reads a Credit.
func ParseCredit(body []byte) (Credit, error) {
	r := NewReader("credit", body)
	m := Credit{State: r.Uvarint()}
	if r.Len() > 0 {
		if m.Bulk = r.Uvarint(); m.Bulk == 0 {
			r.Fail("bulk credit of 0")
		}
	}
	if m.State == 0 && m.Bulk == 0 {
		r.Fail("no credit at all")
	}
	return m, r.End()
}
