package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"chordsim/sim"
	"chordsim/sim/trace"
)

// traceSource is a trace that is read several times: a file that is there, or one of a run that was made for it.
type traceSource struct {
	played *result // of a run that was made for it; nil: a file was given
	name   string
	file   *os.File
	made   bool // it goes away with the source
	header trace.FileHeader
}

// open opens the file, or runs the scenario.
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
	return record(e, &runCmd{Name: name, Seed: n, Set: given})
}

// record runs a scenario and keeps its events in a file of its own.
func record(e *env, c *runCmd) (*traceSource, error) {
	scenario, values, link, err := c.prepare()
	if err != nil {
		return nil, err
	}
	f, err := os.CreateTemp("", "simrun-*"+traceSuffix)
	if err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	source := &traceSource{name: f.Name(), file: f, made: true}
	writer := trace.NewFileWriter(f, c.traceHeader(scenario, values))
	progress := newProgress(e.stderr, false)
	report, err := scenario.Run(&sim.Run{Seed: c.Seed, Values: values, Link: link, Sink: writer, Progress: progress.show})
	progress.done()
	if err == nil {
		err = writer.Close(report.Hash)
	} else {
		_ = writer.Abandon() // the run's error says more
	}
	if err != nil {
		source.close()
		return nil, fmt.Errorf("trace: %w", err)
	}
	source.played = &result{scenario: scenario, run: c, values: values, report: report}
	return source, nil
}

// close closes the file, and removes one that was made for the source.
func (s *traceSource) close() {
	s.file.Close()
	if s.made {
		os.Remove(s.file.Name())
	}
}

// read tells all events from the first one on, and returns the end.
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
		if errors.Is(err, io.EOF) {
			return r.End(), nil
		}
		if err != nil {
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
