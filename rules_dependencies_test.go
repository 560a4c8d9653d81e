package chordsim_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "rewrite testdata/dependencies.golden from the tree")

const (
	dependenciesGolden = "testdata/dependencies.golden"
	dependenciesDoc    = "docs/DEPENDENCIES.md"
	// laterHeading ends the part of the document that counts: below are modules that nothing imports yet.
	laterHeading = "\n## Chosen for later"
)

// TestDependencies compares the modules that are compiled in with the golden list, so that none comes in, goes or
// changes its version unseen, and wants a row with the reason of each module that go.mod requires directly.
func TestDependencies(t *testing.T) {
	required, err := directRequirements()
	if err != nil {
		t.Fatal(err)
	}
	checkDocumented(t, required)
	if t.Failed() {
		return // no rewriting of a list whose reasons are missing
	}
	got, err := dependencyList()
	if err != nil {
		t.Fatal(err)
	}
	if *rewrite {
		if err := os.WriteFile(dependenciesGolden, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(dependenciesGolden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the modules compiled in are not those of %s:\n%s"+
			"If that is meant: add the reason to %s, run \"go test . -run TestDependencies -rewrite\", review the diff.",
			dependenciesGolden, lineDiff(string(want), got), dependenciesDoc)
	}
}

// TestDependencyDocCanFail shows that a missing row, an old version and a row in the wrong part are all noticed.
func TestDependencyDocCanFail(t *testing.T) {
	doc := "| module | version |\n| `a.org/x` | v1.0.0 |\n" + laterHeading + "\n| `a.org/y` | v1.0.0 |\n"
	for _, c := range []struct {
		path, version string
		ok            bool
	}{
		{"a.org/x", "v1.0.0", true},
		{"a.org/x", "v1.0.1", false},
		{"a.org/y", "v1.0.0", false},
		{"a.org", "v1.0.0", false},
	} {
		if got := undocumented(doc, c.path, c.version) == ""; got != c.ok {
			t.Errorf("%s %s: documented = %t, want %t", c.path, c.version, got, c.ok)
		}
	}
	if got, want := lineDiff("a 1\nb 1\n", "b 1\nc 1\n"), "  - a 1\n  + c 1\n"; got != want {
		t.Errorf("difference %q, want %q", got, want)
	}
}

// requirement is a module with its version, as go.mod requires it.
type requirement struct {
	Path, Version string
	Indirect      bool
}

// directRequirements returns what go.mod requires without "// indirect".
func directRequirements() ([]requirement, error) {
	// Opened here so that "go test" forgets its cached answer when they change: it does not see what go list reads.
	for _, name := range []string{"go.mod", "go.sum"} {
		if _, err := os.ReadFile(name); err != nil && !os.IsNotExist(err) {
			return nil, err
		}
	}
	out, err := goCommand(nil, "mod", "edit", "-json")
	if err != nil {
		return nil, err
	}
	var file struct{ Require []requirement }
	if err := json.Unmarshal(out, &file); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(file.Require, func(r requirement) bool { return r.Indirect }), nil
}

func checkDocumented(t *testing.T, required []requirement) {
	t.Helper()
	doc, err := os.ReadFile(dependenciesDoc)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range required {
		if problem := undocumented(string(doc), r.Path, r.Version); problem != "" {
			t.Errorf("%s: %s", dependenciesDoc, problem)
		}
	}
}

// undocumented says what the document lacks about a module, or "".
func undocumented(doc, path, version string) string {
	doc, _, _ = strings.Cut(doc, laterHeading)
	for line := range strings.Lines(doc) {
		rest, ok := strings.CutPrefix(line, "| `"+path+"` |")
		if !ok {
			continue
		}
		if got, _, _ := strings.Cut(rest, "|"); strings.TrimSpace(got) != version {
			return fmt.Sprintf("the row of %s says %s, go.mod %s", path, strings.TrimSpace(got), version)
		}
		return ""
	}
	return fmt.Sprintf("no row \"| `%s` | %s | …\": say what it is for and what was weighed against it", path, version)
}

// dependencyList returns the text of the golden file.
func dependencyList() (string, error) {
	compiled, err := modulesOf()
	if err != nil {
		return "", err
	}
	withTests, err := modulesOf("-test")
	if err != nil {
		return "", err
	}
	for m := range compiled {
		delete(withTests, m)
	}
	var b strings.Builder
	section := func(title string, modules map[string]bool) {
		b.WriteString("# " + title + "\n")
		for _, m := range slices.Sorted(maps.Keys(modules)) {
			b.WriteString(m + "\n")
		}
	}
	section("compiled into ./... (packages)", compiled)
	b.WriteString("\n")
	section("compiled into tests only", withTests)
	return b.String(), nil
}

// modulesOf returns the modules of all packages that the go command compiles for ./..., each as "path version". The
// platform is fixed, so that the list is the same on every machine.
func modulesOf(flags ...string) (map[string]bool, error) {
	env := []string{"GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0"}
	args := append([]string{"list", "-deps"}, flags...)
	out, err := goCommand(env, append(args, "-json=Module", "./...")...)
	if err != nil {
		return nil, err
	}
	modules := map[string]bool{}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			Module *struct {
				Path, Version string
				Main          bool
				Replace       *struct{ Path, Version string }
			}
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return modules, nil
		} else if err != nil {
			return nil, fmt.Errorf("output of go list: %w", err)
		}
		if p.Module == nil || p.Module.Main {
			continue
		}
		m := p.Module.Path + " " + p.Module.Version
		if r := p.Module.Replace; r != nil {
			m += strings.TrimRight(" => "+r.Path+" "+r.Version, " ")
		}
		modules[m] = true
	}
}

// lineDiff returns the lines that only one side has.
func lineDiff(want, got string) string {
	var b strings.Builder
	only := func(mark, from, other string) {
		lines := strings.Split(other, "\n")
		for _, line := range strings.Split(from, "\n") {
			if !slices.Contains(lines, line) {
				b.WriteString("  " + mark + " " + line + "\n")
			}
		}
	}
	only("-", want, got)
	only("+", got, want)
	return b.String()
}
