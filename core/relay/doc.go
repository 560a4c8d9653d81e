// Package relay passes requests on to the hosts that can answer them, and their answers back. It reads the ids that a
// message begins with and nothing else: parts go through as they came, copied once.
//
// # Addresses and routes
//
// An address "Session/42/View" is looked up by its first segment. The [Route] of that name is asked for a link to the
// host that has Session 42, which it may have to create first; that host is then asked for "View".
//
// # Origins
//
// Requests of one consumer to one target travel under an origin, a number that the relay takes for the pair and puts into
// the chunks' headers. Answers come back under the same origin, which tells where they go; it is taken off there. The
// windows of state and bulk are the provider's, for each origin: the relay passes credit on and keeps none back.
//
//	     tab                       server (this package)                    worker
//	hold 7 "Session/42/View" ─▶ route, origin 3 ─▶ hold 7 "View" (origin 3) ─▶
//	◀─ bound 7 ──────────────── origin 3 → tab ◀──────── bound 7 (origin 3) ──
//
// A table belongs to its host's thread of turns and is not safe for concurrent use.
package relay
