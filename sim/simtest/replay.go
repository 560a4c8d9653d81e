package simtest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"chordsim/sim/sweep/repro"
)

// report says what is wrong with a world and how to see it again, and writes its repro file.
func report(t *testing.T, f *Failure) string {
	text := f.Error()
	if f.Stack != "" {
		text += "\n" + f.Stack
	}
	return text + "\n" + replay(t, f.Seed, f)
}

// replay returns the line that plays a world again, and where the repro file of a failure is.
func replay(t *testing.T, seed uint64, f *Failure) string {
	line := command(t.Name(), seed, f != nil && f.kind == repro.Differs)
	if f == nil {
		f = &Failure{Seed: seed, Err: fmt.Errorf("the test failed in the world of seed %#x", seed), kind: repro.Missed}
	}
	failure := f.failure()
	file := repro.File{
		Scenario: strings.NewReplacer("/", "-", " ", "_").Replace(t.Name()), Seed: seed, Twice: f.kind == repro.Differs,
		Workload: line, Fingerprint: failure.Fingerprint(), Failure: *failure, Build: repro.ThisBuild(),
	}
	if f.Hash != 0 {
		file.Hash, file.Events = fmt.Sprintf("%016x", f.Hash), f.Events
	}
	name, err := file.Write(flags.repro)
	if err != nil {
		return fmt.Sprintf("no repro file: %v\n%s", err, line)
	}
	return fmt.Sprintf("repro file: %s\n%s", name, line)
}

// command is what a person types to play one world of a test again.
func command(test string, seed uint64, twice bool) string {
	var names []string
	for _, name := range strings.Split(test, "/") {
		names = append(names, "^"+regexp.QuoteMeta(name)+"$")
	}
	line := fmt.Sprintf("go test %s -run '%s' -sim.seed=%#x", folder(), strings.Join(names, "/"), seed)
	if twice {
		line += " -sim.twice"
	}
	return line
}

// folder returns the package's folder as the go command takes it at the root of the module. Tests run in their package's.
func folder() string {
	here, err := os.Getwd()
	if err != nil {
		return "."
	}
	for root := here; ; root = filepath.Dir(root) {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			below, err := filepath.Rel(root, here)
			if err != nil || below == "." {
				return "."
			}
			return "./" + filepath.ToSlash(below)
		}
		if root == filepath.Dir(root) {
			return "."
		}
	}
}
