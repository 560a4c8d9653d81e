package chordsim_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// modulePath is the path of this module in go.mod.
const modulePath = "chordsim"

// module is the source of all packages, and the build configurations to check them in.
type module struct {
	fset     *token.FileSet
	packages []*pkgSources
	configs  []*config
	exports  *exports
}

// pkgSources is a directory with its Go files, or with what else the go command compiles there.
type pkgSources struct {
	path  string // below the module, such as "core/link"; empty for the root
	files []*source
	tests []*source // not parsed
	names []string  // of all files that the go command may compile; relative to the module's root
}

// source is one Go file.
type source struct {
	name string // relative to the module's root, with slashes
	src  []byte
	ast  *ast.File
	std  []string // imports of the standard library that a fixture takes as allowed
	near []near   // what a fixture has beside it
}

// near is a file of which a fixture gives the name alone.
type near struct {
	name string
	line int // in the fixture
}

// buildTags are the configurations that are checked. A file of deterministic code that is in none of them breaks the
// rule build-tag. The second is checked only if it selects other files than the first.
var buildTags = []string{"", "mutants"}

// load runs once for all tests of this package: it is what takes their time.
var load = sync.OnceValues(func() (*module, error) {
	m := &module{fset: token.NewFileSet()}
	if err := m.walk(); err != nil {
		return nil, err
	}
	outside, err := m.outsideImports()
	if err != nil {
		return nil, err
	}
	if m.exports, err = listExports(m.fset, outside); err != nil {
		return nil, err
	}
	for i, tags := range buildTags {
		c := newConfig(m, tags)
		if i == 0 || m.differs(m.configs[0], c) {
			m.configs = append(m.configs, c)
		}
	}
	return m, nil
})

func loadModule(t *testing.T) *module {
	t.Helper()
	m, err := load()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// walk parses every Go file but tests, which it only reads. It opens files and directories in this process (not only in
// the go command), so that "go test" knows them and does not answer from its cache after a change.
func (m *module) walk() error {
	byDir := map[string]*pkgSources{}
	return filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name != "." && skipDir(name, d.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		isGo := strings.HasSuffix(name, ".go")
		if !isGo && !foreign(name) || strings.ContainsAny(d.Name()[:1], "._") {
			return nil
		}
		name = filepath.ToSlash(name)
		dir := strings.TrimPrefix(path.Dir(name), ".")
		p := byDir[dir]
		if p == nil {
			p = &pkgSources{path: dir}
			byDir[dir] = p
			m.packages = append(m.packages, p)
		}
		p.names = append(p.names, name)
		if !isGo {
			return nil
		}
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if strings.HasSuffix(name, "_test.go") {
			p.tests = append(p.tests, &source{name: name, src: src})
			return nil
		}
		s, err := newSource(m.fset, name, src)
		p.files = append(p.files, s)
		return err
	})
}

// skipDir reports directories that "./..." does not match either.
func skipDir(name, base string) bool {
	if base == "testdata" || base == "vendor" || strings.ContainsAny(base[:1], "._") {
		return true
	}
	_, err := os.Stat(filepath.Join(name, "go.mod"))
	return err == nil
}

func newSource(fset *token.FileSet, name string, src []byte) (*source, error) {
	f, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	s := &source{name: name, src: src, ast: f}
	if strings.HasSuffix(name, ".go.txt") {
		s.readHeader()
	}
	return s, nil
}

// readHeader reads what a fixture says of itself: standard packages that it takes as allowed, to show what is banned of
// them ("// std: runtime"), and names of files beside it ("// file: x_linux.go").
func (s *source) readHeader() {
	line := 0
	for text := range strings.Lines(string(s.src)) {
		line++
		if list, ok := strings.CutPrefix(text, "// std: "); ok {
			s.std = append(s.std, strings.Fields(list)...)
		}
		if rest, ok := strings.CutPrefix(text, "// file: "); ok {
			s.near = append(s.near, near{name: strings.Fields(rest)[0], line: line})
		}
	}
}

func parseSource(t *testing.T, fset *token.FileSet, name string, src []byte) *source {
	t.Helper()
	s, err := newSource(fset, name, src)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// outsideImports returns the packages of other modules and of the standard library whose types are needed. Blank
// imports of fixtures are there for the import rules only; they need no types.
func (m *module) outsideImports() ([]string, error) {
	needed := map[string]bool{}
	add := func(f *ast.File, blank bool) {
		for _, spec := range f.Imports {
			p := importPath(spec)
			if kindOf(p) != kindInternal && p != "C" && p != "unsafe" && (blank || spec.Name == nil || spec.Name.Name != "_") {
				needed[p] = true
			}
		}
	}
	for _, p := range m.packages {
		for _, s := range p.files {
			if deterministic(p.path) {
				add(s.ast, true)
			}
		}
	}
	names, err := filepath.Glob("testdata/rules/*.go.txt")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return nil, err
		}
		add(f, false)
	}
	return slices.Sorted(maps.Keys(needed)), nil
}

// importPath returns the path that an import names.
func importPath(spec *ast.ImportSpec) string {
	p, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return spec.Path.Value
	}
	return p
}
