package check_test

import (
	"strings"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/link"
	"chordsim/core/relay"
	"chordsim/core/wire"
	"chordsim/sim/check"
)

// lab is hosts, pipes between them and the checkers, without a simulator: what a pipe does to its chunks is up to the test.
type lab struct {
	t     *testing.T
	set   *check.Set
	probe *core.Probe
	hosts func(*core.Config)
	now   base.Time
	work  []func() // turns and deliveries, in order

	worker, tab *core.Host
	doc         *core.Document
	view        *core.Reference
	wire        *pipe // between the tab and whom it dials
	route       *pipe // between the server and the worker, if there is a server
}

// labSetup is what a lab is made of. The zero value has a worker with default limits, of which the checkers know.
type labSetup struct {
	told    base.Limits // the limits that the checkers are told
	limits  base.Limits // the worker's
	relayed bool
	rewire  func(*core.Probe)  // takes something from what the checkers are told
	hosts   func(*core.Config) // changes what hosts are made of
	set     *check.Set         // checkers that have seen other hosts; nil: new ones
}

func newLab(t *testing.T, s labSetup) *lab {
	l := &lab{t: t, hosts: s.hosts, doc: core.NewDocument(delta.Object(delta.Field{Key: "text", Value: delta.String("abc")}))}
	l.set = check.New(func() base.Time { return l.now }, s.told.WithDefaults())
	if s.set != nil {
		l.set = s.set
	}
	l.probe = l.set.Probe()
	if s.rewire != nil {
		s.rewire(l.probe)
	}
	l.tab = l.host("tab", base.Limits{})
	near := l.tab
	if s.relayed {
		near = l.host("server", base.Limits{})
		near.Route("Session", func(q *relay.Request) { q.To(l.route.acceptor.conn.Link()) })
	}
	l.worker = l.host("worker", s.limits)
	l.worker.Expose("View", core.Object{
		State: core.Members{"notes": l.doc},
		Methods: core.Methods{
			"echo": func(c *core.Call) (delta.Value, error) { return c.Arg, nil },
			"add": func(c *core.Call) (delta.Value, error) {
				rev, err := l.doc.Change(c, func(d *delta.Draft) error { return d.At("text").Append(c.Arg.Text().String()) })
				return delta.Number(float64(rev)), err
			},
		},
	})
	if s.relayed {
		l.route = l.connect(l.worker, near)
		l.wire = l.connect(l.tab, near)
	} else {
		l.wire = l.connect(l.tab, l.worker)
	}
	l.run()
	return l
}

func (l *lab) host(name string, limits base.Limits) *core.Host {
	cfg := core.Config{Name: name, Scheduler: l, Limits: limits, Probe: l.probe}
	if l.hosts != nil {
		l.hosts(&cfg)
	}
	return core.NewHost(cfg)
}

var _ base.Scheduler = (*lab)(nil)

func (l *lab) Now() base.Time              { return l.now }
func (l *lab) Post(_ base.Work, fn func()) { l.work = append(l.work, fn) }
func (l *lab) NewTimer(func()) base.Timer  { return noTimer{} }

type noTimer struct{}

func (noTimer) Set(base.Time) {}
func (noTimer) Stop()         {}

// run takes all turns that there are.
func (l *lab) run() {
	for len(l.work) > 0 {
		next := l.work[0]
		l.work = l.work[1:]
		next()
	}
}

// pipe is a connection that delivers at once, in a turn of its own.
type pipe struct{ dialer, acceptor end }

// end is a pipe's end, as the transport of the host there.
type end struct {
	lab    *lab
	other  *end
	conn   *core.Conn
	closed bool
	// What becomes of a chunk that the end wrote: the chunks that arrive instead. Nil: it arrives.
	mangle func(chunk []byte) [][]byte
	// What the other host gets of a chunk that the checkers saw arrive. Nil: that chunk; an empty one is none.
	swap  func(chunk []byte) []byte
	held  bool // nothing is delivered, until free
	exact bool // what is mangled is not excused
	queue [][]byte
}

func (l *lab) connect(dialer, acceptor *core.Host) *pipe {
	p := &pipe{}
	p.dialer, p.acceptor = end{lab: l, other: &p.acceptor}, end{lab: l, other: &p.dialer}
	p.acceptor.conn = acceptor.Accept(&p.acceptor)
	p.dialer.conn = dialer.Connect(&p.dialer)
	l.set.Linked(p.dialer.conn.Link(), p.acceptor.conn.Link())
	return p
}

