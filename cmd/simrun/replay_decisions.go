package main

import (
	"chordsim/sim/sweep"
	"chordsim/sim/sweep/repro"
	"chordsim/sim/trace"
)

// decisionChanges says where a run drew otherwise than the recorded one: the first label that differs.
func decisionChanges(f *repro.File, o *sweep.Outcome) []string {
	if len(f.Decisions) == 0 || len(o.Decisions) == 0 {
		return nil // not every run that fails is played once more to see its draws
	}
	if drift := trace.CompareLabels(f.Decisions, o.Decisions); drift.Differs() {
		return []string{"random draws: " + repro.Line(drift.String(), 400)}
	}
	return nil
}
