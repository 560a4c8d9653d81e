package sweep

import (
	"chordsim/sim/sweep/repro"
)

// MaxRepros is how many repro files a sweep writes.
const MaxRepros = 200

// Repro makes the file of an outcome that failed within a budget.
func Repro(setup Setup, budget Budget, o *Outcome, build repro.Build) *repro.File {
	f := &repro.File{
		Scenario: setup.Scenario, Settings: setup.Settings, Seed: o.Seed, Twice: o.Failure.Kind == repro.Differs,
		Plan: o.Plan, PlanGiven: setup.Plan != "", Workload: repro.TextOf(o.Workload), WorkloadGiven: setup.Workload != "", Headline: o.Headline,
		Fingerprint: o.Failure.Fingerprint(), Failure: *o.Failure, Hash: o.Hash, Events: o.Events, Decisions: o.Decisions, Build: build,
	}
	budget, usual := budget.withDefaults(), Budget{}.withDefaults()
	if o.Failure.Kind == repro.Hung && budget.Wall != usual.Wall {
		f.SeedTime = budget.Wall.String()
	}
	if o.Failure.Kind == repro.Memory && budget.Memory != usual.Memory {
		f.SeedMemory = int(budget.Memory >> 20)
	}
	return f
}
