package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"chordsim/sim"
	"chordsim/sim/sweep"
	"chordsim/sim/sweep/repro"
	"chordsim/sim/trace"
)

// traceSource is a trace that is read several times: a file that is there, or one of a run that was made for it.
type traceSource struct {
	name     string
	file     *os.File
	made     bool   // of a run that was played for it: the file goes away with the source
	exit     int    // of that run
	recorded string // the hash that it had when its repro file was written; empty: not known
	header   trace.FileHeader
	cut      error // the file has no end; nil: it has one
}

// open opens a file, or plays what a repro file or the command line says.
func (c *traceCmd) open(e *env) (*traceSource, error) {
	given := append(append([]string(nil), c.Set...), c.Settings...)
	info, err := os.Stat(c.Source)
	if err == nil {
		if info.IsDir() {
			return nil, fmt.Errorf("trace %s: is a directory, want a file", c.Source)
		}
		if len(given) > 0 {
			return nil, fmt.Errorf("trace %s: %s: a file has its parameters already", c.Source, given[0])
		}
		f, err := os.Open(c.Source)
		if err != nil {
			return nil, fmt.Errorf("trace: %w", err)
		}
		if isRepro(f) {
			f.Close()
			return c.playRepro(e)
		}
		return &traceSource{name: c.Source, file: f}, nil
	}
	name, seed, ok := strings.Cut(c.Source, "@")
	if scenario, _ := findScenario(name); !ok && scenario != nil {
		return nil, fmt.Errorf("trace %s: no such file; to run the scenario, write %s@SEED, such as %s@1", name, name, name)
	}
	if !ok {
		return nil, fmt.Errorf("trace: %w", err)
	}
	n, err := strconv.ParseUint(seed, 0, 64)
	if err != nil {
		return nil, fmt.Errorf("trace %s: no such file, and %q is not a seed; want SCENARIO@SEED, such as throttled-tab@1", c.Source, seed)
	}
	run := &runCmd{Name: name, Seed: n, Set: given}
	scenario, values, link, err := run.prepare()
	if err != nil {
		return nil, err
	}
	return c.record(e, scenario, run.traceHeader(scenario, values), func() *sim.Run {
		return &sim.Run{Seed: n, Values: values, Link: link}
	})
}

// isRepro reports whether a file is an object in JSON, which is no trace.
func isRepro(f *os.File) bool {
	start := make([]byte, 64)
	n, _ := f.ReadAt(start, 0)
	return strings.HasPrefix(strings.TrimLeft(string(start[:n]), " \t\r\n"), "{")
}

// playRepro plays the run of a repro file, with the plan and the workload that it had.
func (c *traceCmd) playRepro(e *env) (*traceSource, error) {
	file, err := repro.Read(c.Source)
	if err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	if file.Test != "" {
		name, err := filepath.Abs(c.Source)
		if err != nil {
			name = c.Source
		}
		return nil, fmt.Errorf("trace: %s: a world of %s; play it with: %s -sim.repro=%s", repro.Line(c.Source, 200),
			repro.Line(file.Test, 200), repro.Line(file.Command, maxCommand), quoted(name))
	}
	if err := emptied(file); err != nil {
		return nil, fmt.Errorf("trace: %s: %w", repro.Line(c.Source, 200), err)
	}
	setup, err := checkedSetup(sweep.Setup{
		Scenario: file.Scenario, Settings: file.Settings, Plan: file.Plan, Workload: file.Workload.String(),
	}, file.Seed)
	if err != nil {
		return nil, fmt.Errorf("trace %s: %w", repro.Line(c.Source, 200), err)
	}
	scenario, _ := findScenario(setup.Scenario)
	values, err := sim.ParseValues(scenario.Parameters(), setup.Settings)
	if err != nil {
		return nil, fmt.Errorf("trace %s: %w", repro.Line(c.Source, 200), err)
	}
	h := trace.FileHeader{
		Scenario: setup.Scenario, Seed: file.Seed, Settings: setup.Settings, Build: buildName(),
		Command: "go run ./cmd/simrun replay " + quoted(c.Source),
	}
	source, err := c.record(e, scenario, h, func() *sim.Run {
		return &sim.Run{Seed: file.Seed, Values: values, Plan: setup.Plan, Workload: setup.Workload}
	})
	if err == nil && !file.Twice { // of two runs that differ nobody can ask for a hash
		source.recorded = file.Hash
	}
	return source, err
}

// record plays a run and keeps its events in a file of its own.
func (c *traceCmd) record(e *env, scenario *sim.Scenario, h trace.FileHeader, given func() *sim.Run) (*traceSource, error) {
	p, release, err := newPlayer(e, c.limits, scenario, h, given)
	if err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	defer release()
	f, err := os.CreateTemp("", "simrun-*"+traceSuffix)
	if err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	source := &traceSource{name: f.Name(), file: f, made: true}
	writer := trace.NewFileWriter(f, h)
	p.keep = &recorder{next: writer}
	var out result
	out.report, err = p.play(scenario.Run, given())
	if ending := endTrace(writer, &out, p); err == nil {
		err = ending
	}
	if err != nil {
		source.close()
		return nil, fmt.Errorf("trace: %w", err)
	}
	v := finalVerdict(&out, p)
	source.exit = verdictExit(v)
	return source, nil
}

// close closes the file, and removes one that was made for the source.
func (s *traceSource) close() {
	s.file.Close()
	if s.made {
		os.Remove(s.file.Name())
	}
}

// read tells all events from the first one on, and returns the end. Of a file without one it is empty, and what cut it noted.
func (s *traceSource) read(tell func(*trace.Event) error) (trace.FileEnd, error) {
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return trace.FileEnd{}, fmt.Errorf("trace: %w", err)
	}
	r, err := trace.NewFileReader(s.file)
	if err != nil {
		return trace.FileEnd{}, s.explain(err)
	}
	defer r.Close()
	s.header = r.Header()
	for {
		ev, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			return r.End(), nil
		case errors.Is(err, trace.ErrCut):
			s.cut = s.explain(err)
			return trace.FileEnd{}, nil
		case err != nil:
			return trace.FileEnd{}, s.explain(err)
		}
		if err := tell(&ev); err != nil {
			return trace.FileEnd{}, err
		}
	}
}

// explain says what is wrong with the file.
func (s *traceSource) explain(err error) error {
	if errors.Is(err, trace.ErrNotTrace) {
		return fmt.Errorf("trace %s: %w; simrun run SCENARIO --trace FILE%s writes one", s.name, err, traceSuffix)
	}
	return fmt.Errorf("trace %s: %w", s.name, err)
}
