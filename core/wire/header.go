package wire

import (
	"encoding/binary"

	"chordsim/core/base"
)

// MaxChunk is the largest body of a chunk in bytes. It is part of the protocol: a relay forwards chunks as they are.
const MaxChunk = 4096

// MinFirstChunk is the size in bytes up to which a message is not cut: its first chunk has at least so much of it. The ids
// that messages begin with, which relays read, are within it in either codec.
const MinFirstChunk = 48

// MaxHeader is the largest header of a chunk in bytes, in either codec.
const MaxHeader = maxTextHeader

// maxBinaryHeader is the largest header of the binary codec: the first byte, an origin and an ack of at most five bytes
// each, and a slot.
const maxBinaryHeader = 1 + 5 + 5 + 1

// MaxSlots is how many messages may cross one lane of one origin at the same time.
const MaxSlots = 64

// maxOrigin and maxAck keep a header within MaxHeader.
const (
	maxOrigin = 1<<35 - 1
	maxAck    = 1<<35 - 1
)

// Type says what a chunk carries.
type Type uint8

// The message types. The numbers are part of the protocol.
const (
	TypeHello          Type = 1  // link: the dialer's first chunk
	TypeWelcome        Type = 2  // link: the answer to it
	TypeAck            Type = 3  // link: an acknowledgement on its own
	TypePing           Type = 4  // link: are you there
	TypePong           Type = 5  // link: yes
	TypeBye            Type = 6  // link: closing, with a code
	TypeHold           Type = 7  // request: hold an object
	TypeRelease        Type = 8  // request: a hold is over
	TypeCall           Type = 9  // request: run a method
	TypeCancel         Type = 10 // request: a call's result is not wanted any more
	TypeCredit         Type = 11 // request: state and bulk chunks were taken in
	TypeOriginClosed   Type = 12 // request: an origin is gone
	TypeVoid           Type = 13 // request: stands in a resume for a message that is not needed any more
	TypeRefused        Type = 14 // reply: a hold failed, with a code
	TypeReleased       Type = 15 // reply: a hold id is free again
	TypeResult         Type = 16 // reply: a call settled
	TypeDown           Type = 17 // reply: holds lost their provider
	TypeOriginReleased Type = 18 // reply: an origin id is free again
	TypeState          Type = 19 // reply, state lane: what commits changed
	TypeStateMore      Type = 20 // reply, state lane: a later chunk of a state message
	TypeStateAbort     Type = 21 // reply, state lane: a state message will not be completed
	TypeResultOrdered  Type = 22 // reply, state lane: a result behind the state that its call wrote
	TypeBound          Type = 23 // reply, bulk lane: a hold is live, with its snapshot
	TypeResultBulk     Type = 24 // reply, bulk lane: a large result
	TypeCallBulk       Type = 25 // request, bulk lane: a call with large arguments
	TypeBulkMore       Type = 26 // bulk lane, reply: a later chunk
	TypeBulkAbort      Type = 27 // bulk lane, reply: a message will not be completed
	TypeCallMore       Type = 28 // bulk lane, request: a later chunk of a call
)

// Lane is the queue that a message leaves through. Each keeps its order.
type Lane uint8

// The lanes.
const (
	LaneLink    Lane = iota // not queued, not numbered: the link's own
	LaneControl             // one FIFO: holds, calls, results, credit
	LaneState               // state messages, a FIFO per origin
	LaneBulk                // snapshots and large parts, in turn
)

type typeInfo struct {
	name    string
	lane    Lane
	request bool // from consumer to provider: the sender numbered the origin
	first   bool // begins a message (a later chunk does not)
	bare    bool // has no fields
}

var types = [32]typeInfo{
	TypeHello:          {"hello", LaneLink, false, true, false},
	TypeWelcome:        {"welcome", LaneLink, false, true, false},
	TypeAck:            {"ack", LaneLink, false, true, true},
	TypePing:           {"ping", LaneLink, false, true, true},
	TypePong:           {"pong", LaneLink, false, true, true},
	TypeBye:            {"bye", LaneLink, false, true, false},
	TypeHold:           {"hold", LaneControl, true, true, false},
	TypeRelease:        {"release", LaneControl, true, true, false},
	TypeCall:           {"call", LaneControl, true, true, false},
	TypeCancel:         {"cancel", LaneControl, true, true, false},
	TypeCredit:         {"credit", LaneControl, true, true, false},
	TypeOriginClosed:   {"origin-closed", LaneControl, true, true, true},
	TypeVoid:           {"void", LaneControl, true, true, true},
	TypeRefused:        {"refused", LaneControl, false, true, false},
	TypeReleased:       {"released", LaneControl, false, true, false},
	TypeResult:         {"result", LaneControl, false, true, false},
	TypeDown:           {"down", LaneControl, false, true, false},
	TypeOriginReleased: {"origin-released", LaneControl, false, true, true},
	TypeState:          {"state", LaneState, false, true, false},
	TypeStateMore:      {"state-more", LaneState, false, false, false},
	TypeStateAbort:     {"state-abort", LaneState, false, false, true},
	TypeResultOrdered:  {"result-ordered", LaneState, false, true, false},
	TypeBound:          {"bound", LaneBulk, false, true, false},
	TypeResultBulk:     {"result-bulk", LaneBulk, false, true, false},
	TypeCallBulk:       {"call-bulk", LaneBulk, true, true, false},
	TypeBulkMore:       {"bulk-more", LaneBulk, false, false, false},
	TypeBulkAbort:      {"bulk-abort", LaneBulk, false, false, true},
	TypeCallMore:       {"call-more", LaneBulk, true, false, false},
}

