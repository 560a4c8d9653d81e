package chordsim_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build"
	"go/build/constraint"
	"go/scanner"
	"go/token"
	"io"
	"path"
	"slices"
	"strings"
	"testing"
)

// foreignSources are the endings of the files beside Go's own that the go command compiles or links into a package.
var foreignSources = []string{
	".S", ".c", ".cc", ".cpp", ".cxx", ".f", ".F", ".f90", ".for", ".h", ".hh", ".hpp", ".hxx", ".m", ".s", ".swig",
	".swigcxx", ".sx", ".syso",
}

func foreign(name string) bool { return slices.Contains(foreignSources, path.Ext(name)) }

// checkSources checks the names of all files of the directory, and the compiler directives in the Go files, tests too.
func checkSources(p *pkgSources) (found []finding) {
	for _, name := range p.names {
		found = append(found, checkName(p.path, name, token.Position{Filename: name, Line: 1})...)
	}
	for _, s := range slices.Concat(p.files, p.tests) {
		found = append(found, checkDirectives(s.name, s.src)...)
		for _, n := range s.near {
			found = append(found, checkName(p.path, n.name, token.Position{Filename: s.name, Line: n.line})...)
		}
	}
	return found
}

// checkName reports a file that the checks of this package do not read, or that only some machines build.
func checkName(pkg, name string, pos token.Position) []finding {
	switch {
	case foreign(name):
		return []finding{{pos: pos, rule: "foreign-source", what: path.Base(name) + " is no Go source"}}
	case !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || !deterministic(pkg):
		return nil
	}
	if row, ok := rowOf(pkg); ok && slices.Contains(row.skip, "build-tag") {
		return nil
	}
	// On a machine that does not exist, every name is built but those that are meant for some machine.
	ctx := build.Context{GOOS: "none", GOARCH: "none", Compiler: build.Default.Compiler}
	ctx.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("package p\n")), nil }
	if ok, err := ctx.MatchFile(path.Dir(name), path.Base(name)); ok && err == nil {
		return nil
	}
	return []finding{{
		pos: pos, rule: "build-tag", what: "the name " + path.Base(name) + " means one system or architecture to the go command",
	}}
}

// TestStdAllowed keeps the list of the standard library honest: every entry says why, and each package appears once.
func TestStdAllowed(t *testing.T) {
	seen := map[string]bool{}
	for _, a := range stdAllowed {
		if a.why == "" || len(a.paths) == 0 {
			t.Errorf("standard library: %+v needs packages and a reason", a)
		}
		for _, p := range a.paths {
			if seen[p] {
				t.Errorf("standard library: %s is allowed twice", p)
			}
			seen[p] = true
		}
	}
}

// checkDirectives reports compiler directives that reach into other packages. They count in any comment of a file.
func checkDirectives(name string, src []byte) []finding {
	if !bytes.Contains(src, []byte("go:linkname")) {
		return nil
	}
	fset := token.NewFileSet()
	file := fset.AddFile(name, -1, len(src))
	var scan scanner.Scanner
	scan.Init(file, src, nil, scanner.ScanComments)
	var found []finding
	for {
		pos, tok, text := scan.Scan()
		if tok == token.EOF {
			return found
		}
		if tok == token.COMMENT && strings.HasPrefix(text, "//go:linkname") {
			found = append(found, finding{pos: fset.Position(pos), rule: "linkname", what: "a //go:linkname directive"})
		}
	}
}

// checkBuildTags reports files that none of the checked configurations builds, as nothing else would look at them, and
// files whose constraint asks for more than the tags of these configurations, as not every machine builds them.
func checkBuildTags(fset *token.FileSet, p *pkgSources) []finding {
	if row, ok := rowOf(p.path); ok && slices.Contains(row.skip, "build-tag") {
		return nil
	}
	var found []finding
	for _, s := range p.files {
		report := func(pos token.Pos, format string, args ...any) {
			found = append(found, finding{pos: fset.Position(pos), rule: "build-tag", what: fmt.Sprintf(format, args...)})
		}
		if !slices.ContainsFunc(buildTags, func(tags string) bool { return newConfig(nil, tags).matches(s) }) {
			report(constraintPos(s.ast), "no checked build selects this file (tags tried: %q)", buildTags)
			continue
		}
		for _, c := range constraints(s.ast) {
			for _, tag := range tagsOf(c.Text) {
				if !slices.Contains(buildTags, tag) {
					report(c.Pos(), "it depends on the tag %s", tag)
				}
			}
		}
	}
	return found
}

// constraints returns the comments of the file that say when it is built.
func constraints(f *ast.File) (list []*ast.Comment) {
	for _, group := range f.Comments {
		for _, c := range group.List {
			if c.Pos() < f.Package && (constraint.IsGoBuild(c.Text) || constraint.IsPlusBuild(c.Text)) {
				list = append(list, c)
			}
		}
	}
	return list
}

// tagsOf returns the tags that a constraint mentions, each once.
func tagsOf(line string) (tags []string) {
	expr, err := constraint.Parse(line)
	if err != nil {
		return []string{line}
	}
	expr.Eval(func(tag string) bool {
		if !slices.Contains(tags, tag) {
			tags = append(tags, tag)
		}
		return true
	})
	return tags
}

// constraintPos returns the place of the file's first constraint, or of its package clause.
func constraintPos(f *ast.File) token.Pos {
	if list := constraints(f); len(list) > 0 {
		return list[0].Pos()
	}
	return f.Package
}
