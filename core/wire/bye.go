package wire

import (
	"strings"
	"unicode/utf8"

	"chordsim/core/base"
)

// MaxDetail is the longest explanation of a code, in bytes. A longer one is cut when it is written.
const MaxDetail = 512

// Failure is a code with an explanation for people.
type Failure struct {
	Code   base.Code
	Detail string
}

func (f Failure) append(w *writer) {
	w.number(uint64(f.Code))
	detail := f.Detail[:min(len(f.Detail), MaxDetail)]
	if w.codec == Text {
		w.name(strings.ToValidUTF8(detail, "\uFFFD"))
		return
	}
	w.rest([]byte(detail))
}

func readFailure(r *Reader) Failure {
	f := Failure{Code: base.Code(r.numberTo(1<<32-1, "code"))}
	if r.codec == Text {
		// What is no UTF-8 where it was cut takes three bytes for one.
		f.Detail = r.string(MaxDetail*utf8.UTFMax, "detail")
		return f
	}
	rest := r.Rest()
	if len(rest) > MaxDetail {
		r.Fail("detail over its limit")
	}
	f.Detail = string(rest)
	return f
}

// Bye ends a link: whatever was said before it still counts.
type Bye struct{ Failure }

// Append appends the message.
func (m Bye) Append(c Codec, dst []byte) []byte {
	w := writer{codec: c, dst: dst}
	m.append(&w)
	return w.done()
}

// ParseBye reads a Bye.
func ParseBye(c Codec, body []byte) (Bye, error) {
	r := newMessage(c, "bye", body)
	m := Bye{readFailure(&r)}
	return m, r.End()
}
