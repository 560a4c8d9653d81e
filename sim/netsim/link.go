package netsim

import (
	"fmt"

	"chordsim/core/base"
	"chordsim/core/link"
	"chordsim/faults/linkmodel"
	"chordsim/sim/events"
)

// DefaultBuffer is how many bytes a direction with a rate takes before it is full, TraceBuffer one with a trace: recorded
// links deliver in bursts of several opportunities, which a smaller buffer would leave half used.
const (
	DefaultBuffer = 4 * base.KiB
	TraceBuffer   = 16 * base.KiB
)

// Config is what a link is like. The zero value is a memory link: everything arrives at once, in a later event.
type Config struct {
	// Name says in traces which link it is; empty: "dialer-acceptor".
	Name string
	// Up is the direction from the dialer, Down the one towards it.
	Up, Down linkmodel.Config
	// Buffer is how many bytes each direction takes before it is full. Zero: DefaultBuffer for a direction with a rate,
	// TraceBuffer for one with a trace, no bound for others. Negative is an error.
	Buffer int64
}

// Memory is a link that delivers everything at once.
var Memory = Config{}

// Receiver is a host's side of an end: each call is an input of the host.
type Receiver interface {
	// Deliver brings a message that arrived.
	Deliver(chunk []byte)
	// Writable says that the end's direction has room again.
	Writable()
	// Closed says that the connection is over.
	Closed(err error)
}

// Tap sees what crosses a link. Its methods must not call back.
type Tap interface {
	// Wrote is told of each message that an end takes.
	Wrote(e *End, chunk []byte)
	// Arrived is told of each message before its receiver is. What is thrown away at a closed end did not arrive.
	Arrived(e *End, chunk []byte)
}

// Link is a connection between two hosts.
type Link struct {
	name     string
	queue    *events.Queue
	dialer   End
	acceptor End
}

// End is one end of a link. It is the transport of what runs there.
type End struct {
	link     *Link
	dialer   bool
	out      direction // from this end to the other
	receiver Receiver
	closed   bool
	tap      Tap

	stalledUntil base.Time // when the stall of the direction towards this end is over; 0: there is none

	owner any
}

var _ link.Transport = (*End)(nil)

// New makes a link that is not connected. The jitter of its directions is drawn from rand under the link's name.
func New(queue *events.Queue, rand base.Rand, cfg Config, tap Tap) (*Link, error) {
	if cfg.Buffer < 0 {
		return nil, fmt.Errorf("netsim: link %s: a buffer of %d bytes; want 0 (the default) or more", cfg.Name, cfg.Buffer)
	}
	l := &Link{name: cfg.Name, queue: queue}
	l.dialer = End{link: l, dialer: true, tap: tap}
	l.acceptor = End{link: l, tap: tap}
	if err := l.dialer.out.init(l, &l.acceptor, cfg.Up, cfg.Buffer, rand.Stream("jitter", cfg.Name, "up")); err != nil {
		return nil, fmt.Errorf("netsim: link %s up: %w", cfg.Name, err)
	}
	if err := l.acceptor.out.init(l, &l.dialer, cfg.Down, cfg.Buffer, rand.Stream("jitter", cfg.Name, "down")); err != nil {
		return nil, fmt.Errorf("netsim: link %s down: %w", cfg.Name, err)
	}
	return l, nil
}

// Name returns the link's name.
func (l *Link) Name() string { return l.name }

// Dialer returns the end that dialed, Acceptor the other one.
func (l *Link) Dialer() *End   { return &l.dialer }
func (l *Link) Acceptor() *End { return &l.acceptor }

// RoundTrip returns the latency of both directions together.
func (l *Link) RoundTrip() (up, down base.Duration) {
	return l.dialer.out.latency, l.acceptor.out.latency
}

// Stall stops the direction towards an end: it delivers nothing until Resume. Both report whether that changed anything.
func (e *End) Stall() bool {
	e.stalledUntil = base.Never
	return e.stall()
}

func (e *End) stall() bool {
	d := e.inbound()
	changed := d.model.Stall(e.link.queue.Now())
	d.reschedule()
	return changed
}

// Resume ends a stall.
func (e *End) Resume() bool {
	e.stalledUntil = 0
	d := e.inbound()
	changed := d.model.Resume(e.link.queue.Now())
	d.reschedule()
	return changed
}

// StallUntil stalls the direction towards the end until a time; a later one that was asked for before stays. A time that
// is not in the future changes nothing.
func (e *End) StallUntil(t base.Time) {
	if t <= e.link.queue.Now() || t <= e.stalledUntil {
		return
	}
	e.stall()
	e.stalledUntil = t
	e.link.queue.Schedule(t, (*stallEnd)(e), uint64(t))
}

// stallEnd is an End seen from the event that ends its stall.
type stallEnd End

// Fire ends the stall, unless a later end was asked for.
func (s *stallEnd) Fire(t uint64) {
	if e := (*End)(s); base.Time(t) == e.stalledUntil {
		e.Resume()
	}
}

// Stalled reports whether the direction towards the end is stalled.
func (e *End) Stalled() bool { return e.inbound().model.Stalled() }

// Received returns how many messages and bytes were delivered to the end.
func (e *End) Received() (messages, bytes int64) {
	d := e.inbound()
	return d.messages, d.bytes
}

// Queued returns how many bytes were written towards the end and have not left the other one. The message that is leaving
// counts whole.
func (e *End) Queued() int64 { return e.inbound().model.QueuedBytes() }

func (e *End) inbound() *direction {
	if e.dialer {
		return &e.link.acceptor.out
	}
	return &e.link.dialer.out
}

// Other returns the other end.
func (e *End) Other() *End {
	if e.dialer {
		return &e.link.acceptor
	}
	return &e.link.dialer
}

// Link returns the link that the end belongs to.
func (e *End) Link() *Link { return e.link }

// Attach gives the end its receiver, and a name or object that says to taps whose end it is.
func (e *End) Attach(r Receiver, owner any) { e.receiver, e.owner = r, owner }

// Owner returns what the end was attached with.
func (e *End) Owner() any { return e.owner }

// Write takes a message. It belongs to the link from then on.
func (e *End) Write(chunk []byte) bool {
	if e.closed {
		return false
	}
	if e.tap != nil {
		e.tap.Wrote(e, chunk)
	}
	return e.out.send(chunk)
}

// Close ends the connection in both directions: what this end wrote is still delivered, then the other end is told. What
// is still under way to this end is thrown away.
func (e *End) Close() {
	if e.closed {
		return
	}
	e.closed = true
	e.out.finish()
}
