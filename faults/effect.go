package faults

// Effect is what one fault of a plan did. A fault that was injected and had none is a fault of the plan (D3).
//
// It counts what the fault did itself: what a reset takes that another fault leads to is not a cut's that waits, nor a black
// hole's but what fell into it. What two faults did to the same message counts for both. By kinds:
//
//	stall, partition, swizzle  messages that arrived later, those that connect and end a connection included; segments in byte streams
//	black hole                 messages of which something fell into it, likewise; the connection that what comes next resets
//	drop                       the messages that it took; when it is complete also what was under way then, and the connection
//	reset, cut                 what was under way then, both ways, and the connection
//	close, half-open           what came to that end later or waited to leave it in vain, and the connection
//	crash                      the same of all connections; the host, its turns and timers, changes of its store that are lost
//	latency, rate              messages that waited to leave when it began, or were sent while it was on
//	jitter                     messages that were sent while it was on
//	squeeze                    messages that filled the smaller buffer and would not have filled the other one
//	skew, drift                timers that came due at another time than without it, and readings of another time: also later on,
//	                           as the clock stays wrong. A reading of which nothing came but timers in the same turn is none
//	slow, timers               turns that took longer, timers that were late
type Effect struct {
	Fault       string `json:"fault"`            // as it prints
	Kind        string `json:"kind"`             // "stall", "reset", …
	Fired       int64  `json:"fired"`            // how often its trigger came
	Messages    int64  `json:"messages"`         // that were lost or held up by it, or sent under what it changed
	Bytes       int64  `json:"bytes"`            // of those messages
	Connections int64  `json:"connections"`      // that ended by it
	Turns       int64  `json:"turns"`            // of hosts, that were lost or came at another time
	Writes      int64  `json:"writes,omitempty"` // to a store, that were lost
	Hosts       int64  `json:"hosts,omitempty"`  // that went down
	Clock       int64  `json:"clock,omitempty"`  // times that the program of a host read another time than the world's
	Why         string `json:"why,omitempty"`    // if it had none: why
}

// None reports whether the fault changed nothing: it never fired, or nothing was there that it could touch.
func (e Effect) None() bool {
	return e.Messages == 0 && e.Bytes == 0 && e.Connections == 0 && e.Turns == 0 && e.Writes == 0 && e.Hosts == 0 && e.Clock == 0
}
