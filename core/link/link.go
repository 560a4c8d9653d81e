package link

import (
	"chordsim/core/base"
	"chordsim/core/wire"
)

// Transport carries chunks to the other side, whole and in order, for as long as it lives.
type Transport interface {
	// Write hands over a chunk, which nobody changes from then on. It reports whether the transport would take
	// another one now; if not, it tells the link with [Link.Writable] once it would.
	Write(chunk []byte) bool
	// Close ends the transport after what was written, if it can still be delivered.
	Close()
}

// Handler is told what comes over a link. Its calls are made within a turn of the host.
type Handler interface {
	// LinkUp says that hands were shaken.
	LinkUp(l *Link)
	// LinkChunk brings a numbered chunk, in the order in which the peer wrote it. An error closes the link.
	LinkChunk(l *Link, h wire.Header, body []byte) error
	// LinkClosed says that the link is gone, and why. Nothing comes after it.
	LinkClosed(l *Link, err error)
	// LinkPending says that the link has something to send: the turn's end calls [Link.Flush].
	LinkPending(l *Link)
}

// Owner is told of credit for the chunks that it had sent, in order.
type Owner interface {
	// Written says that a chunk with this many bytes of body was handed to the transport.
	Written(lane wire.Lane, bytes int)
	// Credited says that the consumer has taken in a chunk; last says whether it ended its message.
	Credited(lane wire.Lane, bytes int, last bool)
}

// Role says which side of a handshake a link is.
type Role uint8

// The roles.
const (
	Dialer   Role = iota // sends the hello
	Acceptor             // waits for it
)

// Config is what a link needs to know. All fields but Handler and Identity have a usable zero value.
type Config struct {
	Role        Role
	Handler     Handler
	Identity    wire.Identity // who this side is; its Version and MaxMessage are filled in, and an acceptor's Codec
	Limits      base.Limits   // zero fields take their defaults
	Credentials []byte        // sent by a dialer
	Session     uint64        // the number that an acceptor gives to a new session; never 0 there
	Sessions    Sessions      // keeps sessions whose transport is gone; nil: the link closes with its transport
}

type phase uint8

const (
	phaseNew phase = iota
	phaseGreeting
	phaseUp
	phaseSuspended // without a transport
	phaseResuming  // a dialer's, greeting on another one
	phaseClosed
)

// Link is one side of a channel.
type Link struct {
	cfg       Config
	limits    base.Limits
	codec     wire.Codec // of an acceptor: known from the first chunk on
	room      int        // in front of each buffer, for a header
	phase     phase
	transport Transport
	writable  bool
	pending   bool // LinkPending was called and Flush not yet

	peer        wire.Identity
	credentials []byte
	session     uint64
	generation  uint64 // transports that the session has had
	resend      int    // chunks of those retained that are to go again, the newest ones
	unsent      []Unsent

	control  fifo
	streams  map[streamKey]*stream
	own      *stream // origin 0, which has no map entry
	small    oldest  // streams with state to send
	bulk     turns   // streams with bulk to send
	sequence uint64  // orders control and state messages by when they were sent
	run      int     // small messages since the last bulk chunk
	pong     bool    // a ping came; any number of them has one answer
	retained retained
	received received
	stats    Stats
}

// Stats counts what a link did since it was made.
type Stats struct {
	ChunksOut, ChunksIn int64
	BytesOut, BytesIn   int64 // headers included
	AcksOut             int64 // acks that went alone
	ChunksAgain         int64 // chunks that went again over another transport
}

// New makes a link without a transport.
func New(cfg Config) *Link {
	l := &Link{cfg: cfg, limits: cfg.Limits.WithDefaults(), streams: map[streamKey]*stream{}}
	// A chunk over a window would wait for ever.
	l.limits.ChunkBytes = min(l.limits.ChunkBytes, wire.MaxChunk, l.limits.WindowBytes, l.limits.BulkBytes)
	l.limits.BulkSlots = min(l.limits.BulkSlots, wire.MaxSlots)
	l.cfg.Identity.Version = wire.Version
	if cfg.Sessions != nil {
		l.cfg.Identity.Features |= FeatureResume
	}
	l.speak(cfg.Identity.Codec)
	l.cfg.Identity.MaxMessage = uint64(l.limits.MessageBytes)
	l.own = newStream(l, 0)
	return l
}

// speak settles the codec.
func (l *Link) speak(c wire.Codec) {
	l.codec, l.cfg.Identity.Codec, l.room = c, c, c.Room()
}

// Codec returns how messages of this link are written. An acceptor knows once a dialer has greeted.
func (l *Link) Codec() wire.Codec { return l.codec }

// CodecFor returns the codec that a chunk of this link is read in, also before hands were shaken.
func (l *Link) CodecFor(chunk []byte) wire.Codec {
	if l.phase == phaseUp || l.phase == phaseResuming {
		return l.codec
	}
	return wire.CodecOf(chunk)
}

// Peer returns who the other side is. It is zero before the link is up.
func (l *Link) Peer() wire.Identity { return l.peer }

// Credentials returns what the dialer sent, on the acceptor's side.
func (l *Link) Credentials() []byte { return l.credentials }

