package link

import (
	"fmt"
	"strings"
	"testing"

	"chordsim/core/base"
	"chordsim/core/wire"
	"pgregory.net/rapid"
)

// model drives a pair at random. One end sends on all lanes and origins, its own messages and forwarded ones; the other
// puts them together and gives credit when it likes: that of bulk at the earliest when a chunk is due or ends its message.
type model struct {
	*pair
	limits   base.Limits
	n        int                     // messages made
	state    map[uint64][]string     // own state lane by origin: in order
	control  []string                // in order
	bulk     map[uint64][]string     // own and forwarded: any order
	forward  map[uint64][]string     // forwarded state by origin: in order of completion, each chunk at once
	received map[string]int          // what arrived
	in       map[streamKey]*Assembly // by origin
	held     map[uint64]uint64       // bulk chunks by origin whose credit nobody waits for yet
	due      map[uint64]wire.Credit
	owners   map[uint64]*owner
}

var modelOrigins = []uint64{0, 1, 2, 300}

func newModel(t *rapid.T, tb testing.TB) *model { return newModelOf(t, tb, false) }

func newModelOf(t *rapid.T, tb testing.TB, resumes bool) *model {
	limits := base.Limits{
		WindowBytes: rapid.SampledFrom([]int{5000, 20000, 0}).Draw(t, "window"), BulkBytes: rapid.SampledFrom([]int{4096, 10000, 0}).Draw(t, "bulk bytes"),
		BulkSlots: rapid.SampledFrom([]int{1, 2, 0, 64}).Draw(t, "slots"), ChunkBytes: rapid.SampledFrom([]int{100, 0}).Draw(t, "chunk"),
		SmallRun: rapid.SampledFrom([]int{1, 0}).Draw(t, "run"), AckChunks: rapid.SampledFrom([]int{1, 3, 0}).Draw(t, "ack"), ResumeBytes: 20000,
	}
	if resumes {
		limits.ResumeBytes = 0
	}
	return &model{
		pair: newPairOf(newEndThat(Dialer, limits, resumes), newEndThat(Acceptor, limits, resumes)).up(tb), limits: limits.WithDefaults(), state: map[uint64][]string{}, bulk: map[uint64][]string{}, forward: map[uint64][]string{},
		received: map[string]int{}, in: map[streamKey]*Assembly{}, held: map[uint64]uint64{}, due: map[uint64]wire.Credit{}, owners: map[uint64]*owner{},
	}
}

func (m *model) body(t *rapid.T, size int) string {
	m.n++
	return fmt.Sprint(m.n, ":", strings.Repeat("x", rapid.IntRange(0, size).Draw(t, "size")))
}

func (m *model) owner(origin uint64) *owner {
	if m.owners[origin] == nil {
		m.owners[origin] = &owner{}
	}
	return m.owners[origin]
}

func drawOrigin(t *rapid.T) uint64 { return rapid.SampledFrom(modelOrigins).Draw(t, "origin") }

func (m *model) sendControl(t *rapid.T) {
	body := m.body(t, 50)
	m.control = append(m.control, body)
	m.a.control(wire.TypeResult, drawOrigin(t), body)
}

func (m *model) sendState(t *rapid.T) {
	origin := drawOrigin(t)
	if rapid.IntRange(0, 3).Draw(t, "ordered result") == 0 {
		body := m.body(t, 50)
		m.state[origin] = append(m.state[origin], body)
		m.a.link.SendState(wire.TypeResultOrdered, origin, append(m.a.link.Buffer(), body...), nil)
		return
	}
	body := m.body(t, rapid.SampledFrom([]int{10, 10, 9000, 30000}).Draw(t, "largest"))
	m.state[origin] = append(m.state[origin], body)
	m.a.state(origin, body, m.owner(origin))
}

func (m *model) sendBulk(t *rapid.T) {
	origin, body := drawOrigin(t), m.body(t, 15000)
	m.bulk[origin] = append(m.bulk[origin], body)
	typ := rapid.SampledFrom([]wire.Type{wire.TypeBound, wire.TypeResultBulk, wire.TypeCallBulk}).Draw(t, "type")
	first := rapid.IntRange(0, len(body)).Draw(t, "first piece")
	second := rapid.IntRange(first, len(body)).Draw(t, "second piece")
	buf := append(m.a.link.Buffer(), body[:first]...)
	m.a.link.SendBulk(typ, origin, buf, m.owner(origin), []byte(body[first:second]), nil, []byte(body[second:]))
}