// String returns the type's name.
func (t Type) String() string {
	if n := types[t&31].name; n != "" {
		return n
	}
	return "unknown"
}

// Lane returns the lane that the type travels on.
func (t Type) Lane() Lane { return types[t&31].lane }

// Request reports whether the type goes from a consumer to a provider. It says who numbered the origin of a chunk: the
// sender of a request, the receiver of a reply.
func (t Type) Request() bool { return types[t&31].request }

// First reports whether a chunk of the type begins a message.
func (t Type) First() bool { return types[t&31].first }

// Numbered reports whether chunks of the type count for acknowledgement and resume.
func (t Type) Numbered() bool { return t.Lane() != LaneLink }

// Credited reports whether a consumer gives credit for a chunk of the type, and in which lane.
func (t Type) Credited() (Lane, bool) {
	switch t {
	case TypeState, TypeStateMore, TypeStateAbort:
		return LaneState, true
	case TypeBound, TypeResultBulk, TypeBulkMore, TypeBulkAbort:
		return LaneBulk, true
	}
	return LaneLink, false
}

// More returns the type of the later chunks of a message of this type.
func (t Type) More() Type {
	switch t {
	case TypeState, TypeStateMore:
		return TypeStateMore
	case TypeCallBulk, TypeCallMore:
		return TypeCallMore
	}
	return TypeBulkMore
}

// splits reports whether a message may go on after a chunk of the type.
func (t Type) splits() bool {
	switch t {
	case TypeResultOrdered, TypeStateAbort, TypeBulkAbort:
		return false
	}
	return t.Lane() == LaneState || t.Lane() == LaneBulk
}

// Header is the head of a chunk.
type Header struct {
	Type   Type
	More   bool   // the message goes on in a later chunk of this lane, origin and slot
	Origin uint64 // the host behind the relay; 0: none
	Due    bool   // with More, in the bulk lane's replies: credit is due now, not only when the message ends
	Ack    uint64 // numbered chunks that arrived since the last ack; 0: nothing to say
	Slot   uint8  // which of the messages under way in this lane; below MaxSlots
}

// HasSlot reports whether the header carries a slot: on the bulk lane always, on the state lane for messages of several
// chunks.
func (h Header) HasSlot() bool {
	switch h.Type.Lane() {
	case LaneBulk:
		return true
	case LaneState:
		return h.Type != TypeResultOrdered && (h.More || !h.Type.First())
	}
	return false
}

// MayBeDue reports whether the header may ask for credit.
func (h Header) MayBeDue() bool {
	lane, credited := h.Type.Credited()
	return h.More && credited && lane == LaneBulk
}

// dueBit is set in the byte of the slot where credit is due.
const dueBit = 0x40

// Append appends the header.
func (h Header) Append(c Codec, dst []byte) []byte {
	if c == Text {
		return h.appendText(dst)
	}
	at := len(dst)
	dst = append(dst, byte(h.Type))
	if h.Origin != 0 {
		dst[at] |= 0x80
		dst = binary.AppendUvarint(dst, h.Origin)
	}
	if h.Ack != 0 {
		dst[at] |= 0x20
		dst = binary.AppendUvarint(dst, h.Ack)
	}
	if h.More {
		dst[at] |= 0x40
	}
	if h.HasSlot() {
		slot := h.Slot
		if h.Due {
			slot |= dueBit
		}
		dst = append(dst, slot)
	}
	return dst
}

// ParseHeader splits a chunk into its header and its body, which is a view.
func ParseHeader(c Codec, chunk []byte) (Header, []byte, error) {
	r := NewReader("chunk header", chunk)
	var h Header
	if c == Text {
		h = r.headerText()
	} else {
		h = r.header()
	}
	if h.More && !h.Type.splits() {
		r.Fail("message cannot be split")
	}
	if r.Err() == nil && r.Len() > MaxChunk {
		return Header{}, nil, base.Errorf(base.CodeLimit, "chunk body of %d bytes, at most %d", r.Len(), MaxChunk)
	}
	if r.Err() == nil && types[h.Type].bare && !c.bare(r.b[r.off:]) {
		r.Fail("a message without fields has some")
	}
	if h.Type == TypeAck && h.Ack == 0 {
		r.Fail("an ack of nothing")
	}
	body := r.Rest()
	return h, body, r.Err()
}

func (r *Reader) header() Header {
	first := r.Byte()
	h := Header{Type: Type(first & 0x1f), More: first&0x40 != 0}
	if types[h.Type].name == "" {
		r.Fail("unknown message type")
	}
	if first&0x80 != 0 {
		h.Origin = r.Uvarint()
		if h.Origin == 0 || h.Origin > maxOrigin {
			r.Fail("origin out of range")
		}
	}
	if first&0x20 != 0 {
		h.Ack = r.Uvarint()
		if h.Ack == 0 || h.Ack > maxAck {
			r.Fail("ack out of range")
		}
	}
	if h.HasSlot() {
		h.Slot = r.Byte()
		if h.MayBeDue() {
			h.Due = h.Slot&dueBit != 0
			h.Slot &^= dueBit
		}
		if h.Slot >= MaxSlots {
			r.Fail("slot out of range")
		}
	}
	return h
}
