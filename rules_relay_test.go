package chordsim_test

import (
	"go/types"
	"path"
	"slices"
	"strings"
)

// relayPackage forwards the parts of messages and must not read them.
const relayPackage = "core/relay"

// partReaders are the functions and types of core/wire that read or write parts. Their methods count with the types.
// The ids that messages begin with, and the messages that a relay itself sends or receives, are not among them.
var partReaders = []string{
	"AppendEntry", "AppendOps", "AppendSnapshot", "AppendValue", "Bound", "BoundMember", "Dict", "Names", "NewReader",
	"ParseBound", "ParseCall", "ParseResult", "ParseValue", "ReadState", "Reader", "Section", "StateReader", "Told",
	"Used",
}

// readsParts reports whether the object reads or writes parts: all of core/delta, what of core/wire is listed or named
// ParseState..., and whatever has a type with core/delta in it.
func readsParts(obj types.Object) bool {
	if obj == nil || obj.Pkg() == nil {
		return false
	}
	deltas := path.Join(modulePath, "core/delta")
	switch obj.Pkg().Path() {
	case deltas:
		return true
	case path.Join(modulePath, "core/wire"):
		if slices.Contains(partReaders, ownerName(obj)) || strings.HasPrefix(obj.Name(), "ParseState") {
			return true
		}
	}
	return obj.Type() != nil && strings.Contains(types.TypeString(obj.Type(), nil), deltas+".")
}

// ownerName returns the name of a method's receiver type, and of anything else its own name.
func ownerName(obj types.Object) string {
	f, ok := obj.(*types.Func)
	if !ok {
		return obj.Name()
	}
	recv := f.Signature().Recv()
	if recv == nil {
		return f.Name()
	}
	t := recv.Type()
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	if named, ok := types.Unalias(t).(*types.Named); ok {
		return named.Obj().Name()
	}
	return f.Name()
}
