package link

import (
	"fmt"
	"slices"
	"testing"

	"chordsim/core/base"
	"chordsim/core/wire"
)

// pipe is a transport in memory. It takes chunks while it has room, and one more; they wait until the test delivers them.
type pipe struct {
	room   int      // chunks that it still takes before it says stop; negative: any number
	queue  [][]byte // written and not delivered
	log    []wire.Header
	sizes  []int // of the bodies, beside log
	beyond int   // chunks that came after it said stop
	full   bool  // said stop
	closed bool
	write  func() // called in each write
}

func (p *pipe) Write(chunk []byte) bool {
	if p.full {
		p.beyond++
	}
	p.queue = append(p.queue, chunk)
	h, body, err := wire.ParseHeader(wire.Binary, chunk)
	if err != nil {
		panic("a link wrote a bad chunk: " + err.Error())
	}
	p.log, p.sizes = append(p.log, h), append(p.sizes, len(body))
	if p.room > 0 {
		p.room--
	}
	p.full = p.room == 0
	if p.write != nil {
		p.write()
	}
	return !p.full
}

func (p *pipe) Close() { p.closed = true }

// got is a chunk that a handler was given.
type got struct {
	h    wire.Header
	body string
}

// end is one end of a pair: a link, its transport, and what its handler heard.
type end struct {
	link    *Link
	out     *pipe
	chunks  []got
	ups     int
	closed  []error
	pending bool
	refuse  func(h wire.Header, body []byte) error

	// Of an end that keeps its session.
	suspended []error
	resumed   int
	unwanted  string // a body that need not go again
	has       *end   // an acceptor's: the end whose session a hello may go on with
	next      *end   // a dialer's: takes the transport of a new session
}

func (e *end) LinkUp(*Link)      { e.ups++ }
func (e *end) LinkPending(*Link) { e.pending = true }

func (e *end) LinkClosed(_ *Link, err error) { e.closed = append(e.closed, err) }

func (e *end) LinkChunk(_ *Link, h wire.Header, body []byte) error {
	h.Ack = 0 // the link's own business
	e.chunks = append(e.chunks, got{h, string(body)})
	if e.refuse != nil {
		return e.refuse(h, body)
	}
	return nil
}

// turn ends a turn, as a host does.
func (e *end) turn() {
	for e.pending {
		e.pending = false
		e.link.Flush()
	}
}

// give lets the transport take n more chunks.
func (e *end) give(n int) {
	e.out.room, e.out.full = n, n == 0
	if n != 0 {
		e.link.Writable()
		e.turn()
	}
}

func newEnd(role Role, limits base.Limits) *end { return newEndThat(role, limits, false) }

func newEndThat(role Role, limits base.Limits, resumes bool) *end {
	e := &end{out: &pipe{room: -1}}
	name := "dialer"
	cfg := Config{Role: role, Handler: e, Limits: limits, Session: 7, Credentials: []byte("secret")}
	if role == Acceptor {
		name, cfg.Credentials = "acceptor", nil
	}
	cfg.Identity = wire.Identity{Host: name, Incarnation: 3}
	if resumes {
		cfg.Sessions = e
	}
	e.link = New(cfg)
	return e
}

// pair is two links with a transport each way.
type pair struct{ a, b *end }

func newPair(limits base.Limits) *pair {
	return newPairOf(newEnd(Dialer, limits), newEnd(Acceptor, limits))
}

func newPairOf(a, b *end) *pair {
	a.link.Open(a.out)
	b.link.Open(b.out)
	return &pair{a, b}
}

// newUpPair is a pair after the handshake, its logs empty.
func newUpPair(t testing.TB, limits base.Limits) *pair {
	t.Helper()
	return newPair(limits).up(t)
}

// up shakes hands.
func (p *pair) up(t testing.TB) *pair {
	t.Helper()
	p.settle()
	if !p.a.link.Up() || !p.b.link.Up() {
		t.Fatalf("the handshake failed: %v %v", p.a.closed, p.b.closed)
	}
	p.a.out.log, p.b.out.log, p.a.out.sizes, p.b.out.sizes = nil, nil, nil, nil
	return p
}

