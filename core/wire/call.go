package wire

import "encoding/binary"

// MaxMethod is the longest method name in bytes.
const MaxMethod = 256

// Call asks the provider of a hold to run a method.
type Call struct {
	Hold   uint64
	ID     uint64 // chosen by the caller; free again after the result
	Method int    // index into the method names of the hold's Bound, or -1
	Name   string // the method's name where Method is -1
	Args   []byte // the encoded argument; empty: none. A view after ParseCall
}

// Append appends the message.
func (m Call) Append(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, m.Hold)
	dst = binary.AppendUvarint(dst, m.ID)
	// Bit 0 is kept for arguments in several parts, so that raw bytes can travel beside the value.
	dst = binary.AppendUvarint(dst, uint64(m.Method+1)<<1)
	if m.Method < 0 {
		dst = appendText(dst, m.Name)
	}
	return append(dst, m.Args...)
}

// ParseCall reads a Call.
func ParseCall(body []byte) (Call, error) {
	r := NewReader("call", body)
	m := Call{Hold: r.Uvarint(), ID: r.Uvarint()}
	method := r.Uint(1<<20, "method")
	if method&1 != 0 {
		r.Fail("arguments in parts were not agreed on")
	}
	m.Method = method>>1 - 1
	if m.Method < 0 {
		m.Name = r.Text(MaxMethod, "method name")
	}
	m.Args = r.Rest()
	return m, r.Err()
}

// Cancel says that the result of a call is not wanted any more.
type Cancel struct{ ID uint64 }

// Append appends the message.
func (m Cancel) Append(dst []byte) []byte { return binary.AppendUvarint(dst, m.ID) }

// ParseCancel reads a Cancel.
func ParseCancel(body []byte) (Cancel, error) {
	r := NewReader("cancel", body)
	m := Cancel{ID: r.Uvarint()}
	return m, r.End()
}
