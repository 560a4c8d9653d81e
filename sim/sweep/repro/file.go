package repro

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"chordsim/sim/trace"
)

const (
	// Format is what the files call themselves.
	Format = "chordsim-repro"
	// Version is that of the files that are written, and the only one that is read.
	Version = 2
	// MaxFile is the most bytes of a file. Those that are written have some KB; a plan may add 64 KiB and a workload 1 MiB.
	MaxFile = 4 << 20
)

// File is a run that failed, with all that is needed to play it again.
type File struct {
	Format   string   `json:"format"`
	Version  int      `json:"version"`
	Scenario string   `json:"scenario"`
	Settings []string `json:"settings"` // the parameters off their default, each name=value
	Seed     uint64   `json:"seed"`
	Twice    bool     `json:"twice,omitempty"` // the failure is that two runs differ
	// Plan is the faults and knobs of the run. Unless it was given to the run, the scenario drew it from the seed.
	Plan      string `json:"plan,omitempty"`
	PlanGiven bool   `json:"plan_given,omitempty"`
	// Workload is what hosts were told to do. Unless it was given to the run, the scenario made it from the seed. Empty: it is
	// not recorded, and a replay depends on what the scenario draws.
	Workload      Text   `json:"workload,omitempty"`
	WorkloadGiven bool   `json:"workload_given,omitempty"`
	Headline      string `json:"headline,omitempty"` // for people: what was run
	// SeedTime and SeedMemory (MiB) are what the run was allowed, if it failed because of that and they are not the defaults.
	SeedTime   string `json:"seed_time,omitempty"`
	SeedMemory int    `json:"seed_memory,omitempty"`
	// Test is the test of go test whose world it is, Command what plays that, and Draws the choices that rapid or Go's fuzzing
	// made for it. Empty: it is a scenario's run.
	Test    string   `json:"test,omitempty"`
	Command string   `json:"command,omitempty"`
	Draws   []string `json:"draws,omitempty"`

	Fingerprint string  `json:"fingerprint"`
	Failure     Failure `json:"failure"`
	Hash        string  `json:"hash,omitempty"` // of the run; empty: it did not come to its end
	Events      int64   `json:"events,omitempty"`
	Decisions   Labels  `json:"decisions,omitempty"` // what was drawn at random, by label
	Build       Build   `json:"build"`
	Seal        Seal    `json:"seal,omitzero"` // of what is above, made as the file is written
}

// Name returns the name for the file: invariant or kind, scenario, seed.
func (f *File) Name() string {
	return fmt.Sprintf("%s-%s-%d.json", ID(f.Fingerprint), f.Scenario, f.Seed)
}

// Append writes the file's text behind b.
func (f *File) Append(b []byte) ([]byte, error) {
	out := *f
	out.Format, out.Version, out.Seal = Format, Version, f.seal()
	if out.Settings == nil {
		out.Settings = []string{}
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(&out); err != nil {
		return b, fmt.Errorf("repro: %w", err)
	}
	if text.Len() > MaxFile {
		return b, fmt.Errorf("repro: a file of %d bytes, at most %d are read again", text.Len(), MaxFile)
	}
	return append(b, text.Bytes()...), nil
}

// Write writes the file into a folder, which is made if it is not there, and returns its path. A file that is there is
// replaced as a whole.
func (f *File) Write(dir string) (string, error) {
	text, err := f.Append(nil)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	name := filepath.Join(dir, f.Name())
	return name, WriteWhole(name, text)
}

// WriteWhole writes a file so that its name never stands for a part of it.
func WriteWhole(name string, text []byte) error {
	temp, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.new")
	if err != nil {
		return err
	}
	_, err = temp.Write(text)
	err = errors.Join(err, temp.Chmod(0o644), temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), name)
	}
	if err != nil {
		os.Remove(temp.Name())
	}
	return err
}

// Read reads a file. An error is one line that begins with the name.
func Read(name string) (*File, error) {
	in, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, MaxFile+1))
	if err != nil {
		return nil, err
	}
	f, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return f, nil
}

// Parse reads the text of a file.
func Parse(text []byte) (*File, error) {
	if len(text) > MaxFile {
		return nil, fmt.Errorf("not a repro file: over %d bytes", MaxFile)
	}
	var head struct {
		Format  string `json:"format"`
		Version int    `json:"version"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, fmt.Errorf("not a repro file: %s", atLine(text, err))
	}
	if head.Format != Format {
		return nil, fmt.Errorf("not a repro file: its format is %q, want %q", Clip(head.Format, 40), Format)
	}
	if head.Version != Version {
		return nil, fmt.Errorf("a repro file of version %d; this program reads version %d", head.Version, Version)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	f := &File{}
	if err := d.Decode(f); err != nil {
		return nil, fmt.Errorf("damaged: %s", atLine(text, err))
	}
	return f, f.validate()
}

// atLine puts the line in front of what the JSON decoder says.
func atLine(text []byte, err error) string {
	offset := int64(-1)
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		offset = kind.Offset
	}
	what := strings.TrimPrefix(err.Error(), "json: ")
	if offset < 0 || offset > int64(len(text)) {
		return what
	}
	return fmt.Sprintf("line %d: %s", 1+bytes.Count(text[:offset], []byte("\n")), what)
}

func (f *File) validate() error {
	switch {
	case f.Scenario == "":
		return errors.New("damaged: no scenario")
	case f.Fingerprint == "":
		return errors.New("damaged: no fingerprint")
	case !slices.Contains(Kinds, f.Failure.Kind):
		return fmt.Errorf("damaged: the failure's kind is %q, want one of %v", Clip(string(f.Failure.Kind), 40), Kinds)
	case len(f.Decisions) > trace.MaxLabels+1:
		return fmt.Errorf("damaged: %d labels of decisions, want at most %d", len(f.Decisions), trace.MaxLabels+1)
	case f.Hash != "" && !isHash(f.Hash):
		return fmt.Errorf("damaged: the hash is %q, want 16 hexadecimal digits", Clip(f.Hash, 40))
	}
	return nil
}

func isHash(s string) bool {
	_, err := strconv.ParseUint(s, 16, 64)
	return err == nil && len(s) == 16
}
