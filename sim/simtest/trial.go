package simtest

import (
	"fmt"
	"path/filepath"
	"testing"

	"chordsim/sim"
	"chordsim/sim/sweep/repro"
)

// trial is the playing of one world for a test: whose it is, and how it is played again.
type trial struct {
	t     testing.TB
	test  string // the test that plays its repro file
	run   string // the test that plays it, or a part of that
	again string // the flags with which that does
	seed  uint64
	draws []string // that were made for it by others than its seed
	given bool     // a repro file is played, so that none is to be written
	// sofar returns what else was drawn until now, and the end of again; nil: nothing.
	sofar func() (draws []string, end string)
}

// trialOf is one that a seed plays again, as one of the worlds of a test of which t may be a part.
func trialOf(t, whole testing.TB, seed uint64) *trial {
	tr := &trial{t: t, test: whole.Name(), run: whole.Name(), seed: seed, again: fmt.Sprintf(" -sim.seed=%#x", seed)}
	if flags.twice {
		tr.again += " -sim.twice"
	}
	tr.fromFile()
	return tr
}

// fromFile has the trial know of the repro file that is played, if one is.
func (tr *trial) fromFile() {
	if flags.repro != "" {
		tr.given, tr.run, tr.again = true, tr.test, " -sim.repro="+quoted(flags.repro)
	}
}

// line is the command that plays the world again.
func (tr *trial) line() string {
	line := command(tr.run) + tr.again
	if tr.sofar != nil && !tr.given {
		_, end := tr.sofar()
		line += end
	}
	return line
}

// play plays the world as often as the flags say, under guard.
func (tr *trial) play(cfg sim.Config, fn func(*sim.World)) *Failure {
	how := play
	if flags.twice {
		how = twice
	}
	return how(cfg, func(w *sim.World) {
		defer tr.watch(w)()
		fn(w)
	})
}

// report says what is wrong with a world and how to see it again, and writes its repro file.
func (tr *trial) report(f *Failure) string {
	text := f.Error()
	if f.Stack != "" {
		text += "\n" + f.Stack
	}
	return text + "\n" + tr.keep(f)
}

// failed is the failure of a world of which only the test knows what is wrong.
func (tr *trial) failed() *Failure {
	return &Failure{Seed: tr.seed, Err: fmt.Errorf("the test failed in the world of seed %#x", tr.seed), kind: repro.Missed}
}

// keep writes the repro file of a failure, and returns where it is and the line that plays the world again.
func (tr *trial) keep(f *Failure) string {
	if tr.given {
		return tr.line()
	}
	if tr.sofar != nil {
		tr.draws, _ = tr.sofar()
	}
	file := f.file()
	file.Scenario, file.Test, file.Command, file.Draws = fileName(tr.test), tr.test, command(tr.test), tr.draws
	dir := flags.out
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(home, dir)
	}
	name, err := file.Write(dir)
	if err != nil {
		return fmt.Sprintf("no repro file: %v\n%s", err, tr.line())
	}
	if near, err := filepath.Rel(home, name); err == nil && !filepath.IsAbs(flags.out) {
		name = near
	}
	return fmt.Sprintf("repro file: %s\n%s", name, tr.line())
}
