package wire

import (
	"math"

	"chordsim/core/base"
)

// Version is the protocol version that this build speaks.
const Version = 1

// The longest texts of a handshake, in bytes.
const (
	MaxHostName    = 256
	MaxCredentials = 4000 - MaxHostName
)

// Identity is what both sides of a handshake say of themselves.
type Identity struct {
	Version     uint64 // highest protocol version spoken
	Codec       Codec  // the codec of all chunks; the dialer chooses
	Features    uint64 // bit set of optional features; 0: none
	MaxMessage  uint64 // the largest reassembled message taken, in bytes
	Host        string // who this is
	Incarnation uint64 // which life of that host; a newer one closes the sessions of older ones
}

func (id Identity) append(w *writer) {
	w.number(id.Version)
	w.number(uint64(id.Codec))
	w.number(id.Features)
	w.number(id.MaxMessage)
	w.name(id.Host)
	w.number(id.Incarnation)
}

func readIdentity(r *Reader) Identity {
	return Identity{
		Version: r.number(), Codec: Codec(r.numberTo(math.MaxUint8, "codec")), Features: r.number(), MaxMessage: r.number(),
		Host: r.string(MaxHostName, "host name"), Incarnation: r.number(),
	}
}

// Hello is the first chunk on a transport, from the side that dialed.
type Hello struct {
	Identity
	Session     uint64 // the session to resume; 0: a new one
	Generation  uint64 // which transport of that session this is, from 1
	Received    uint64 // numbered chunks that arrived in that session
	Credentials []byte // for the acceptor's eyes
}

// Append appends the message.
func (m Hello) Append(c Codec, dst []byte) []byte {
	w := writer{codec: c, dst: dst}
	m.append(&w)
	w.number(m.Session)
	w.number(m.Generation)
	w.number(m.Received)
	w.rest(m.Credentials)
	return w.done()
}

// ParseHello reads a Hello. The credentials are a view.
func ParseHello(c Codec, body []byte) (Hello, error) {
	r := newMessage(c, "hello", body)
	m := Hello{Identity: readIdentity(&r), Session: r.number(), Generation: r.number(), Received: r.number()}
	if m.Version == 0 {
		r.Fail("version 0")
	}
	if m.Credentials = r.rest(); len(m.Credentials) > MaxCredentials {
		return m, base.Errorf(base.CodeLimit, "hello: credentials of %d bytes, at most %d", len(m.Credentials), MaxCredentials)
	}
	return m, r.Err()
}
