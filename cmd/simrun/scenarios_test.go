package main

import (
	"fmt"

	"chordsim/core/base"
	"chordsim/sim"
	"chordsim/sim/netsim"
)

// testScenarios are found by their names like those of package scenarios, by the simrun of the tests alone.
func testScenarios() []*sim.Scenario { return []*sim.Scenario{leakyScenario()} }

// findWith finds scenarios of a list, and then what another function finds.
func findWith(list []*sim.Scenario, find func(string) (*sim.Scenario, string)) func(string) (*sim.Scenario, string) {
	return func(name string) (*sim.Scenario, string) {
		for _, s := range list {
			if s.Name == name {
				return s, ""
			}
		}
		return find(name)
	}
}

// leakyRuns counts the runs of the leaky scenario in this process, which is outside of its worlds.
var leakyRuns uint64

// leakyScenario is not deterministic on purpose: one of its ticks is late by as many nanoseconds as there were runs, and it
// draws that often.
func leakyScenario() *sim.Scenario {
	return &sim.Scenario{
		Name: "leaky", Summary: "differs from run to run",
		Params: []sim.Param{{Name: "at", Kind: sim.ParamInt, Default: "700", Help: "the tick that differs"}},
		Run: func(r *sim.Run) (*sim.Report, error) {
			leakyRuns++
			w := sim.New(r.Config("leaky"))
			tab, worker := w.Host("tab"), w.Host("worker")
			if _, err := w.Connect(tab, worker, netsim.Memory); err != nil {
				return nil, err
			}
			coin := w.Rand().Stream("coin")
			for i := range int64(1000) {
				step := base.Millisecond
				if i == r.Values.Int("at") {
					step += base.Duration(leakyRuns)
					for range leakyRuns {
						coin.Next()
					}
				}
				if err := w.RunFor(step); err != nil {
					return nil, err
				}
				w.Note(fmt.Sprint("tick ", i))
			}
			report := &sim.Report{Headline: "leaky"}
			report.Add(w)
			return report, nil
		},
	}
}
