package repro

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"chordsim/sim"
	"chordsim/sim/trace"
)

func sample() *File {
	f := Failure{Kind: Violated, Text: "C11 violated at 64.31s at tab: missed <revision> 4107"}
	return &File{
		Format: Format, Version: Version, Scenario: "churn", Settings: []string{"size=small"}, Seed: 1<<64 - 1,
		Plan: "at 2s stall tab.down for 60s\n", Workload: Text{"workload churn", "tab1 1s st 1 2"}, Headline: "churn · 3 tabs", Fingerprint: f.Fingerprint(), Failure: f,
		Hash: "0123456789abcdef", Events: 12, Decisions: []trace.Label{{Name: "jitter tab", Draws: 3, Hash: "0123456789abcdef"}}, Build: ThisBuild(),
	}
}

func TestFileRoundTrip(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	name, err := sample().Write(dir)
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(dir, "C11-churn-18446744073709551615.json"); name != want {
		t.Errorf("%s, want %s", name, want)
	}
	got, err := Read(name)
	if err != nil {
		t.Fatal(err)
	}
	want := sample()
	want.Seal = want.seal()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read %+v", got)
	}
	if _, err := sample().Write(dir); err != nil {
		t.Errorf("a second time: %v", err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("%v, %v: want the file alone", files, err)
	}
	if info, err := os.Stat(name); err != nil || info.Size() > 4<<10 {
		t.Errorf("%v, %d bytes", err, info.Size())
	}
}

// A file that is cut anywhere, or has a byte of another kind, is refused in one line; none of it is a panic.
func TestDamagedFiles(t *testing.T) {
	text, err := sample().Append(nil)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range len(text) - 2 {
		if _, err := Parse(text[:cut]); err == nil || strings.Contains(err.Error(), "\n") {
			t.Fatalf("cut at %d of %d: %v", cut, len(text), err)
		}
	}
	for _, c := range []struct{ old, now, want string }{
		{`"version": 2`, `"version": 1`, "a repro file of version 1; this program reads version 2"},
		{`"version": 2`, `"version": 3`, "a repro file of version 3; this program reads version 2"},
		{`"3 0123456789abcdef jitter tab"`, `"3 0123456789abcde jitter tab"`, `damaged: the decisions "3 0123456789abcde jitter tab", want a number of draws, 16 hexadecimal digits and a label`},
		{`"3 0123456789abcdef jitter tab"`, `"-3 0123456789abcdef jitter tab"`, `damaged: the decisions "-3 `},
		{`"3 0123456789abcdef jitter tab"`, `"3 0123456789abcdef"`, `damaged: the decisions "3 `},
		{`"3 0123456789abcdef jitter tab"`, `3`, `damaged: `},
		{`"tab1 1s st 1 2"`, `7`, "damaged: line 12: cannot unmarshal number"},
		{`"chordsim-repro"`, `"other"`, `not a repro file: its format is "other", want "chordsim-repro"`},
		{`"kind": "violated"`, `"kind": "odd"`, `damaged: the failure's kind is "odd", want one of `},
		{`"hash": "0123456789abcdef",` + "\n" + `  "events"`, `"hash": "x",` + "\n" + `  "events"`, `damaged: the hash is "x", want 16 hexadecimal digits`},
		{`"scenario": "churn"`, `"scenario": ""`, "damaged: no scenario"},
		{`"seed": 18446744073709551615`, `"seed": -1`, "damaged: line 8: cannot unmarshal number -1"},
		{`"events": 12`, `"happenings": 12`, `damaged: unknown field "happenings"`},
	} {
		changed := strings.Replace(string(text), c.old, c.now, 1)
		if changed == string(text) {
			t.Fatalf("no %s in %s", c.old, text)
		}
		if _, err := Parse([]byte(changed)); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.now, err, c.want)
		}
	}
	if _, err := Parse(make([]byte, MaxFile+1)); err == nil {
		t.Error("a file over the limit was read")
	}
}

func TestBuildChanges(t *testing.T) {
	b := ThisBuild()
	if got := b.Changes(b); len(got) != 0 {
		t.Errorf("the same build differs: %q", got)
	}
	other := b
	other.Binary, other.Go, other.Modules = "x", "go1.2", map[string]string{"github.com/klauspost/compress": "v9"}
	got := strings.Join(b.Changes(other), "; ")
	if !strings.Contains(got, "Go go1.2, was "+b.Go) || !strings.Contains(got, "github.com/klauspost/compress v9, was ") {
		t.Errorf("%s", got)
	}
	relinked := b
	relinked.Binary = "x"
	if got := b.Changes(relinked); len(got) != 1 || !strings.HasPrefix(got[0], "program x, was ") {
		t.Errorf("%q", got)
	}
}

func TestFailureOf(t *testing.T) {
	for _, c := range []struct {
		report sim.Report
		want   Kind
	}{
		{sim.Report{Violations: []string{"C1"}, Failures: []string{"late"}, Stuck: []string{"stuck"}}, Violated},
		{sim.Report{Failures: []string{"late"}, Stuck: []string{"stuck"}}, Missed},
		{sim.Report{Stuck: []string{"stuck"}}, Stuck},
		{sim.Report{}, ""},
	} {
		if f, failed := FailureOf(&c.report); f.Kind != c.want || failed != (c.want != "") {
			t.Errorf("%+v: %v, %t", c.report, f, failed)
		}
	}
}
