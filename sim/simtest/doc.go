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
//	-sim.repro=DIR                  where repro files go (default: testdata/repro beside the test)
//
// So that a package's tests know the flags, one of its test files imports this package.
//
// # Workloads from rapid
//
// [Rapid] has rapid draw the world's seed and whatever else the function asks it for, and shrinks the whole; [Fuzz] has
// Go's fuzzing do that.
package simtest
