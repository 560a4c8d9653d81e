package faults

// Effect is what one fault of a plan did. A fault that was injected and had none is a fault of the plan (D3).
type Effect struct {
	Fault       string `json:"fault"` // as it prints
	Kind        string `json:"kind"`  // "stall", "reset", …
	Fired       int64  `json:"fired"` // how often its trigger came
	Messages    int64  `json:"messages"`
	Bytes       int64  `json:"bytes"`            // of those messages, or of parts of them
	Connections int64  `json:"connections"`      // that ended by it
	Turns       int64  `json:"turns"`            // of hosts, that were lost or came at another time
	Writes      int64  `json:"writes,omitempty"` // to a store, that were lost
	Hosts       int64  `json:"hosts,omitempty"`  // that went down
	Clock       int64  `json:"clock,omitempty"`  // times that a host was shown another time than the world's
	Why         string `json:"why,omitempty"`    // if it had none: why
}

// None reports whether the fault changed nothing: it never fired, or nothing was there that it could touch.
func (e Effect) None() bool {
	return e.Messages == 0 && e.Bytes == 0 && e.Connections == 0 && e.Turns == 0 && e.Writes == 0 && e.Hosts == 0 && e.Clock == 0
}
