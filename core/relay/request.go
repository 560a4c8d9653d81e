package relay

import (
	"strings"

	"chordsim/core/base"
	"chordsim/core/link"
)

// Route finds the host for an address. It answers its request once, in this turn or a later one, with To or Fail.
type Route func(*Request)

// Request asks a Route where an address leads.
type Request struct {
	Address string // all of it, such as "Session/42/View"
	Key     string // its second segment, "42"
	Rest    string // what the target is asked for, "View"

	done func(*link.Link, error)
}

// To sends the request, and what follows on the same hold, over a link of this host.
func (r *Request) To(l *link.Link) { r.settle(l, nil) }

// Fail refuses the request. The code of err goes to the consumer; an error without one reads as [base.CodeRoute].
func (r *Request) Fail(err error) { r.settle(nil, err) }

func (r *Request) settle(l *link.Link, err error) {
	if done := r.done; done != nil {
		r.done = nil
		done(l, err)
	}
}

// Split takes an address of a route apart. It returns false for an address that names no key or nothing behind it.
func Split(address string) (name, key, rest string, ok bool) {
	name, after, ok1 := strings.Cut(address, "/")
	key, rest, ok2 := strings.Cut(after, "/")
	return name, key, rest, ok1 && ok2 && name != "" && key != "" && rest != ""
}

// DefaultResolveTimeout is how long a route may take to answer.
const DefaultResolveTimeout = 10 * base.Second
