package wire

// Refused answers a Hold that cannot be bound. The hold id is free again.
type Refused struct {
	ID uint64
	Failure
}

// Append appends the message.
func (m Refused) Append(c Codec, dst []byte) []byte {
	w := writer{codec: c, dst: dst}
	w.number(m.ID)
	m.append(&w)
	return w.done()
}

// ParseRefused reads a Refused.
func ParseRefused(c Codec, body []byte) (Refused, error) {
	r := newMessage(c, "refused", body)
	m := Refused{ID: r.number(), Failure: readFailure(&r)}
	return m, r.End()
}
