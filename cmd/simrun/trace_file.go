package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"chordsim/sim"
	"chordsim/sim/sweep/repro"
	"chordsim/sim/trace"
)

// traceFile is where the events of a run go: as a trace that simrun trace reads, if the file's name ends so, else as lines.
type traceFile struct {
	file    *os.File
	sink    trace.Sink
	command string // that plays the run again
}

// traceSuffix ends the names of trace files.
const traceSuffix = ".zst"

// createTrace makes the file for the events. It must not be one that the run was read from.
func (c *runCmd) createTrace(h trace.FileHeader) (*traceFile, error) {
	name := *c.Trace
	if name == "" {
		return nil, errors.New("--trace: want the name of a file")
	}
	if to, err := os.Stat(name); err == nil {
		for _, in := range []struct {
			file *string
			what string
		}{{c.Link, "the recorded link"}, {c.Plan, "the plan"}} {
			if in.file == nil {
				continue
			}
			if from, err := os.Stat(strings.TrimPrefix(*in.file, "trace:")); err == nil && os.SameFile(from, to) {
				return nil, fmt.Errorf("--trace %s: would overwrite %s; name another file", name, in.what)
			}
		}
	}
	f, err := os.Create(name)
	if err != nil {
		return nil, fmt.Errorf("--trace: %w", err)
	}
	t := &traceFile{file: f, command: h.Command}
	if strings.HasSuffix(name, traceSuffix) {
		t.sink = trace.NewFileWriter(f, h)
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
	h.Command = (&result{scenario: scenario, run: c, values: values}).command()
	return h
}

// close ends the file with what became of the run.
func (t *traceFile) close(out *result, p *player) error {
	err := endTrace(t.sink, out, p)
	if v := finalVerdict(out, p); v != nil && err == nil {
		if _, lines := t.sink.(*trace.Writer); lines {
			printVerdict(t.file, v, t.command, 0)
		}
	}
	if closing := t.file.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return fmt.Errorf("--trace: %w", err)
	}
	return nil
}

// endTrace writes the end of a trace: the verdict, or none of a run of which nobody knows how it ends.
func endTrace(sink trace.Sink, out *result, p *player) error {
	p.keep.end() // a run that goes on writes no further
	v := finalVerdict(out, p)
	switch sink := sink.(type) {
	case *trace.FileWriter:
		switch {
		case v == nil:
			return sink.Abandon()
		case v.Ended:
			return sink.Close(out.report.Hash, *v)
		}
		return sink.Close(0, *v)
	case *trace.Writer:
		return sink.Close()
	}
	return nil
}

// finalVerdict says how the run ended; nil: it did not, or would not begin.
func finalVerdict(out *result, p *player) *trace.Verdict {
	var v trace.Verdict
	switch {
	case out.report != nil:
		v = verdictIn(out.report)
		if out.differs() {
			v.Find(string(repro.Differs), []string{out.twiceText()})
		}
		if p.broken != nil { // the second time
			v.Find(string(repro.Differs), []string{"D1: the second run of the seed broke off, the first did not: " + p.broken.Text})
		}
	case p.broken != nil:
		v = p.verdict()
	default:
		return nil
	}
	return &v
}
