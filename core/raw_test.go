package core_test

import (
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/link"
	"chordsim/core/wire"
)

// rawHost is a host whose peers are the test: what they send and get is bytes.
type rawHost struct {
	*core.Host
	t     testing.TB
	sched *rawScheduler
}

// rawScheduler runs posted turns when it is told to. Its time stands still but for advance.
type rawScheduler struct {
	now    base.Time
	queue  []func()
	timers []*rawTimer
}

type rawTimer struct {
	sched *rawScheduler
	fn    func()
	due   base.Time
}

func (t *rawTimer) Set(at base.Time) { t.due = at }
func (t *rawTimer) Stop()            { t.due = base.Never }

func (s *rawScheduler) Now() base.Time              { return s.now }
func (s *rawScheduler) Post(_ base.Work, fn func()) { s.queue = append(s.queue, fn) }
func (s *rawScheduler) NewTimer(fn func()) base.Timer {
	t := &rawTimer{s, fn, base.Never}
	s.timers = append(s.timers, t)
	return t
}

func (s *rawScheduler) run() {
	for len(s.queue) > 0 {
		fn := s.queue[0]
		s.queue = s.queue[1:]
		fn()
	}
}

func (s *rawScheduler) advance(d base.Duration) {
	s.now = s.now.Add(d)
	for _, t := range s.timers {
		if t.due <= s.now {
			t.due = base.Never
			t.fn()
			s.run()
		}
	}
}

func newRawHost(t testing.TB, name string, limits base.Limits) *rawHost {
	s := &rawScheduler{}
	return &rawHost{core.NewHost(core.Config{Name: name, Scheduler: s, Limits: limits}), t, s}
}

// rawView is a host that exposes the usual View.
func rawView(t testing.TB) (*rawHost, *core.Document) { return rawViewWith(t, base.Limits{}) }

func rawViewWith(t testing.TB, limits base.Limits) (*rawHost, *core.Document) {
	h := newRawHost(t, "worker", limits)
	doc := core.NewDocument(delta.Object(delta.Field{Key: "reply", Value: delta.String("")}))
	h.Expose("View", core.Object{
		State: core.Members{"notes": doc},
		Methods: core.Methods{"echo": echo, "stream": func(c *core.Call) (delta.Value, error) {
			rev, err := doc.Change(c, func(d *delta.Draft) error { return d.At("reply").Append(c.Arg.Text().String()) })
			return delta.Int(int(rev)), err
		}},
	})
	return h, doc
}

func change(t testing.TB, doc *core.Document, s string) {
	if _, err := doc.Change(nil, func(d *delta.Draft) error { return d.At("reply").Append(s) }); err != nil {
		t.Error(err)
	}
}

func (h *rawHost) do(fn func()) {
	h.Do(fn)
	h.sched.run()
}

// rawPeer is the test's end of a link to a host.
type rawPeer struct {
	host   *rawHost
	conn   *core.Conn
	out    [][]byte // what the host wrote
	closed bool
	full   bool // takes no more until it is asked to
}

var _ link.Transport = (*rawPeer)(nil)

func (p *rawPeer) Write(chunk []byte) bool {
	p.out = append(p.out, chunk)
	return !p.full
}

func (p *rawPeer) Close() { p.closed = true }

var rawIdentity = wire.Identity{Version: wire.Version, MaxMessage: 1 << 26, Host: "raw", Incarnation: 1}

// dial connects a peer that shook hands as a dialer: a tab, or a server in front of a worker.
func (h *rawHost) dial() *rawPeer {
	p := &rawPeer{host: h}
	p.conn = h.Accept(p)
	p.send(wire.Header{Type: wire.TypeHello}, wire.Hello{Identity: rawIdentity, Generation: 1}.Append(wire.Binary, nil))
	p.out = nil
	return p
}

