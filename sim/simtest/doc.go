// Package simtest runs worlds in go test: a property of a world under many seeds.
//
//	func TestTabCatchesUp(t *testing.T) {
//		simtest.Run(t, func(w *sim.World) {
//			… // hosts, links, workload
//			w.Eventually("the tab has all", base.Second, func() bool { … })
//		})
//	}
//
// A world fails when an invariant is violated, when [sim.World.Eventually] or [sim.World.Fail] found something, when the
// function panics, and when it fails its test. What is printed then ends with one line that plays that world again:
//
//	go test ./scenarios -run '^TestTabCatchesUp$' -sim.seed=0x1f3a
//
// # Flags
//
// They are flags of the test binary; those that have one may be given by an environment variable, which a flag overrides.
//
//	-sim.seeds=200  CHORDSIM_SEEDS  seeds 1 to 200 (default: [DefaultSeeds])
//	-sim.seed=0x2a  CHORDSIM_SEED   that seed alone
//	-sim.for=30s    CHORDSIM_FOR    further seeds for as long, by the wall clock; with -sim.seeds at most those
//	-sim.twice      CHORDSIM_TWICE  each world twice, in fresh worlds; their hashes must be equal (D1)
//	-sim.hang=30s   CHORDSIM_HANG   how long one world may take by the wall clock (default: [DefaultHang]); 0: for ever
//	-sim.repro=FILE                 the world of that repro file, which is this test's, and no other
//	-sim.order=0.2                  that order of ties alone, where [Exhaustive] would walk all
//	-sim.out=DIR                    where repro files go (default: testdata/repro beside the test)
//
// So that a package's tests know the flags, one of its test files imports this package.
//
// # Worlds that do not end
//
// An endless loop in virtual time is an error of the world: it has a number of events that it may run. A turn that never
// ends cannot be ended from outside. So a world that is over its wall time is reported, with its seed, how far it came, the
// stack that it is stuck in and the line that plays it again, and the process ends with status 1. That happens before go
// test's own -timeout ends, which would name nothing.
//
// What nobody can catch ends the process as ever: a panic in another goroutine, a stack that overflows, a map that two
// goroutines write, all memory taken. The goroutine that plays a world, and those that it starts, bear the line that plays
// it again as a label, which the runtime prints with their stacks (by the setting tracebacklabels of GODEBUG, which is put
// into the environment unless it is there). After os.Exit with another status than 0 nothing is printed, by nobody.
//
// # Repro files
//
// A world that fails leaves a file with its seed, the plan of faults that was injected, its workloads ([sim.World.Workload]),
// what rapid, fuzzing or [Exhaustive] chose for it, the failure and its hash. -sim.repro plays it, with the plan of the file
// where the function takes it from [Plan], and says whether it was the same world to the byte. A path is taken from the
// test's folder, or from the module's. A file of another test, of another version, or a damaged one fails the test in one
// line.
//
// # Workloads from rapid, and fuzzing
//
// [Rapid] has rapid draw the world's seed and whatever else the function asks it for, and shrinks the whole; [Fuzz] has
// Go's fuzzing do that, and decide whatever the world itself draws. Fuzzing takes up to a minute to make each interesting
// input smaller, unless it is told -fuzzminimizetime=1x.
//
// # Orders
//
// Ties, events at one instant, are in an order drawn from the seed. The strategy [events.PCT] keeps up one order between
// hosts over a run, and finds what needs few hosts in an order that is not theirs; [Exhaustive] walks all orders.
package simtest
