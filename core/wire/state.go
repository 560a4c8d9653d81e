package wire

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
	Deflated bool   // the ops are deflated
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
func AppendEntry(c Codec, dst []byte, hold uint64) []byte {
	w := writer{codec: c, dst: dst}
	w.number(hold)
	return w.dst
}

// EndState ends a state message whose entries were appended. Beside is what their sections returned: bytes that go behind
// the array of the text codec.
func EndState(c Codec, dst []byte, beside ...[]byte) []byte {
	w := writer{codec: c, dst: dst, behind: beside}
	return w.done()
}

// Append appends the section; more says whether another of the same hold follows. In the text codec deflated ops go behind
// all entries: [EndState] is given them.
func (s Section) Append(c Codec, dst []byte, more bool) []byte {
	w := writer{codec: c, dst: dst}
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
	w.number(head)
	w.byte(byte(s.Base))
	if s.Span != 1 {
		w.number(s.Span)
	}
	if s.NewEpoch {
		w.number(s.Epoch)
		w.number(s.Number)
	}
	switch {
	case s.Retired:
	case c == Binary:
		w.dst = appendPart(w.dst, s.Ops, s.Deflated)
	case s.Deflated:
		w.number(uint64(len(s.Ops)))
	default:
		w.raw(s.Ops)
	}
	return w.dst
}

// StateReader walks a state message.
type StateReader struct{ r Reader }

// ReadState begins to read a state message.
func ReadState(c Codec, body []byte) StateReader {
	s := StateReader{newMessage(c, "state", body)}
	if !s.r.more() {
		s.r.Fail("no entry")
	}
	return s
}

// Entry reads the hold id of the next entry. It returns false at the end and after an error.
func (s *StateReader) Entry() (hold uint64, ok bool) {
	if !s.r.more() {
		_ = s.r.End() // the error sticks
		return 0, false
	}
	hold = s.r.number()
	return hold, s.r.Err() == nil
}

// Section reads the next section of the entry, and whether another follows.
func (s *StateReader) Section() (sec Section, more bool) {
	r := &s.r
	head := r.numberTo(1<<20, "section head")
	sec = Section{
		Member: head >> 4, NewEpoch: head&sectionEpoch != 0, Retired: head&sectionRetired != 0,
		Base: uint64(r.byte()), Span: 1,
	}
	if head&sectionSpan != 0 {
		if sec.Span = r.number(); sec.Span == 1 {
			r.Fail("span of 1 is not written")
		} else if sec.Span > maxSpan {
			r.Fail("span over its limit")
		}
	}
	if sec.NewEpoch {
		sec.Epoch, sec.Number = r.number(), r.number()
	}
	switch {
	case sec.Retired:
	case r.codec == Binary:
		sec.Ops, sec.Deflated = r.part()
	case r.after(',') == '[':
		sec.Ops = r.json()
	default:
		sec.Ops, sec.Deflated = r.beside(), true
	}
	return sec, head&sectionMore != 0 && r.Err() == nil
}

// Err returns the first error, or nil.
func (s *StateReader) Err() error { return s.r.Err() }
