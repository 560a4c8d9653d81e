// Package sim runs hosts and the links between them in virtual time, under a seed: the same build, seed and parameters
// give the same run, event by event, on any machine.
//
//	w := sim.New(sim.Config{Seed: 7})
//	worker, tab := w.Host("worker"), w.Host("tab")
//	link, _ := w.Connect(tab, worker, netsim.Config{Down: linkmodel.Config{Rate: 64 * base.KiB}})
//	worker.Do(func() { ... })
//	w.RunFor(10 * base.Second)
//	err := w.Settle(base.Minute)
//
// # Time
//
// A world has one queue of events and jumps from one to the next; nothing happens in between. Events at one instant run
// in the order that the world's strategy gives them.
//
// [World.At] and [World.Every] have a scenario do something at times of its own, [World.Eventually] runs until a condition
// holds, or the world has failed.
//
// # Hosts
//
// A [Host] runs a core, one input at a time: a [core.Host] that [World.Host] makes, or a [Node] of any other kind that
// [World.Node] is given. Its CPU takes the time that its [Cost] says, zero by default; an input that arrives meanwhile
// waits, in order. A node is whatever takes messages, and sends them by its [Conn]:
//
//	echo := w.Node("echo", func(h *sim.Host) sim.Node { return &echo{} })
//	func (*echo) Receive(c *sim.Conn, m []byte) { c.Write(m) }
//
// # Crashes
//
// A host has lives. [World.Crash] ends one as the death of a process does, whose connections are reset, [World.Vanish] as
// that of a machine, of which nobody is told; [World.Restart] begins the next one. Nothing of a life reaches the next
// but what its [Store] keeps: all that was synced, and the oldest of the rest. [Host.OnStart] says what a life begins
// with, such as the objects that it exposes. Whoever was connected dials again: [Connection.OnClosed], [Connection.Redial].
//
//	start          Crash, Vanish           Restart
//	  │ incarnation 1 │        down           │ incarnation 2
//	  ├───────────────┤                       ├──────────────▶
//	  core, inbox, timers, connections        made anew
//	  store, cost, pace, clock ──────────────▶ stay
//
// [Host.SetSlow], [Host.Skew], [Host.SetDrift] and [Host.SetTimerJitter] make a host slow, its clock wrong and its timers
// late. What all that did to a host is counted: [Host.Toll].
//
// # Checks
//
// A world watches its hosts with the checkers of sim/check, unless it is told not to. [World.Settle] runs until nothing
// is under way and then has the checkers look at the whole. [World.Fail] is for checks of a scenario's own, and [World.Err]
// tells the first of all that went wrong. Package simtest runs worlds in go test.
package sim
