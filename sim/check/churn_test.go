package check_test

import (
	"fmt"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/relay"
	"chordsim/core/wire"
	"chordsim/faults/linkmodel"
	"chordsim/sim"
	"chordsim/sim/events"
	"chordsim/sim/netsim"
)

// churn is a world in which tabs hold, call, let go, come and go, directly and through a server, while two documents
// change, hosts are busy and links are slow.
type churn struct {
	t      *testing.T
	world  *sim.World
	draws  *base.Stream
	server *sim.Host
	worker *sim.Host
	docs   [2]*core.Document
	tabs   []*churnTab
}

type churnTab struct {
	host *sim.Host
	conn *sim.Connection
	refs []*core.Reference
}

func newChurn(t *testing.T, seed uint64) *churn {
	c := &churn{t: t, world: sim.New(sim.Config{
		Seed: seed, Strategy: events.Random, Limits: base.Limits{ChunkBytes: 24}, Codec: wire.Codec(seed % 2),
	})}
	c.draws = c.world.Rand().Stream("test")
	c.server, c.worker = c.world.Host("server"), c.world.Host("worker")
	state := core.Members{}
	for i := range c.docs {
		c.docs[i] = core.NewDocument(delta.Object(delta.Field{Key: "text", Value: delta.String("a beginning")}))
		state[fmt.Sprint("doc", i)] = c.docs[i]
	}
	c.worker.Core().Expose("View", core.Object{State: state, Methods: core.Methods{
		"add": func(call *core.Call) (delta.Value, error) { return delta.Null(), c.change(call) },
	}})
	c.worker.SetCost(sim.Cost{PerTurn: base.Duration(c.draws.Below(3)) * base.Millisecond})
	route, err := c.world.Connect(c.worker, c.server, netsim.Memory)
	if err != nil {
		t.Fatal(err)
	}
	c.server.Core().Route("Session", func(q *relay.Request) { q.To(route.Accepted().Link()) })
	c.step(base.Millisecond)
	return c
}

func (c *churn) step(d base.Duration) {
	if err := c.world.RunFor(d); err != nil {
		c.t.Fatal(err)
	}
}

func (c *churn) change(call *core.Call) error {
	_, err := c.docs[c.draws.Below(2)].Change(call, func(d *delta.Draft) error { return d.At("text").Append(" more") })
	return err
}

// join has another tab connect, to the server or to the worker.
func (c *churn) join() {
	tab := &churnTab{host: c.world.Host(fmt.Sprint("tab", len(c.world.Hosts())))}
	to := c.server
	if c.draws.Below(3) == 0 {
		to = c.worker
	}
	slow := linkmodel.Config{
		Rate: 4 * base.KiB, Latency: base.Duration(c.draws.Below(20)) * base.Millisecond, Jitter: 5 * base.Millisecond,
	}
	conn, err := c.world.Connect(tab.host, to, netsim.Config{Up: slow, Down: slow})
	if err != nil {
		c.t.Fatal(err)
	}
	tab.conn = conn
	c.tabs = append(c.tabs, tab)
	for conn.Dialed() == nil {
		c.step(base.Millisecond)
	}
}

// act does one thing at random.
func (c *churn) act() {
	if len(c.tabs) == 0 {
		c.join()
		return
	}
	i := c.draws.Below(uint64(len(c.tabs)))
	tab := c.tabs[i]
	switch what := c.draws.Below(40); {
	case what < 6:
		var options []core.GetOption
		if c.draws.Below(2) == 0 {
			options = append(options, core.Unshared())
		}
		tab.host.Do(func() {
			address := "View"
			if tab.conn.Link.Name() == tab.host.Name()+"-server" {
				address = "Session/1/View"
			}
			tab.refs = append(tab.refs, tab.host.Core().Get(address, options...))
		})
	case what < 10 && len(tab.refs) > 0:
		ref := tab.refs[0]
		tab.refs = tab.refs[1:]
		tab.host.Do(ref.Release)
	case what < 15 && len(tab.refs) > 0:
		tab.host.Do(func() { tab.refs[0].Call("add", "an argument that is no token", nil) })
	case what < 16 && len(c.tabs) < 5:
		c.join()
	case what < 17:
		tab.conn.Dialed().Close()
		c.tabs = append(c.tabs[:i], c.tabs[i+1:]...)
	case what < 19:
		c.world.StallFor(tab.conn.Link.Dialer(), base.Duration(c.draws.Below(100))*base.Millisecond)
	default:
		c.worker.Do(func() {
			if err := c.change(nil); err != nil {
				c.t.Error(err)
			}
		})
	}
}

// TestCleanChurn wants the checkers to find nothing where nothing is wrong, whatever the hosts do.
func TestCleanChurn(t *testing.T) {
	seeds := uint64(60)
	if testing.Short() {
		seeds = 15
	}
	looks := map[string]int64{}
	for seed := range seeds {
		c := newChurn(t, seed)
		for range 400 {
			c.act()
			c.step(base.Duration(c.draws.Below(4)) * base.Millisecond)
		}
		if err := c.world.Settle(10 * base.Minute); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		for _, n := range c.world.Checks().Counts() {
			looks[n.ID] += n.Checks
		}
	}
	for id, n := range looks {
		if n < 100 {
			t.Errorf("%s: %d looks in all seeds, want a hundred at least", id, n)
		}
	}
}
