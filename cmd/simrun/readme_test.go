package main

import (
	"bytes"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"
)

// wallFigures are the parts of a report that differ from run to run.
var wallFigures = regexp.MustCompile(`in [0-9.]+ s: [0-9]+ × real time|[0-9,]+ events/s`)

// TestReadmePrintsWhatIsPrinted holds the README's first screen against the run that it shows: every line of it, but for
// wall times, in order.
func TestReadmePrintsWhatIsPrinted(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, shown, ok := strings.Cut(string(readme), "$ go run ./cmd/simrun run throttled-tab\n")
	if !ok {
		t.Fatal("the README does not show the run")
	}
	shown, _, _ = strings.Cut(shown, "\n$ ")
	var out, stderr bytes.Buffer
	if status := run([]string{"run", "throttled-tab"}, &out, &stderr); status != exitOK {
		t.Fatalf("exit status %d: %s", status, stderr.String())
	}
	printed := strings.Split(wallFigures.ReplaceAllString(out.String(), "-"), "\n")
	for line := range strings.Lines(wallFigures.ReplaceAllString(shown, "-")) {
		line = strings.TrimSpace(line)
		if line == "" || line == "…" {
			continue
		}
		prefix, cut := strings.CutSuffix(line, "…")
		for len(printed) > 0 {
			next := strings.TrimSpace(printed[0])
			if next == line || cut && strings.HasPrefix(next, prefix) {
				break
			}
			printed = printed[1:]
		}
		if len(printed) == 0 {
			t.Fatalf("the README shows %q, which the run does not print there", line)
		}
	}
}

// brokenPipe fails as a full disk does.
type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// A report that could not be written is no success.
func TestReportThatGoesNowhere(t *testing.T) {
	for _, args := range [][]string{{"run", "throttled-tab", "size=small", "case=direct-1s"}, {"list"}, {"version"}} {
		var stderr bytes.Buffer
		if status := run(args, brokenPipe{}, &stderr); status != exitUsage {
			t.Errorf("%v: exit status %d, want %d", args, status, exitUsage)
		}
		if got, want := stderr.String(), "simrun: the report could not be written: no space left on device\n"; got != want {
			t.Errorf("%v: %q on stderr, want %q", args, got, want)
		}
	}
}

// What is echoed of the input cannot move a terminal's cursor or begin another line.
func TestErrorsAreOneLine(t *testing.T) {
	var stderr bytes.Buffer
	if status := run([]string{"run", "a\nb\r\x1b[31mc"}, &stderr, &stderr); status != exitUsage {
		t.Errorf("exit status %d, want %d", status, exitUsage)
	}
	got := stderr.String()
	if strings.Count(got, "\n") != 1 || strings.ContainsAny(got, "\r\x1b") {
		t.Errorf("%q", got)
	}
}
