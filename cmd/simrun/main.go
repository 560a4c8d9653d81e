// Simrun runs the scenarios of chordsim in virtual time.
//
//	simrun run throttled-tab             play a scenario and show what it measured
//	simrun run throttled-tab --seed 7 --twice
//	simrun list                          the scenarios and their parameters
//
// Exit status: 0 all held; 1 an invariant or a goal did not; 2 bad usage or input; 3 something did not come to an end in
// its time; 4 two runs of one seed differed.
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
	Run     runCmd     `cmd:"" help:"Play a scenario and show what it measured."`
	List    listCmd    `cmd:"" help:"List the scenarios and their parameters."`
	Version versionCmd `cmd:"" help:"Show what this build is."`
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
  simrun list                                          scenarios and parameters

Exit status: 0 all held, 1 an invariant or goal did not, 2 bad usage or input, 3 stuck, 4 two runs of one seed differed.`

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
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
		return e.usage(err)
	}
	return e.exit
}

// usage says in one line what is wrong with what was given.
func (e *env) usage(err error) int {
	var parse *kong.ParseError
	text := strings.ReplaceAll(err.Error(), "\n", " ")
	if errors.As(err, &parse) {
		text += " (simrun --help shows the usage)"
	}
	fmt.Fprintln(e.stderr, "simrun: "+text)
	return exitUsage
}
