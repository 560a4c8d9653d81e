package core

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/wire"
)

// PendingCall is a call that its caller waits for. It settles once.
type PendingCall struct {
	ref      *Reference
	method   string
	arg      []byte
	bytes    [][]byte // beside the argument, then beside the result
	size     int      // more than the call's message takes, in bytes
	done     func(delta.Value, error)
	timer    base.Timer
	id       uint64
	number   uint64     // among the calls of its reference, from 1
	order    *callOrder // of the hold that it was sent by; nil: it was not
	place    uint64     // among the calls of that and its lane, from 1
	lane     int        // callsSmall or callsBulk
	sent     bool       // has a call id, until the result comes
	gaveUp   bool       // a cancel was sent, which may come later than the next call of that id: it is not used again
	fence    bool       // is there to be answered; nobody waits for it
	counted  bool       // counts as parked
	queued   bool       // is in client.waiting, and did not settle
	settled  bool
	shown    bool
	value    delta.Value // of a result that waits for state
	err      error
	after    []awaited // entries that its result names and that had not come with it
	deadline base.Time
}

// awaited is an entry of a hold. Its id would not do: another one may have it by the time that the entry would have come.
type awaited struct {
	grip  *grip
	entry uint64
}

// CallOption changes how a call is made.
type CallOption func(*PendingCall)

// Deadline settles the call as timed out at t, unless it settled before. A call that is still parked then is not sent.
func Deadline(t base.Time) CallOption { return func(pc *PendingCall) { pc.deadline = t } }

// WithBytes sends raw bytes beside the argument, at most [chordsim/core/wire.MaxByteParts] in all. They must not be changed
// before the call settles.
func WithBytes(parts ...[]byte) CallOption {
	return func(pc *PendingCall) { pc.bytes = append(pc.bytes, parts...) }
}

// Bytes returns the raw bytes that came beside the result, once the call has settled without an error; nil when there are
// none. They may be views of the message that nobody may change.
func (pc *PendingCall) Bytes() [][]byte {
	if !pc.settled || pc.err != nil {
		return nil
	}
	return pc.bytes
}

// Call runs a method of the object with an argument that [delta.FromGo] takes; nil stands for none. done is called once,
// in a turn of the host, also when the call fails at once. Calls of one reference start in the order in which they are
// made. While the reference resolves they wait here, within Limits.ParkedCalls and ParkedBytes.
func (r *Reference) Call(method string, arg any, done func(delta.Value, error), options ...CallOption) *PendingCall {
	r.host.mustTurn("Reference.Call")
	r.made++
	pc := &PendingCall{ref: r, method: method, done: done, deadline: base.Never, number: r.made}
	for _, option := range options {
		option(pc)
	}
	r.host.probe.callMade(pc)
	if err := pc.prepare(arg); err != nil {
		pc.settle(delta.Null(), err)
		return pc
	}
	parks := r.state != StateLive
	if (parks || r.waiting > 0 || !pc.ready()) && !pc.mayWait() {
		pc.settle(delta.Null(), base.Errorf(base.CodeLimit, "over the limit on calls that wait"))
		return pc
	}
	if pc.deadline != base.Never {
		pc.timer = r.host.sched.NewTimer(func() { r.host.turn(pc.expire) })
		pc.timer.Set(pc.deadline)
	}
	if parks {
		pc.count(1)
		r.parked = appendCall(r.parked, pc, r.client.parked)
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
	case StateDown:
		if !r.client.lasting() {
			return base.Errorf(base.CodeOf(r.err), "the reference to %q is %s: %v", r.address, r.state, r.err)
		}
	case StateFailed, StateRetired:
		return base.Errorf(base.CodeOf(r.err), "the reference to %q is %s: %v", r.address, r.state, r.err)
	}
	if !utf8.ValidString(pc.method) {
		return base.Errorf(base.CodeRefused, "the method name %q is no UTF-8", pc.method)
	}
	if pc.method == "" || len(pc.method) > wire.MaxMethod {
		return base.Errorf(base.CodeLimit, "method name of %d bytes, at least 1 and at most %d", len(pc.method), wire.MaxMethod)
	}
	if pc.deadline <= r.host.Now() {
		return base.Errorf(base.CodeTimeout, "the deadline of %s had passed", pc.method)
	}
	if arg != nil {
		v, err := delta.FromGo(arg)
		if err != nil {
			return err
		}
		pc.arg = r.host.encode(r.client.codec(), v) // copied if the call has to wait
	}
	if len(pc.bytes) > wire.MaxByteParts {
		return base.Errorf(base.CodeLimit, "%d bytes parts, at most %d", len(pc.bytes), wire.MaxByteParts)
	}
	pc.size = pc.room()
	// The provider refuses the link, not the call, when the message is over the limit.
	if limit := r.client.peer.link.MaxMessage(); pc.size > limit {
		return base.Errorf(base.CodeLimit, "argument of %d bytes, in a message of at most %d", pc.size-callHead, limit)
	}
	return cmp.Or(r.host.admit(pc.arg), r.host.admit(pc.bytes...))
}

// room returns more than the call's message takes, in bytes.
func (pc *PendingCall) room() int {
	size := callHead + len(pc.arg) + len(pc.method)
	if pc.ref.client.codec() == wire.Text {
		size += textHead + escaped*len(pc.method)
	}
	for _, b := range pc.bytes {
		size += len(b) + lengthBytes
	}
	return size
}

// What a call's message takes more in text, in bytes: for its numbers, and for each byte of a name, which is up to six
// bytes of JSON.
const (
	textHead = 40
	escaped  = 5
)