// sendForward passes on a whole message of several chunks, with others of this host in between.
func (m *model) sendForward(t *rapid.T) {
	origin, body := drawOrigin(t), m.body(t, 9000)
	lane, first, sent := wire.LaneState, wire.TypeState, m.forward
	if rapid.Bool().Draw(t, "bulk") {
		lane, first, sent = wire.LaneBulk, wire.TypeBound, m.bulk
	}
	h := wire.Header{Type: first, More: len(body) > wire.MaxChunk}
	if h.HasSlot() {
		var ok bool
		if h.Slot, ok = m.a.link.TakeSlot(lane, origin); !ok {
			m.n--
			t.Skip("no slot")
		}
	}
	sent[origin] = append(sent[origin], body)
	for {
		n := min(len(body), wire.MaxChunk)
		h.More = n < len(body)
		m.a.forward(h, origin, body[:n], m.owner(origin))
		if body, h.Type = body[n:], first.More(); body == "" {
			return
		}
	}
}

// take puts together what arrived, and notes the credit that is due.
func (m *model) take(t *rapid.T) {
	for _, g := range m.b.chunks {
		if lane, credited := g.h.Type.Credited(); credited {
			c := m.due[g.h.Origin]
			switch {
			case lane == wire.LaneState:
				c.State++
			case g.h.More && !g.h.Due:
				m.held[g.h.Origin]++
			default:
				c.Bulk += m.held[g.h.Origin] + 1
				m.held[g.h.Origin] = 0
			}
			m.due[g.h.Origin] = c
		}
		message := []byte(g.body)
		if g.h.Type.Lane() != wire.LaneControl {
			from := streamKey{g.h.Origin, g.h.Type.Request()}
			a := m.in[from]
			if a == nil {
				a = &Assembly{}
				m.in[from] = a
			}
			var done bool
			var err error
			if _, message, done, err = a.Add(g.h, message, 1<<20); err != nil {
				t.Fatalf("chunk %+v: %v", g.h, err)
			}
			if !done {
				continue
			}
		}
		m.arrived(t, g.h, string(message))
	}
	m.b.chunks = nil
}

// arrived checks a message against what was sent: lanes that promise an order give the oldest first.
func (m *model) arrived(t *rapid.T, h wire.Header, message string) {
	if m.received[message]++; m.received[message] > 1 {
		t.Fatalf("%.10s arrived twice", message)
	}
	switch h.Type.Lane() {
	case wire.LaneControl:
		if len(m.control) == 0 || m.control[0] != message {
			t.Fatalf("control %.10s is not the oldest", message)
		}
		m.control = m.control[1:]
	case wire.LaneState:
		for _, lane := range []map[uint64][]string{m.state, m.forward} {
			if q := lane[h.Origin]; len(q) > 0 && q[0] == message {
				lane[h.Origin] = q[1:]
				return
			}
		}
		t.Fatalf("state %.10s of origin %d is not the oldest", message, h.Origin)
	case wire.LaneBulk:
		for i, b := range m.bulk[h.Origin] {
			if b == message {
				m.bulk[h.Origin] = append(m.bulk[h.Origin][:i:i], m.bulk[h.Origin][i+1:]...)
				return
			}
		}
		t.Fatalf("bulk %.10s was not sent to origin %d", message, h.Origin)
	}
}

// credit gives some of what is due.
func (m *model) creditSome(t *rapid.T) {
	origin := drawOrigin(t)
	due := m.due[origin]
	c := wire.Credit{State: rapid.Uint64Range(0, due.State).Draw(t, "state"), Bulk: rapid.Uint64Range(0, due.Bulk).Draw(t, "bulk")}
	if c == (wire.Credit{}) {
		t.Skip("no credit")
	}
	m.due[origin] = wire.Credit{State: due.State - c.State, Bulk: due.Bulk - c.Bulk}
	m.b.link.SendCredit(origin, c)
	m.b.turn()
	deliver(m.b, m.a, 1<<30)
}

// check is the invariant after every step.
func (m *model) check(t *rapid.T) {
	m.take(t)
	for _, e := range []*end{m.a, m.b} {
		if e.closed != nil {
			t.Fatalf("closed: %v", e.closed)
		}
		if e.out.beyond > 0 {
			t.Fatalf("%d chunks beyond what the transport took", e.out.beyond)
		}
		if e.link.retained.bytes > m.limits.ResumeBytes {
			t.Fatalf("%d bytes are kept for a resume", e.link.retained.bytes)
		}
	}
	for _, s := range append([]*stream{m.a.link.own}, mapValues(m.a.link.streams)...) {
		for _, sl := range s.lanes {
			if sl.inFlight < 0 || sl.inFlight > sl.limit || sl.begun > m.limits.BulkSlots {
				t.Fatalf("origin %d lane %d: %d bytes in flight of %d, %d under way", s.origin, sl.lane, sl.inFlight, sl.limit, sl.begun)
			}
		}
	}
}

