package wire

import "encoding/binary"

// HoldID reads the hold id that Hold, Release, Released, Refused, Call and Bound begin with. It is all that a relay reads
// of them.
func HoldID(body []byte) (uint64, error) {
	r := NewReader("hold id", body)
	id := r.Uvarint()
	return id, r.Err()
}

// CallIDs reads the hold and the call that a Call begins with.
func CallIDs(body []byte) (hold, call uint64, err error) {
	r := NewReader("call ids", body)
	hold, call = r.Uvarint(), r.Uvarint()
	return hold, call, r.Err()
}

// AppendHoldID writes a Release or a Released, which are a hold id and nothing else.
func AppendHoldID(dst []byte, id uint64) []byte { return binary.AppendUvarint(dst, id) }

// ParseHoldID reads a Release or a Released.
func ParseHoldID(name string, body []byte) (uint64, error) {
	r := NewReader(name, body)
	id := r.Uvarint()
	return id, r.End()
}
