package core

import (
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/wire"
)

// PendingCall is a call that its caller waits for. It settles once.
type PendingCall struct {
	ref      *Reference
	method   string
	arg      []byte
	done     func(delta.Value, error)
	timer    base.Timer
	id       uint64
	sent     bool // has a call id, until the result comes
	counted  bool // counts as parked
	settled  bool
	value    delta.Value // of a result that waits for state
	err      error
	after    []wire.After
	deadline base.Time
}

// CallOption changes how a call is made.
type CallOption func(*PendingCall)

// Deadline settles the call as timed out at t, unless it settled before. A call that is still parked then is not sent.
func Deadline(t base.Time) CallOption { return func(pc *PendingCall) { pc.deadline = t } }

// Call runs a method of the object with an argument that [delta.FromGo] takes; nil stands for none. done is called once,
// in a turn of the host, also when the call fails at once. Calls of one reference start in the order in which they are
// made. While the reference resolves they wait here, within Limits.ParkedCalls and ParkedBytes.
func (r *Reference) Call(method string, arg any, done func(delta.Value, error), options ...CallOption) *PendingCall {
	r.host.mustTurn("Reference.Call")
	pc := &PendingCall{ref: r, method: method, done: done, deadline: base.Never}
	for _, option := range options {
		option(pc)
	}
	if err := pc.prepare(arg); err != nil {
		pc.settle(delta.Null(), err)
		return pc
	}
	if pc.deadline != base.Never {
		pc.timer = r.host.sched.NewTimer(func() { r.host.turn(pc.expire) })
		pc.timer.Set(pc.deadline)
	}
	if r.state == StateResolving {
		pc.count(1)
		r.parked = append(r.parked, pc)
		return pc
	}
	pc.send()
	return pc
}

// prepare checks and encodes what the call needs.
func (pc *PendingCall) prepare(arg any) error {
	r := pc.ref
	switch r.state {
	case StateReleased:
		return base.Errorf(base.CodeReleased, "the reference to %q was released", r.address)
	case StateFailed, StateDown, StateRetired:
		return base.Errorf(base.CodeOf(r.err), "the reference to %q is %s: %v", r.address, r.state, r.err)
	}
	if len(pc.method) > wire.MaxMethod {
		return base.Errorf(base.CodeLimit, "method name of %d bytes, at most %d", len(pc.method), wire.MaxMethod)
	}
	if pc.deadline <= r.host.Now() {
		return base.Errorf(base.CodeTimeout, "the deadline of %s had passed", pc.method)
	}
	if arg != nil {
		v, err := delta.FromGo(arg)
		if err != nil {
			return err
		}
		pc.arg = wire.AppendValue(nil, v)
	}
	c, limits := r.client, &r.host.limits
	if len(pc.arg) > limits.MessageBytes {
		return base.Errorf(base.CodeLimit, "argument of %d bytes, at most %d", len(pc.arg), limits.MessageBytes)
	}
	if c.parked >= limits.ParkedCalls || c.bytes+len(pc.arg) > limits.ParkedBytes {
		return base.Errorf(base.CodeLimit, "over the limit on calls that wait")
	}
	return nil
}

// count adds the call to, or takes it from, those that wait at the caller.
func (pc *PendingCall) count(by int) {
	pc.counted = by > 0
	pc.ref.client.parked += by
	pc.ref.client.bytes += by * len(pc.arg)
}

// send puts the call on the link, or behind those that wait for a free place there.
func (pc *PendingCall) send() {
	c := pc.ref.client
	if len(c.calls) >= c.host.limits.RunningCalls || len(c.waiting) > 0 {
		if !pc.counted {
			pc.count(1)
		}
		c.waiting = append(c.waiting, pc)
		return
	}
	pc.transmit()
}

func (pc *PendingCall) transmit() {
	c := pc.ref.client
	if pc.counted {
		pc.count(-1)
	}
	pc.id, pc.sent = c.callIDs.take(), true
	c.calls[pc.id] = pc
	m := wire.Call{Hold: pc.ref.id, ID: pc.id, Method: -1, Name: pc.method, Args: pc.arg}
	if i, ok := pc.ref.methods[pc.method]; ok {
		m.Method = i
	}
	l := c.peer.link
	buf := m.Append(l.BufferFor(len(pc.arg) + len(pc.method) + 16))
	if l.Fits(buf) {
		l.SendControl(wire.TypeCall, 0, buf)
	} else {
		l.SendBulk(wire.TypeCallBulk, 0, buf, nil)
	}
	pc.arg = nil
}

// Cancel gives up on the call. It settles as cancelled at once; the handler may run, or go on, all the same.
func (pc *PendingCall) Cancel() {
	pc.ref.host.mustTurn("PendingCall.Cancel")
	pc.abandon(base.Errorf(base.CodeCancelled, "%s was cancelled", pc.method))
}

func (pc *PendingCall) expire() {
	pc.abandon(base.Errorf(base.CodeTimeout, "the deadline of %s passed", pc.method))
}

func (pc *PendingCall) abandon(err error) {
	if pc.settled {
		return
	}
	if l := pc.ref.client.peer.link; pc.sent && !l.Closed() {
		l.SendControl(wire.TypeCancel, 0, wire.Cancel{ID: pc.id}.Append(l.Buffer()))
	}
	pc.settle(delta.Null(), err)
}

// settle ends the call for its caller. The call id stays taken until the provider's result has come.
func (pc *PendingCall) settle(v delta.Value, err error) {
	if pc.settled {
		return
	}
	pc.settled = true
	if pc.timer != nil {
		pc.timer.Stop()
	}
	if pc.counted {
		pc.count(-1)
	}
	if pc.done != nil {
		pc.done(v, err)
	}
}

// waits reports whether an entry that the result names has not come.
func (pc *PendingCall) waits() bool {
	for _, a := range pc.after {
		if r := pc.ref.client.refs[a.Hold]; r != nil && r.state == StateLive && r.entries < a.Entry {
			return true
		}
	}
	return false
}

// result takes a result in and lets the next waiting call go.
func (c *client) result(body []byte) error {
	m, err := wire.ParseResult(body)
	if err != nil {
		return err
	}
	pc := c.calls[m.ID]
	if pc == nil {
		return base.Errorf(base.CodeProtocol, "result of call %d, which was not made", m.ID)
	}
	delete(c.calls, m.ID)
	c.callIDs.put(m.ID)
	pc.sent = false
	if m.Err != nil {
		pc.err = &base.PeerError{Code: m.Err.Code, Detail: m.Err.Detail}
	} else if pc.value, err = c.host.parseValue(m.Value); err != nil {
		return err
	}
	if pc.after = m.After; !pc.settled {
		if pc.waits() {
			for _, a := range pc.after {
				if r := c.refs[a.Hold]; r != nil && r.state == StateLive && r.entries < a.Entry {
					r.held = append(r.held, pc)
				}
			}
		} else {
			pc.settle(pc.value, pc.err)
		}
	}
	for len(c.waiting) > 0 && len(c.calls) < c.host.limits.RunningCalls {
		next := c.waiting[0]
		c.waiting[0] = nil
		c.waiting = c.waiting[1:]
		if !next.settled {
			next.transmit()
		}
	}
	return nil
}
