package core

import (
	"cmp"

	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/wire"
)

// Call is one run of a method at its provider.
type Call struct {
	// Method is the name that was called.
	Method string
	// Arg is the argument; null when none was given. Long texts in it are views of the message, and values of a message share
	// memory: who keeps a part of it keeps all of it.
	Arg delta.Value
	// Bytes are the raw bytes that came beside the argument, which nobody may change; nil when there are none. They are
	// views of the message: what keeps one keeps all of it.
	Bytes [][]byte

	consumer  *consumer
	id        uint64
	hold      *hold
	handler   Handler
	touched   []touch
	deferred  bool
	cancelled bool
	done      bool
	bytes     [][]byte // of the result
}

// touch is a revision that a call committed.
type touch struct {
	doc *Document
	rev wire.Revision
}

// Host returns the host that runs the call.
func (c *Call) Host() *Host { return c.consumer.host }

// Cancelled reports whether the caller has lost interest. A handler may look, and end early; its slot is taken until it
// settles.
func (c *Call) Cancelled() bool { return c.cancelled }

// Defer says that the call is settled by [Call.Settle] in a later turn.
func (c *Call) Defer() { c.deferred = true }

// Settle ends a deferred call, within a turn of the host. Settling twice is an error of the program.
func (c *Call) Settle(v delta.Value, err error) {
	c.consumer.host.mustTurn("Call.Settle")
	if c.done {
		panic("core: Call.Settle: the call settled already (C5)")
	}
	c.done = true
	q := &c.consumer.calls
	q.running--
	delete(q.byID, c.id)
	c.consumer.host.probe.callEnd(c)
	c.consumer.host.settled = append(c.consumer.host.settled, settlement{call: c, value: v, err: err})
	c.consumer.host.schedule(c.consumer)
}

// Attach adds raw bytes to the result, beside its value, at most [chordsim/core/wire.MaxByteParts] in all. They must not be
// changed before the turn ends in which the call settles. A call that fails sends none.
func (c *Call) Attach(parts ...[]byte) {
	if len(c.bytes)+len(parts) > wire.MaxByteParts {
		panic("core: Call.Attach: more parts than wire.MaxByteParts")
	}
	c.bytes = append(c.bytes, parts...)
}

func (c *Call) touch(d *Document) {
	for i := range c.touched {
		if c.touched[i].doc == d {
			c.touched[i].rev = d.rev
			return
		}
	}
	c.touched = append(c.touched, touch{d, d.rev})
}

// callQueue is what a provider keeps for the calls of one origin.
type callQueue struct {
	waiting []*Call
	byID    map[uint64]*Call // waiting and running
	running int              // Invariant: running ≤ Limits.RunningCalls
	queued  bool             // the consumer is in Host.runs
}

func (q *callQueue) close() {
	q.waiting = nil
	for _, id := range sortedKeys(q.byID) {
		q.byID[id].cancelled = true
	}
}

// callChunk takes a chunk of a call.
func (c *consumer) callChunk(h wire.Header, body []byte) error {
	if h.Type != wire.TypeCall {
		_, message, done, err := c.assembly.Add(h, body, c.host.limits.MessageBytes)
		if err != nil || !done {
			return err
		}
		body = message
	}
	m, err := wire.ParseCall(c.peer.link.Codec(), body)
	if err != nil {
		return err
	}
	if err := cmp.Or(c.host.admit(m.Args), c.host.admit(m.Bytes...)); err != nil {
		return err
	}
	hold := c.holds[m.Hold]
	switch {
	case hold == nil: // a large call may come behind the release, and a relay may have lost the provider meanwhile
		c.refuseCall(m.ID, base.Errorf(base.CodeDown, "hold %d is not held any more", m.Hold))
		return nil
	case !hold.bound:
		return base.Errorf(base.CodeProtocol, "a call on hold %d, which is not bound", m.Hold)
	case c.calls.byID[m.ID] != nil:
		return base.Errorf(base.CodeProtocol, "call id %d is in use", m.ID)
	case len(c.calls.waiting) >= c.host.limits.QueuedCalls+c.host.limits.RunningCalls:
		c.refuseCall(m.ID, base.Errorf(base.CodeLimit, "over the limit on queued calls"))
		return nil
	}
	name := m.Name
	if m.Method >= 0 {
		if m.Method >= len(hold.object.methodNames) {
			return base.Errorf(base.CodeProtocol, "call of method %d, the object has %d", m.Method, len(hold.object.methodNames))
		}
		name = hold.object.methodNames[m.Method]
	}
	handler := hold.object.methods[name]
	if handler == nil {
		c.refuseCall(m.ID, base.Errorf(base.CodeNotFound, "no method %q at %s", name, hold.object.address))
		return nil
	}
	arg, err := c.host.parseValue(c.peer.link.Codec(), m.Args)
	if err != nil {
		return err
	}
	c.enqueue(&Call{Method: name, Arg: arg, Bytes: m.Bytes, consumer: c, id: m.ID, hold: hold, handler: handler})
	return nil
}