var _ link.Transport = (*end)(nil)

func (e *end) Write(chunk []byte) bool {
	if e.conn != nil {
		e.lab.set.Wrote(e.conn.Host(), e.conn.Link(), chunk)
	}
	chunks := [][]byte{chunk}
	if e.mangle != nil {
		if e.conn != nil && !e.exact {
			e.lab.set.Unreliable(e.conn.Link())
		}
		chunks = e.mangle(chunk)
	}
	for _, c := range chunks {
		if e.held {
			e.queue = append(e.queue, c)
		} else {
			e.deliver(c)
		}
	}
	return true
}

func (e *end) deliver(chunk []byte) {
	e.lab.work = append(e.lab.work, func() {
		if e.other.closed {
			return
		}
		to := e.other.conn
		e.lab.set.Arrived(to.Host(), to.Link(), chunk)
		if e.swap != nil {
			chunk = e.swap(chunk)
		}
		if len(chunk) > 0 {
			to.Receive(chunk)
		}
	})
}

// free delivers what was held.
func (e *end) free() {
	e.held = false
	for _, c := range e.queue {
		e.deliver(c)
	}
	e.queue = nil
	e.lab.run()
}

func (e *end) Close() {
	e.closed = true
	e.lab.work = append(e.lab.work, func() {
		if !e.other.closed {
			e.other.conn.Closed(nil)
		}
	})
}

// get has the tab hold the view.
func (l *lab) get() {
	l.do(l.tab, func() {
		address := "View"
		if l.route != nil {
			address = "Session/42/View"
		}
		l.view = l.tab.Get(address)
	})
}

func (l *lab) do(h *core.Host, fn func()) {
	l.now += base.Time(base.Millisecond)
	h.Do(fn)
	l.run()
}

// add commits a text at the worker.
func (l *lab) add(text string) {
	l.do(l.worker, func() {
		if _, err := l.doc.Change(nil, func(d *delta.Draft) error { return d.At("text").Append(text) }); err != nil {
			l.t.Fatal(err)
		}
	})
}

// call has the tab add a text by a call. It returns the call, and what counts its results.
func (l *lab) call(text string) (pc *core.PendingCall, results *int) {
	results = new(int)
	l.do(l.tab, func() { pc = l.view.Call("add", text, func(delta.Value, error) { *results++ }) })
	return pc, results
}

// settle has the checkers look at the whole.
func (l *lab) settle() {
	l.run()
	hosts := []*core.Host{l.tab, l.worker}
	if l.route != nil {
		hosts = append(hosts, l.route.acceptor.conn.Host())
	}
	l.set.Settled(hosts)
}

// down is the end that writes to the tab; credit comes from the other one.
func (l *lab) down() *end { return &l.wire.acceptor }

// wantViolation wants a violation of an invariant, with a text in it.
func (l *lab) wantViolation(id, text string) {
	l.t.Helper()
	for _, v := range l.set.Violations() {
		if v.ID == id && strings.Contains(v.Error(), text) {
			return
		}
	}
	l.t.Errorf("no violation of %s with %q in %v", id, text, l.set.Violations())
}

// wantNone wants no violation, and with looked that every invariant was looked at.
func (l *lab) wantNone(looked bool) {
	l.t.Helper()
	if err := l.set.Err(); err != nil {
		l.t.Errorf("%v, and %d more", err, len(l.set.Violations())-1)
	}
	for _, c := range l.set.Counts() {
		if c.Violations != 0 || looked && c.Checks == 0 {
			l.t.Errorf("%s: %d looks, %d violations", c.ID, c.Checks, c.Violations)
		}
	}
}

// onlyType leaves all chunks but those of a type alone.
func onlyType(typ wire.Type, fn func(chunk []byte) [][]byte) func([]byte) [][]byte {
	return func(chunk []byte) [][]byte {
		if h, _, err := wire.ParseHeader(wire.Binary, chunk); err == nil && h.Type == typ {
			return fn(chunk)
		}
		return [][]byte{chunk}
	}
}

// dropNth loses the chunk number n, from 1.
func dropNth(n int) func([]byte) [][]byte {
	return func(chunk []byte) [][]byte {
		if n--; n == 0 {
			return nil
		}
		return [][]byte{chunk}
	}
}

// replaced returns the chunk with one text for another of its length.
func replaced(chunk []byte, old, with string) []byte {
	return []byte(strings.ReplaceAll(string(chunk), old, with))
}
