package wire

import "chordsim/core/base"

// Down tells a consumer that holds lost their provider behind a relay. They may be held again.
type Down struct {
	Code  base.Code
	Holds []uint64
}

// Append appends the message.
func (m Down) Append(c Codec, dst []byte) []byte {
	w := writer{codec: c, dst: dst}
	w.number(uint64(m.Code))
	for _, id := range m.Holds {
		w.number(id)
	}
	return w.done()
}

// ParseDown reads a Down.
func ParseDown(c Codec, body []byte) (Down, error) {
	r := newMessage(c, "down", body)
	m := Down{Code: base.Code(r.numberTo(1<<32-1, "code"))}
	for r.more() {
		m.Holds = append(m.Holds, r.number())
	}
	return m, r.End()
}
