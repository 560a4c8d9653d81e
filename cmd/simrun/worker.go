package main

import (
	"os"
	"os/exec"
	"os/signal"

	"chordsim/sim"
	"chordsim/sim/sweep"
)

// workerCmd is what a sweep starts. People do not: it talks JSON with the sweep.
type workerCmd struct{}

// Run plays what comes in on standard input until that ends.
func (workerCmd) Run(*env) error {
	signal.Ignore(os.Interrupt) // the terminal sends it to all processes; the sweep decides what ends when
	out := os.Stdout
	os.Stdout = os.Stderr // what a scenario prints is no answer
	return sweep.Work(os.Stdin, out, func(name string) *sim.Scenario {
		s, _ := findScenario(name)
		return s
	})
}

// workerName is the name under which a worker is started, for a program that goes by it.
var workerName = os.Args[0]

// workerCommand makes the command of a worker: this program again.
func workerCommand() (func() *exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return func() *exec.Cmd {
		return &exec.Cmd{Path: self, Args: []string{workerName, "worker"}}
	}, nil
}
