package chordsim_test

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

// bans looks for what deterministic code must not do, in one file.
type bans struct {
	fset     *token.FileSet
	info     *types.Info
	pkg      string
	skip     []string
	function string
	sorted   map[*ast.Ident]bool // maps.Keys or maps.Values whose order a sort removes at once
	overMap  map[*ast.Ident]bool // slices.SortedFunc over such a call
	found    []finding
}

// checkBans checks the files of a package with their types.
func checkBans(fset *token.FileSet, pkg string, files []*ast.File, info *types.Info) []finding {
	row, _ := rowOf(pkg)
	b := &bans{
		fset: fset, info: info, pkg: pkg, skip: row.skip, sorted: map[*ast.Ident]bool{}, overMap: map[*ast.Ident]bool{},
	}
	for _, f := range files {
		for _, d := range f.Decls {
			b.function = functionName(d)
			ast.Inspect(d, b.visit)
		}
	}
	return b.found
}

// functionName returns "Name" or "Type.Name" of a function's declaration, or "".
func functionName(d ast.Decl) string {
	f, ok := d.(*ast.FuncDecl)
	if !ok {
		return ""
	}
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return f.Name.Name
	}
	recv := f.Recv.List[0].Type
	for {
		switch e := recv.(type) {
		case *ast.StarExpr:
			recv = e.X
		case *ast.IndexExpr:
			recv = e.X
		case *ast.IndexListExpr:
			recv = e.X
		case *ast.Ident:
			return e.Name + "." + f.Name.Name
		default:
			return f.Name.Name
		}
	}
}

func (b *bans) report(n ast.Node, rule, format string, args ...any) {
	if slices.Contains(b.skip, rule) {
		return
	}
	b.found = append(b.found, finding{
		pos: b.fset.Position(n.Pos()), function: b.function, rule: rule, what: fmt.Sprintf(format, args...),
	})
}

// visit is called for every node, a parent before its children.
func (b *bans) visit(n ast.Node) bool {
	if e, ok := n.(ast.Expr); ok {
		b.text(e)
	}
	switch n := n.(type) {
	case *ast.GoStmt:
		b.report(n, "goroutine", "go statement")
	case *ast.SelectStmt:
		b.report(n, "channel", "select statement")
	case *ast.SendStmt:
		b.report(n, "channel", "send to a channel")
	case *ast.ChanType:
		b.report(n, "channel", "channel type")
	case *ast.UnaryExpr:
		if n.Op == token.ARROW {
			b.report(n, "channel", "receive from a channel")
		}
	case *ast.RangeStmt:
		b.rangeOver(n)
	case *ast.CallExpr:
		b.call(n)
	case *ast.Ident:
		b.use(n)
	case *ast.BinaryExpr:
		b.floatBinary(n)
	case *ast.AssignStmt:
		b.floatAssign(n)
	case *ast.IncDecStmt:
		b.floatIncDec(n)
	}
	return true
}

func (b *bans) rangeOver(n *ast.RangeStmt) {
	t := b.info.TypeOf(n.X)
	switch {
	case anyTerm(t, isMap):
		b.report(n, "map-order", "range over %s", shortType(t))
	case anyTerm(t, isChan):
		b.report(n, "channel", "range over %s", shortType(t))
	}
}

// call checks conversions, and notes the calls whose argument is sorted at once.
func (b *bans) call(n *ast.CallExpr) {
	if tv := b.info.Types[n.Fun]; tv.IsType() && len(n.Args) == 1 {
		b.conversion(n, tv.Type)
		return
	}
	sorter := calledName(n)
	if sorter == nil || len(n.Args) == 0 {
		return
	}
	switch objectKey(b.info.Uses[sorter]) {
	case "slices.Sorted", "slices.SortedFunc", "slices.SortedStableFunc":
	default:
		return
	}
	inner, ok := ast.Unparen(n.Args[0]).(*ast.CallExpr)
	if !ok {
		return
	}
	name := calledName(inner)
	if name == nil {
		return
	}
	switch objectKey(b.info.Uses[name]) {
	case "maps.Keys":
		b.sorted[name], b.overMap[sorter] = true, true
	case "maps.Values":
		// Of values that the comparison holds equal, the map's random order decides which comes first. Under the whole
		// order of slices.Sorted, equal values are the same.
		b.sorted[name], b.overMap[sorter] = objectKey(b.info.Uses[sorter]) == "slices.Sorted", true
	}
}

