// Package scenarios is the runs that chordsim ships with: each a world, a workload and what is measured of it, beside the
// figures of the system that chord follows. [All] lists them.
//
// A scenario is one file (its world and its report may have their own). To add one, write a function that returns a
// [sim.Scenario] and name it in All.
package scenarios