// answer connects a peer that the host dials.
func (h *rawHost) answer() *rawPeer {
	p := &rawPeer{host: h}
	p.conn = h.Connect(p)
	p.send(wire.Header{Type: wire.TypeWelcome}, wire.Welcome{Identity: rawIdentity, Session: 1}.Append(wire.Binary, nil))
	p.out = nil
	return p
}

// send lets the host receive a chunk, and do what it has posted.
func (p *rawPeer) send(h wire.Header, body []byte) {
	p.receive(append(h.Append(wire.Binary, nil), body...))
}

func (p *rawPeer) receive(chunk []byte) {
	p.conn.Receive(chunk)
	p.host.sched.run()
}

func (p *rawPeer) say(typ wire.Type, body []byte) { p.send(wire.Header{Type: typ}, body) }

func (p *rawPeer) hold(id uint64, address string) {
	p.say(wire.TypeHold, wire.Hold{ID: id, Address: address}.Append(wire.Binary, nil))
}

func (p *rawPeer) call(hold, id uint64, method string, arg any) {
	v, err := delta.FromGo(arg)
	if err != nil {
		p.host.t.Fatal(err)
	}
	p.say(wire.TypeCall, wire.Call{Hold: hold, ID: id, Method: -1, Name: method, Args: wire.AppendValue(nil, v)}.Append(wire.Binary, nil))
}

// creditAll credits all that was written and not credited, and forgets it.
func (p *rawPeer) creditAll() {
	for {
		var c wire.Credit
		for _, chunk := range p.out {
			h, _, err := wire.ParseHeader(wire.Binary, chunk)
			if err != nil {
				p.host.t.Fatal(err)
			}
			if lane, credited := h.Type.Credited(); credited && lane == wire.LaneState {
				c.State++
			} else if credited {
				c.Bulk++
			}
		}
		p.out = nil
		if c == (wire.Credit{}) {
			return
		}
		p.say(wire.TypeCredit, c.Append(wire.Binary, nil))
	}
}

// types lists what was written.
func (p *rawPeer) types() (list []string) {
	for _, chunk := range p.out {
		h, _, _ := wire.ParseHeader(wire.Binary, chunk)
		list = append(list, h.Type.String())
	}
	return list
}

// body returns the body of the only chunk of a type that was written.
func (p *rawPeer) body(typ wire.Type) []byte {
	var found [][]byte
	for _, chunk := range p.out {
		if h, body, err := wire.ParseHeader(wire.Binary, chunk); err == nil && h.Type == typ {
			found = append(found, body)
		}
	}
	if len(found) != 1 {
		p.host.t.Fatalf("%d chunks of type %v among %v, want 1", len(found), typ, p.types())
	}
	return found[0]
}

type rawEntry struct {
	hold uint64
	span uint64
	ops  []byte
}

// states takes the state messages apart, each of one chunk and of holds with one member.
func (p *rawPeer) states(t testing.TB) (messages [][]rawEntry) {
	t.Helper()
	for _, chunk := range p.out {
		h, body, err := wire.ParseHeader(wire.Binary, chunk)
		if err != nil || h.Type != wire.TypeState {
			continue
		}
		var entries []rawEntry
		s := wire.ReadState(wire.Binary, body)
		for {
			hold, ok := s.Entry()
			if !ok {
				break
			}
			sec, _ := s.Section()
			entries = append(entries, rawEntry{hold, sec.Span, sec.Ops})
		}
		if s.Err() != nil {
			t.Fatal(s.Err())
		}
		messages = append(messages, entries)
	}
	return messages
}

// bye returns the code that the host closed the link with, if it did.
func (p *rawPeer) bye() base.Code {
	for _, chunk := range p.out {
		if h, body, err := wire.ParseHeader(wire.Binary, chunk); err == nil && h.Type == wire.TypeBye {
			m, _ := wire.ParseBye(wire.Binary, body)
			return m.Code
		}
	}
	return base.CodeNone
}
