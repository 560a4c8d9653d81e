package wire

// After is a watermark: a result that carries it is not to be seen before state entry number Entry of the hold was
// applied. Entries of a hold are counted from 1, from its Bound on.
type After struct {
	Hold  uint64
	Entry uint64
}

// maxAfter bounds the watermarks of a result: one for each hold of an origin that the call may have changed.
const maxAfter = 4096

// Result settles a call.
type Result struct {
	ID    uint64
	Err   *Failure // nil: the call succeeded
	After []After  // empty, and without a byte, when nothing is pending
	Bytes [][]byte // raw bytes beside the value, at most MaxByteParts. Views after ParseResult
	Value []byte   // the encoded value of a success; empty: null. A view after ParseResult

	Deflated      bool   // the value is deflated
	DeflatedBytes uint64 // which of Bytes are deflated, a bit each
}

const (
	resultErr      = 1 << 0
	resultAfter    = 1 << 1
	resultBytes    = 1 << 2
	resultDeflated = 1 << 3
	resultFlags    = resultErr | resultAfter | resultBytes | resultDeflated
)

// Append appends the message.
func (m Result) Append(c Codec, dst []byte) []byte {
	w := writer{codec: c, dst: dst}
	w.number(m.ID)
	flags := m.flags()
	w.byte(flags)
	if flags&resultAfter != 0 {
		w.begin(len(m.After))
		for _, a := range m.After {
			w.number(a.Hold)
			w.number(a.Entry)
		}
		w.end()
	}
	if flags&resultBytes != 0 {
		w.bytes(m.Bytes, m.DeflatedBytes)
	}
	switch {
	case m.Err != nil:
		m.Err.append(&w)
	case m.Deflated:
		w.deflated(m.Value)
	default:
		w.value(m.Value)
	}
	return w.done()
}

func (m *Result) flags() byte {
	flags := byte(0)
	if len(m.After) > 0 {
		flags |= resultAfter
	}
	if m.Err != nil {
		return flags | resultErr
	}
	if len(m.Bytes) > 0 {
		flags |= resultBytes
	}
	if m.Deflated {
		flags |= resultDeflated
	}
	return flags
}

// ResultID reads the call id that a Result begins with. It is all that a relay reads of one.
func ResultID(c Codec, body []byte) (uint64, error) {
	r := newMessage(c, "result id", body)
	id := r.number()
	return id, r.Err()
}

// ParseResult reads a Result.
func ParseResult(c Codec, body []byte) (Result, error) {
	r := newMessage(c, "result", body)
	m := Result{ID: r.number()}
	flags := r.byte()
	if flags&^resultFlags != 0 || flags&resultErr != 0 && flags&(resultBytes|resultDeflated) != 0 {
		r.Fail("unknown flags")
	}
	if flags&resultAfter != 0 {
		for l := r.list(maxAfter, "watermarks"); r.next(&l); {
			m.After = append(m.After, After{Hold: r.number(), Entry: r.number()})
		}
		if len(m.After) == 0 {
			r.Fail("no watermark")
		}
	}
	if flags&resultBytes != 0 {
		if m.Bytes, m.DeflatedBytes = r.bytes(); len(m.Bytes) == 0 {
			r.Fail("no bytes parts")
		}
	}
	switch {
	case flags&resultErr != 0:
		f := readFailure(&r)
		m.Err = &f
	case flags&resultDeflated != 0:
		m.Value, m.Deflated = r.deflated(), true
	default:
		m.Value = r.value()
	}
	return m, r.End()
}
