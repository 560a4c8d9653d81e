package wire

import (
	"encoding/binary"

	"chordsim/core/base"
)

// MemberForm says how a member of a Bound is given.
type MemberForm uint8

// The forms of a member.
const (
	MemberValue MemberForm = 0 // its whole value
	MemberOps   MemberForm = 1 // the ops since the revision that the Hold named as known
)

// BoundMember is one member of an object at the moment of the bind.
type BoundMember struct {
	Name string
	Form MemberForm
	Revision
	Part     []byte // an encoded value, or encoded ops. A view after ParseBound
	Deflated bool   // the part is deflated

	source *partSource // in the place of Part, if it is not nil
}

// partSource is a part that is not encoded yet.
type partSource struct {
	append func(dst []byte) []byte
	guess  int // bytes, about
}

// EncodeWith has the part, which is not deflated, appended to the message by fn as it is written, so that a large one is not
// copied into it. Guess is about how many bytes fn appends.
func (b *BoundMember) EncodeWith(guess int, fn func(dst []byte) []byte) {
	b.source = &partSource{fn, guess}
}

// Bound answers a Hold: the object's methods and the snapshot of every member. Members and methods are named by their
// index in it from then on.
type Bound struct {
	ID      uint64
	Methods []string
	Members []BoundMember
}

// Append appends the message.
func (m Bound) Append(c Codec, dst []byte) []byte {
	if c == Text {
		return m.appendText(dst)
	}
	dst = binary.AppendUvarint(dst, m.ID)
	dst = binary.AppendUvarint(dst, uint64(len(m.Methods)))
	for _, name := range m.Methods {
		dst = appendText(dst, name)
	}
	dst = binary.AppendUvarint(dst, uint64(len(m.Members)))
	for _, member := range m.Members {
		dst = appendText(dst, member.Name)
		dst = append(dst, byte(member.Form))
		dst = binary.AppendUvarint(dst, member.Epoch)
		dst = binary.AppendUvarint(dst, member.Number)
		if member.source != nil {
			dst = member.encode(dst)
		} else {
			dst = appendPart(dst, member.Part, member.Deflated)
		}
	}
	return dst
}

// encode appends the part behind its length, for which room is left as long as the guess is. A wrong guess costs that the part
// is moved.
func (b *BoundMember) encode(dst []byte) []byte {
	var room [binary.MaxVarintLen64]byte
	at, guessed := len(dst), binary.PutUvarint(room[:], uint64(b.source.guess)<<1)
	dst = b.source.append(append(dst, room[:guessed]...))
	part := dst[at+guessed:]
	n := binary.PutUvarint(room[:], uint64(len(part))<<1)
	if n > guessed {
		dst = append(dst, room[:n-guessed]...)
	}
	if n != guessed {
		copy(dst[at+n:], part)
		dst = dst[:at+n+len(part)]
	}
	copy(dst[at:], room[:n])
	return dst
}

// maxMethods bounds the methods that a Bound may name.
const maxMethods = 1024

// ParseBound reads a Bound within the limit on members.
func ParseBound(c Codec, body []byte, limits *base.Limits) (Bound, error) {
	if c == Text {
		return parseBoundText(body, limits)
	}
	r := NewReader("bound", body)
	m := Bound{ID: r.Uvarint()}
	for range r.Uint(maxMethods, "methods") {
		name := r.string(MaxMethod, "method name")
		if r.Err() != nil {
			break
		}
		m.Methods = append(m.Methods, name)
	}
	for range r.Uint(uint64(limits.Members), "members") {
		member := BoundMember{Name: r.string(limits.AddressBytes, "member name"), Form: MemberForm(r.Byte())}
		if member.Form > MemberOps {
			r.Fail("unknown member form")
		}
		member.Epoch, member.Number = r.Uvarint(), r.Uvarint()
		member.Part, member.Deflated = r.part()
		if r.Err() != nil {
			break
		}
		m.Members = append(m.Members, member)
	}
	return m, r.End()
}
