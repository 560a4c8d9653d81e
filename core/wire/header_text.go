package wire

import "strconv"

// The header of a text chunk is what of these there is to say, in this order, and the beginning of the message's array:
//
//	@ origin · ^ ack · ~ slot · + (the message goes on) or ! (it does, and credit is due) · ["name"
//
// A later chunk has a letter and a colon in place of the array's beginning; its body goes on where the chunk before it
// ended. So a message of one chunk that has nothing to say in its header is a JSON array and nothing else.

// maxTextHeader is the largest header of the text codec: an origin and an ack of at most eleven digits and a sign each, a
// slot, the sign that the message goes on, and the longest name within a bracket and quotes.
const maxTextHeader = 12 + 12 + 3 + 1 + 3 + maxTextName

// maxTextName is the length of the longest name below.
const maxTextName = 8

// textNames are the names of messages in text. What is sent often has a short one.
var textNames = [32]string{
	TypeHello: "hello", TypeWelcome: "welcome", TypeAck: "ack", TypePing: "ping", TypePong: "pong", TypeBye: "bye",
	TypeHold: "h", TypeRelease: "release", TypeCall: "c", TypeCancel: "cancel", TypeCredit: "k", TypeOriginClosed: "closed",
	TypeVoid: "void", TypeRefused: "refused", TypeReleased: "released", TypeResult: "r", TypeDown: "down",
	TypeOriginReleased: "freed", TypeState: "s", TypeStateAbort: "sx", TypeResultOrdered: "o", TypeBound: "b",
	TypeResultBulk: "rb", TypeCallBulk: "cb", TypeBulkAbort: "bx",
}

// textMores are the letters of later chunks.
var textMores = [32]byte{TypeStateMore: 's', TypeBulkMore: 'b', TypeCallMore: 'c'}

func (h Header) appendText(dst []byte) []byte {
	if h.Origin != 0 {
		dst = strconv.AppendUint(append(dst, '@'), h.Origin, 10)
	}
	if h.Ack != 0 {
		dst = strconv.AppendUint(append(dst, '^'), h.Ack, 10)
	}
	if h.HasSlot() {
		dst = strconv.AppendUint(append(dst, '~'), uint64(h.Slot), 10)
	}
	switch {
	case h.Due:
		dst = append(dst, '!')
	case h.More:
		dst = append(dst, '+')
	}
	if more := textMores[h.Type]; more != 0 {
		return append(dst, more, ':')
	}
	dst = append(dst, '[', '"')
	dst = append(dst, textNames[h.Type]...)
	return append(dst, '"')
}

func (r *Reader) headerText() Header {
	var h Header
	if r.take('@') {
		if h.Origin = r.digits(); h.Origin == 0 || h.Origin > maxOrigin {
			r.Fail("origin out of range")
		}
	}
	if r.take('^') {
		if h.Ack = r.digits(); h.Ack == 0 || h.Ack > maxAck {
			r.Fail("ack out of range")
		}
	}
	slotted := r.take('~')
	if slotted {
		slot := r.digits()
		if slot >= MaxSlots {
			r.Fail("slot out of range")
		}
		h.Slot = uint8(slot)
	}
	h.Due = r.take('!')
	h.More = h.Due || r.take('+')
	h.Type = r.typeText()
	if h.Due && !h.MayBeDue() {
		r.Fail("credit is due where none is given")
	}
	if r.err == nil && slotted != h.HasSlot() {
		r.Fail("a slot that nothing needs, or none where one is needed")
	}
	return h
}

// take passes over c if it comes next.
func (r *Reader) take(c byte) bool {
	if r.err != nil || r.peek() != c {
		return false
	}
	r.off++
	return true
}

func (r *Reader) typeText() Type {
	if r.take('[') {
		r.expect('"')
		start := r.off
		for r.err == nil && r.peek() >= 'a' && r.peek() <= 'z' {
			r.off++
		}
		name := r.b[start:r.off]
		r.expect('"')
		if r.err == nil && len(name) > 0 {
			for typ, known := range &textNames {
				if known == string(name) {
					return Type(typ)
				}
			}
		}
	} else if r.after(r.peek()) == ':' {
		for typ, letter := range &textMores {
			if letter != 0 && r.take(letter) {
				r.off++
				return Type(typ)
			}
		}
	}
	r.Fail("unknown message type")
	return 0
}
