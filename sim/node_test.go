package sim_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"chordsim/core/base"
	"chordsim/faults/linkmodel"
	"chordsim/sim"
	"chordsim/sim/netsim"
	"chordsim/sim/trace"
)

// speaker is a node that notes what comes, with the world's time, and does in a turn what it was told to.
type speaker struct {
	host  *sim.Host
	world *sim.World
	conns []*sim.Conn
	heard []string
	on    func(n *speaker, what string) // nil: nothing more
}

func (n *speaker) hear(format string, args ...any) {
	what := fmt.Sprintf(format, args...)
	n.heard = append(n.heard, fmt.Sprintf("%v %s", n.world.Now(), what))
	if n.on != nil {
		n.on(n, what)
	}
}

func (n *speaker) Connected(c *sim.Conn) {
	n.conns = append(n.conns, c)
	how := "from"
	if c.Dialed() {
		how = "to"
	}
	n.hear("connected %s %s", how, c.Peer())
}

func (n *speaker) Receive(c *sim.Conn, m []byte) { n.hear("%s says %s", c.Peer(), m) }
func (n *speaker) Writable(c *sim.Conn)          { n.hear("room towards %s", c.Peer()) }
func (n *speaker) Closed(c *sim.Conn, err error) { n.hear("%s is gone: %v", c.Peer(), err) }
func (n *speaker) Describe(m []byte) string      { return "word" }
func (n *speaker) say(what string) (more bool)   { return n.conns[len(n.conns)-1].Write([]byte(what)) }
func (n *speaker) want(t *testing.T, want ...string) {
	t.Helper()
	if !slices.Equal(n.heard, want) {
		t.Errorf("%s heard\n%s\nwant\n%s", n.host.Name(), strings.Join(n.heard, "\n"), strings.Join(want, "\n"))
	}
}

// talk makes a speaker's host; the pointer is to the newest life's.
func speak(w *sim.World, name string, on func(n *speaker, what string)) (*sim.Host, **speaker) {
	newest := new(*speaker)
	h := w.Node(name, func(h *sim.Host) sim.Node {
		*newest = &speaker{host: h, world: w, on: on}
		return *newest
	})
	return h, newest
}

func mustConnect(t testing.TB, w *sim.World, from, to *sim.Host, cfg netsim.Config) *sim.Connection {
	t.Helper()
	c, err := w.Connect(from, to, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func mustSettle(t testing.TB, w *sim.World) {
	t.Helper()
	if err := w.Settle(base.Hour); err != nil {
		t.Fatal(err)
	}
}

// aSecond is a link of a second each way.
var aSecond = netsim.Config{Up: linkmodel.Config{Latency: base.Second}, Down: linkmodel.Config{Latency: base.Second}}

func TestNodesTalk(t *testing.T) {
	var words []string
	w := sim.New(sim.Config{Trace: sinkFunc(func(e trace.Event) {
		if e.Kind == trace.KindDeliver {
			words = append(words, fmt.Sprint(e.From, ">", e.To, " ", e.What, " ", e.Bytes))
		}
	})})
	ann, a := speak(w, "ann", func(n *speaker, what string) {
		if strings.HasPrefix(what, "connected") {
			n.say("hello")
		}
	})
	bob, b := speak(w, "bob", func(n *speaker, what string) {
		if strings.HasSuffix(what, "hello") {
			n.say("hi")
			n.conns[0].Close()
		}
	})
	c := mustConnect(t, w, ann, bob, aSecond)
	mustSettle(t, w)
	(*a).want(t, "2s connected to bob", "4s bob says hi", "4s bob is gone: <nil>")
	(*b).want(t, "1s connected from ann", "3s ann says hello")
	if want := []string{"ann>bob word 5", "bob>ann word 2"}; !slices.Equal(words, want) {
		t.Errorf("the trace has %q, want %q", words, want)
	}
	if c.Dialed() != nil || c.Accepted() != nil || ann.Core() != nil || ann.Node() != sim.Node(*a) {
		t.Error("a node is taken for a chord host")
	}
	if (*a).say("more") {
		t.Error("a connection that is over takes more")
	}
}

// What comes to a node waits for its CPU, the connection itself too, and is told in order.
func TestNodeHasACPU(t *testing.T) {
	w := sim.New(sim.Config{})
	ann, _ := speak(w, "ann", func(n *speaker, what string) {
		if strings.HasPrefix(what, "connected") {
			n.say("one")
			n.say("two")
		}
	})
	bob, b := speak(w, "bob", nil)
	bob.SetCost(sim.Cost{PerTurn: 10 * base.Millisecond, PerByte: base.Millisecond})
	mustConnect(t, w, ann, bob, netsim.Memory)
	bob.Do(func() { (*b).hear("posted") })
	mustSettle(t, w)
	(*b).want(t, "10ms posted", "20ms connected from ann", "33ms ann says one", "46ms ann says two")
}

func TestNodeIsToldOfRoom(t *testing.T) {
	w := sim.New(sim.Config{})
	full := 0
	ann, a := speak(w, "ann", func(n *speaker, what string) {
		if strings.HasPrefix(what, "connected") {
			for n.say("0123456789") {
				full++
			}
		}
	})
	bob, b := speak(w, "bob", nil)
	mustConnect(t, w, ann, bob, netsim.Config{Up: linkmodel.Config{Rate: 10}, Buffer: 30})
	mustSettle(t, w)
	(*a).want(t, "0s connected to bob", "1s room towards bob")
	if len((*b).heard) != 1+full+1 {
		t.Errorf("%d writes, heard %q", full+1, (*b).heard)
	}
}

// A node may speak to a chord host, which takes what it says for what it is.
func TestNodeMeetsChord(t *testing.T) {
	w := sim.New(sim.Config{})
	ann, a := speak(w, "ann", func(n *speaker, what string) {
		if strings.HasPrefix(what, "connected") {
			n.say("this is no hello")
		}
	})
	c := mustConnect(t, w, ann, w.Host("worker"), netsim.Memory)
	mustRun(t, w, base.Second)
	if !c.Accepted().Link().Closed() || c.Dialed() != nil {
		t.Error("the chord host goes on")
	}
	if last := (*a).heard[len((*a).heard)-1]; last != "0s worker is gone: <nil>" {
		t.Errorf("heard %q", (*a).heard)
	}
}
