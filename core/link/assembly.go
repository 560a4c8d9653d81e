package link

import (
	"slices"

	"chordsim/core/base"
	"chordsim/core/wire"
)

// Assembly puts messages together that come in several chunks: one for each origin that a host takes messages from. The
// zero value is empty. What it holds is bounded by its limit on a message and by the slots.
type Assembly struct {
	open  [2][]partial // state, bulk; by slot
	bytes int
}

// minKept is from which size in bytes a chunk is kept as a view. Smaller ones are joined as they come: a peer that sends a
// message byte by byte, or in empty chunks, must not make us keep more than the message.
const minKept = 1024

type partial struct {
	typ    wire.Type
	bodies [][]byte // of the chunks so far: joined once, when it is known how long the message is
	size   int
	open   bool
}

// Add takes a chunk of the state or bulk lane; it keeps views of its body until the message is complete. A message of one
// chunk is given as it is, whatever its size. When a chunk completes a message, Add returns the message's type and body.
func (a *Assembly) Add(h wire.Header, body []byte, maxMessage int) (typ wire.Type, message []byte, done bool, err error) {
	if !h.HasSlot() {
		return h.Type, body, true, nil
	}
	lane := &a.open[h.Type.Lane()-wire.LaneState]
	for len(*lane) <= int(h.Slot) {
		*lane = append(*lane, partial{})
	}
	p := &(*lane)[h.Slot]
	switch {
	case h.Type == wire.TypeStateAbort || h.Type == wire.TypeBulkAbort:
		if !p.open {
			return 0, nil, false, base.Errorf(base.CodeProtocol, "%v of a message that was not begun", h.Type)
		}
		a.bytes -= p.size
		*p = partial{}
		return 0, nil, false, nil
	case h.Type.First() && p.open:
		return 0, nil, false, base.Errorf(base.CodeProtocol, "%v begins in a slot in use", h.Type)
	case h.Type.First() && !h.More:
		return h.Type, body, true, nil // nothing is copied
	case h.Type.First():
		*p = partial{typ: h.Type, open: true}
	case !p.open || p.typ.More() != h.Type:
		return 0, nil, false, base.Errorf(base.CodeProtocol, "%v of a message that was not begun", h.Type)
	}
	if p.size+len(body) > maxMessage || a.bytes+len(body) > 2*maxMessage {
		return 0, nil, false, base.Errorf(base.CodeLimit, "%v message over %d bytes", p.typ, maxMessage)
	}
	if last := len(p.bodies) - 1; last >= 0 && len(p.bodies[last]) < minKept {
		p.bodies[last] = slices.Concat(p.bodies[last], body)
	} else {
		p.bodies = append(p.bodies, body)
	}
	p.size += len(body)
	a.bytes += len(body)
	if h.More {
		return 0, nil, false, nil
	}
	a.bytes -= p.size
	typ, message = p.typ, make([]byte, 0, p.size)
	for _, b := range p.bodies {
		message = append(message, b...)
	}
	*p = partial{}
	return typ, message, true, nil
}
