package main

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"chordsim/faults"
	"chordsim/sim"
	"chordsim/sim/sweep"
	"chordsim/sim/sweep/repro"
)

// sweepCmd plays scenarios over many seeds.
type sweepCmd struct {
	Scenario   []string      `required:"" placeholder:"NAME" help:"The scenarios, separated by commas; simrun list shows them."`
	Seeds      string        `placeholder:"A-B" help:"The seeds, both ends included (default 1-1000, with --for all from 1 on)."`
	Set        []string      `sep:"none" placeholder:"KEY=VALUE" help:"Give a parameter of all the scenarios another value; may be repeated."`
	Plan       *string       `placeholder:"FILE" help:"Play each seed under the faults and knobs of a file and no others."`
	Shard      string        `default:"1/1" placeholder:"I/N" help:"Play the I-th of N parts, which together are the whole."`
	For        time.Duration `placeholder:"10m" help:"Hand out no more seeds after this time."`
	TwiceShare int           `default:"10" placeholder:"N" help:"Play one of N seeds twice and compare the hashes (default ${default}; 0: none)."`
	Twice      bool          `help:"Play every seed twice."`
	Jobs       int           `placeholder:"N" help:"Worker processes (default: as many as there are processors)."`
	SeedTime   time.Duration `default:"1m" placeholder:"1m" help:"Wall time after which a run hangs (default ${default})."`
	SeedMemory int           `default:"1024" placeholder:"MIB" help:"Memory that a run may take, in MiB (default ${default})."`
	DB         string        `name:"db" default:"out/sweep.db" placeholder:"FILE" help:"Where results go, an SQLite file (default ${default}; empty: nowhere)."`
	Repro      *string       `placeholder:"DIR" help:"Where repro files go (default: the folder repro beside the results)."`
	JUnit      string        `name:"junit" placeholder:"FILE" help:"Write a JUnit file for a build server."`
	JSON       bool          `name:"json" help:"Print the summary as JSON."`
}

// exitInterrupted is the status of a sweep that Ctrl-C ended, as a shell has it.
const exitInterrupted = 130

// maxWorkers bounds --jobs.
const maxWorkers = 1024

// Run plays the sweep and prints its summary.
func (c *sweepCmd) Run(e *env) error {
	cfg, err := c.config()
	if err != nil {
		return fmt.Errorf("sweep: %w", err)
	}
	build := repro.ThisBuild()
	var store *sweep.Store
	if c.DB != "" {
		if store, err = sweep.Create(c.DB); err != nil {
			return fmt.Errorf("sweep: --db: %w", err)
		}
		defer store.Close()
		if err := store.Begin(cfg, build); err != nil {
			return fmt.Errorf("sweep: --db: %w", err)
		}
	}
	release := interrupts(cfg)
	defer release()
	tally := sweep.NewTally(cfg.Setups)
	progress := newSweepProgress(e.stderr, cfg)
	start := time.Now()
	ending, err := sweep.Run(*cfg, func(o sweep.Outcome) error {
		tally.Add(&o)
		progress.show(tally)
		if store != nil {
			return store.Add(o)
		}
		return nil
	})
	wall := time.Since(start)
	progress.done()
	files, writing := c.writeRepros(cfg, tally, store, build)
	if store != nil {
		err = errors.Join(err, store.End(ending))
	}
	summary := tally.Summary(cfg, ending, wall, func(g *sweep.Group) string { return replayCommand(cfg, &g.First, files[g.Fingerprint]) })
	summary.DB, summary.Exit = c.DB, sweepExit(tally, ending)
	if err = errors.Join(err, writing); err == nil && c.JUnit != "" {
		err = writeJUnit(c.JUnit, summary)
	}
	e.exit = summary.Exit
	printing := printSweep(e.stdout, summary, c.JSON)
	if err != nil {
		return fmt.Errorf("sweep: %w", err)
	}
	return printing
}