func (h *Host) parseValue(codec wire.Codec, b []byte) (delta.Value, error) {
	if len(b) == 0 {
		return delta.Null(), nil
	}
	h.stats.PartsParsed++
	return codec.ParseValue(b)
}

func (c *consumer) enqueue(call *Call) {
	if c.calls.byID == nil {
		c.calls.byID = map[uint64]*Call{}
	}
	c.calls.byID[call.id] = call
	c.calls.waiting = append(c.calls.waiting, call)
	c.host.probe.callQueued(call)
	c.host.schedule(c)
}

func (c *consumer) refuseCall(id uint64, err error) {
	c.host.settled = append(c.host.settled, settlement{call: &Call{consumer: c, id: id}, err: err})
}

func (c *consumer) cancel(body []byte) error {
	m, err := wire.ParseCancel(c.peer.link.Codec(), body)
	if err != nil {
		return err
	}
	if call := c.calls.byID[m.ID]; call != nil {
		call.cancelled = true
	}
	return nil // the result may have crossed the cancel
}

// schedule lets a consumer's next call start in a turn of its own, in rotation with the other consumers.
func (h *Host) schedule(c *consumer) {
	q := &c.calls
	if q.queued || c.closed || len(q.waiting) == 0 || q.running >= h.limits.RunningCalls {
		return
	}
	q.queued = true
	h.runs = append(h.runs, c)
	h.postRun()
}

func (h *Host) postRun() {
	if !h.running && len(h.runs) > 0 {
		h.running = true
		h.sched.Post(base.WorkHandler, h.runNext)
	}
}

// runFirst starts one call: of the consumer that waited longest since its last one.
func (h *Host) runFirst() {
	h.running = false
	defer h.postRun()
	if len(h.runs) > 0 {
		var c *consumer
		c, h.runs = first(h.runs)
		c.calls.queued = false
		if !c.closed {
			c.runOne()
			h.schedule(c)
		}
	}
}

// first takes the first element out of a queue that is not empty. One that is empty then keeps its room, so that what waits
// for a moment only costs nothing.
func first[E any](queue []*E) (*E, []*E) {
	e := queue[0]
	queue[0] = nil
	if len(queue) == 1 {
		return e, queue[:0]
	}
	return e, queue[1:]
}

func (c *consumer) runOne() {
	q := &c.calls
	var call *Call
	call, q.waiting = first(q.waiting)
	q.running++
	if call.cancelled {
		call.Settle(delta.Null(), base.Errorf(base.CodeCancelled, "cancelled before it started"))
		return
	}
	if c.host.probe.CallStart != nil {
		c.host.probe.CallStart(c.host, c.ID(), call.hold.id, call.id)
	}
	c.host.stats.CallsRun++
	returned := false
	defer func() { // the panic goes on, but the slot comes back and the caller is told
		if !returned && !call.done {
			call.Settle(delta.Null(), base.Errorf(base.CodeInternal, "the handler of %s panicked", call.Method))
		}
	}()
	v, err := call.handler(call)
	returned = true
	if !call.deferred {
		call.Settle(v, err)
	}
}
