package wire

import "encoding/binary"

// Section is what changed in one member of a hold, from one revision to a later one. A state message is a list of
// entries, each a hold id and its sections:
//
//	entry   = hold varint · section+
//	section = head varint · base byte · [span varint] · [epoch varint · number varint] · part
//	head    = bit 0: another section of this hold follows · bit 1: a span follows · bit 2: a new epoch follows
//	          bit 3: the member's document is retired, no part follows · the rest: the member's index
//
// The base is named by the low eight bits of its number: the receiver has the whole of it, and anything but the revision
// that it has breaks the protocol.
type Section struct {
	Member   int
	Base     uint64 // number of the revision that the ops apply to; only its low eight bits travel
	Span     uint64 // how many revisions further the result is; 1 takes no bytes
	NewEpoch bool   // the ops replace the value, which is now at Revision
	Retired  bool   // the document went away; there are no ops
	Revision        // meaningful with NewEpoch
	Ops      []byte // encoded ops. A view after parsing
}

const (
	sectionMore    = 1 << 0
	sectionSpan    = 1 << 1
	sectionEpoch   = 1 << 2
	sectionRetired = 1 << 3
)

// maxSpan is beyond any history. It keeps a peer from leading a revision's number around through zero.
const maxSpan = 1 << 53

// AppendEntry appends the hold id that begins an entry.
func AppendEntry(dst []byte, hold uint64) []byte { return binary.AppendUvarint(dst, hold) }

// Append appends the section; more says whether another of the same hold follows.
func (s Section) Append(dst []byte, more bool) []byte {
	head := uint64(s.Member) << 4
	if more {
		head |= sectionMore
	}
	if s.Span != 1 {
		head |= sectionSpan
	}
	if s.NewEpoch {
		head |= sectionEpoch
	}
	if s.Retired {
		head |= sectionRetired
	}
	dst = binary.AppendUvarint(dst, head)
	dst = append(dst, byte(s.Base))
	if s.Span != 1 {
		dst = binary.AppendUvarint(dst, s.Span)
	}
	if s.NewEpoch {
		dst = binary.AppendUvarint(dst, s.Epoch)
		dst = binary.AppendUvarint(dst, s.Number)
	}
	if s.Retired {
		return dst
	}
	return AppendPart(dst, s.Ops)
}

// StateReader walks a state message.
type StateReader struct{ r Reader }

// ReadState begins to read a state message.
func ReadState(body []byte) StateReader {
	s := StateReader{NewReader("state", body)}
	if len(body) == 0 {
		s.r.Fail("no entry")
	}
	return s
}

// Entry reads the hold id of the next entry. It returns false at the end and after an error.
func (s *StateReader) Entry() (hold uint64, ok bool) {
	if s.r.Err() != nil || s.r.Len() == 0 {
		return 0, false
	}
	hold = s.r.Uvarint()
	return hold, s.r.Err() == nil
}

// Section reads the next section of the entry, and whether another follows.
func (s *StateReader) Section() (sec Section, more bool) {
	r := &s.r
	head := r.Uint(1<<20, "section head")
	sec = Section{
		Member: head >> 4, NewEpoch: head&sectionEpoch != 0, Retired: head&sectionRetired != 0,
		Base: uint64(r.Byte()), Span: 1,
	}
	if head&sectionSpan != 0 {
		if sec.Span = r.Uvarint(); sec.Span == 1 {
			r.Fail("span of 1 is not written")
		} else if sec.Span > maxSpan {
			r.Fail("span over its limit")
		}
	}
	if sec.NewEpoch {
		sec.Epoch, sec.Number = r.Uvarint(), r.Uvarint()
	}
	if !sec.Retired {
		var deflated bool
		if sec.Ops, deflated = r.Part(); deflated {
			r.Fail("deflated part was not agreed on")
		}
	}
	return sec, head&sectionMore != 0 && r.Err() == nil
}

// Err returns the first error, or nil.
func (s *StateReader) Err() error { return s.r.Err() }