// config reads the command line.
func (c *sweepCmd) config() (*sweep.Config, error) {
	cfg := &sweep.Config{For: c.For, Share: c.TwiceShare, Workers: c.Jobs}
	var err error
	if cfg.Command, err = workerCommand(); err != nil {
		return nil, err
	}
	switch seeds := c.Seeds; {
	case seeds != "":
		cfg.Seeds, err = sweep.ParseSeeds(seeds)
	case c.For > 0:
		cfg.Seeds = sweep.Seeds{First: 1, Last: sweep.MaxSeed}
	default:
		cfg.Seeds = sweep.Seeds{First: 1, Last: 1000}
	}
	if err != nil {
		return nil, fmt.Errorf("--seeds %w", err)
	}
	if cfg.Shard, err = sweep.ParseShard(c.Shard); err != nil {
		return nil, fmt.Errorf("--shard %w", err)
	}
	if c.Twice {
		cfg.Share = 1
	}
	if cfg.Workers == 0 {
		cfg.Workers = runtime.NumCPU()
	}
	cfg.Budget = sweep.Budget{Wall: c.SeedTime, Memory: int64(c.SeedMemory) << 20}
	if err := c.inRange(cfg); err != nil {
		return nil, err
	}
	for _, name := range c.Scenario {
		setup := sweep.Setup{Scenario: name, Settings: c.Set}
		if scenario, _ := findScenario(name); scenario != nil && c.Plan != nil {
			if setup.Plan, err = readPlan(c.Plan, scenario); err != nil {
				return nil, err
			}
			setup.PlanFile = *c.Plan
		}
		if setup, err = checkedSetup(setup, cfg.Seeds.First); err != nil {
			return nil, err
		}
		cfg.Setups = append(cfg.Setups, setup)
	}
	return cfg, nil
}

func (c *sweepCmd) inRange(cfg *sweep.Config) error {
	switch {
	case c.For < 0:
		return fmt.Errorf("--for %v: want a time over 0", c.For)
	case cfg.Share < 0:
		return fmt.Errorf("--twice-share %d: want 0 or more", cfg.Share)
	case cfg.Workers < 1 || cfg.Workers > maxWorkers:
		return fmt.Errorf("--jobs %d: want 1 to %d", cfg.Workers, maxWorkers)
	case c.SeedTime <= 0:
		return fmt.Errorf("--seed-time %v: want a time over 0", c.SeedTime)
	case c.SeedMemory < 16 || c.SeedMemory > 1<<20:
		return fmt.Errorf("--seed-memory %d: want 16 to %d MiB", c.SeedMemory, 1<<20)
	}
	for i, name := range c.Scenario {
		for _, other := range c.Scenario[:i] {
			if name == other {
				return fmt.Errorf("--scenario %s: named twice", name)
			}
		}
	}
	return nil
}

// checkedSetup finds the scenario of a setup and checks what its runs are given. It returns it with its settings as they are kept.
func checkedSetup(setup sweep.Setup, seed uint64) (sweep.Setup, error) {
	name := setup.Scenario
	s, near := findScenario(name)
	if s == nil {
		hint := "simrun list shows the scenarios"
		if near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		return setup, fmt.Errorf("%s: there is no such scenario; %s", repro.Line(name, 80), hint)
	}
	values, err := sim.ParseValues(s.Parameters(), setup.Settings)
	if err != nil {
		return setup, fmt.Errorf("%s: %w", name, err)
	}
	setup.Settings = values.Changed()
	if setup.Workload != "" && !s.Workloads {
		return setup, fmt.Errorf("%s takes no workload", name)
	}
	if _, err := faults.Parse(setup.Plan); err != nil {
		return setup, fmt.Errorf("%s: plan: %w", name, err)
	}
	if s.Check == nil {
		return setup, nil
	}
	run := &sim.Run{Seed: seed, Values: values, Plan: setup.Plan}
	if err := s.Check(run); err != nil {
		return setup, fmt.Errorf("%s: %w", name, err)
	}
	run.Workload = setup.Workload
	if err := s.Check(run); err != nil {
		return setup, fmt.Errorf("%s: workload: %w", name, err)
	}
	return setup, nil
}

