// Package link makes a reliable, ordered message channel between two hosts out of one transport after another. It shakes
// hands, cuts messages into chunks, sends them by lanes, acknowledges what arrived, keeps what was not acknowledged, so that
// the next transport can go on, and accounts for credit. It does no I/O: chunks go to a [Transport], and what arrives is
// handed in with [Link.Receive].
//
// # Life of a link
//
//	        Open (dialer sends hello)           hello / welcome fit
//	[new] ──────────────────────────▶ [greeting] ─────────────────▶ [up] ◀──────────────┐
//	                                      │                          │ transport lost    │ hello / welcome name
//	                                      │ anything else, bye,      ▼                   │ the session
//	                                      │ transport lost      [suspended] ──────▶ [resuming]
//	                                      ▼                          │      Reopen       │
//	                                   [closed] ◀────────────────────┴───────────────────┘
//	                                             bye, broken protocol, too long, too much
//
// A link without [Sessions] closes with its transport, and so does one whose peer keeps none.
//
// Messages that are sent before the link is up wait in their lanes.
//
// # Two acknowledgements
//
// An ack is between the two ends of one transport hop: numbered chunks that arrived. It rides on chunks that go the other
// way, or goes alone once enough has come in. What it acknowledges need not be kept for a resume.
//
// Credit is between a provider and a consumer, through any relays: chunks of state and bulk that the consumer has taken
// in. A link keeps for each origin, in the order written, who is to be told when a chunk is credited (an [Owner]): the
// provider's window, or the relay's way back to the provider. Counting is therefore enough, and no relay parses anything.
//
// # Lanes
//
// Control and state messages leave in the order in which they were sent, a state message of several chunks one chunk at
// a time behind whatever came in between. A bulk chunk leaves when neither waits, and at the latest after
// [base.Limits.SmallRun] of them.
//
// A link belongs to its host's thread of turns and is not safe for concurrent use.
package link