// deliver hands to what was written to from.
func deliver(from, to *end, chunks int) {
	for ; chunks > 0 && len(from.out.queue) > 0; chunks-- {
		chunk := from.out.queue[0]
		from.out.queue = from.out.queue[1:]
		to.link.Receive(chunk)
		to.turn()
	}
}

// settle delivers until nothing is under way.
func (p *pair) settle() {
	p.a.turn()
	p.b.turn()
	for len(p.a.out.queue)+len(p.b.out.queue) > 0 {
		deliver(p.a, p.b, 1)
		deliver(p.b, p.a, 1)
	}
}

func (e *end) control(typ wire.Type, origin uint64, body string) {
	e.link.SendControl(typ, origin, append(e.link.Buffer(), body...))
}

func (e *end) state(origin uint64, body string, owner Owner) {
	e.link.SendState(wire.TypeState, origin, append(e.link.Buffer(), body...), owner)
}

func (e *end) bulk(typ wire.Type, origin uint64, body string, owner Owner) {
	e.link.SendBulk(typ, origin, append(e.link.BufferFor(len(body)), body...), owner)
}

func (e *end) forward(h wire.Header, origin uint64, body string, owner Owner) {
	e.link.Forward(h, origin, append(e.link.BufferFor(len(body)), body...), owner)
}

// written lists the types of the chunks that were written, with the slots of messages of several chunks.
func (p *pipe) written() []string {
	var list []string
	for _, h := range p.log {
		s := h.Type.String()
		if h.HasSlot() {
			s = fmt.Sprintf("%s/%d", s, h.Slot)
		}
		if h.Origin != 0 {
			s = fmt.Sprintf("%d:%s", h.Origin, s)
		}
		if h.More {
			s += "+"
		}
		list = append(list, s)
	}
	return list
}

func wantWritten(t *testing.T, why string, e *end, want ...string) {
	t.Helper()
	if got := e.out.written(); !slices.Equal(got, want) {
		t.Errorf("%s:\n got %v\nwant %v", why, got, want)
	}
	e.out.log, e.out.sizes = nil, nil
}

func wantBodies(t *testing.T, why string, e *end, want ...string) {
	t.Helper()
	var bodies []string
	for _, g := range e.chunks {
		bodies = append(bodies, g.body)
	}
	if !slices.Equal(bodies, want) {
		t.Errorf("%s:\n got %q\nwant %q", why, bodies, want)
	}
	e.chunks = nil
}

// wantClosed checks that an end closed once, with a code.
func wantClosed(t *testing.T, why string, e *end, code base.Code) {
	t.Helper()
	if len(e.closed) != 1 || !e.link.Closed() || e.link.Up() || !e.out.closed || base.CodeOf(e.closed[0]) != code {
		t.Errorf("%s: closed %v (transport closed: %v), want once with %v", why, e.closed, e.out.closed, code)
	}
}

// wantBye checks that the last thing written is a goodbye with a code.
func wantBye(t *testing.T, why string, e *end, code base.Code) {
	t.Helper()
	if len(e.out.queue) == 0 {
		t.Errorf("%s: nothing was said", why)
		return
	}
	h, body, err := wire.ParseHeader(wire.Binary, e.out.queue[len(e.out.queue)-1])
	bye, byeErr := wire.ParseBye(wire.Binary, body)
	if err != nil || h.Type != wire.TypeBye || byeErr != nil || bye.Code != code {
		t.Errorf("%s: the last word is %v %+v, want bye with %v", why, h.Type, bye, code)
	}
}

// credit has the consumer's end give credit, and delivers it.
func (p *pair) credit(origin, state, bulk uint64) {
	p.b.link.SendCredit(origin, wire.Credit{State: state, Bulk: bulk})
	p.settle()
}