// Up reports whether hands were shaken and the link is not closed. It is up while it is suspended.
func (l *Link) Up() bool {
	return l.phase == phaseUp || (l.phase == phaseSuspended || l.phase == phaseResuming) && l.session != 0
}

// Closed reports whether the link is gone.
func (l *Link) Closed() bool { return l.phase == phaseClosed }

// Dialed reports whether this side dialed.
func (l *Link) Dialed() bool { return l.cfg.Role == Dialer }

// Stats returns the link's counters.
func (l *Link) Stats() Stats { return l.stats }

// MaxMessage returns the size in bytes of the largest message that may be sent: what this side takes, and the other side if
// it is known by now.
func (l *Link) MaxMessage() int {
	most := l.limits.MessageBytes
	if l.peer.MaxMessage > 0 && l.peer.MaxMessage < uint64(most) {
		most = int(l.peer.MaxMessage)
	}
	return most
}

// Limits returns the link's limits, defaults filled in.
func (l *Link) Limits() *base.Limits { return &l.limits }

// Open gives the link its transport. A dialer greets at once; an acceptor waits for the other side's hello.
func (l *Link) Open(t Transport) {
	if l.phase != phaseNew {
		panic("link: opened twice")
	}
	l.transport, l.writable, l.phase, l.generation = t, true, phaseGreeting, 1
	if l.cfg.Role == Dialer {
		l.greetPeer()
	}
}

// Receive takes a chunk that arrived. The link keeps views of it.
func (l *Link) Receive(chunk []byte) {
	if l.transport == nil {
		return // what a transport still brings after the link has let go of it
	}
	l.stats.ChunksIn++
	l.stats.BytesIn += int64(len(chunk))
	if l.phase == phaseGreeting && l.cfg.Role == Acceptor {
		l.speak(wire.CodecOf(chunk))
	}
	h, body, err := wire.ParseHeader(l.codec, chunk)
	if err == nil {
		err = l.receive(h, body)
	}
	if err != nil {
		l.fail(err)
	}
}

func (l *Link) receive(h wire.Header, body []byte) error {
	if l.phase != phaseUp {
		return l.greet(h, body)
	}
	if h.Ack != 0 {
		if err := l.acknowledged(h.Ack); err != nil {
			return err
		}
	}
	switch h.Type {
	case wire.TypeHello, wire.TypeWelcome:
		return base.Errorf(base.CodeProtocol, "%v on a link that is up", h.Type)
	case wire.TypeAck:
		return nil
	case wire.TypePing:
		l.pong = true
		l.markPending()
		return nil
	case wire.TypePong:
		return nil
	case wire.TypeBye:
		bye, err := wire.ParseBye(l.codec, body)
		if err != nil {
			return err
		}
		l.close(&base.PeerError{Code: bye.Code, Detail: bye.Detail})
		return nil
	}
	l.received.count(len(body))
	if l.received.due(&l.limits) {
		l.markPending()
	}
	if h.Type == wire.TypeCredit {
		return l.credit(h.Origin, body)
	}
	return l.cfg.Handler.LinkChunk(l, h, body)
}

// Writable says that the transport takes chunks again.
func (l *Link) Writable() {
	if l.transport == nil {
		return
	}
	l.writable = true
	l.markPending()
}

// TransportClosed says that the transport is gone. The link goes with it, unless it can be resumed.
func (l *Link) TransportClosed(err error) {
	if l.phase == phaseClosed || l.transport == nil {
		return
	}
	if err == nil {
		err = base.Errorf(base.CodeDown, "the transport closed")
	}
	if l.survives() {
		l.suspend(err)
		return
	}
	l.close(err)
}

// Close says goodbye and ends the link.
func (l *Link) Close(code base.Code, detail string) {
	if l.phase == phaseClosed {
		return
	}
	l.Flush()
	l.sendBye(code, detail)
	l.close(base.Errorf(code, "closed here: %s", detail))
}

// Fail ends the link because of what was found in a chunk after it was taken.
func (l *Link) Fail(err error) { l.fail(err) }

// fail ends the link because the peer broke a rule.
func (l *Link) fail(err error) {
	if l.phase == phaseClosed {
		return
	}
	l.sendBye(base.CodeOf(err), err.Error())
	l.close(err)
}

func (l *Link) sendBye(code base.Code, detail string) {
	if l.transport != nil {
		bye := wire.Bye{Failure: wire.Failure{Code: code, Detail: detail}}
		l.writeLink(wire.TypeBye, bye.Append(l.codec, l.Buffer()))
	}
}

func (l *Link) close(err error) {
	if l.phase == phaseClosed {
		return // a transport may close the link from within the write of its goodbye
	}
	l.phase = phaseClosed
	if t := l.transport; t != nil {
		l.transport = nil
		t.Close()
	}
	l.keepUnsent()
	l.control, l.small, l.bulk = fifo{}, oldest{}, turns{}
	l.streams, l.own, l.retained = map[streamKey]*stream{}, newStream(l, 0), retained{}
	l.cfg.Handler.LinkClosed(l, err)
}

func (l *Link) markPending() {
	if !l.pending && l.phase != phaseClosed {
		l.pending = true
		l.cfg.Handler.LinkPending(l)
	}
}
