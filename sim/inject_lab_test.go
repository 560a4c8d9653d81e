package sim_test

import (
	"fmt"
	"strings"
	"testing"

	"chordsim/core/base"
	"chordsim/faults"
	"chordsim/faults/linkmodel"
	"chordsim/sim"
	"chordsim/sim/netsim"
	"chordsim/sim/trace"
)

// talker is a node that keeps its newest connection and counts what comes.
type talker struct {
	host  *sim.Host
	conn  *sim.Conn
	got   []string // what arrived, with its time
	ended []string
	ticks []base.Time

	connected int // connections that it saw
}

func (n *talker) Connected(c *sim.Conn) { n.conn, n.connected = c, n.connected+1 }
func (n *talker) Writable(*sim.Conn)    {}

func (n *talker) Receive(_ *sim.Conn, m []byte) {
	n.got = append(n.got, fmt.Sprintf("%s@%v", strings.TrimRight(string(m), "."), n.host.Now()))
}

func (n *talker) Closed(_ *sim.Conn, err error) {
	how := "closed"
	if err != nil {
		how = err.Error()
	}
	n.ended = append(n.ended, fmt.Sprintf("%s@%v", how, n.host.Now()))
}

// Describe names the type of a message: its first letter.
func (n *talker) Describe(m []byte) string { return string(m[:1]) }

// faultLab is a world of three talkers: tab and worker have dialed server.
type faultLab struct {
	t      *testing.T
	w      *sim.World
	nodes  map[string]*talker
	tab    *sim.Connection
	worker *sim.Connection
	events faultEvents
}

// faultEvents keeps the texts of fault events.
type faultEvents []string

func (f *faultEvents) Event(e trace.Event) {
	if e.Kind == trace.KindFault {
		*f = append(*f, fmt.Sprintf("%v %s", e.At, e.What))
	}
}

// newFaultLab makes the world; its links take 10 ms each way.
func newFaultLab(t *testing.T, cfg netsim.Config) *faultLab {
	t.Helper()
	l := &faultLab{t: t, nodes: map[string]*talker{}}
	l.w = sim.New(sim.Config{Seed: 1, Trace: &l.events})
	for _, name := range []string{"tab", "worker", "server"} {
		l.w.Node(name, func(h *sim.Host) sim.Node {
			n := &talker{host: h}
			l.nodes[name] = n
			return n
		})
	}
	for _, way := range []*linkmodel.Config{&cfg.Up, &cfg.Down} {
		if way.Latency == 0 {
			way.Latency = 10 * base.Millisecond
		}
	}
	l.tab, l.worker = l.dial("tab", cfg), l.dial("worker", cfg)
	return l
}

func (l *faultLab) host(name string) *sim.Host {
	for _, h := range l.w.Hosts() {
		if h.Name() == name {
			return h
		}
	}
	l.t.Fatalf("no host %s", name)
	return nil
}

func (l *faultLab) dial(name string, cfg netsim.Config) *sim.Connection {
	l.t.Helper()
	c, err := l.w.Connect(l.host(name), l.host("server"), cfg)
	if err != nil {
		l.t.Fatal(err)
	}
	return c
}

// sends has a host send a message of so many bytes over its newest connection at each of these times, in milliseconds.
func (l *faultLab) sends(name, what string, size int, at ...int) {
	for n, t := range at {
		l.w.At(base.Time(t)*ms, func() {
			text := fmt.Sprint(what, n+1)
			if c := l.nodes[name].conn; c != nil && l.host(name).Up() {
				c.Write([]byte(text + strings.Repeat(".", size-len(text))))
			}
		})
	}
}

func (l *faultLab) inject(plan string) {
	l.t.Helper()
	p, err := faults.Parse(plan)
	if err != nil {
		l.t.Fatal(err)
	}
	if err := l.w.Inject(p); err != nil {
		l.t.Fatal(err)
	}
}

func (l *faultLab) run(until base.Time) {
	l.t.Helper()
	if err := l.w.RunUntil(until); err != nil {
		l.t.Fatal(err)
	}
}

// effect runs a plan of one fault for ten seconds and returns what it did.
func (l *faultLab) effect(plan string) faults.Effect {
	l.t.Helper()
	l.inject(plan)
	l.run(base.Time(10 * base.Second))
	return l.w.Effects()[0]
}

func (l *faultLab) wantGot(name string, want ...string) {
	l.t.Helper()
	if got := l.nodes[name].got; strings.Join(got, " ") != strings.Join(want, " ") {
		l.t.Errorf("%s got %s, want %s", name, got, want)
	}
}

func (l *faultLab) wantEnded(name string, want ...string) {
	l.t.Helper()
	if got := l.nodes[name].ended; strings.Join(got, " ") != strings.Join(want, " ") {
		l.t.Errorf("%s was told %s, want %s", name, got, want)
	}
}

// wantEffect compares what a fault did, without its text and kind.
func (l *faultLab) wantEffect(got faults.Effect, want faults.Effect) {
	l.t.Helper()
	want.Fault, want.Kind = got.Fault, got.Kind
	if got != want {
		l.t.Errorf("the effect is\n%+v, want\n%+v", got, want)
	}
}
