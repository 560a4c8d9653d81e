package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"
	"github.com/rogpeppe/go-internal/testscript"

	"chordsim/sim/trace"
)

// damage copies a file and cuts the copy, or changes a byte of it.
func damage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 || len(args) > 4 {
		ts.Fatalf("usage: damage FILE TO N [BYTE]")
	}
	b, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	n, err := strconv.Atoi(args[2])
	ts.Check(err)
	if n >= len(b) {
		ts.Fatalf("%s has %d bytes", args[0], len(b))
	}
	if len(args) == 4 {
		value, err := strconv.ParseUint(args[3], 10, 8)
		ts.Check(err)
		b[n] = byte(value) ^ b[n] ^ 0xff
	} else {
		b = b[:n]
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), b, 0o666))
}

// pack writes a compressed file.
func pack(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: pack FILE TEXT")
	}
	w, err := zstd.NewWriter(nil)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), w.EncodeAll([]byte(args[1]+"\n"), nil), 0o666))
}

// same compares stdout, behind its first line, with a file.
func same(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: same FILE")
	}
	_, got, _ := strings.Cut(ts.ReadFile("stdout"), "\n")
	if want := ts.ReadFile(args[0]); got != want {
		ts.Fatalf("stdout behind its first line:\n%s\nwant:\n%s", got, want)
	}
}

var (
	shownHash  = regexp.MustCompile(`hash ([0-9a-f]{16})`)
	shownSteps = regexp.MustCompile(`(?m)^(?:.* of )?(\d+) events(?: · in the (\d+) steps that simrun run counts)?$`)
)

// A run and its trace are the same run: they have one hash, and the trace says how its count of events and that of the run go
// together.
func TestTraceHasTheHashOfTheRun(t *testing.T) {
	for _, c := range []struct {
		scenario string
		seed     string
		settings []string
	}{
		{"canary", "1", nil},
		{"canary", "13", nil},
		{"canary", "13", []string{"mode=stuck"}},
		{"canary", "13", []string{"mode=loop"}},
		{"churn", "5", nil},
		{"interleave", "2", []string{"size=small"}},
		{"throttled-tab", "3", []string{"size=small", "jitter=5ms", "strategy=random"}},
	} {
		name := strings.Join(append([]string{c.scenario + "@" + c.seed}, c.settings...), " ")
		var ran struct {
			Hash   string `json:"hash"`
			Events int64  `json:"events"`
			Traced int64  `json:"traced"`
		}
		if err := json.Unmarshal([]byte(printed(t, append([]string{"run", c.scenario, "--seed", c.seed, "--json"}, c.settings...))), &ran); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		page := printed(t, append([]string{"trace", c.scenario + "@" + c.seed, "--kind", "connect"}, c.settings...))
		hash, steps := shownHash.FindStringSubmatch(page), shownSteps.FindStringSubmatch(page)
		if hash == nil || steps == nil {
			t.Fatalf("%s: no hash or no count in\n%s", name, page)
		}
		if hash[1] != ran.Hash {
			t.Errorf("%s: the run's hash is %s, the trace's %s", name, ran.Hash, hash[1])
		}
		if steps[1] != strconv.FormatInt(ran.Traced, 10) {
			t.Errorf("%s: the run has %d events of a trace, the trace %s", name, ran.Traced, steps[1])
		}
		if counted := steps[2]; counted != strconv.FormatInt(ran.Events, 10) && (counted != "" || ran.Events != ran.Traced) {
			t.Errorf("%s: the run counts %d steps, the trace says %q", name, ran.Events, counted)
		}
	}
}

// Whatever a trace shows fits its width: the page of a failed run with events of all kinds, and the diagram.
func TestTraceFitsItsWidth(t *testing.T) {
	plan := filepath.Join(t.TempDir(), "plan")
	text := "at 1s drop tab1 loses 3 messages reconnect after 200ms\nat 2s black hole tab2.up for 300ms\n" +
		"at 3s cut tab3.down after 100 bytes reconnect after 1s\n"
	if err := os.WriteFile(plan, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "run.zst")
	printed(t, []string{"run", "churn", "--plan", plan, "--trace", file})
	for _, args := range [][]string{
		{"trace", file},
		{"trace", file, "--diagram"},
		{"trace", file, "--width", "80"},
		{"trace", file, "--diagram", "--width", "90", "--kind", "fault", "--kind", "lost", "--kind", "state"},
		{"trace", "canary@13"},
		{"trace", "canary@13", "--diagram", "--last", "1s"},
		{"trace", "canary@13", "mode=stuck", "--width", "80"},
		{"trace", "canary@13", "mode=loop", "--diagram"},
		{"trace", "canary@13", "mode=panic"},
	} {
		width := trace.DefaultWidth
		if i := slices.Index(args, "--width"); i > 0 {
			width, _ = strconv.Atoi(args[i+1])
		}
		page := printed(t, args)
		if strings.Count(page, "\n") < 5 {
			t.Errorf("%v: there is hardly anything:\n%s", args, page)
		}
		for line := range strings.Lines(page) {
			line = strings.TrimSuffix(line, "\n")
			if n := utf8.RuneCountInString(line); n > width && !strings.HasPrefix(line, "reproduce: ") {
				t.Errorf("%v: a line of %d characters: %s", args, n, line)
			}
		}
	}
}

// printed runs a command in this process and returns what it printed. It may fail, but not for bad usage.
func printed(t *testing.T, args []string) string {
	t.Helper()
	var out, complaint bytes.Buffer
	if status := run(args, &out, &complaint); status == exitUsage || complaint.Len() > 0 {
		t.Fatalf("%v: status %d: %s", args, status, &complaint)
	}
	return out.String()
}

// A trace that is cut anywhere, or of which any byte is another, is read as far as it goes or refused: one line, status 2 and no
// panic. A whole one is read.
func TestTraceOfDamagedFiles(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "run.zst")
	printed(t, []string{"run", "canary", "--seed", "13", "--trace", name})
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	all := printed(t, []string{"trace", name})
	look := func(what string, at int, file []byte) {
		t.Helper()
		damaged := filepath.Join(dir, "damaged.zst")
		if err := os.WriteFile(damaged, file, 0o666); err != nil {
			t.Fatal(err)
		}
		var out, complaint bytes.Buffer
		e := &env{stdout: &out, stderr: &complaint}
		if err := (&traceCmd{Source: damaged, Width: trace.DefaultWidth}).Run(e); err != nil { // as run has it, but for the flags
			e.exit = e.usage(err)
		}
		status, line := e.exit, complaint.String()
		switch {
		case status == exitOK && out.String() == all:
			if what == "cut" {
				t.Errorf("cut at %d: taken for whole", at)
			}
		case status != exitUsage || strings.Count(line, "\n") != 1 || !strings.HasPrefix(line, "simrun: trace ") || len(line) > 400:
			t.Errorf("%s at %d: status %d, %q", what, at, status, line)
		case strings.Contains(out.String(), "hash "+shownHash.FindStringSubmatch(all)[1]):
			t.Errorf("%s at %d: it has a hash", what, at)
		}
	}
	for i := range whole {
		look("cut", i, whole[:i])
		for _, other := range []byte{0x01, 0x80} {
			file := bytes.Clone(whole)
			file[i] ^= other
			look("changed", i, file)
		}
	}
}
