package wire

import (
	"encoding/binary"
	"strconv"

	"chordsim/core/delta"
)

// writer appends the fields of one message. The same calls write both codecs: a field is a varint, or a length and bytes,
// in one; an element of the message's array in the other, whose head "[" and name are the chunk's header.
type writer struct {
	codec  Codec
	first  bool // of text: the next field is the first one of its list, so that no comma goes before it
	dst    []byte
	apart  bool     // bytes parts, and what comes behind them, are not copied
	behind [][]byte // of text: bytes that go behind the array; of a message that is written apart: what goes behind dst
}

// sep ends the field before.
func (w *writer) sep() {
	if w.first {
		w.first = false
	} else {
		w.dst = append(w.dst, ',')
	}
}

// number appends an unsigned number.
func (w *writer) number(v uint64) {
	if w.codec == Binary {
		w.dst = binary.AppendUvarint(w.dst, v)
		return
	}
	w.sep()
	w.dst = strconv.AppendUint(w.dst, v, 10)
}

// byte appends a number below 256, which takes one byte in binary.
func (w *writer) byte(v byte) {
	if w.codec == Binary {
		w.dst = append(w.dst, v)
		return
	}
	w.number(uint64(v))
}

// name appends a text that is not part of a value.
func (w *writer) name(s string) {
	if w.codec == Binary {
		w.dst = appendText(w.dst, s)
		return
	}
	w.sep()
	w.dst = delta.AppendJSON(w.dst, delta.String(s))
}

// begin starts a list of n things; end ends it.
func (w *writer) begin(n int) {
	if w.codec == Binary {
		w.dst = binary.AppendUvarint(w.dst, uint64(n))
		return
	}
	w.sep()
	w.dst = append(w.dst, '[')
	w.first = true
}

func (w *writer) end() {
	if w.codec == Text {
		w.dst = append(w.dst, ']')
		w.first = false
	}
}

// raw appends an encoded value as it is, in text with what separates it from the field before.
func (w *writer) raw(part []byte) {
	if w.codec == Text {
		w.sep()
	}
	w.dst = append(w.dst, part...)
}

// value appends an encoded value that ends the message. None at all takes no byte.
func (w *writer) value(part []byte) {
	if len(part) > 0 {
		w.raw(part)
	}
}

// deflated appends a deflated part that ends the message. In text it goes behind the array, where its length stands.
func (w *writer) deflated(part []byte) {
	if w.codec == Binary {
		w.dst = append(w.dst, part...)
		return
	}
	w.beside(part)
}

// beside appends the length of bytes that go behind the array. It is for text only.
func (w *writer) beside(part []byte) {
	w.number(uint64(len(part)))
	w.behind = append(w.behind, part)
}

// bytes appends raw bytes parts: their lengths, doubled, plus one for those that are deflated; then, behind the array in
// text, the bytes.
func (w *writer) bytes(parts [][]byte, deflated uint64) {
	w.begin(len(parts))
	for i, p := range parts {
		w.number(uint64(len(p))<<1 | deflated>>i&1)
	}
	w.end()
	if w.codec == Text || w.apart {
		w.behind = append(w.behind, parts...)
		return
	}
	for _, p := range parts {
		w.dst = append(w.dst, p...)
	}
}

// rest appends bytes that are no value and end the message.
func (w *writer) rest(b []byte) {
	if w.codec == Binary {
		w.dst = append(w.dst, b...)
	} else if len(b) > 0 {
		w.behind = append(w.behind, b)
	}
}

// doneApart ends a message that is written apart, and returns what goes behind it.
func (w *writer) doneApart() (head []byte, behind [][]byte) {
	if w.codec == Text {
		w.dst = append(w.dst, ']')
	}
	return w.dst, w.behind
}

// done ends the message.
func (w *writer) done() []byte {
	if w.codec == Binary {
		return w.dst
	}
	w.dst = append(w.dst, ']')
	for _, b := range w.behind {
		w.dst = append(w.dst, b...)
	}
	return w.dst
}
