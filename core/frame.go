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
	// Snapshot says that the frame is the first of a bind.
	Snapshot bool
}

// replica is a reference's copy of a member.
type replica struct {
	name  string
	value delta.Value
	rev   wire.Revision
	names wire.Names

	message uint64 // the last one that changed it, as the client counts them
}

// watch is a listener on a member.
type watch struct {
	member string
	fn     func(Frame)
	told   bool // was shown the member as it was at a revision, when it was set
	since  wire.Revision
}
