package wire

import "encoding/binary"

// Welcome answers a Hello: the link is up.
type Welcome struct {
	Identity
	Session  uint64 // the session that goes on, or the new one; never 0
	Resumed  bool   // the session of the Hello goes on; otherwise everything is new
	Received uint64 // numbered chunks that had arrived in it
}

// Append appends the message.
func (m Welcome) Append(dst []byte) []byte {
	dst = m.append(dst)
	dst = binary.AppendUvarint(dst, m.Session)
	resumed := byte(0)
	if m.Resumed {
		resumed = 1
	}
	dst = append(dst, resumed)
	return binary.AppendUvarint(dst, m.Received)
}

// ParseWelcome reads a Welcome.
func ParseWelcome(body []byte) (Welcome, error) {
	r := NewReader("welcome", body)
	m := Welcome{Identity: readIdentity(&r), Session: r.Uvarint()}
	resumed := r.Byte()
	if resumed > 1 {
		r.Fail("resumed is neither 0 nor 1")
	}
	m.Resumed = resumed == 1
	m.Received = r.Uvarint()
	if m.Session == 0 {
		r.Fail("session 0")
	}
	return m, r.End()
}