// interrupts makes the first Ctrl-C stop the sweep and the second one end it.
func interrupts(cfg *sweep.Config) (release func()) {
	stop, kill := make(chan struct{}), make(chan struct{})
	cfg.Stop, cfg.Kill = stop, kill
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	over := make(chan struct{})
	go func() {
		for _, c := range []chan struct{}{stop, kill} {
			select {
			case <-signals:
				close(c)
			case <-over:
				return
			}
		}
	}()
	return func() {
		signal.Stop(signals)
		close(over)
	}
}

// writeRepros writes a repro file for the first failure of each fingerprint, and returns their names by fingerprint.
func (c *sweepCmd) writeRepros(cfg *sweep.Config, t *sweep.Tally, store *sweep.Store, build repro.Build) (map[string]string, error) {
	dir := ""
	switch {
	case c.Repro != nil:
		dir = *c.Repro
	case c.DB != "":
		dir = filepath.Join(filepath.Dir(c.DB), "repro")
	}
	files := map[string]string{}
	if dir == "" {
		return files, nil
	}
	groups := t.Groups()
	for _, g := range groups[:min(len(groups), sweep.MaxRepros)] {
		name, err := sweep.Repro(cfg.Setups[g.First.Scenario], cfg.Budget, &g.First, build).Write(dir)
		if err != nil {
			return files, fmt.Errorf("a repro file: %w", err)
		}
		files[g.Fingerprint] = name
		if store != nil {
			if err := store.SetRepro(&g.First, name); err != nil {
				return files, err
			}
		}
	}
	return files, nil
}

// maxCommand is the longest command that is shown, in bytes. Its file, if there is one, keeps it short.
const maxCommand = 400

// replayCommand returns what to type to have the run again, or "" if that is too long to be shown.
func replayCommand(cfg *sweep.Config, o *sweep.Outcome, file string) string {
	if file != "" {
		return "go run ./cmd/simrun replay " + quoted(file)
	}
	setup := cfg.Setups[o.Scenario]
	command := replayOf(setup, o.Seed, o.Failure.Kind == repro.Differs)
	f := sweep.Repro(setup, cfg.Budget, o, repro.Build{})
	if command != "" && f.SeedTime != "" {
		command += " --seed-time " + f.SeedTime
	}
	if command != "" && f.SeedMemory > 0 {
		command += fmt.Sprint(" --seed-memory ", f.SeedMemory)
	}
	return command
}

func replayOf(setup sweep.Setup, seed uint64, twice bool) string {
	parts := []string{"go run ./cmd/simrun replay", fmt.Sprintf("%s@%d", quoted(setup.Scenario), seed)}
	for _, s := range setup.Settings {
		parts = append(parts, "--set", quoted(s))
	}
	if setup.PlanFile != "" {
		parts = append(parts, "--plan", quoted(setup.PlanFile))
	}
	if twice {
		parts = append(parts, "--twice")
	}
	if command := strings.Join(parts, " "); len(command) <= maxCommand {
		return command
	}
	return ""
}

// sweepExit is the exit status of a sweep: that of its worst run, unless somebody ended it.
func sweepExit(t *sweep.Tally, ending sweep.Ending) int {
	switch {
	case ending == sweep.Interrupted:
		return exitInterrupted
	case t.Failed > 0 && t.Kinds[repro.Refused] == t.Runs:
		return exitUsage // what was asked for cannot be played with any seed
	case t.Kinds[repro.Differs] > 0:
		return exitDiffers
	case t.Failed > t.Kinds[repro.Stuck]:
		return exitFailed
	case t.Failed > 0:
		return exitStuck
	}
	return exitOK
}

func writeJUnit(name string, s *sweep.Summary) error {
	text, err := s.JUnit()
	if err == nil {
		err = repro.WriteWhole(name, text)
	}
	if err != nil {
		return fmt.Errorf("--junit: %w", err)
	}
	return nil
}
