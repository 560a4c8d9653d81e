package wire

import "chordsim/core/base"

// Revision is a place in the history of a document. Numbers of different epochs cannot be compared.
type Revision struct {
	Epoch  uint64
	Number uint64
}

// Known is the newest revision of a member that a consumer still has.
type Known struct {
	Member string
	Revision
}

// Hold asks for an object: its snapshot now, and its changes from then on.
type Hold struct {
	ID      uint64  // chosen by the consumer; free again after Released or Refused
	Address string  // where the object is, seen from the receiver
	Known   []Known // what the consumer still has; empty: nothing
	Params  []byte  // encoded parameters of the hold (a selector); empty: none. Never deflated
}

// Append appends the message.
func (m Hold) Append(c Codec, dst []byte) []byte {
	w := writer{codec: c, dst: dst}
	w.number(m.ID)
	w.name(m.Address)
	w.begin(len(m.Known))
	for _, k := range m.Known {
		w.name(k.Member)
		w.number(k.Epoch)
		w.number(k.Number)
	}
	w.end()
	w.value(m.Params)
	return w.done()
}

// ParseHold reads a Hold within the limits on addresses and members. The parameters are a view.
func ParseHold(c Codec, body []byte, limits *base.Limits) (Hold, error) {
	r := newMessage(c, "hold", body)
	m := Hold{ID: r.number(), Address: r.string(limits.AddressBytes, "address")}
	for l := r.list(limits.Members, "known revisions"); r.next(&l); {
		k := Known{Member: r.string(limits.AddressBytes, "member name")}
		k.Epoch, k.Number = r.number(), r.number()
		m.Known = append(m.Known, k)
	}
	m.Params = r.value()
	return m, r.End()
}
