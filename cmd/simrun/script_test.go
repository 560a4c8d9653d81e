package main

import (
	"errors"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	findScenario = findWith(testScenarios(), findScenario)
	testscript.Main(m, map[string]func(){"simrun": main, "simfail": mainFailing})
}

// TestScripts plays the transcripts in testdata/script, with commands of their own besides those of testscript:
//
//	status N command…     the command ends with exit status N
//	refused LINE command… it ends with status 2, the line behind "simrun: " on stderr and nothing on stdout
//	pack FILE TEXT        a file with a line of text, compressed
//	damage FILE TO N [B]  a copy of a file that is cut at byte N, or has B there
//	same FILE             stdout without its first line, which has a hash, is the file
//	hash first|same|other the hash in the JSON on stdout: to be kept, to be the kept one, to be another
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireUniqueNames:  true,
		RequireExplicitExec: true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status": status, "refused": refused, "hash": hash, "damage": damage, "pack": pack, "same": same,
		},
	})
}

// exitStatus runs a command and returns how it ended. What it printed is there for the script's next commands.
func exitStatus(ts *testscript.TestScript, command []string) int {
	err := ts.Exec(command[0], command[1:]...)
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	ts.Fatalf("%v", err)
	return -1
}

func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N command...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if got := exitStatus(ts, args[1:]); got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

func refused(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: refused LINE command...")
	}
	if got := exitStatus(ts, args[1:]); got != exitUsage {
		ts.Fatalf("exit status %d, want %d", got, exitUsage)
	}
	if got, want := ts.ReadFile("stderr"), "simrun: "+args[0]+"\n"; got != want {
		ts.Fatalf("stderr:\n%swant:\n%s", got, want)
	}
	if got := ts.ReadFile("stdout"); got != "" {
		ts.Fatalf("stdout is not empty:\n%s", got)
	}
}

var hashField = regexp.MustCompile(`(?m)^  "hash": "([0-9a-f]{16})",$`)

func hash(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: hash first|same|other")
	}
	found := hashField.FindStringSubmatch(ts.ReadFile("stdout"))
	if found == nil {
		ts.Fatalf("no hash on stdout")
	}
	kept := ts.Getenv("HASH")
	switch {
	case args[0] == "first":
		ts.Setenv("HASH", found[1])
	case kept == "":
		ts.Fatalf("no hash was kept")
	case (found[1] == kept) != (args[0] == "same"):
		ts.Fatalf("hash %s, kept %s: want the %s", found[1], kept, strings.Join(args, " "))
	}
}
