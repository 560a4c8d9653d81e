package netsim

import (
	"fmt"

	"chordsim/core/base"
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
	// Buffer is how many bytes each direction takes before it is full. Zero: DefaultBuffer for a direction with a rate or
	// a bottleneck, TraceBuffer for one with a trace, no bound for others. Negative is an error.
	Buffer int64
	// UpVia and DownVia are bottlenecks that the directions share with others; their own rates then bound their shares. A
	// direction with a quantum or a trace cannot. Nil: none.
	UpVia, DownVia *Bottleneck
	// Stream makes both directions byte streams. Nil: they carry whole messages.
	Stream *StreamConfig
}

// Memory is a link that delivers everything at once.
var Memory = Config{}

// Receiver is a host's side of an end: each call is an input of the host.
type Receiver interface {
	// Deliver brings a message that arrived.
	Deliver(chunk []byte)
	// Writable says that the end's direction has room again.
	Writable()
	// Closed says that the connection is over, once; nothing comes after it. The error is nil if the other end closed and all
	// that this end wrote was delivered before; it is ErrReset if not, or if the connection was reset.
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
	hands    handshake
	drops    int64 // how many messages will have been dropped when the link is reset; 0: it will not be
	dropped  Lost
	fate     Fate
	dead     bool // was reset: nothing happens any more
}

// New makes a link that is connected, unless [Link.Connect] is called next. What is drawn for its directions is drawn from
// rand under the link's name.
func New(queue *events.Queue, rand base.Rand, cfg Config, tap Tap) (*Link, error) {
	if cfg.Buffer < 0 {
		return nil, fmt.Errorf("netsim: link %s: a buffer of %d bytes; want 0 (the default) or more", cfg.Name, cfg.Buffer)
	}
	l := &Link{name: cfg.Name, queue: queue}
	l.dialer = End{link: l, dialer: true, tap: tap}
	l.acceptor = End{link: l, tap: tap}
	up, down := rand.Stream("jitter", cfg.Name, "up"), rand.Stream("jitter", cfg.Name, "down")
	if err := l.dialer.out.init(l, &l.acceptor, cfg.Up, cfg.Buffer, cfg.UpVia, up); err != nil {
		return nil, fmt.Errorf("netsim: link %s up: %w", cfg.Name, err)
	}
	if err := l.acceptor.out.init(l, &l.dialer, cfg.Down, cfg.Buffer, cfg.DownVia, down); err != nil {
		return nil, fmt.Errorf("netsim: link %s down: %w", cfg.Name, err)
	}
	if cfg.Stream != nil {
		if err := cfg.Stream.validate(); err != nil {
			return nil, fmt.Errorf("netsim: link %s: %w", cfg.Name, err)
		}
		l.dialer.out.stream = newStream(*cfg.Stream, rand, cfg.Name, "up")
		l.acceptor.out.stream = newStream(*cfg.Stream, rand, cfg.Name, "down")
	}
	return l, nil
}

// Name returns the link's name.
func (l *Link) Name() string { return l.name }

// Dialer returns the end that dialed, Acceptor the other one.
func (l *Link) Dialer() *End   { return &l.dialer }
func (l *Link) Acceptor() *End { return &l.acceptor }

// RoundTrip returns the latency of both directions.
func (l *Link) RoundTrip() (up, down base.Duration) {
	return l.dialer.out.model.Config().Latency, l.acceptor.out.model.Config().Latency
}