func mapValues(streams map[streamKey]*stream) (list []*stream) {
	for _, origin := range modelOrigins {
		for _, request := range []bool{false, true} {
			s := streams[streamKey{origin, request}]
			if s == nil {
				continue
			}
			list = append(list, s)
		}
	}
	return list
}

// finish opens the transport, gives all credit, and checks that everything arrived and nothing is kept.
func (m *model) finish(t *rapid.T) {
	if m.a.link.transport == nil {
		m.reopen()
		m.settle()
	}
	for range 5000 {
		m.a.give(-1)
		m.settle()
		m.take(t)
		idle := true
		for _, origin := range modelOrigins {
			if c := m.due[origin]; c != (wire.Credit{}) {
				m.due[origin], idle = wire.Credit{}, false
				m.b.link.SendCredit(origin, c)
			}
		}
		if idle {
			break
		}
		m.settle()
	}
	m.check(t)
	if len(m.received) != m.n {
		t.Fatalf("%d of %d messages arrived", len(m.received), m.n)
	}
	for _, s := range append([]*stream{m.a.link.own}, mapValues(m.a.link.streams)...) {
		for _, sl := range s.lanes {
			if sl.inFlight != 0 || sl.slots != 0 || sl.begun != 0 || sl.ledger.Len() != 0 || sl.waiting.Len()+sl.own.Len()+sl.forward.Len() != 0 || sl.ready {
				t.Fatalf("origin %d lane %d keeps something: %+v", s.origin, sl.lane, sl)
			}
		}
	}
	for _, o := range m.owners {
		if o.bytes < 0 {
			t.Fatalf("an owner was told of %d bytes more than were written", -o.bytes)
		}
	}
}

func TestEverythingArrivesInTheOrderOfItsLane(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := newModel(rt, t)
		rt.Repeat(map[string]func(*rapid.T){
			"":        m.check,
			"control": m.sendControl,
			"state":   m.sendState,
			"bulk":    m.sendBulk,
			"forward": m.sendForward,
			"flush":   func(*rapid.T) { m.a.turn() },
			"credit":  m.creditSome,
			"deliver": func(t *rapid.T) { deliver(m.a, m.b, rapid.IntRange(1, 30).Draw(t, "chunks")) },
			"acks":    func(*rapid.T) { deliver(m.b, m.a, 1<<30) },
			"transport": func(t *rapid.T) {
				m.a.give(rapid.SampledFrom([]int{1, 1, 2, 10, -1}).Draw(t, "room"))
			},
		})
		m.finish(rt)
	})
}

// TestOrderOfOneChunkMessages is the promise across lanes: what fits in a chunk and is not held back by a window leaves
// in the order of sending, whatever its origin and however the transport stalls.
func TestOrderOfOneChunkMessages(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := newUpPair(t, base.Limits{})
		var want []string
		rt.Repeat(map[string]func(*rapid.T){
			"control": func(t *rapid.T) {
				want = append(want, fmt.Sprint(len(want)))
				p.a.control(wire.TypeResult, drawOrigin(t), want[len(want)-1])
			},
			"state": func(t *rapid.T) {
				want = append(want, fmt.Sprint(len(want)))
				p.a.state(drawOrigin(t), want[len(want)-1], nil)
			},
			"forward": func(t *rapid.T) {
				want = append(want, fmt.Sprint(len(want)))
				p.a.forward(wire.Header{Type: wire.TypeState}, drawOrigin(t), want[len(want)-1], nil)
			},
			"bulk": func(t *rapid.T) { p.a.bulk(wire.TypeBound, drawOrigin(t), "", nil) },
			"room": func(t *rapid.T) { p.a.give(rapid.IntRange(0, 5).Draw(t, "room")) },
		})
		p.a.give(-1)
		p.settle()
		var got []string
		for _, g := range p.b.chunks {
			if g.h.Type.Lane() != wire.LaneBulk {
				got = append(got, g.body)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			rt.Fatalf("left as %v", got)
		}
	})
}
