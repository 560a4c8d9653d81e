package wire

import (
	"encoding/binary"

	"chordsim/core/base"
)

// Version is the protocol version that this build speaks.
const Version = 1

// Codec numbers.
const (
	CodecBinary = 0
	CodecText   = 1
)

// The longest texts of a handshake, in bytes.
const (
	MaxHostName    = 256
	MaxCredentials = 4000 - MaxHostName
)

// Identity is what both sides of a handshake say of themselves.
type Identity struct {
	Version     uint64 // highest protocol version spoken
	Codec       uint64 // the codec of all later chunks; the dialer chooses
	Features    uint64 // bit set of optional features; 0: none
	MaxMessage  uint64 // the largest reassembled message taken, in bytes
	Host        string // who this is
	Incarnation uint64 // which life of that host; a newer one closes the sessions of older ones
}

func (id Identity) append(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, id.Version)
	dst = binary.AppendUvarint(dst, id.Codec)
	dst = binary.AppendUvarint(dst, id.Features)
	dst = binary.AppendUvarint(dst, id.MaxMessage)
	dst = appendText(dst, id.Host)
	return binary.AppendUvarint(dst, id.Incarnation)
}

func readIdentity(r *Reader) Identity {
	return Identity{
		Version: r.Uvarint(), Codec: r.Uvarint(), Features: r.Uvarint(), MaxMessage: r.Uvarint(),
		Host: r.Text(MaxHostName, "host name"), Incarnation: r.Uvarint(),
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
func (m Hello) Append(dst []byte) []byte {
	dst = m.append(dst)
	dst = binary.AppendUvarint(dst, m.Session)
	dst = binary.AppendUvarint(dst, m.Generation)
	dst = binary.AppendUvarint(dst, m.Received)
	return append(dst, m.Credentials...)
}

// ParseHello reads a Hello. The credentials are a view.
func ParseHello(body []byte) (Hello, error) {
	r := NewReader("hello", body)
	m := Hello{Identity: readIdentity(&r), Session: r.Uvarint(), Generation: r.Uvarint(), Received: r.Uvarint()}
	if m.Version == 0 {
		r.Fail("version 0")
	}
	if m.Credentials = r.Rest(); len(m.Credentials) > MaxCredentials {
		return m, base.Errorf(base.CodeLimit, "hello: credentials of %d bytes, at most %d", len(m.Credentials), MaxCredentials)
	}
	return m, r.Err()
}
