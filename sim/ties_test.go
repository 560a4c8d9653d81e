package sim_test

import (
	"slices"
	"strings"
	"testing"

	"chordsim/core/base"
	"chordsim/faults/linkmodel"
	"chordsim/sim"
	"chordsim/sim/events"
	"chordsim/sim/netsim"
)

// hears is a node that notes what it hears.
type hears struct{ heard *[]string }

func (n *hears) Connected(*sim.Conn)                 {}
func (n *hears) Writable(*sim.Conn)                  {}
func (n *hears) Closed(*sim.Conn, error)             {}
func (n *hears) Receive(_ *sim.Conn, message []byte) { *n.heard = append(*n.heard, string(message)) }

// speaks is a node that writes to both of its connections in each of some turns.
type speaks struct {
	host *sim.Host
	to   []*sim.Conn
}

func (n *speaks) Writable(*sim.Conn)        {}
func (n *speaks) Closed(*sim.Conn, error)   {}
func (n *speaks) Receive(*sim.Conn, []byte) {}

func (n *speaks) Connected(c *sim.Conn) {
	n.to = append(n.to, c)
	for i := 0; i < 40 && len(n.to) == 2; i++ {
		n.host.NewTimer(func() {
			n.to[0].Write([]byte("first"))
			n.to[1].Write([]byte("second"))
		}).Set(base.Time(base.Duration(100+i) * base.Millisecond))
	}
}

// changes returns the orders in which events came at each instant, the first of them, and how often they changed.
func changes(t *testing.T, events []string, each int) (first string, changed int) {
	t.Helper()
	last := ""
	for at := range slices.Chunk(events, each) {
		order := strings.Join(at, " ")
		if last != "" && order != last {
			changed++
		}
		if first == "" {
			first = order
		}
		last = order
	}
	if first == "" || len(events) < 30*each {
		t.Fatalf("too few events: %q", events)
	}
	return first, changed
}

// Under pct hosts, and directions of links, are each one origin: what two of them do at one instant comes in the same order
// over the whole run, but for a few changes, and another seed has another order.
func TestPCTKeepsTheOrderOfOrigins(t *testing.T) {
	for _, c := range []struct {
		name string
		each int // events an instant
		want []string
		play func(w *sim.World) *[]string
	}{
		{"timers of hosts", 3, []string{"a b c", "a c b", "b a c", "b c a", "c a b", "c b a"}, func(w *sim.World) *[]string {
			fired := &[]string{}
			for _, name := range []string{"a", "b", "c"} {
				h := w.Host(name)
				for i := range 40 {
					h.NewTimer(func() { *fired = append(*fired, name) }).Set(base.Time(base.Duration(1+i) * base.Millisecond))
				}
			}
			return fired
		}},
		{"links of one host", 2, []string{"first second", "second first"}, func(w *sim.World) *[]string {
			heard := &[]string{}
			far := linkmodel.Config{Latency: 5 * base.Millisecond}
			server := w.Node("server", func(*sim.Host) sim.Node { return &hears{heard: heard} })
			tab := w.Node("tab", func(h *sim.Host) sim.Node { return &speaks{host: h} })
			for range 2 {
				if _, err := w.Connect(tab, server, netsim.Config{Up: far, Down: far}); err != nil {
					t.Fatal(err)
				}
			}
			return heard
		}},
	} {
		seen, changed, shaken := map[string]bool{}, 0, 0
		for seed := range uint64(60) {
			w := sim.New(sim.Config{Seed: seed, Strategy: events.PCT})
			list := c.play(w)
			mustRun(t, w, base.Second)
			first, n := changes(t, *list, c.each)
			if n > events.PCTChanges {
				t.Errorf("%s: seed %d: the order changes %d times: %q", c.name, seed, n, *list)
			}
			seen[first], changed = true, changed+n

			w = sim.New(sim.Config{Seed: seed, Strategy: events.Random})
			list = c.play(w)
			mustRun(t, w, base.Second)
			_, n = changes(t, *list, c.each)
			shaken += n
		}
		for _, order := range c.want {
			if !seen[order] {
				t.Errorf("%s: never %s in 60 seeds", c.name, order)
			}
		}
		if changed == 0 || shaken < 10*changed {
			t.Errorf("%s: the order changes %d times under pct, and %d times under random", c.name, changed, shaken)
		}
	}
}
