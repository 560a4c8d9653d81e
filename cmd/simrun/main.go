// Simrun runs the scenarios of chordsim in virtual time.
//
//	simrun run throttled-tab             play a scenario and show what it measured
//	simrun run throttled-tab --seed 7 --twice
//	simrun list                          the scenarios and their parameters
//	simrun bench growth                  what a transaction costs as its document grows
//
// Exit status: 0 all held; 1 an invariant or a goal did not; 2 bad usage or input; 3 something did not come to an end in
// its time; 4 two runs of one seed differed; 130 a sweep was interrupted.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/alecthomas/kong"
)

// The exit statuses.
const (
	exitOK      = 0
	exitFailed  = 1
	exitUsage   = 2
	exitStuck   = 3
	exitDiffers = 4
)

// cli is the command line.
type cli struct {
	Run      runCmd      `cmd:"" help:"Play a scenario and show what it measured."`
	Trace    traceCmd    `cmd:"" help:"Show the events of a run, or draw its messages."`
	Sweep    sweepCmd    `cmd:"" help:"Play scenarios over many seeds, on all cores."`
	Failures failuresCmd `cmd:"" help:"List what sweeps found."`
	Replay   replayCmd   `cmd:"" help:"Play a run again that failed."`
	Worker   workerCmd   `cmd:"" hidden:""`
	List     listCmd     `cmd:"" help:"List the scenarios and their parameters."`
	Bench    benchCmd    `cmd:"" help:"Measure what code costs, without a scenario."`
	Vectors  vectorsCmd  `cmd:"" help:"Check delta vectors that another implementation made."`
	Version  versionCmd  `cmd:"" help:"Show what this build is."`
}

// env is what a command may touch.
type env struct {
	stdout, stderr io.Writer
	exit           int
}

const description = `Runs the scenarios of chordsim in virtual time: the same build, seed and parameters give the same run on any machine.

Examples:
  simrun run throttled-tab                             the 8 cases, beside the seed document's figures
  simrun run throttled-tab --seed 7 --twice            run it twice and compare the hashes
  simrun run throttled-tab --set case=relayed-60s      one case
  simrun run throttled-tab --set jitter=5ms --json     other parameters, as JSON
  simrun run throttled-tab --link trace:evdo.down      over a recorded link (mahimahi format)
  simrun trace throttled-tab@7 --diagram --to 1s       the messages of a run between its hosts
  simrun sweep --scenario interleave --seeds 1-500     many seeds, failures grouped by what they are
  simrun failures                                      what the newest sweep found
  simrun replay out/repro/FILE                         play a failure again
  simrun list                                          scenarios and parameters
  simrun bench growth                                  what a transaction costs as its document grows
  simrun vectors FILE                                  check delta vectors that a peer made

Exit status: 0 all held, 1 an invariant or goal did not, 2 bad usage or input, 3 stuck, 4 two runs of one seed differed,
130 a sweep was interrupted. Through go run it is 1 for all but 0.`

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	out := &checkedWriter{w: stdout}
	stdout = out
	e := &env{stdout: stdout, stderr: stderr}
	helped := false
	parser, err := kong.New(&cli{},
		kong.Name("simrun"), kong.Description(description), kong.Writers(stdout, stderr),
		kong.Exit(func(int) { helped = true }), kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{NoExpandSubcommands: true, WrapUpperBound: 100}),
	)
	if err != nil {
		return e.usage(err)
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	ctx, err := parser.Parse(args)
	if helped {
		return exitOK
	}
	if err != nil {
		return e.usage(err)
	}
	if err := ctx.Run(e); err != nil {
		status := e.usage(err)
		var broken *brokenError
		if errors.As(err, &broken) {
			fmt.Fprintln(e.stderr, "reproduce: "+broken.command)
			status = exitFailed
		}
		return status
	}
	if out.err != nil {
		return e.usage(fmt.Errorf("the report could not be written: %w", out.err))
	}
	return e.exit
}

// checkedWriter remembers the first error of writing, so that a report that went nowhere is not taken for a success.
type checkedWriter struct {
	w   io.Writer
	err error
}

func (o *checkedWriter) Write(b []byte) (int, error) {
	n, err := o.w.Write(b)
	if err != nil && o.err == nil {
		o.err = err
	}
	return n, err
}

// brokenError is about code that does what it must not, and not about what the command was given.
type brokenError struct {
	err     error
	command string // that shows it again
}

func (b *brokenError) Error() string { return b.err.Error() }
func (b *brokenError) Unwrap() error { return b.err }

// usage says in one line what is wrong with what was given.
func (e *env) usage(err error) int {
	var parse *kong.ParseError
	text := strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f { // one line, and nothing that a terminal would obey
			return ' '
		}
		return c
	}, err.Error())
	if errors.As(err, &parse) {
		text += " (simrun --help shows the usage)"
	}
	fmt.Fprintln(e.stderr, "simrun: "+text)
	return exitUsage
}
