package core

import (
	"chordsim/core/delta"
	"chordsim/core/wire"
)

// Frame is one change of a member as a watch sees it.
type Frame struct {
	Reference *Reference
	Member    string
	// Base is the revision that the ops lead from; it equals Revision in a snapshot.
	Base     wire.Revision
	Revision wire.Revision
	// Value is the member's value at Revision.
	Value delta.Value
	// Ops lead from the value before to Value. A snapshot has the one op that replaces all.
	Ops []delta.Op
	// Snapshot says that the frame is the first that its watch sees, or the first of a bind that brought the value whole. A
	// bind that brought what changed while there was none has one frame with that, or none where nothing did.
	Snapshot bool
}

// changes reports whether there is something to be seen by who has seen the frame before.
func (f *Frame) changes() bool { return f.Snapshot || f.Base != f.Revision }

// watch is a listener on a member.
type watch struct {
	member string
	fn     func(Frame)
	told   bool // was shown the member as it was at a revision, when it was set
	since  wire.Revision
	seen   bool // was shown the member, as the replica has it
}
