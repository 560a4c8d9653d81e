package core_test

import (
	"strings"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/faults/linkmodel"
	"chordsim/sim"
	"chordsim/sim/netsim"
	"chordsim/sim/trace"
)

// lab is a world of one worker and tabs that dial it. Every test in it is watched by the checkers of sim/check.
type lab struct {
	t      *testing.T
	world  *sim.World
	worker *sim.Host
	tab    *sim.Host // the first tab
	conn   *sim.Connection
	doc    *core.Document // View.notes: {entries, reply}
	log    *eventLog
}

// eventLog counts what arrived, by the receiver and the type of the chunk.
type eventLog struct {
	count, bytes map[string]int
	order        []string
}

func (l *eventLog) Event(e trace.Event) {
	if e.Kind == trace.KindDeliver {
		key := e.To + " " + e.What
		l.count[key]++
		l.bytes[key] += e.Bytes
		l.order = append(l.order, key)
	}
}

func newLab(t *testing.T, limits base.Limits, link netsim.Config) *lab {
	t.Helper()
	return newLabIn(t, sim.Config{Limits: limits}, link)
}

func newLabIn(t *testing.T, cfg sim.Config, link netsim.Config) *lab {
	t.Helper()
	l := &lab{t: t, log: &eventLog{count: map[string]int{}, bytes: map[string]int{}}}
	cfg.Trace = l.log
	l.world = sim.New(cfg)
	l.worker, l.tab = l.world.Host("worker"), l.world.Host("tab")
	l.doc = core.NewDocument(delta.Object(
		delta.Field{Key: "entries", Value: delta.List()},
		delta.Field{Key: "reply", Value: delta.String("")},
	))
	l.worker.Core().Expose("View", core.Object{
		State:   core.Members{"notes": l.doc},
		Methods: core.Methods{"stream": l.stream, "echo": echo, "fail": fail},
	})
	l.conn = l.connect(l.tab, l.worker, link)
	return l
}

// slow is a link whose direction towards the dialer has a rate.
func slow(bytesPerSecond int64) netsim.Config {
	return netsim.Config{Down: linkmodel.Config{Rate: bytesPerSecond}}
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

// stream is a method that appends to the reply and returns the revision.
func (l *lab) stream(c *core.Call) (delta.Value, error) {
	rev, err := l.doc.Change(c, func(d *delta.Draft) error { return d.At("reply").Append(c.Arg.Text().String()) })
	return delta.Int(int(rev)), err
}

func echo(c *core.Call) (delta.Value, error) { return c.Arg, nil }

func fail(c *core.Call) (delta.Value, error) {
	return delta.Null(), base.Errorf(base.CodeRefused, "not %s", c.Arg.Text())
}

// run lets virtual time pass; no time lets happen what happens at this instant.
func (l *lab) run(d base.Duration) {
	l.t.Helper()
	if err := l.world.RunFor(d); err != nil {
		l.t.Fatal(err)
	}
}

// settle runs until nothing is under way and wants all invariants to hold.
func (l *lab) settle() {
	l.t.Helper()
	if err := l.world.Settle(base.Hour); err != nil {
		l.t.Fatal(err)
	}
}

// at runs fn in a turn of a host, and all that follows at this instant.
func (l *lab) at(h *sim.Host, fn func()) {
	l.t.Helper()
	h.Do(fn)
	l.run(0)
}

// commit appends to the reply in a turn of its own.
func (l *lab) commit(text string) {
	l.t.Helper()
	l.at(l.worker, func() { l.change(text) })
}

func (l *lab) change(text string) {
	if _, err := l.doc.Change(nil, func(d *delta.Draft) error { return d.At("reply").Append(text) }); err != nil {
		l.t.Error(err)
	}
}

// hold makes a reference of a tab and waits for nothing.
func (l *lab) hold(tab *sim.Host, address string) *core.Reference {
	l.t.Helper()
	var r *core.Reference
	l.at(tab, func() { r = tab.Core().Get(address, core.Unshared()) })
	return r
}

// stall stops the direction towards the first tab.
func (l *lab) stall()  { l.conn.Link.Dialer().Stall() }
func (l *lab) resume() { l.conn.Link.Dialer().Resume(); l.run(0) }

func (l *lab) stats() core.Stats { return l.worker.Core().Stats() }

// window returns the worker's window towards its only consumer.
func (l *lab) window() core.Window {
	l.t.Helper()
	list := l.worker.Core().Consumers()
	if len(list) != 1 {
		l.t.Fatalf("%d consumers, want 1", len(list))
	}
	w, _ := l.worker.Core().Window(list[0])
	return w
}

func reply(r *core.Reference) string {
	v, _ := r.Value("notes")
	text, _ := v.At("reply")
	return text.Text().String()
}

func wantReply(t *testing.T, r *core.Reference, want string) {
	t.Helper()
	if got := reply(r); got != want {
		t.Errorf("the reply is %.60q, want %.60q", got, want)
	}
}

func wantState(t *testing.T, r *core.Reference, want core.State) {
	t.Helper()
	if r.State() != want {
		t.Fatalf("the reference to %s is %v (%v), want %v", r.Address(), r.State(), r.Err(), want)
	}
}

func wantCode(t *testing.T, why string, err error, want base.Code) {
	t.Helper()
	if base.CodeOf(err) != want {
		t.Errorf("%s: %v, want code %v", why, err, want)
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
	if o.settled != 1 {
		t.Errorf("%s: settled %d times, want once", why, o.settled)
		return
	}
	wantCode(t, why, o.err, code)
}

// text returns so many characters.
func text(n int) string { return strings.Repeat("0123456789abcdef", n/16+1)[:n] }

// textDoc is a document that is one text.
func textDoc(n int) *core.Document { return core.NewDocument(delta.String(text(n))) }
