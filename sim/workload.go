package sim

import (
	"chordsim/core/base"
	"chordsim/sim/workload"
)

// Workload returns what hosts are to be told in this world, under a name: the list that the world was given, or one that generate
// makes. It is then kept, so that a repro file can have it, and a run from that file plays the same whatever generate draws by
// then. The world does nothing with the items; the caller plays them.
//
// Generate draws from the world's seed, under labels of its own; those draws are no decisions of the run, as the list holds what
// came of them. It may return the items in any order. What is not valid (see [workload.Set.Validate]), and a second workload of a
// name, are errors of the caller, which panic.
func (w *World) Workload(name string, generate func(base.Rand) workload.List) workload.List {
	list, given := w.cfg.Workload.Find(name)
	if !given {
		list = generate(w.rand.Observed(nil))
		list.Sort()
	}
	w.workloads = append(w.workloads, workload.Named{Name: name, List: list})
	if err := w.workloads.Validate(); err != nil {
		panic("sim: " + err.Error())
	}
	return list
}

// Workloads returns the workloads that the world has so far. Its String is what [Config.Workload] is parsed from.
func (w *World) Workloads() workload.Set { return w.workloads }
