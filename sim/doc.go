// Package sim runs hosts and the links between them in virtual time, under a seed: the same build, seed and parameters
// give the same run, event by event, on any machine.
//
//	w, _ := sim.New(sim.Config{Seed: 7})
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
// # Hosts
//
// A [Host] runs a [core.Host], one input at a time. Its CPU takes the time that its [Cost] says, zero by default; an
// input that arrives meanwhile waits, in order.
//
// # Checks
//
// A world watches its hosts with the checkers of sim/check, unless it is told not to. [World.Settle] runs until nothing
// is under way and then has the checkers look at the whole.
package sim
