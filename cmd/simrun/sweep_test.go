package main

import (
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"chordsim/sim/sweep"
	"chordsim/sim/sweep/repro"
)

// failingCommand makes the command simfail of the scripts.
func failingCommand(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &exec.Cmd{Path: self, Args: append([]string{"simfail"}, args...), Dir: t.TempDir()}
}

// TestSweepInterrupted interrupts a sweep in its sixth run, which does not end. What was played is there, and can be read.
func TestSweepInterrupted(t *testing.T) {
	t.Parallel()
	cmd := failingCommand(t, "sweep", "--scenario", "waits", "--seeds", "1-1000", "--jobs", "1", "--twice-share", "0")
	dir, err := os.MkdirTemp("", "waits") // a socket's name must be short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	socket := filepath.Join(dir, "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Skip("no unix sockets here: ", err)
	}
	defer l.Close()
	cmd.Env = append(os.Environ(), "SIMFAIL_SOCKET="+socket)
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// A run that fails is played once more to see what it draws: seeds 1 to 5 are 7 plays.
	for range 7 {
		c, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
	}
	last, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer last.Close()
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted {
		t.Fatalf("%v, want exit status %d; stderr %s", err, exitInterrupted, stderr.String())
	}
	for _, want := range []string{"5 of 1,000 runs in ", " s, interrupted: ", "failures: 2 of 5 runs, 1 fingerprint (2 violated)", "C2 violated at tab: a gap"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("no %q in\n%s", want, stdout.String())
		}
	}
	list := failingCommand(t, "failures", "--json")
	list.Dir = cmd.Dir
	text, err := list.Output()
	if err != nil {
		t.Fatalf("the results cannot be read: %v", err)
	}
	var got struct {
		Sweep  sweep.SweepRow
		Groups []sweep.GroupRow
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if got.Sweep.Runs != 5 || got.Sweep.Failed != 2 || got.Sweep.Ending != string(sweep.Interrupted) || len(got.Groups) != 1 || got.Groups[0].First.Seed != 2 {
		t.Fatalf("the file has %+v", got)
	}
	if _, err := os.Stat(filepath.Join(cmd.Dir, got.Groups[0].First.Repro)); err != nil || got.Groups[0].First.Repro == "" {
		t.Errorf("repro file %q: %v", got.Groups[0].First.Repro, err)
	}
}

// TestSweepOutputIsBounded sweeps into 2,000 fingerprints, each as long as they come.
func TestSweepOutputIsBounded(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{}, {"--json"}} {
		cmd := failingCommand(t, append([]string{"sweep", "--scenario", "many", "--seeds", "1-2000", "--twice-share", "0"}, args...)...)
		text, err := cmd.Output()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != exitFailed {
			t.Fatalf("%v: %s", err, text)
		}
		if len(text) > 10_000 || len(text) < 5_000 {
			t.Errorf("%q: %d bytes, want some of the groups in at most 10,000", args, len(text))
		}
		if want := "2,000 fingerprints"; len(args) == 0 && !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
		files, err := os.ReadDir(filepath.Join(cmd.Dir, "out", "repro"))
		if err != nil || len(files) != sweep.MaxRepros {
			t.Errorf("%d repro files, want %d; %v", len(files), sweep.MaxRepros, err)
		}
		for _, f := range files[:3] {
			if info, err := f.Info(); err != nil || info.Size() > 8<<10 {
				t.Errorf("%s: %v, %d bytes", f.Name(), err, info.Size())
			}
		}
	}
}

