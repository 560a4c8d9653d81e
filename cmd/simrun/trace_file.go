package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"chordsim/sim"
	"chordsim/sim/trace"
)

// traceFile is where the events of a run go: as a trace that simrun trace reads, if the file's name ends so, else as lines.
type traceFile struct {
	file *os.File
	sink trace.Sink
}

// traceSuffix ends the names of trace files.
const traceSuffix = ".zst"

// createTrace makes the file for the events. It must not be the one that the link was read from.
func (c *runCmd) createTrace(scenario *sim.Scenario, values sim.Values) (*traceFile, error) {
	name := *c.Trace
	if name == "" {
		return nil, errors.New("--trace: want the name of a file")
	}
	if c.Link != nil {
		from, err1 := os.Stat(strings.TrimPrefix(*c.Link, "trace:"))
		to, err2 := os.Stat(name)
		if err1 == nil && err2 == nil && os.SameFile(from, to) {
			return nil, fmt.Errorf("--trace %s: would overwrite the recorded link; name another file", name)
		}
	}
	f, err := os.Create(name)
	if err != nil {
		return nil, fmt.Errorf("--trace: %w", err)
	}
	t := &traceFile{file: f}
	if strings.HasSuffix(name, traceSuffix) {
		t.sink = trace.NewFileWriter(f, c.traceHeader(scenario, values))
	} else {
		t.sink = trace.NewWriter(f)
	}
	return t, nil
}

// traceHeader says what the run is.
func (c *runCmd) traceHeader(scenario *sim.Scenario, values sim.Values) trace.FileHeader {
	h := trace.FileHeader{Scenario: scenario.Name, Seed: c.Seed, Settings: values.Changed(), Build: buildName()}
	if c.Link != nil {
		h.Link = *c.Link
	}
	return h
}

// close ends the file with the report of the run; nil: it did not come to an end.
func (t *traceFile) close(report *sim.Report) error {
	var err error
	switch sink := t.sink.(type) {
	case *trace.FileWriter:
		if report != nil {
			err = sink.Close(report.Hash)
		} else {
			err = sink.Abandon()
		}
	case *trace.Writer:
		err = sink.Close()
	}
	if closing := t.file.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return fmt.Errorf("--trace: %w", err)
	}
	return nil
}
