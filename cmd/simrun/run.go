package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"chordsim/faults/linkmodel"
	"chordsim/scenarios"
	"chordsim/sim"
	"chordsim/sim/sweep"
)

// findScenario looks a scenario up by its name, as [scenarios.Find] does. Tests have scenarios of their own.
var findScenario = scenarios.Find

// runCmd plays one scenario.
type runCmd struct {
	Name     string   `arg:"" help:"The scenario; simrun list shows them."`
	Settings []string `arg:"" optional:"" name:"key=value" help:"Parameters, as with --set."`
	Seed     uint64   `default:"1" help:"Of all that is random (default ${default})." placeholder:"N"`
	Set      []string `sep:"none" placeholder:"KEY=VALUE" help:"Give a parameter another value; may be repeated."`
	Link     *string  `placeholder:"trace:FILE" help:"Run over a recorded link: a line for each opportunity of 1,500 bytes, in milliseconds (mahimahi format)."`
	Plan     *string  `placeholder:"FILE" help:"Inject the faults and knobs of a file and no others, where the scenario takes plans; a fault without effect is a failure."`
	Workload *string  `placeholder:"FILE" help:"Have hosts do what a file says, and nothing else, where the scenario takes workloads."`
	Twice    bool     `help:"Run it twice, in fresh worlds, and compare the hashes."`
	JSON     bool     `name:"json" help:"Print the report as JSON."`
	limits
	Trace *string `placeholder:"FILE" help:"Write every event to a file: as a trace for simrun trace if its name ends in .zst, else a line each."`
}

// Run plays the scenario and prints its report.
func (c *runCmd) Run(e *env) error {
	scenario, values, link, err := c.prepare()
	if err != nil {
		return err
	}
	given, err := c.given(scenario, values, link)
	if err != nil {
		return err
	}
	p, release, err := newPlayer(e, c.limits, scenario, c.traceHeader(scenario, values), given)
	if err != nil {
		return fmt.Errorf("run %s: %w", c.Name, err)
	}
	defer release()
	var file *traceFile
	if c.Trace != nil {
		if file, err = c.createTrace(p.header); err != nil {
			return err
		}
		p.keep = &recorder{next: file.sink}
	}
	out := result{scenario: scenario, run: c, values: values}
	err = out.play(p)
	if file != nil {
		closing := file.close(&out, p)
		if err == nil {
			err = closing
		}
	}
	switch {
	case errors.Is(err, sweep.ErrInterrupted):
		return c.interrupted(e)
	case err != nil:
		return err
	case p.broken != nil:
		e.exit = exitFailed
		if c.JSON {
			return out.printBroken(e.stdout, p)
		}
		p.print(e.stdout)
		return nil
	}
	e.exit = out.exit()
	if c.JSON {
		return out.printJSON(e.stdout)
	}
	return out.print(e.stdout)
}

// interrupted says that nobody waited for the run.
func (c *runCmd) interrupted(e *env) error {
	e.exit = exitInterrupted
	text := "run " + c.Name + ": interrupted"
	if c.Trace != nil {
		text += "; what happened until then is in " + *c.Trace
	}
	fmt.Fprintln(e.stderr, "simrun: "+oneLine(text))
	return nil
}

// prepare finds the scenario and reads what the command line gives it.
func (c *runCmd) prepare() (*sim.Scenario, sim.Values, *linkmodel.Trace, error) {
	scenario, near := findScenario(c.Name)
	if scenario == nil {
		hint := "simrun list shows the scenarios"
		if near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		return nil, sim.Values{}, nil, fmt.Errorf("run %s: there is no such scenario; %s", c.Name, hint)
	}
	values, err := sim.ParseValues(scenario.Parameters(), append(append([]string(nil), c.Set...), c.Settings...))
	if err != nil {
		return nil, values, nil, fmt.Errorf("run %s: %w", c.Name, err)
	}
	link, err := c.openLink(scenario)
	if err != nil {
		return nil, values, nil, err
	}
	if link != nil && !values.IsDefault("rate") {
		return nil, values, nil, fmt.Errorf("run %s: --set rate=%s beside --link %s, which sets the rate; leave one out",
			c.Name, values.Text("rate"), *c.Link)
	}
	if scenario.Check != nil {
		if err := scenario.Check(&sim.Run{Seed: c.Seed, Values: values, Link: link}); err != nil {
			return nil, values, nil, fmt.Errorf("run %s: %w", c.Name, err)
		}
	}
	return scenario, values, link, nil
}

func (c *runCmd) openLink(scenario *sim.Scenario) (*linkmodel.Trace, error) {
	if c.Link == nil {
		return nil, nil
	}
	name, ok := strings.CutPrefix(*c.Link, "trace:")
	if !ok || name == "" {
		return nil, fmt.Errorf("--link %q: want trace:FILE", *c.Link)
	}
	if !scenario.Traces {
		return nil, fmt.Errorf("--link %s: %s does not run over recorded links", *c.Link, scenario.Name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("--link trace: %w", err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, fmt.Errorf("--link trace: %s is a directory, want a file", name)
	}
	link, err := linkmodel.ParseTrace(name, f)
	if err != nil {
		return nil, fmt.Errorf("--link trace: %w", err)
	}
	return link, nil
}

// wallClock returns a reader of the monotonic clock in nanoseconds.
func wallClock() func() int64 {
	start := time.Now()
	return func() int64 { return int64(time.Since(start)) }
}

// liveHeap returns the bytes that are live after a full collection, its sweep included. Nothing here has finalizers, which
// would take a second one.
func liveHeap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
