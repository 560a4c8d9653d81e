package wire

// Codec is how the chunks of a link are written. The dialer chooses; its first chunk shows which it is.
type Codec uint8

// The codecs.
const (
	// Binary is compact: varints, interned names, raw bytes.
	Binary Codec = 0
	// Text writes each message as one JSON array, for peers that have a JSON parser at hand. Raw bytes go behind the array.
	Text Codec = 1
)

// String returns the codec's name.
func (c Codec) String() string {
	if c == Text {
		return "text"
	}
	return "binary"
}

// CodecOf returns the codec that the first chunk of a transport is written in: a JSON array begins with a bracket, a binary
// hello with its type.
func CodecOf(first []byte) Codec {
	if len(first) > 0 && first[0] == '[' {
		return Text
	}
	return Binary
}

// AppendEnd appends what ends a message without fields. It appends nothing to a later chunk.
func (c Codec) AppendEnd(dst []byte, t Type) []byte {
	if c == Text && types[t].bare {
		return append(dst, ']')
	}
	return dst
}

// bare reports whether a body is that of a message without fields.
func (c Codec) bare(body []byte) bool {
	if c == Text {
		return len(body) == 1 && body[0] == ']'
	}
	return len(body) == 0
}

// Room returns how many bytes a buffer keeps in front of a message for the header of its first chunk.
func (c Codec) Room() int {
	if c == Text {
		return maxTextHeader
	}
	return maxBinaryHeader
}
