// Package check watches a world and says which of chord's invariants does not hold. It sees what crosses links, byte for
// byte, before the hosts do, and is told by a [core.Probe] what hosts commit, encode and show. Where it can it keeps
// books of its own instead of asking the core for its.
//
//	id   what is watched
//	C1   once settled, each live replica equals its document, value and revision
//	C2   each frame's value is the committed one of its revision; revisions go forward, from the one before
//	C3   with room one message a turn and consumer, one encode a hold; without room none
//	C8   outstanding state stays in the window, in messages and bytes; all credit comes back; what pends is bounded
//	C9   a relay forwards what came, byte for byte, to whom it was for, and parses and inflates nothing
//	C10  what is deflated is over the threshold and gets smaller, and is no argument; what is inflated is what was deflated,
//	     within its owner's limit
//	C11  a snapshot is the value of its revision; the first change after it leads from there
//	C15  when a result is seen, so is what its call committed of all that its caller holds
//
// A [Set] counts what it looked at, so that a run in which an invariant was never put to the test shows it.
package check
