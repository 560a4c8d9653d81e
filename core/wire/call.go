package wire

import "bytes"

// MaxMethod is the longest method name in bytes.
const MaxMethod = 256

// Call asks the provider of a hold to run a method.
type Call struct {
	Hold   uint64
	ID     uint64   // chosen by the caller; free again after the result
	Method int      // index into the method names of the hold's Bound, or -1
	Name   string   // the method's name where Method is -1
	Args   []byte   // the encoded argument; empty: none. Never deflated. A view after ParseCall
	Bytes  [][]byte // raw bytes beside the argument, at most MaxByteParts. Views after ParseCall
}

// callBytes says that raw bytes parts follow the method.
const callBytes = 1 << 0

// Append appends the message.
func (m Call) Append(c Codec, dst []byte) []byte {
	w := writer{codec: c, dst: dst}
	m.append(&w)
	w.value(m.Args)
	return w.done()
}

// AppendApart appends what of the message is before its bytes parts, which are not copied. They go behind it, each as it is;
// in binary what comes behind them is the last one.
func (m Call) AppendApart(c Codec, dst []byte) (head []byte, behind [][]byte) {
	w := writer{codec: c, dst: dst, apart: true}
	m.append(&w)
	if c == Text || len(m.Bytes) == 0 {
		w.value(m.Args)
	} else if len(m.Args) > 0 {
		w.behind = append(w.behind, bytes.Clone(m.Args))
	}
	return w.doneApart()
}

func (m Call) append(w *writer) {
	w.number(m.Hold)
	w.number(m.ID)
	head := uint64(m.Method+1) << 1
	if len(m.Bytes) > 0 {
		head |= callBytes
	}
	w.number(head)
	if m.Method < 0 {
		w.name(m.Name)
	}
	if len(m.Bytes) > 0 {
		w.bytes(m.Bytes, 0)
	}
}

// ParseCall reads a Call.
func ParseCall(c Codec, body []byte) (Call, error) {
	r := newMessage(c, "call", body)
	m := Call{Hold: r.number(), ID: r.number()}
	head := r.numberTo(1<<20, "method")
	m.Method = head>>1 - 1
	if m.Method < 0 {
		m.Name = r.string(MaxMethod, "method name")
	}
	if head&callBytes != 0 {
		var deflated uint64
		if m.Bytes, deflated = r.bytes(); len(m.Bytes) == 0 {
			r.Fail("no bytes parts")
		}
		if deflated != 0 {
			r.Fail("arguments are never deflated")
		}
	}
	m.Args = r.value()
	return m, r.End()
}

// Cancel says that the result of a call is not wanted any more.
type Cancel struct{ ID uint64 }

// Append appends the message.
func (m Cancel) Append(c Codec, dst []byte) []byte { return AppendHoldID(c, dst, m.ID) }

// ParseCancel reads a Cancel.
func ParseCancel(c Codec, body []byte) (Cancel, error) {
	r := newMessage(c, "cancel", body)
	m := Cancel{ID: r.number()}
	return m, r.End()
}
