package relay_test

import (
	"errors"
	"strings"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/relay"
	"chordsim/faults/linkmodel"
	"chordsim/sim"
	"chordsim/sim/netsim"
	"chordsim/sim/trace"
)

// lab is a world with a server; workers and tabs are added to it. "W/name/View" leads to the worker of that name.
type lab struct {
	t       *testing.T
	world   *sim.World
	server  *sim.Host
	workers map[string]*worker
	bytes   map[string]int // what arrived, by receiver and type
	count   map[string]int
}

// worker is a host with a View that dials the server.
type worker struct {
	host *sim.Host
	conn *sim.Connection
	doc  *core.Document
	open []*core.Call // deferred
	runs int          // handlers that started
}

// tab is a host that dials a server.
type tab struct {
	host *sim.Host
	conn *sim.Connection
}

func (l *lab) Event(e trace.Event) {
	if e.Kind == trace.KindDeliver {
		l.bytes[e.To+" "+e.What] += e.Bytes
		l.count[e.To+" "+e.What]++
	}
}

func newLab(t *testing.T, limits base.Limits) *lab { return newLabIn(t, sim.Config{Limits: limits}) }

func newLabIn(t *testing.T, cfg sim.Config) *lab {
	t.Helper()
	l := &lab{t: t, workers: map[string]*worker{}, bytes: map[string]int{}, count: map[string]int{}}
	cfg.Trace = l
	l.world = sim.New(cfg)
	l.server = l.world.Host("server")
	l.server.Core().Route("W", l.route)
	return l
}

func (l *lab) route(q *relay.Request) {
	if w := l.workers[q.Key]; w != nil {
		q.To(w.conn.Accepted().Link())
		return
	}
	q.Fail(base.Errorf(base.CodeNotFound, "no worker %s", q.Key))
}

func (l *lab) worker(name string, link netsim.Config) *worker {
	l.t.Helper()
	w := &worker{host: l.world.Host(name), doc: core.NewDocument(delta.Object(
		delta.Field{Key: "name", Value: delta.String(name)}, delta.Field{Key: "reply", Value: delta.String("")}))}
	w.host.Core().Expose("View", core.Object{State: core.Members{"notes": w.doc}, Methods: core.Methods{
		"stream": func(c *core.Call) (delta.Value, error) {
			w.runs++
			rev, err := w.doc.Change(c, func(d *delta.Draft) error { return d.At("reply").Append(c.Arg.Text().String()) })
			return delta.Int(int(rev)), err
		},
		"name": func(*core.Call) (delta.Value, error) { w.runs++; return delta.String(name), nil },
		"text": func(c *core.Call) (delta.Value, error) { w.runs++; return delta.String(text(int(c.Arg.Number()))), nil },
		"later": func(c *core.Call) (delta.Value, error) {
			w.runs++
			c.Defer()
			w.open = append(w.open, c)
			return delta.Null(), nil
		},
	}})
	w.conn = l.connect(w.host, l.server, link)
	l.workers[name] = w
	return w
}

func (l *lab) tab(name string, link netsim.Config) *tab {
	l.t.Helper()
	t := &tab{host: l.world.Host(name)}
	t.conn = l.connect(t.host, l.server, link)
	return t
}

func (l *lab) connect(from, to *sim.Host, cfg netsim.Config) *sim.Connection {
	l.t.Helper()
	c, err := l.world.Connect(from, to, cfg)
	if err != nil {
		l.t.Fatal(err)
	}
	l.run(0)
	for c.Dialed() == nil {
		l.run(base.Second)
	}
	return c
}

func (l *lab) run(d base.Duration) {
	l.t.Helper()
	if err := l.world.RunFor(d); err != nil {
		l.t.Fatal(err)
	}
}

func (l *lab) settle() {
	l.t.Helper()
	if err := l.world.Settle(base.Hour); err != nil {
		l.t.Fatal(err)
	}
}

func (l *lab) at(h *sim.Host, fn func()) {
	l.t.Helper()
	h.Do(fn)
	l.run(0)
}

// lose cuts a connection: its ends are told at once, and what was under way is gone.
func (l *lab) lose(c *sim.Connection) {
	l.t.Helper()
	c.Link.Dialer().Close()
	c.Link.Acceptor().Close()
	c.Dialed().Closed(errors.New("cut"))
	c.Accepted().Closed(errors.New("cut"))
	l.run(0)
}

func (l *lab) hold(t *tab, address string) *core.Reference {
	l.t.Helper()
	var r *core.Reference
	l.at(t.host, func() { r = t.host.Core().Get(address, core.Unshared()) })
	return r
}

func (l *lab) commit(w *worker, s string) {
	l.t.Helper()
	l.at(w.host, func() { w.change(l.t, s) })
}

func (w *worker) change(t *testing.T, s string) {
	if _, err := w.doc.Change(nil, func(d *delta.Draft) error { return d.At("reply").Append(s) }); err != nil {
		t.Error(err)
	}
}

func (w *worker) settleAll() {
	open := w.open
	w.open = nil
	for _, c := range open {
		c.Settle(delta.Null(), nil)
	}
}

func slow(rate int64) netsim.Config { return netsim.Config{Down: linkmodel.Config{Rate: rate}} }

func text(n int) string { return strings.Repeat("0123456789abcdef", n/16+1)[:n] }

func wantState(t *testing.T, r *core.Reference, want core.State) {
	t.Helper()
	if r.State() != want {
		t.Fatalf("the reference to %s is %v (%v), want %v", r.Address(), r.State(), r.Err(), want)
	}
}

func wantFailed(t *testing.T, why string, r *core.Reference, code base.Code) {
	t.Helper()
	wantState(t, r, core.StateFailed)
	if base.CodeOf(r.Err()) != code {
		t.Errorf("%s: %v, want code %v", why, r.Err(), code)
	}
}

func wantReply(t *testing.T, r *core.Reference, want string) {
	t.Helper()
	v, _ := r.Value("notes")
	got, _ := v.At("reply")
	if got.Text().String() != want {
		t.Errorf("%s: the reply is %.40q, want %.40q", r.Address(), got.Text(), want)
	}
}

func wantInt[N int | int64](t *testing.T, what string, got, want N) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %d, want %d", what, got, want)
	}
}

// outcome is what became of a call.
type outcome struct {
	value   delta.Value
	err     error
	settled int
}

func (o *outcome) done(v delta.Value, err error) {
	o.value, o.err = v, err
	o.settled++
}

func (o *outcome) wantOnce(t *testing.T, why string, code base.Code) {
	t.Helper()
	if o.settled != 1 || base.CodeOf(o.err) != code {
		t.Errorf("%s: settled %d times, with %v; want once, with code %v", why, o.settled, o.err, code)
	}
}

func wantOpen(t *testing.T, why string, c *sim.Connection) {
	t.Helper()
	if c.Dialed().Link().Closed() || c.Accepted().Link().Closed() {
		t.Errorf("%s: the link closed", why)
	}
}
