// Package chordsim_test holds the rules of the repository as tests: who may import whom, what deterministic code must
// not do, and which third-party modules are compiled in.
//
//   - rules_table_test.go: the tables, to be edited when a package, a dependency or an exception is added.
//   - rules_imports_test.go, rules_bans_test.go, rules_floats_test.go: the checks.
//   - rules_load_test.go, rules_types_test.go: how sources and types get here.
//   - rules_dependencies_test.go: the third-party modules that are compiled in.
//   - testdata/rules: one fixture or more for each rule, the proof that it can fail.
package chordsim_test

import (
	"cmp"
	"fmt"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// finding is one breach of a rule.
type finding struct {
	pos      token.Position
	function string // the enclosing function or "Type.Method"; empty outside of functions
	rule     string
	what     string
	why      string // a reason of its own; empty: the rule's
}

func (f finding) String() string {
	why := f.why
	if why == "" {
		why = rules[f.rule]
	}
	return fmt.Sprintf("%s:%d: rule %s: %s; why: %s", f.pos.Filename, f.pos.Line, f.rule, f.what, why)
}

// sortFindings orders by place and drops what two build configurations both found.
func sortFindings(list []finding) []finding {
	slices.SortStableFunc(list, func(a, b finding) int {
		return cmp.Or(
			cmp.Compare(a.pos.Filename, b.pos.Filename),
			cmp.Compare(a.pos.Line, b.pos.Line),
			cmp.Compare(a.rule, b.rule),
			cmp.Compare(a.what, b.what),
		)
	})
	return slices.CompactFunc(list, func(a, b finding) bool { return a.String() == b.String() })
}

// TestRules checks every package of the module.
func TestRules(t *testing.T) {
	m := loadModule(t)
	var found []finding
	for _, p := range m.packages {
		found = append(found, checkImports(m.fset, p)...)
		if !deterministic(p.path) {
			continue
		}
		found = append(found, checkBuildTags(m.fset, p)...)
		for _, c := range m.configs {
			done := c.check(p)
			if done.err != nil {
				t.Errorf("%s does not type-check with tags %q, so its rules are checked in part only: %v", p.path, c.tags, done.err)
			}
			found = append(found, checkBans(m.fset, p.path, p.filesIn(c), done.info)...)
		}
	}
	used := map[exception]bool{}
	for _, f := range sortFindings(found) {
		if e, ok := excepted(f); ok {
			used[e] = true
			continue
		}
		t.Error(f)
	}
	for _, e := range exceptions {
		if !used[e] {
			t.Errorf("exceptions: the one of rule %s in %s (function %q) excuses nothing any more: remove it", e.rule, e.file, e.function)
		}
	}
}

// excepted returns the exception that excuses f.
func excepted(f finding) (exception, bool) {
	for _, e := range exceptions {
		if e.rule == f.rule && e.file == f.pos.Filename && (e.function == "" || e.function == f.function) {
			return e, true
		}
	}
	return exception{}, false
}

// TestTables keeps the tables honest: every entry says why, names a rule that exists, and appears once.
func TestTables(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range packageTable {
		if r.why == "" {
			t.Errorf("package table: %s has no reason", r.pkg)
		}
		if (len(r.std) > 0 || len(r.skip) > 0) && r.apart == "" {
			t.Errorf("package table: %s is set apart (%v %v) without a reason", r.pkg, r.std, r.skip)
		}
		if seen[r.pkg] {
			t.Errorf("package table: %s is there twice", r.pkg)
		}
		seen[r.pkg] = true
		for _, name := range r.skip {
			if rules[name] == "" {
				t.Errorf("package table: %s skips the unknown rule %q", r.pkg, name)
			}
		}
	}
	for _, e := range exceptions {
		if e.why == "" || rules[e.rule] == "" {
			t.Errorf("exceptions: %+v needs a known rule and a reason", e)
		}
	}
	for key, name := range bannedObjects {
		if rules[name] == "" {
			t.Errorf("banned objects: %s is under the unknown rule %q", key, name)
		}
	}
}

// want is the comment in a fixture that expects a finding on its line.
var want = regexp.MustCompile(`// want ([a-z-]+)`)

// TestRulesCanFail checks each fixture as if it were a file of the package that its first line names, and wants exactly
// the findings that its comments announce, of the rule after which the file is named. A rule without a fixture fails.
func TestRulesCanFail(t *testing.T) {
	m := loadModule(t)
	proven, clean := map[string]bool{}, false
	for _, path := range fixtures(t) {
		name, _, _ := strings.Cut(filepath.Base(path), ".")
		t.Run(strings.TrimSuffix(filepath.Base(path), ".go.txt"), func(t *testing.T) {
			got, wanted := checkFixture(t, m, path)
			if !slices.Equal(got, wanted) {
				t.Errorf("%s:\n got %v\nwant %v", path, got, wanted)
			}
			for _, w := range wanted {
				_, rule, _ := strings.Cut(w, " ")
				if rule != name {
					t.Errorf("%s: wants %s, but the file is named after %s", path, rule, name)
				}
				proven[rule] = true
			}
			clean = clean || len(wanted) == 0
			if (len(wanted) == 0) != (name == "clean") {
				t.Errorf("%s: %d findings wanted; a clean fixture is named clean, and only that", path, len(wanted))
			}
		})
	}
	for _, name := range slices.Sorted(maps.Keys(rules)) {
		if !proven[name] {
			t.Errorf("rule %s has no fixture in testdata/rules that shows it fail", name)
		}
	}
	if !clean {
		t.Error("no fixture shows clean code pass")
	}
}

// checkFixture returns the findings in a fixture and those that it wants, each as "line rule".
func checkFixture(t *testing.T, m *module, path string) (got, wanted []string) {
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(src), "\n")
	pkg, ok := strings.CutPrefix(first, "// package: ")
	if !ok {
		t.Fatalf("%s: the first line must be \"// package: PATH\"", path)
	}
	for i, line := range strings.Split(string(src), "\n") {
		for _, w := range want.FindAllStringSubmatch(line, -1) {
			wanted = append(wanted, fmt.Sprintf("%03d %s", i+1, w[1]))
		}
	}
	p := &pkgSources{path: pkg, files: []*source{parseSource(t, m.fset, path, src)}}
	found := checkImports(m.fset, p)
	if deterministic(pkg) {
		found = append(found, checkBuildTags(m.fset, p)...)
		c := newConfig(m, "")
		c.fixture = true
		done := c.check(p)
		if done.err != nil {
			t.Fatalf("%s does not type-check: %v", path, done.err)
		}
		found = append(found, checkBans(m.fset, pkg, p.filesIn(c), done.info)...)
	}
	for _, f := range sortFindings(found) {
		t.Log(f)
		got = append(got, fmt.Sprintf("%03d %s", f.pos.Line, f.rule))
	}
	slices.Sort(wanted)
	return slices.Compact(got), wanted
}

// fixtures returns the paths of all fixtures, sorted.
func fixtures(t *testing.T) []string {
	t.Helper()
	list, err := filepath.Glob("testdata/rules/*.go.txt")
	if err != nil || len(list) == 0 {
		t.Fatalf("no fixtures in testdata/rules (%v)", err)
	}
	return list
}
