package wire

// Credit tells a provider that chunks of its state and bulk lanes were taken in: applied, or thrown away. Chunks are
// credited in the order in which they were written, so counts are all that is needed; the provider knows their sizes.
type Credit struct {
	State uint64 // chunks of state messages
	Bulk  uint64 // chunks of bulk messages
}

// Append appends the message. A credit of state alone has no byte for bulk.
func (m Credit) Append(c Codec, dst []byte) []byte {
	w := writer{codec: c, dst: dst}
	w.number(m.State)
	if m.Bulk != 0 {
		w.number(m.Bulk)
	}
	return w.done()
}

// ParseCredit reads a Credit.
func ParseCredit(c Codec, body []byte) (Credit, error) {
	r := newMessage(c, "credit", body)
	m := Credit{State: r.number()}
	if r.more() {
		if m.Bulk = r.number(); m.Bulk == 0 {
			r.Fail("bulk credit of 0")
		}
	}
	if m.State == 0 && m.Bulk == 0 {
		r.Fail("no credit at all")
	}
	return m, r.End()
}
