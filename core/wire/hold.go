package wire

import (
	"encoding/binary"

	"chordsim/core/base"
)

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
func (m Hold) Append(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, m.ID)
	dst = appendText(dst, m.Address)
	dst = binary.AppendUvarint(dst, uint64(len(m.Known)))
	for _, k := range m.Known {
		dst = appendText(dst, k.Member)
		dst = binary.AppendUvarint(dst, k.Epoch)
		dst = binary.AppendUvarint(dst, k.Number)
	}
	return append(dst, m.Params...)
}

// ParseHold reads a Hold within the limits on addresses and members. The parameters are a view.
func ParseHold(body []byte, limits *base.Limits) (Hold, error) {
	r := NewReader("hold", body)
	m := Hold{ID: r.Uvarint(), Address: r.Text(limits.AddressBytes, "address")}
	n := r.Uint(uint64(limits.Members), "known revisions")
	for range n {
		k := Known{Member: r.Text(limits.AddressBytes, "member name")}
		k.Epoch, k.Number = r.Uvarint(), r.Uvarint()
		if r.Err() != nil {
			break
		}
		m.Known = append(m.Known, k)
	}
	m.Params = r.Rest()
	return m, r.Err()
}
