package wire

// HoldID reads the hold id that Hold, Release, Released, Refused, Call and Bound begin with. It is all that a relay reads
// of them.
func HoldID(c Codec, body []byte) (uint64, error) {
	r := newMessage(c, "hold id", body)
	id := r.number()
	return id, r.Err()
}

// CallIDs reads the hold and the call that a Call begins with.
func CallIDs(c Codec, body []byte) (hold, call uint64, err error) {
	r := newMessage(c, "call ids", body)
	hold, call = r.number(), r.number()
	return hold, call, r.Err()
}

// AppendHoldID writes a Release or a Released, which are a hold id and nothing else.
func AppendHoldID(c Codec, dst []byte, id uint64) []byte {
	w := writer{codec: c, dst: dst}
	w.number(id)
	return w.done()
}

// ParseHoldID reads a Release or a Released.
func ParseHoldID(c Codec, name string, body []byte) (uint64, error) {
	r := newMessage(c, name, body)
	id := r.number()
	return id, r.End()
}
