package main

import (
	"fmt"
	"io"
	"os"

	"chordsim/faults"
	"chordsim/faults/linkmodel"
	"chordsim/sim"
	"chordsim/sim/workload"
)

// given reads the plan and the workload that the run is given, and returns what makes a run with them.
func (c *runCmd) given(scenario *sim.Scenario, values sim.Values, link *linkmodel.Trace) (func() *sim.Run, error) {
	plan, err := readPlan(c.Plan, scenario)
	if err != nil {
		return nil, err
	}
	work, err := readWorkload(c.Workload, scenario)
	if err != nil {
		return nil, err
	}
	run := func() *sim.Run { return &sim.Run{Seed: c.Seed, Values: values, Link: link, Plan: plan, Workload: work} }
	if scenario.Check != nil && work != "" {
		if err := scenario.Check(run()); err != nil {
			return nil, fmt.Errorf("--workload %s: %w", *c.Workload, err)
		}
	}
	return run, nil
}

// readPlan reads the plan of a file; "" without one.
func readPlan(name *string, scenario *sim.Scenario) (string, error) {
	if name == nil {
		return "", nil
	}
	if !scenario.Plans {
		return "", fmt.Errorf("--plan %s: %s takes no plan of faults", *name, scenario.Name)
	}
	text, err := readText("--plan", *name, faults.MaxText)
	if err != nil {
		return "", err
	}
	plan, err := faults.Parse(text)
	if err != nil {
		return "", fmt.Errorf("--plan %s: %w", *name, err)
	}
	if plan.Empty() {
		return "", fmt.Errorf("--plan %s: there is no fault and no knob in it", *name)
	}
	return plan.String(), nil
}

// readWorkload reads the workload of a file; "" without one.
func readWorkload(name *string, scenario *sim.Scenario) (string, error) {
	if name == nil {
		return "", nil
	}
	if !scenario.Workloads {
		return "", fmt.Errorf("--workload %s: %s takes no workload", *name, scenario.Name)
	}
	text, err := readText("--workload", *name, workload.MaxBytes)
	if err != nil {
		return "", err
	}
	set, err := workload.Parse(text)
	if err != nil {
		return "", fmt.Errorf("--workload %s: %w", *name, err)
	}
	if len(set) == 0 {
		return "", fmt.Errorf("--workload %s: there is no workload in it, not even a name", *name)
	}
	return text, nil // as it was written, so that errors have its lines
}

// readText reads a file that is not longer than a limit by much: what reads the text says that it is too long.
func readText(flag, name string, limit int64) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", fmt.Errorf("%s: %w", flag, err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return "", fmt.Errorf("%s: %s is a directory, want a file", flag, name)
	}
	text, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return "", fmt.Errorf("%s: %w", flag, err)
	}
	return string(text), nil
}
