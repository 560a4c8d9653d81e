package chordsim_test

import (
	"go/ast"
	"go/token"
	"go/types"
)

// floatOps are the operators that round. Comparison and sign are exact.
var floatOps = map[token.Token]bool{
	token.ADD: true, token.SUB: true, token.MUL: true, token.QUO: true,
	token.ADD_ASSIGN: true, token.SUB_ASSIGN: true, token.MUL_ASSIGN: true, token.QUO_ASSIGN: true,
}

// floatBinary reports arithmetic that is done at run time. Constants are folded by the compiler, exactly.
func (b *bans) floatBinary(n *ast.BinaryExpr) {
	tv := b.info.Types[n]
	if floatOps[n.Op] && tv.Value == nil && anyTerm(tv.Type, isFloat) {
		b.report(n, "float-arith", "operator %s on %s", n.Op, shortType(tv.Type))
	}
}

func (b *bans) floatAssign(n *ast.AssignStmt) {
	if !floatOps[n.Tok] {
		return
	}
	if t := b.info.TypeOf(n.Lhs[0]); anyTerm(t, isFloat) {
		b.report(n, "float-arith", "operator %s on %s", n.Tok, shortType(t))
	}
}

func (b *bans) floatIncDec(n *ast.IncDecStmt) {
	if t := b.info.TypeOf(n.X); anyTerm(t, isFloat) {
		b.report(n, "float-arith", "operator %s on %s", n.Tok, shortType(t))
	}
}

// exactMath are the functions of package math whose result IEEE 754 fixes to the bit on every architecture. All others
// are approximations, some of them written in assembly for one architecture only.
var exactMath = map[string]bool{
	"Abs": true, "Ceil": true, "Copysign": true, "Float32bits": true, "Float32frombits": true, "Float64bits": true,
	"Float64frombits": true, "Floor": true, "Frexp": true, "Inf": true, "IsInf": true, "IsNaN": true, "Ldexp": true,
	"Max": true, "Min": true, "Modf": true, "NaN": true, "Nextafter": true, "Round": true, "RoundToEven": true,
	"Signbit": true, "Sqrt": true, "Trunc": true,
}

// inexactMath reports functions of math that are not exact, and all of math/cmplx.
func inexactMath(obj types.Object) bool {
	f, ok := obj.(*types.Func)
	if !ok || f.Pkg() == nil {
		return false
	}
	switch f.Pkg().Path() {
	case "math":
		return !exactMath[f.Name()]
	case "math/cmplx":
		return true
	}
	return false
}