// addressVerb is the verb of package fmt that prints an address, with its flags and numbers. The flag of a blank is
// left out: "5% packets" is no format.
var addressVerb = regexp.MustCompile(`%[-+#0-9.*\[\]]*p`)

// text checks a constant string, which may be a format here or wherever it is handed to.
func (b *bans) text(e ast.Expr) {
	v := b.info.Types[e].Value
	if v == nil || v.Kind() != constant.String {
		return
	}
	if addressVerb.MatchString(strings.ReplaceAll(constant.StringVal(v), "%%", "")) {
		b.report(e, "address-order", "the verb %%p")
	}
}

// conversion checks a conversion to the type.
func (b *bans) conversion(n *ast.CallExpr, to types.Type) {
	from := b.info.Types[n.Args[0]]
	if from.Type == nil || from.Value != nil {
		return
	}
	if anyTerm(from.Type, isFloat) && anyTerm(to, isInteger) {
		b.report(n, "float-to-int", "conversion of %s to %s", shortType(from.Type), shortType(to))
	}
	if isBasic(from.Type, types.UnsafePointer) && isBasic(to, types.Uintptr) {
		b.report(n, "address-order", "an address as a number")
	}
}

// use checks every mention of a banned function or type, a call or not.
func (b *bans) use(id *ast.Ident) {
	obj := b.info.Uses[id]
	if under(b.pkg, relayPackage) && readsParts(obj) {
		b.report(id, "relay-parses", "%s", obj.Name())
	}
	key := objectKey(obj)
	if key == "" {
		return
	}
	if inexactMath(obj) {
		b.report(id, "float-math", "%s", key)
		return
	}
	rule := bannedObjects[key]
	if rule == "" || b.sorted[id] || (rule == "unstable-sort" && b.overMap[id]) {
		return
	}
	b.report(id, rule, "%s", key)
}

// calledName returns the identifier of the called function: f, p.f, f[T] or p.f[T].
func calledName(call *ast.CallExpr) *ast.Ident {
	fun := ast.Unparen(call.Fun)
	switch e := fun.(type) {
	case *ast.IndexExpr:
		fun = e.X
	case *ast.IndexListExpr:
		fun = e.X
	}
	switch e := fun.(type) {
	case *ast.Ident:
		return e
	case *ast.SelectorExpr:
		return e.Sel
	}
	return nil
}

// objectKey names a function ("time.Now"), a method ("(reflect.Value).MapKeys"), a type ("sync.Pool") or a builtin
// ("builtin.cap"). It is empty for anything else.
func objectKey(obj types.Object) string {
	switch obj := obj.(type) {
	case *types.Builtin:
		return "builtin." + obj.Name()
	case *types.Func:
		return obj.Origin().FullName()
	case *types.TypeName:
		if obj.Pkg() != nil {
			return obj.Pkg().Path() + "." + obj.Name()
		}
	}
	return ""
}

// anyTerm reports whether the type, or any type that a type parameter may stand for, is as asked.
func anyTerm(t types.Type, is func(types.Type) bool) bool {
	if t == nil {
		return false
	}
	if p, ok := types.Unalias(t).(*types.TypeParam); ok {
		return anyTerm(p.Constraint(), is)
	}
	switch u := t.Underlying().(type) {
	case *types.Interface:
		for e := range u.EmbeddedTypes() {
			if anyTerm(e, is) {
				return true
			}
		}
		return false
	case *types.Union:
		for term := range u.Terms() {
			if anyTerm(term.Type(), is) {
				return true
			}
		}
		return false
	default:
		return is(u)
	}
}

func isMap(t types.Type) bool { _, ok := t.(*types.Map); return ok }

func isChan(t types.Type) bool { _, ok := t.(*types.Chan); return ok }

func isFloat(t types.Type) bool {
	basic, ok := t.(*types.Basic)
	return ok && basic.Info()&(types.IsFloat|types.IsComplex) != 0
}

func isInteger(t types.Type) bool {
	basic, ok := t.(*types.Basic)
	return ok && basic.Info()&types.IsInteger != 0
}

func isBasic(t types.Type, kind types.BasicKind) bool {
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Kind() == kind
}

// shortType prints a type with package names instead of paths.
func shortType(t types.Type) string { return types.TypeString(t, (*types.Package).Name) }
