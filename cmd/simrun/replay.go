package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"chordsim/sim/sweep"
	"chordsim/sim/sweep/repro"
)

// replayCmd plays a run again.
type replayCmd struct {
	What       string        `arg:"" name:"what" help:"A repro file that a sweep wrote, or SCENARIO@SEED."`
	Set        []string      `sep:"none" placeholder:"KEY=VALUE" help:"With SCENARIO@SEED: give a parameter another value; may be repeated."`
	Plan       *string       `placeholder:"FILE" help:"With SCENARIO@SEED: inject the faults and knobs of a file and no others."`
	Workload   *string       `placeholder:"FILE" help:"With SCENARIO@SEED: have hosts do what a file says, and nothing else."`
	Twice      bool          `help:"Play it twice and compare the hashes."`
	SeedTime   time.Duration `placeholder:"1m" help:"Wall time after which the run hangs (default: the file's, or 1m)."`
	SeedMemory int           `placeholder:"MIB" help:"Memory that the run may take, in MiB (default: the file's, or 1024)."`
	JSON       bool          `name:"json" help:"Print what was found as JSON."`
}

// replayed is what a replay found.
type replayed struct {
	File        string         `json:"file,omitempty"`
	Scenario    string         `json:"scenario"`
	Settings    []string       `json:"settings"`
	Seed        uint64         `json:"seed"`
	Fingerprint string         `json:"fingerprint"` // empty: nothing failed
	Failure     *repro.Failure `json:"failure"`
	Hash        string         `json:"hash"` // empty: the run came to no end
	Events      int64          `json:"events"`
	// Against the file; absent without one.
	SameFingerprint *bool    `json:"same_fingerprint,omitempty"`
	SameHash        *bool    `json:"same_hash,omitempty"`
	Changes         []string `json:"changes,omitempty"` // what differs from the recorded run, and what may be why
	Verdict         string   `json:"verdict"`
	Exit            int      `json:"exit"`
}

// Run plays it, in a process of its own as a sweep does, and compares it with the file.
func (c *replayCmd) Run(e *env) error {
	file, fromFile, err := c.open()
	if err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	if file.Test != "" {
		return fmt.Errorf("replay: %s", c.testOf(file))
	}
	// Plan and workload also where they were drawn: what is drawn from the seed may be another by now.
	if fromFile {
		if err := emptied(file); err != nil {
			return fmt.Errorf("replay: %s: %w", repro.Line(c.What, 200), err)
		}
	}
	setup := sweep.Setup{Scenario: file.Scenario, Settings: file.Settings, Plan: file.Plan, Workload: file.Workload.String()}
	if setup, err = checkedSetup(setup, file.Seed); err != nil {
		return fmt.Errorf("replay: %s: %w", repro.Line(c.What, 200), err)
	}
	o, err := c.play(setup, file)
	if err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	out := replayed{
		Scenario: setup.Scenario, Settings: orEmpty(setup.Settings), Seed: file.Seed, Failure: o.Failure, Hash: o.Hash, Events: o.Events,
		Exit: outcomeExit(o),
	}
	if o.Failure != nil {
		out.Fingerprint = o.Failure.Fingerprint()
	}
	out.Verdict = "nothing failed"
	if o.Failure != nil {
		out.Verdict = "it failed"
	}
	if fromFile {
		out.File = c.What
		out.compare(file, o)
	}
	e.exit = out.Exit
	if c.JSON {
		enc := json.NewEncoder(e.stdout)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(out)
	}
	out.print(e, file)
	return nil
}

// emptied has a plan that somebody emptied be one without faults, instead of the seed's. Of a workload it cannot be known whose
// it was.
func emptied(f *repro.File) error {
	for _, what := range f.Edited() {
		switch {
		case what == "plan" && f.Plan == "":
			f.Plan = "# no faults"
		case what == "workload" && f.Workload.String() == "":
			return errors.New(`the workload is empty; leave its first line, such as "workload churn", for one of nothing`)
		}
	}
	return nil
}

