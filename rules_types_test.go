package chordsim_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
)

// exports finds the compiled form of packages outside of this module: their types come from there.
type exports struct {
	files    map[string]string // by import path; empty where the package does not build
	importer types.Importer
}

// listExports asks the go command, which compiles what is not in its cache.
func listExports(fset *token.FileSet, imports []string) (*exports, error) {
	e := &exports{files: map[string]string{}}
	out, err := goCommand(nil, append([]string{"list", "-e", "-export", "-deps", "-json=ImportPath,Export", "--"}, imports...)...)
	if err != nil {
		return nil, err
	}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct{ ImportPath, Export string }
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("output of go list: %w", err)
		}
		e.files[p.ImportPath] = p.Export
	}
	e.importer = importer.ForCompiler(fset, "gc", func(p string) (io.ReadCloser, error) {
		if e.files[p] == "" {
			return nil, fmt.Errorf("%s does not build or is not in go.mod", p)
		}
		return os.Open(e.files[p])
	})
	return e, nil
}

// config is a set of build tags, with the packages of this module that were type-checked under it. They are checked
// from source, each when it is first imported, so that one that does not compile leaves the others checkable.
type config struct {
	m       *module
	tags    string
	fixture bool // packages of this module are those of the first configuration, or empty ones
	checked map[string]*checkedPackage
}

// checkedPackage is what is known of a package, even after an error. It has no types while it is being checked.
type checkedPackage struct {
	types *types.Package
	info  *types.Info
	err   error
}

func newConfig(m *module, tags string) *config {
	return &config{m: m, tags: tags, checked: map[string]*checkedPackage{}}
}

// matches reports whether the go command would build the file under the configuration.
func (c *config) matches(s *source) bool {
	ctx := build.Default
	ctx.BuildTags = strings.Fields(c.tags)
	ctx.CgoEnabled = true // a file with cgo is a finding, not a file to miss
	ctx.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(s.src)), nil }
	ok, err := ctx.MatchFile(path.Dir(s.name), strings.TrimSuffix(path.Base(s.name), ".txt"))
	return ok && err == nil
}

// filesIn returns the package's files under the configuration.
func (p *pkgSources) filesIn(c *config) []*ast.File {
	var files []*ast.File
	for _, s := range p.files {
		if c.matches(s) {
			files = append(files, s.ast)
		}
	}
	return files
}

// differs reports whether two configurations select different files of deterministic code.
func (m *module) differs(a, b *config) bool {
	return slices.ContainsFunc(m.packages, func(p *pkgSources) bool {
		return deterministic(p.path) && !slices.Equal(p.filesIn(a), p.filesIn(b))
	})
}

// has reports whether the module has the package.
func (m *module) has(dir string) bool {
	return slices.ContainsFunc(m.packages, func(p *pkgSources) bool { return p.path == dir && len(p.files) > 0 })
}

// Import implements [types.Importer].
func (c *config) Import(p string) (*types.Package, error) {
	if p == "unsafe" {
		return types.Unsafe, nil
	}
	if _, listed := c.m.exports.files[p]; listed && kindOf(p) != kindInternal {
		return c.m.exports.importer.Import(p)
	}
	dir := strings.TrimPrefix(strings.TrimPrefix(p, modulePath), "/")
	if c.fixture {
		if deterministic(dir) && c.m.has(dir) {
			return c.m.configs[0].Import(p)
		}
		fake := types.NewPackage(p, path.Base(p))
		fake.MarkComplete()
		return fake, nil
	}
	for _, sources := range c.m.packages {
		if sources.path == dir && kindOf(p) == kindInternal {
			if done := c.check(sources); done.types != nil {
				return done.types, nil
			}
			return nil, fmt.Errorf("import cycle through %s", p)
		}
	}
	return nil, fmt.Errorf("there is no package %s", p)
}

// check type-checks the package once.
func (c *config) check(p *pkgSources) *checkedPackage {
	if done := c.checked[p.path]; done != nil {
		return done
	}
	done := &checkedPackage{info: &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{},
		Uses:  map[*ast.Ident]types.Object{},
	}}
	c.checked[p.path] = done
	conf := types.Config{Importer: c, FakeImportC: true, Error: func(err error) {
		if done.err == nil {
			done.err = err
		}
	}}
	// The first error is kept by the handler, the package is returned in any case.
	done.types, _ = conf.Check(path.Join(modulePath, p.path), c.m.fset, p.filesIn(c), done.info)
	return done
}

// goCommand returns the standard output of the go command, or an error that shows its standard error.
func goCommand(env []string, args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return out, nil
}
