package sim

import (
	"strconv"
	"strings"

	"chordsim/core/base"
	"chordsim/core/wire"
	"chordsim/sim/trace"
)

// maxBook is how many holds, and how many calls, the book knows at a time. What comes when it is full is not known by name.
const maxBook = 1 << 16

// book knows for the trace what the messages that arrive are about: heads of messages have numbers, and what those stand for
// was said in earlier messages. Nothing in the world depends on it, and it is empty in a world without a trace.
type book struct {
	objects map[bookKey]string       // addresses of holds that were asked for and not given back
	calls   map[bookKey]uint64       // holds of calls that were not answered
	parts   map[partKey][]trace.Hold // what messages are about whose later chunks follow
	flights map[*side]*flight        // what is on its way

	violations int  // that the trace was told of
	failed     bool // it was told that the world failed
}

// bookKey is a hold or a call: numbers are chosen by a consumer, for each origin.
type bookKey struct{ consumer, origin, id uint64 }

// partKey is a message of several chunks that arrives at a side.
type partKey struct {
	side, origin uint64
	lane         wire.Lane
	slot         uint8
}

// maxParts bounds the messages under way: the slots of both lanes, for some hundreds of origins.
const maxParts = 1 << 16

// about fills in what a message that arrives at a side is about.
func (b *book) about(e *trace.Event, s *side, codec wire.Codec, h wire.Header, body []byte) {
	key := bookKey{consumer: s.number(), origin: h.Origin}
	if h.Type.Request() {
		key.consumer = s.other().number()
	}
	part := partKey{s.number(), h.Origin, h.Type.Lane(), h.Slot}
	if !h.Type.First() {
		e.Holds = b.parts[part]
		if !h.More {
			delete(b.parts, part)
		}
		return
	}
	switch h.Type {
	case wire.TypeHold:
		b.hold(e, key, codec, body)
	case wire.TypeRelease, wire.TypeBound, wire.TypeReleased, wire.TypeRefused:
		if id, err := wire.HoldID(codec, body); err == nil {
			b.name(e, key, id)
			if h.Type == wire.TypeReleased || h.Type == wire.TypeRefused {
				key.id = id
				delete(b.objects, key)
			}
		}
	case wire.TypeCall, wire.TypeCallBulk:
		if hold, id, err := wire.CallIDs(codec, body); err == nil {
			b.name(e, key, hold)
			e.Call, e.HasCall = id, true
			key.id = id
			put(&b.calls, maxBook, key, hold)
		}
	case wire.TypeCancel, wire.TypeResult, wire.TypeResultOrdered, wire.TypeResultBulk:
		b.settled(e, key, codec, h.Type, body)
	case wire.TypeState:
		b.state(e, key, codec, body)
	case wire.TypeDown:
		if down, err := wire.ParseDown(codec, body); err == nil {
			b.all(e, key, down.Holds)
		}
	case wire.TypeCredit:
		if c, err := wire.ParseCredit(codec, body); err == nil {
			e.Note = strings.TrimPrefix(chunks(c.State, "state")+chunks(c.Bulk, "bulk"), " ")
		}
	}
	if h.More {
		put(&b.parts, maxParts, part, e.Holds)
	}
}

// hold notes the address of a hold that is asked for. It is bounded as the protocol bounds it by default.
func (b *book) hold(e *trace.Event, key bookKey, codec wire.Codec, body []byte) {
	limits := base.Limits{}.WithDefaults()
	if m, err := wire.ParseHold(codec, body, &limits); err == nil {
		key.id = m.ID
		put(&b.objects, maxBook, key, m.Address)
		b.name(e, key, m.ID)
	}
}

// settled says which call a message ends, and whose hold it was made on.
func (b *book) settled(e *trace.Event, key bookKey, codec wire.Codec, t wire.Type, body []byte) {
	id, err := wire.ResultID(codec, body) // a Cancel begins with its call's number too
	if err != nil {
		return
	}
	e.Call, e.HasCall = id, true
	call := key
	call.id = id
	if hold, ok := b.calls[call]; ok {
		b.name(e, key, hold)
		if t != wire.TypeCancel {
			delete(b.calls, call)
		}
	}
}

// state names the holds of a state message, as far as they are in its first chunk.
func (b *book) state(e *trace.Event, key bookKey, codec wire.Codec, body []byte) {
	var ids []uint64
	r := wire.ReadState(codec, body)
	for {
		id, ok := r.Entry()
		if !ok {
			break
		}
		ids = append(ids, id)
		for more := true; more; {
			_, more = r.Section()
		}
	}
	b.all(e, key, ids)
}

// all names holds.
func (b *book) all(e *trace.Event, key bookKey, ids []uint64) {
	for _, id := range ids[:min(len(ids), trace.MaxHolds)] {
		b.name(e, key, id)
	}
	if n := len(ids) - trace.MaxHolds; n > 0 {
		e.Note = "and " + strconv.Itoa(n) + " more holds"
	}
}

// name adds a hold to what the event is about.
func (b *book) name(e *trace.Event, key bookKey, id uint64) {
	key.id = id
	e.Holds = append(e.Holds, trace.Hold{ID: id, Object: b.objects[key]})
}

// put sets an entry of a map of at most limit entries.
func put[K comparable, V any](m *map[K]V, limit int, key K, v V) {
	if *m == nil {
		*m = map[K]V{}
	}
	if _, ok := (*m)[key]; ok || len(*m) < limit {
		(*m)[key] = v
	}
}

// chunks prints a number of chunks of a lane; none prints as nothing.
func chunks(n uint64, lane string) string {
	if n == 0 {
		return ""
	}
	return " " + strconv.FormatUint(n, 10) + " " + lane
}