// open reads the file, or makes one of a scenario and a seed.
func (c *replayCmd) open() (f *repro.File, fromFile bool, err error) {
	if c.SeedTime < 0 || c.SeedMemory != 0 && (c.SeedMemory < 16 || c.SeedMemory > 1<<20) {
		return nil, false, fmt.Errorf("--seed-time %v, --seed-memory %d: want a time over 0, and 16 to %d MiB", c.SeedTime, c.SeedMemory, 1<<20)
	}
	if _, err := os.Stat(c.What); err != nil {
		name, seed, ok := strings.Cut(c.What, "@")
		n, bad := strconv.ParseUint(seed, 10, 64)
		switch {
		case ok && bad == nil && !strings.ContainsAny(name, "/."):
			f := &repro.File{Scenario: name, Settings: c.Set, Seed: n}
			return f, false, c.given(f)
		case ok && !strings.ContainsAny(name, "/."):
			return nil, false, fmt.Errorf("%s: want SCENARIO@SEED with a whole number, such as throttled-tab@7", repro.Line(c.What, 200))
		}
		return nil, false, err
	}
	switch {
	case len(c.Set) > 0:
		return nil, false, fmt.Errorf("--set %s beside a file, which has the settings; leave one out", c.Set[0])
	case c.Plan != nil:
		return nil, false, fmt.Errorf("--plan %s beside a file, which has the plan; leave one out", *c.Plan)
	case c.Workload != nil:
		return nil, false, fmt.Errorf("--workload %s beside a file, which has the workload; leave one out", *c.Workload)
	}
	f, err = repro.Read(c.What)
	return f, true, err
}

// given reads the plan and the workload that the command line names.
func (c *replayCmd) given(f *repro.File) error {
	scenario, _ := findScenario(f.Scenario)
	if scenario == nil {
		return nil // which is told in the next step
	}
	plan, err := readPlan(c.Plan, scenario)
	if err != nil {
		return err
	}
	work, err := readWorkload(c.Workload, scenario)
	f.Plan, f.Workload = plan, repro.TextOf(work)
	return err
}

// testOf says what plays the file of a world of go test.
func (c *replayCmd) testOf(f *repro.File) string {
	name, err := filepath.Abs(c.What)
	if err != nil {
		name = c.What
	}
	return fmt.Sprintf("%s: a world of %s; play it with: %s -sim.repro=%s", repro.Line(c.What, 200), repro.Line(f.Test, 200),
		repro.Line(f.Command, maxCommand), quoted(name))
}

// budget is what the run may take: what the command line says, else what the file does.
func (c *replayCmd) budget(f *repro.File) sweep.Budget {
	wall, memory := c.SeedTime, c.SeedMemory
	if wall == 0 {
		wall, _ = time.ParseDuration(f.SeedTime)
	}
	if memory == 0 {
		memory = f.SeedMemory
	}
	return sweep.Budget{Wall: wall, Memory: int64(memory) << 20}
}

// play has a worker process play the run, so that it may end however it likes.
func (c *replayCmd) play(setup sweep.Setup, f *repro.File) (*sweep.Outcome, error) {
	command, err := workerCommand()
	if err != nil {
		return nil, err
	}
	cfg := sweep.Config{
		Setups: []sweep.Setup{setup}, Seeds: sweep.Seeds{First: f.Seed, Last: f.Seed}, Workers: 1, Command: command,
		Budget: c.budget(f),
	}
	if c.Twice || f.Twice {
		cfg.Share = 1
	}
	release := interrupts(&cfg)
	defer release()
	var played *sweep.Outcome
	if _, err := sweep.Run(cfg, func(o sweep.Outcome) error {
		played = &o
		return nil
	}); err != nil {
		return nil, err
	}
	if played == nil {
		return nil, fmt.Errorf("%s@%d: interrupted", setup.Scenario, f.Seed)
	}
	return played, nil
}

func outcomeExit(o *sweep.Outcome) int {
	switch {
	case o.Failure == nil:
		return exitOK
	case o.Failure.Kind == repro.Differs:
		return exitDiffers
	case o.Failure.Kind == repro.Stuck:
		return exitStuck
	}
	return exitFailed
}

