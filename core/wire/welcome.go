package wire

// Welcome answers a Hello: the link is up.
type Welcome struct {
	Identity
	Session  uint64 // the session that goes on, or the new one; never 0
	Resumed  bool   // the session of the Hello goes on; otherwise everything is new
	Received uint64 // numbered chunks that had arrived in it
}

// Append appends the message.
func (m Welcome) Append(c Codec, dst []byte) []byte {
	w := writer{codec: c, dst: dst}
	m.append(&w)
	w.number(m.Session)
	resumed := byte(0)
	if m.Resumed {
		resumed = 1
	}
	w.byte(resumed)
	w.number(m.Received)
	return w.done()
}

// ParseWelcome reads a Welcome.
func ParseWelcome(c Codec, body []byte) (Welcome, error) {
	r := newMessage(c, "welcome", body)
	m := Welcome{Identity: readIdentity(&r), Session: r.number()}
	resumed := r.byte()
	if resumed > 1 {
		r.Fail("resumed is neither 0 nor 1")
	}
	m.Resumed = resumed == 1
	m.Received = r.number()
	if m.Session == 0 {
		r.Fail("session 0")
	}
	return m, r.End()
}
