package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chordsim/sim/sweep/repro"
)

// recordedRun sweeps one seed of a scenario and returns the folder, and the repro file in it.
func recordedRun(t *testing.T, scenario string, seed int, want string) (dir, name string) {
	t.Helper()
	made := failingCommand(t, "sweep", "--scenario", scenario, "--seeds", fmt.Sprint(seed))
	if text, err := made.Output(); err == nil {
		t.Fatalf("nothing failed: %s", text)
	}
	name = filepath.Join(made.Dir, "out", "repro", want)
	if _, err := os.Stat(name); err != nil {
		t.Fatal(err)
	}
	return made.Dir, name
}

// replayOutput replays a file and returns what that says and its exit status.
func replayOutput(t *testing.T, name string, env ...string) (string, int) {
	t.Helper()
	cmd := failingCommand(t, "replay", name)
	cmd.Env = append(os.Environ(), env...)
	text, _ := cmd.CombinedOutput()
	return string(text), cmd.ProcessState.ExitCode()
}

// TestOpenraft2092InARepro wants a repro file to play its run when the scenario's generator draws one value more from a stream
// that it has (D4), also where the run does not come to its end; and another run without the recorded workload.
func TestOpenraft2092InARepro(t *testing.T) {
	t.Parallel()
	const more = "SIMFAIL_MORE_DRAWS=1"
	dir, name := recordedRun(t, "works", 3, "C2-works-3.json")
	text, status := replayOutput(t, name, more)
	if status != exitFailed || !strings.HasSuffix(text, "replayed to the byte\n") {
		t.Errorf("status %d\n%s", status, text)
	}
	f, err := repro.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Workload) < 5 || f.WorkloadGiven || len(f.Edited()) > 0 {
		t.Fatalf("%+v", f)
	}
	f.Workload, f.Decisions = nil, nil
	without, err := f.Write(filepath.Join(dir, "without"))
	if err != nil {
		t.Fatal(err)
	}
	text, status = replayOutput(t, without, more)
	if status != exitDiffers || strings.Contains(text, "to the byte") {
		t.Errorf("without the workload: status %d, which is to differ\n%s", status, text)
	}

	_, name = recordedRun(t, "works", 5, "panic-works-5.json")
	if f, err = repro.Read(name); err != nil || len(f.Workload) < 5 {
		t.Fatalf("a panic: %v, %d lines of workload", err, len(f.Workload))
	}
	text, status = replayOutput(t, name, more)
	if status != exitFailed || !strings.HasSuffix(text, "failed again the same way (no hash: the run did not end)\n") {
		t.Errorf("a panic: status %d\n%s", status, text)
	}
}

// TestReplayOfAnEditedWorkload takes half of the lines out of a file, as a person would, and wants that played and told.
func TestReplayOfAnEditedWorkload(t *testing.T) {
	t.Parallel()
	dir, name := recordedRun(t, "works", 3, "C2-works-3.json")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	edit := func(change func(line string, n int) string) string {
		t.Helper()
		out, n := "", 0
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, `    "tab `) {
				n++
				line = change(line, n)
			}
			out += line
		}
		edited := filepath.Join(dir, "edited.json")
		if err := os.WriteFile(edited, []byte(out), 0o666); err != nil {
			t.Fatal(err)
		}
		return edited
	}
	got, status := replayOutput(t, edit(func(line string, n int) string {
		if n%2 == 0 {
			return ""
		}
		return line
	}))
	for _, want := range []string{"the same failure, in another run, as the file was edited\n", ", was ", "  edited since the file was written: workload\n"} {
		if status != exitFailed || !strings.Contains(got, want) {
			t.Errorf("status %d, no %q in\n%s", status, want, got)
		}
	}
	got, status = replayOutput(t, edit(func(line string, _ int) string { return strings.ReplaceAll(line, "post", "p%st") }))
	if want := `works: workload: line 2, column 15: found "p%st", expected a verb`; status != exitUsage || !strings.Contains(got, want) || strings.Count(got, "\n") != 1 {
		t.Errorf("status %d, no %q in\n%s", status, want, got)
	}
}