// TestReplayOfAnotherRun changes what a repro file says, and wants the replay to say what differs.
func TestReplayOfAnotherRun(t *testing.T) {
	t.Parallel()
	made := failingCommand(t, "sweep", "--scenario", "violates", "--seeds", "3")
	if _, err := made.Output(); err == nil {
		t.Fatal("nothing failed")
	}
	name := filepath.Join(made.Dir, "out", "repro", "C11-violates-3.json")
	for _, c := range []struct {
		what   string
		change func(*repro.File)
		exit   int
		want   []string
	}{
		{"nothing", func(*repro.File) {}, exitFailed, []string{"replayed to the byte\n"}},
		{"hash", func(f *repro.File) { f.Hash = "0123456789abcdef" }, exitDiffers,
			[]string{"the same build plays another run: it is not deterministic (D1, D4)\n", ", was 0123456789abcdef\n"}},
		{"hash and build", func(f *repro.File) { f.Hash, f.Build.Binary, f.Build.Go = "0123456789abcdef", "", "go1.2" }, exitFailed,
			[]string{"the same failure, in another run\n", ", was 0123456789abcdef\n", "  build: Go go1.", ", was go1.2\n"}},
		{"fingerprint", func(f *repro.File) { f.Fingerprint = "C1 violated at x: y" }, exitFailed,
			[]string{"the same run, judged otherwise\n", "  fingerprint was C1 violated at x: y\n"}},
		{"seed", func(f *repro.File) { f.Seed, f.Build.Binary = 4, "" }, exitOK,
			[]string{"another run\n", "now nothing fails\n"}},
		{"decisions", func(f *repro.File) { f.Decisions[0].Hash = "0123456789abcdef" }, exitFailed,
			[]string{"random draws: the first label that differs is \"" /* label */}},
		{"plan", func(f *repro.File) { f.Hash = ""; f.Failure.Kind = repro.Panicked }, exitFailed, []string{", was none (it came to no end)\n"}},
		{"other build", func(f *repro.File) { f.Build.Binary = "" }, exitFailed, []string{"replayed to the byte, by another build\n"}},
	} {
		f, err := repro.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		c.change(f)
		changed, err := f.Write(filepath.Join(made.Dir, "changed"))
		if err != nil {
			t.Fatal(err)
		}
		cmd := failingCommand(t, "replay", changed)
		text, err := cmd.Output()
		if got := cmd.ProcessState.ExitCode(); got != c.exit {
			t.Errorf("%s: exit status %d, want %d (%v)", c.what, got, c.exit, err)
		}
		for _, want := range c.want {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s: no %q in\n%s", c.what, want, text)
			}
		}
	}
}

// TestFailuresOfADamagedFile cuts and changes a file of results at many places: it reads as before, or one line says no.
func TestFailuresOfADamagedFile(t *testing.T) {
	t.Parallel()
	made := failingCommand(t, "sweep", "--scenario", "violates", "--seeds", "1-30")
	if _, err := made.Output(); err == nil {
		t.Fatal("nothing failed")
	}
	whole, err := os.ReadFile(filepath.Join(made.Dir, "out", "sweep.db"))
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	try := func(what string, text []byte) {
		t.Helper()
		name := filepath.Join(t.TempDir(), "damaged.db")
		if err := os.WriteFile(name, text, 0o666); err != nil {
			t.Fatal(err)
		}
		var stdout, stderr strings.Builder
		switch status := run([]string{"failures", name}, &stdout, &stderr); {
		case status == exitOK && stderr.Len() == 0:
		case status == exitUsage && stdout.Len() == 0 && strings.Count(stderr.String(), "\n") == 1 && strings.HasPrefix(stderr.String(), "simrun: failures: "+name):
			refused++
		default:
			t.Errorf("%s: status %d, stdout %q, stderr %q", what, status, stdout.String(), stderr.String())
		}
	}
	for cut := 1; cut < len(whole); cut += 1 + len(whole)/23 {
		try("cut", whole[:cut])
	}
	if refused < 20 {
		t.Errorf("of 23 cut files %d were refused", refused)
	}
	for at := 16; at < len(whole); at += 1 + len(whole)/40 {
		damaged := append([]byte(nil), whole...)
		for i := at; i < min(at+64, len(whole)); i++ {
			damaged[i] ^= 0x55
		}
		try("changed", damaged)
	}
	header := append([]byte(nil), whole...)
	header[63]++
	before := refused
	try("another version", header)
	header[63]--
	header[68]++
	try("another application", header)
	if refused != before+2 {
		t.Error("another version or application was read")
	}
}
