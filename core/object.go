package core

import (
	"strconv"

	"chordsim/core/delta"
)

// Object is what a host exposes under an address: state that consumers follow, and methods that they call.
type Object struct {
	State   Members
	Methods Methods
}

// Members are documents by name.
type Members map[string]*Document

// MaxMethods is how many methods an object may have. It is part of the protocol.
const MaxMethods = 1024

// Methods are handlers by name, of 1 to [chordsim/core/wire.MaxMethod] bytes.
type Methods map[string]Handler

// Handler runs a call, on a turn of its host. It returns the result, or an error, whose code and text go to the caller.
// A handler that cannot answer yet calls [Call.Defer] and settles the call in a later turn; what it returns then does not
// count.
type Handler func(c *Call) (delta.Value, error)

// object is an exposed Object with its names in order.
type object struct {
	address     string
	members     []member
	methodNames []string
	methods     Methods
}

type member struct {
	name string
	doc  *Document
}

func quote(s string) string { return strconv.Quote(s) }