// TestReplayOfAnEditedPlan puts another plan into a file of churn, and wants that played and told.
func TestReplayOfAnEditedPlan(t *testing.T) {
	t.Parallel()
	made := failingCommand(t, "sweep", "--scenario", "churn", "--seeds", "1", "--plan", "idle.plan")
	made.Args[0] = "simrun"
	if err := os.WriteFile(filepath.Join(made.Dir, "idle.plan"), []byte("when message bound count 9999999 reset tab1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if text, err := made.Output(); err == nil {
		t.Fatalf("nothing failed: %s", text)
	}
	name := filepath.Join(made.Dir, "out", "repro", "D3-churn-1.json")
	for _, c := range []struct {
		plan   string
		status int
		want   []string
	}{
		{"when message bound count 9999999 reset tab1", exitFailed, []string{"replayed to the byte\n"}},
		{"at 1s reset tab1", exitOK, []string{
			"another run, as the file was edited\n", "now nothing fails\n", ", was ", "  edited since the file was written: plan\n",
		}},
		{"when message bound count 8888888 reset tab1", exitFailed, []string{"replayed to the byte\n", "  edited since the file was written: plan\n"}},
	} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		edited := filepath.Join(made.Dir, "edited.json")
		text = []byte(strings.Replace(string(text), `"plan": "when message bound count 9999999 reset tab1`, `"plan": "`+c.plan, 1))
		if err := os.WriteFile(edited, text, 0o666); err != nil {
			t.Fatal(err)
		}
		cmd := failingCommand(t, "replay", edited)
		cmd.Args[0] = "simrun"
		got, _ := cmd.CombinedOutput()
		for _, want := range c.want {
			if status := cmd.ProcessState.ExitCode(); status != c.status || !strings.Contains(string(got), want) {
				t.Errorf("%s: status %d, want %d; no %q in\n%s", c.plan, status, c.status, want, got)
			}
		}
	}
}

// TestReplayOfATest wants the file of a world of go test to say what plays it.
func TestReplayOfATest(t *testing.T) {
	t.Parallel()
	f := &repro.File{
		Scenario: "TestX", Seed: 7, Test: "TestX", Command: "go test ./pkg -run '^TestX$'", Fingerprint: "missed: x",
		Failure: repro.Failure{Kind: repro.Missed, Text: "x"},
	}
	dir := filepath.Join(t.TempDir(), "a b")
	name, err := f.Write(dir)
	if err != nil {
		t.Fatal(err)
	}
	got, status := replayOutput(t, name)
	want := fmt.Sprintf("simrun: replay: %s: a world of TestX; play it with: go test ./pkg -run '^TestX$' -sim.repro='%s'\n", name, name)
	if status != exitUsage || got != want {
		t.Errorf("status %d\n%s, want\n%s", status, got, want)
	}
}

// TestEmptied: a plan that somebody took out of a file is one without faults, and not the seed's; a file that never had one
// draws it.
func TestEmptied(t *testing.T) {
	written := func(plan, work string) *repro.File {
		failure := repro.Failure{Kind: repro.Violated, Text: "C1 is violated"}
		f := &repro.File{
			Scenario: "churn", Seed: 1, Plan: plan, Workload: repro.TextOf(work),
			Fingerprint: failure.Fingerprint(), Failure: failure, Build: repro.ThisBuild(),
		}
		name := filepath.Join(t.TempDir(), "file.json")
		text, err := f.Append(nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if f, err = repro.Read(name); err != nil {
			t.Fatal(err)
		}
		return f
	}
	f := written("at 1s reset tab1", "workload churn\ntab1 1s reload\n")
	f.Plan = ""
	if err := emptied(f); err != nil || f.Plan == "" {
		t.Errorf("a plan that was emptied: %v, %q", err, f.Plan)
	}
	f.Workload = repro.TextOf("")
	if err := emptied(f); err == nil || !strings.Contains(err.Error(), "workload churn") {
		t.Errorf("a workload that was emptied: %v", err)
	}
	f = written("", "")
	if err := emptied(f); err != nil || f.Plan != "" {
		t.Errorf("a file without a plan: %v, %q", err, f.Plan)
	}
}
