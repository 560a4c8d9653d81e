package check_test

import (
	"fmt"
	"strings"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/relay"
	"chordsim/core/wire"
	"chordsim/faults/linkmodel"
	"chordsim/sim"
	"chordsim/sim/netsim"
)

// waysLab is a world whose tab has a lasting way to a worker, through a server where it is relayed: the worker dials that.
type waysLab struct {
	t                   *testing.T
	world               *sim.World
	tab, server, worker *sim.Host
	ways                []*sim.Way
	doc                 *core.Document
	view                *core.Reference
	prefix              string
	settled             map[base.Code]int
}

func newWaysLab(t *testing.T, relayed bool) *waysLab {
	l := &waysLab{t: t, world: sim.New(sim.Config{Seed: 5}), settled: map[base.Code]int{}}
	with := func(c *core.Config) {
		c.Reconnect, c.Rand = core.Reconnect{Grace: 5 * base.Second, Heartbeat: 300 * base.Millisecond}, l.world.Rand()
	}
	l.tab, l.worker = l.world.HostWith("tab", with), l.world.HostWith("worker", with)
	l.worker.OnStart(l.expose)
	link := netsim.Config{
		Up:   linkmodel.Config{Rate: 64 * base.KiB, Latency: 20 * base.Millisecond},
		Down: linkmodel.Config{Rate: 64 * base.KiB, Latency: 20 * base.Millisecond},
	}
	dial := func(from, to *sim.Host) *sim.Way {
		way, err := l.world.Dial(from, to, link, nil)
		if err != nil {
			t.Fatal(err)
		}
		l.ways = append(l.ways, way)
		return way
	}
	near := l.worker
	if relayed {
		near, l.prefix = l.world.HostWith("server", with), "Session/1/"
		l.server = near
		route := dial(l.worker, near)
		near.Core().Route("Session", func(q *relay.Request) { q.To(route.Connection().Accepted().Link()) })
		l.worker.OnStart(func(h *sim.Host) {
			if h.Incarnation() > 1 {
				route = dial(h, near)
			}
		})
	}
	dial(l.tab, near)
	l.run(base.Second)
	l.tab.Do(func() { l.view = l.tab.Core().Get(l.prefix + "View") })
	l.run(base.Second)
	return l
}

func (l *waysLab) expose(h *sim.Host) {
	l.doc = core.NewDocument(delta.Object(delta.Field{Key: "text", Value: delta.String("abc")}))
	h.Core().Expose("View", core.Object{
		State: core.Members{"notes": l.doc},
		Methods: core.Methods{"add": func(c *core.Call) (delta.Value, error) {
			rev, err := l.doc.Change(c, func(d *delta.Draft) error { return d.At("text").Append(c.Arg.Text().String()) })
			return delta.Int(int(rev)), err
		}},
	})
}

func (l *waysLab) run(d base.Duration) {
	l.t.Helper()
	if err := l.world.RunFor(d); err != nil {
		l.t.Fatal(err)
	}
}

func (l *waysLab) add(text string, options ...core.CallOption) {
	l.tab.Do(func() {
		l.view.Call("add", text, func(_ delta.Value, err error) { l.settled[base.CodeOf(err)]++ }, options...)
	})
}

// TestSessionsClean has sessions go on over many transports, be lost and begin again, with all hosts slow, and wants every
// invariant to be looked at and to hold.
func TestSessionsClean(t *testing.T) {
	for _, relayed := range []bool{false, true} {
		t.Run(fmt.Sprintf("relayed=%v", relayed), func(t *testing.T) {
			l := newWaysLab(t, relayed)
			cost := sim.Cost{PerTurn: base.Millisecond, PerMessage: 5 * base.Millisecond, PerHandler: 3 * base.Millisecond}
			for _, h := range l.world.Hosts() {
				h.SetCost(cost)
			}
			calls, again := 0, int64(0)
			for round := range 60 {
				for i := range 6 {
					text := fmt.Sprint(round, ".", i, " ")
					if i == 4 {
						text = strings.Repeat(text, 3000) // over a chunk
					}
					var options []core.CallOption
					if i == 5 {
						options = append(options, core.Deadline(l.world.Now().Add(30*base.Millisecond)))
					}
					calls++
					l.add(text, options...)
					l.run(base.Duration(1+(7*round+3*i)%40) * base.Millisecond)
				}
				way := l.ways[round%len(l.ways)]
				switch {
				case round%20 == 19:
					l.world.Crash(l.worker, 0)
					l.run(base.Duration(round) * 10 * base.Millisecond)
					l.world.Restart(l.worker)
				case round%5 == 3:
					way.Connection().Link.Acceptor().Vanish()
					way.Connection().Link.Dialer().Vanish()
				default:
					way.Connection().Link.Reset()
				}
				l.run(base.Duration(13*round%500) * base.Millisecond)
				for _, way := range l.ways {
					again = max(again, way.Uplink().Link().Stats().ChunksAgain)
				}
			}
			l.run(10 * base.Second)
			if err := l.world.Settle(base.Hour); err != nil {
				t.Fatal(err)
			}
			for _, c := range l.world.Checks().Counts() {
				if c.Checks == 0 && c.ID != "C10" || c.Violations != 0 {
					t.Errorf("%s: %d looks, %d violations", c.ID, c.Checks, c.Violations)
				}
			}
			all := 0
			for _, n := range l.settled {
				all += n
			}
			if all != calls || l.settled[base.CodeNone] == 0 || l.settled[base.CodeUnknown] == 0 || l.settled[base.CodeTimeout] == 0 || again == 0 {
				t.Errorf("%d of %d calls settled: %v, %d chunks again", all, calls, l.settled, again)
			}
		})
	}
}

// TestSessionBroken has chunks lost, doubled and turned round on the way.
func TestSessionBroken(t *testing.T) {
	for why, mangle := range map[string]func([]byte) [][]byte{
		"lost":    dropNth(1),
		"doubled": onlyType(wire.TypeState, func(c []byte) [][]byte { return [][]byte{c, c} }),
		"turned":  swapped(wire.TypeState),
	} {
		l := newLab(t, labSetup{})
		l.get()
		l.down().exact, l.down().mangle = true, mangle
		for range 3 {
			l.add("x")
		}
		l.wantViolation("C5", "at tab: state of ")
		if t.Failed() {
			t.Log(why)
		}
	}
}
