package chordsim_test

import (
	"fmt"
	"go/token"
	"path"
	"slices"
	"strings"
)

type importKind int

const (
	kindStd      importKind = iota
	kindInternal            // a package of this module
	kindModule              // a package of another module
)

func kindOf(p string) importKind {
	first, _, _ := strings.Cut(p, "/")
	switch {
	case first == modulePath:
		return kindInternal
	case strings.Contains(first, "."):
		return kindModule
	}
	return kindStd
}

// under reports whether p is dir or below it.
func under(p, dir string) bool { return p == dir || strings.HasPrefix(p, dir+"/") }

// covers reports whether the pattern means p: "x" is x alone, "x/..." is x and all that is below it, "..." is all.
func covers(pattern, p string) bool {
	if pattern == "..." {
		return true
	}
	if dir, ok := strings.CutSuffix(pattern, "/..."); ok {
		return under(p, dir)
	}
	return pattern == p
}

func coveredBy(patterns []string, p string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool { return covers(pattern, p) })
}

// rowOf returns the package's row of the table. An exact row goes before a pattern.
func rowOf(pkg string) (packageRow, bool) {
	for _, r := range packageTable {
		if r.pkg == pkg {
			return r, true
		}
	}
	for _, r := range packageTable {
		if covers(r.pkg, pkg) {
			return r, true
		}
	}
	return packageRow{}, false
}

// deterministic reports whether the package's behaviour must be a function of the seed, so that the bans hold for it.
func deterministic(pkg string) bool {
	return slices.ContainsFunc(deterministicDirs, func(dir string) bool { return under(pkg, dir) })
}

// checkImports checks a package's files, those that no build selects too, against its row of the table and against the
// imports that its part of the tree bans. Test files are free: a test of the core may run it in the simulator. It also
// checks what goes around imports: see checkSources.
func checkImports(fset *token.FileSet, p *pkgSources) []finding {
	row, known := rowOf(p.path)
	found := checkSources(p)
	if !known && len(p.files) > 0 {
		first := p.files[0].ast
		found = append(found, finding{
			pos: fset.Position(first.Package), rule: "unknown-package",
			what: fmt.Sprintf("package %s is not in the table", path.Join(modulePath, p.path)),
		})
	}
	for _, s := range p.files {
		row.std = slices.Concat(row.std, s.std)
		for _, spec := range s.ast.Imports {
			rule, why := judgeImport(row, known, p.path, importPath(spec))
			if rule != "" {
				found = append(found, finding{
					pos: fset.Position(spec.Pos()), rule: rule, why: why,
					what: fmt.Sprintf("%s imports %s", path.Join(modulePath, p.path), importPath(spec)),
				})
			}
		}
	}
	return found
}

// judgeImport returns the rule that the import breaks, or "".
func judgeImport(row packageRow, known bool, pkg, imported string) (rule, why string) {
	if imported == "C" {
		return "cgo", ""
	}
	switch kindOf(imported) {
	case kindInternal:
		inner := strings.TrimPrefix(strings.TrimPrefix(imported, modulePath), "/")
		if known && !coveredBy(row.internal, inner) {
			return "import-direction", "the row of " + row.pkg + " says: " + row.why
		}
	case kindModule:
		if known && !coveredBy(row.modules, imported) {
			return "import-module", ""
		}
	case kindStd:
		for _, ban := range stdBans {
			if coveredBy(ban.dirs, pkg) && coveredBy(ban.paths, imported) && !coveredBy(row.std, imported) {
				return ban.rule, ban.why
			}
		}
		if deterministic(pkg) && !coveredBy(row.std, imported) && !stdAllows(imported) {
			return "import-std", ""
		}
	}
	return "", ""
}

// stdAllows reports whether all deterministic code may import the package of the standard library.
func stdAllows(imported string) bool {
	return slices.ContainsFunc(stdAllowed, func(a stdAllowance) bool { return slices.Contains(a.paths, imported) })
}