// compare says whether the run is the recorded one (D4), and what changed if it is not.
func (r *replayed) compare(f *repro.File, o *sweep.Outcome) {
	// Of two runs that differ nobody can ask for a hash, and there is none of a run that did not come to its end.
	hashed := !f.Twice && (r.Hash != "" || f.Hash != "")
	sameName, sameHash := r.Fingerprint == f.Fingerprint, r.Hash == f.Hash
	r.SameFingerprint = &sameName
	if hashed {
		r.SameHash = &sameHash
	} else {
		sameHash = sameName
	}
	edited := f.Edited()
	build := f.Build.Changes(repro.ThisBuild())
	r.changes(f, o, hashed)
	r.Verdict = verdictOf(sameName, sameHash, hashed, len(build) > 0)
	switch {
	case sameHash && hashed:
	case f.Twice && sameName:
		r.Verdict = "two runs differ again (no hash to compare)"
	case len(edited) > 0 && !sameHash:
		r.Verdict = "another run, as the file was edited"
		if sameName {
			r.Verdict = "the same failure, in another run, as the file was edited"
		}
	case len(build) == 0 && f.Hash != "" && r.Hash != "":
		r.Verdict = "the same build plays another run: it is not deterministic (D1, D4)"
		r.Exit = exitDiffers
	}
	for _, what := range edited {
		r.Changes = append(r.Changes, "edited since the file was written: "+what)
	}
	if !sameName || !sameHash {
		for _, change := range build {
			r.Changes = append(r.Changes, "build: "+change)
		}
	}
}

// verdictOf says how a run compares with the recorded one. Hashed says that there was a hash to compare.
func verdictOf(sameName, sameHash, hashed, otherBuild bool) string {
	by := ""
	if otherBuild {
		by = ", by another build"
	}
	switch {
	case sameName && sameHash && hashed:
		return "replayed to the byte" + by
	case sameName && sameHash:
		return "failed again the same way" + by + " (no hash: the run did not end)"
	case sameHash && hashed:
		return "the same run, judged otherwise"
	case sameName:
		return "the same failure, in another run"
	}
	return "another run"
}

// changes lists what differs from the recorded run.
func (r *replayed) changes(f *repro.File, o *sweep.Outcome, hashed bool) {
	if r.Fingerprint != f.Fingerprint {
		was := "fingerprint was " + repro.Line(f.Fingerprint, repro.MaxFingerprint)
		if r.Fingerprint == "" {
			was += ", now nothing fails"
		}
		r.Changes = append(r.Changes, was)
	}
	if hashed && r.Hash != f.Hash {
		r.Changes = append(r.Changes, fmt.Sprintf("hash %s, was %s", orNone(r.Hash), orNone(f.Hash)))
	}
	r.Changes = append(r.Changes, decisionChanges(f, o)...)
}

func orNone(hash string) string {
	if hash == "" {
		return "none (it came to no end)"
	}
	return hash
}

func (r *replayed) print(e *env, f *repro.File) {
	what := fmt.Sprintf("%s@%d", r.Scenario, r.Seed)
	if len(r.Settings) > 0 {
		what += " · " + repro.Line(strings.Join(r.Settings, " "), 200)
	}
	fmt.Fprintf(e.stdout, "replay · %s\n", what)
	if f.Headline != "" {
		fmt.Fprintf(e.stdout, "%s\n", repro.Line(f.Headline, 400))
	}
	if r.Failure != nil {
		fmt.Fprintf(e.stdout, "%s\n  %s\n", r.Fingerprint, repro.Line(r.Failure.Text, 400))
		for _, line := range r.Failure.Stack {
			fmt.Fprintf(e.stdout, "    %s\n", repro.Line(line, repro.MaxFrame))
		}
	}
	if r.Hash != "" {
		fmt.Fprintf(e.stdout, "hash %s · %d events\n", r.Hash, r.Events)
	}
	fmt.Fprintln(e.stdout, r.Verdict)
	for _, change := range r.Changes {
		fmt.Fprintf(e.stdout, "  %s\n", change)
	}
}
