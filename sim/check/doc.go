// Package check watches a world and says which of chord's invariants does not hold. It sees what crosses links, byte for
// byte, before the hosts do, and is told by a [core.Probe] what hosts commit, encode and show. Where it can it keeps
// books of its own instead of asking the core for its.
//
//	id   what is watched
//	C1   once settled, each live replica equals its document, value and revision
//	C2   each frame's value is the committed one of its revision; revisions go forward, from the one before
//	C3   with room one message a turn and consumer, one encode a hold; without room none
//	C4   calls of a reference start in the order made
//	C5   a call is sent, started and settled at most once, and has one result on each hop; each chunk of a session is taken
//	     once, in the order written, over however many transports
//	C6   calls that wait are counted, within the limits; none is sent, or waits, past its deadline or when it settled
//	C7   at most N calls of an origin run; slots come back; origins that wait have their turns in rotation
//	C8   outstanding state stays in the window, in messages and bytes; all credit comes back; what pends is bounded
//	C9   a relay forwards what came, byte for byte, to whom it was for, and parses and inflates nothing
//	C10  what is deflated is over the threshold and gets smaller, and is no argument; what is inflated is what was deflated,
//	     within its owner's limit
//	C11  a snapshot is the value of its revision; the first change after it leads from there
//	C12  nothing of a hold is encoded, written or comes behind its release, and nothing of it is kept
//	C13  once settled, references that have a way are live, or refused, and calls are settled
//	C14  no host closes a link on another one, or throws it out, for a broken protocol, unless the world damaged something
//	C15  when a result is seen, so is what its call committed of all that its caller holds
//
// Worlds in which hosts crash, links go in silence, or bytes are damaged say so: [Set.Crashed], [Set.Unlinked], [Set.Damaged].
//
// A [Set] counts what it looked at, so that a run in which an invariant was never put to the test shows it.
package check