// mayWait reports whether the caller has room for another call that waits.
func (pc *PendingCall) mayWait() bool {
	c, limits := pc.ref.client, &pc.ref.host.limits
	return c.parked < limits.ParkedCalls && c.bytes+pc.size-callHead <= limits.ParkedBytes
}

// count adds the call to, or takes it from, those that wait at the caller.
func (pc *PendingCall) count(by int) {
	if pc.counted = by > 0; pc.counted {
		pc.arg = slices.Clone(pc.arg)
		pc.ref.host.probe.callWaits(pc)
	}
	pc.ref.client.parked += by
	pc.ref.client.bytes += by * (pc.size - callHead)
}

// Cancel gives up on the call. It settles as cancelled at once; the handler may run, or go on, all the same.
func (pc *PendingCall) Cancel() {
	pc.ref.host.mustTurn("PendingCall.Cancel")
	pc.abandon(base.Errorf(base.CodeCancelled, "%s was cancelled", pc.method))
}

// late reports whether the deadline has passed. The call is not sent any more; the turn of its timer, which waits behind
// others, settles it.
func (pc *PendingCall) late() bool { return pc.deadline <= pc.ref.host.Now() }

func (pc *PendingCall) expire() {
	pc.abandon(base.Errorf(base.CodeTimeout, "the deadline of %s passed", pc.method))
}

func (pc *PendingCall) abandon(err error) {
	if pc.settled {
		return
	}
	c := pc.ref.client
	sent := pc.sent && !c.peer.link.Closed()
	withdrawn := sent && c.withdraw(pc)
	if sent && !withdrawn {
		pc.giveUp()
	}
	pc.settle(delta.Null(), err)
	if withdrawn {
		c.pump() // it was one of those that may be unanswered
	}
}

// giveUp tells the provider that nobody waits for the call any more: behind its last chunk, since before that there is no call to
// cancel.
func (pc *PendingCall) giveUp() {
	pc.gaveUp = true
	if pc.beingWritten() {
		pc.order.cancel = pc
		return
	}
	pc.ref.client.cancel(pc)
}

func (c *client) cancel(pc *PendingCall) {
	l := c.peer.link
	l.SendControl(wire.TypeCancel, 0, wire.Cancel{ID: pc.id}.Append(l.Codec(), l.Buffer()))
}

// show settles the call with its result.
func (pc *PendingCall) show() {
	pc.shown = true
	pc.settle(pc.value, pc.err)
}

// settle ends the call for its caller. The call id stays taken until the provider's result has come.
func (pc *PendingCall) settle(v delta.Value, err error) {
	if pc.settled {
		return
	}
	pc.settled = true
	if p := pc.ref.host.probe; p.Settled != nil {
		p.Settled(pc, pc.shown)
	}
	if pc.err = err; err != nil {
		pc.bytes = nil
	}
	if pc.timer != nil {
		pc.timer.Stop()
	}
	pc.leaveQueue()
	pc.detach()
	if pc.counted {
		pc.count(-1)
		pc.arg = nil
	}
	if pc.done != nil {
		pc.done(v, err)
	}
}

// waits reports whether an entry that the result names has not come. A reference that still resolves was bound before
// the entry was sent: its snapshot will be older than the result.
func (pc *PendingCall) waits() bool {
	for _, a := range pc.after {
		if a.grip.waitsFor(a.entry) {
			return true
		}
	}
	return false
}

// result takes a result in and lets the next waiting call go.
func (c *client) result(body []byte) error {
	m, err := wire.ParseResult(c.codec(), body)
	if err != nil {
		return err
	}
	pc := c.calls[m.ID]
	if pc == nil {
		return base.Errorf(base.CodeProtocol, "result of call %d, which was not made", m.ID)
	}
	if err := cmp.Or(c.host.admit(m.Value), c.host.admit(m.Bytes...)); err != nil {
		return err
	}
	if pc.settled || !m.Deflated && m.DeflatedBytes == 0 {
		return c.settled(pc, &m)
	}
	var in inflation
	if m.Deflated {
		if err := in.add(&m.Value, &c.host.limits); err != nil {
			return err
		}
	}
	for i := range m.Bytes {
		if m.DeflatedBytes&(1<<i) != 0 {
			if err := in.add(&m.Bytes[i], &c.host.limits); err != nil {
				return err
			}
		}
	}
	return c.inflate(&in, func() error { return c.settled(pc, &m) })
}

// settled settles a call with its result, or lets it wait for what the result waits for.
func (c *client) settled(pc *PendingCall, m *wire.Result) (err error) {
	switch {
	case pc.settled: // nobody waits for it
	case m.Err != nil:
		pc.err = &base.PeerError{Code: m.Err.Code, Detail: m.Err.Detail}
	default:
		if pc.value, err = c.host.parseValue(c.codec(), m.Value); err != nil {
			return err // the call settles as the link closes
		}
		pc.bytes = m.Bytes
	}
	delete(c.calls, m.ID)
	if p := c.host.probe; p.Answered != nil {
		if pc.settled {
			p.Answered(c.peer.link, m.ID, nil)
		} else {
			p.Answered(c.peer.link, m.ID, pc)
		}
	}
	if !pc.gaveUp {
		c.callIDs.put(m.ID)
	}
	pc.answered()
	c.pump() // before the caller is told, whose next call goes behind
	if pc.settled {
		return nil
	}
	for _, a := range m.After {
		if g := c.grips[a.Hold]; g != nil && g.waitsFor(a.Entry) {
			pc.after = append(pc.after, awaited{g, a.Entry})
			g.held = append(g.held, pc)
		}
	}
	if len(pc.after) == 0 {
		pc.show()
	}
	return nil
}
