package core

import (
	"maps"
	"slices"
	"unicode/utf8"

	"chordsim/core/base"
	"chordsim/core/link"
	"chordsim/core/part"
	"chordsim/core/relay"
	"chordsim/core/wire"
)

// Config is what a host is made of.
type Config struct {
	// Name says who the host is, in handshakes and traces. At most wire.MaxHostName bytes.
	Name string
	// Incarnation counts the lives of this host: a later one is larger. It is the epoch of the documents that it
	// exposes. Zero reads as 1.
	Incarnation uint64
	// Scheduler runs the host's turns. Required.
	Scheduler base.Scheduler
	// Codec is how the links that this host dials are written. Zero is [wire.Binary]. Who accepts speaks the dialer's.
	Codec wire.Codec
	// Deflate has snapshots, changes and results over part.Threshold deflated where that makes them smaller. Arguments never
	// are. It pays on slow links, for the one who deflates and the one who inflates; relays in between do neither. Zero: off.
	// Every host inflates what others deflated.
	Deflate bool
	// OffloadOver is from how many inflated bytes of a snapshot or result on the inflating is done beside the host's turns,
	// if the Scheduler is a [base.Worker]. Zero: never.
	OffloadOver int
	// Rand is what the waits before dialing again are drawn from. The zero value is the source of seed 0.
	Rand base.Rand
	// Reconnect says when transports are given up and dialed again. Zero fields take their defaults.
	Reconnect Reconnect
	// Limits bounds what the host keeps for others. Zero fields take their defaults.
	Limits base.Limits
	// Probe is told what the host does, for checks and traces. Nil: nobody is.
	Probe *Probe
}

// Host owns objects, and references to objects of other hosts.
type Host struct {
	cfg     Config
	limits  base.Limits
	sched   base.Scheduler
	probe   *Probe
	objects map[string]*object
	peers   []*peer
	parent  *peer
	table   *relay.Table
	session uint64

	reconnect Reconnect

	inTurn  bool
	dirty   []*consumer  // have state to send at the end of the turn
	settled []settlement // results to send at the end of the turn
	credits []*client    // have credit to give at the end of the turn
	pending []*link.Link // have something to write
	runs    []*consumer  // have calls to start, in turn
	running bool         // a turn that starts one is posted
	runNext func()       // is that turn: made once, since each call posts it
	stats   Stats

	changes base.Ring[toldState] // of states of references, to be told at the end of the turn

	lost   base.Ring[lostSession] // of documents that keep their histories, each once, oldest first
	forget base.Timer             // of the first of them; nil: there was none yet

	caches   []*Document // keep a large encoding, for others, until the turn ends
	scratch  []byte      // of a value that is encoded and goes into a message at once
	worker   base.Worker // nil if there is none to be used
	deflater part.Deflater
	inflater part.Inflater
}

// Stats counts what a host did since it was made.
type Stats struct {
	Turns         int64
	Commits       int64 // revisions of its documents
	StateMessages int64 // state messages sent, all consumers
	Encodes       int64 // entries encoded or taken from an equal one, all holds
	Folded        int64 // commits that waited in a hold because its consumer's window was full
	Snapshots     int64 // members sent whole in a bind
	Deltas        int64 // members of which a bind sent what was committed since a revision that the consumer still had
	PartsParsed   int64 // values and batches of ops decoded
	Frames        int64 // frames applied to replicas
	CallsRun      int64
	Deflated      int64 // parts deflated
	Inflated      int64 // parts inflated
}

// NewHost makes a host that exposes nothing and is connected to nobody.
func NewHost(cfg Config) *Host {
	if cfg.Incarnation == 0 {
		cfg.Incarnation = 1
	}
	if len(cfg.Name) > wire.MaxHostName || !utf8.ValidString(cfg.Name) {
		panic("core: NewHost: a name over wire.MaxHostName bytes, or no UTF-8")
	}
	if cfg.Probe == nil {
		cfg.Probe = &Probe{}
	}
	h := &Host{
		cfg: cfg, limits: cfg.Limits.WithDefaults(), sched: cfg.Scheduler, probe: cfg.Probe,
		objects: map[string]*object{}, reconnect: cfg.Reconnect.WithDefaults(),
	}
	if cfg.OffloadOver > 0 {
		h.worker, _ = cfg.Scheduler.(base.Worker)
	}
	h.runNext = func() { h.turn(h.runFirst) }
	h.table = relay.NewTable(relay.Config{
		Scheduler: cfg.Scheduler, Limits: cfg.Limits, Turn: h.turn,
		Opened: func(p relay.Pair) { h.probe.originOpened(h, p) },
	})
	return h
}

// Name returns the host's name.
func (h *Host) Name() string { return h.cfg.Name }

// Now returns the host's time.
func (h *Host) Now() base.Time { return h.sched.Now() }

// Stats returns the host's counters.
func (h *Host) Stats() Stats { return h.stats }

// Do runs fn in a turn of its own, after what was posted before it.
func (h *Host) Do(fn func()) { h.sched.Post(base.WorkPost, func() { h.turn(fn) }) }

// Route adds a route: holds of addresses that begin with the name are passed on to the host that it finds.
func (h *Host) Route(name string, route relay.Route) { h.table.Handle(name, route) }

// Expose puts an object under an address. Exposing a second one there is an error of the program.
func (h *Host) Expose(address string, o Object) {
	if address == "" || len(address) > h.limits.AddressBytes || !utf8.ValidString(address) {
		panic("core: Expose: the address is empty, over Limits.AddressBytes or no UTF-8")
	}
	if h.objects[address] != nil {
		panic("core: Expose: " + address + " is exposed already")
	}
	if len(o.State) > h.limits.Members {
		panic("core: Expose: more members than Limits.Members")
	}
	if len(o.Methods) > MaxMethods {
		panic("core: Expose: more methods than MaxMethods")
	}
	obj := &object{address: address, methods: o.Methods}
	for _, name := range slices.Sorted(maps.Keys(o.State)) {
		if len(name) > h.limits.AddressBytes || !utf8.ValidString(name) {
			panic("core: Expose: the member " + quote(name) + " has a name over Limits.AddressBytes, or no UTF-8")
		}
		doc := o.State[name]
		doc.attach(h, address+"."+name)
		obj.members = append(obj.members, member{name: name, doc: doc})
	}
	obj.methodNames = slices.Sorted(maps.Keys(o.Methods))
	for _, name := range obj.methodNames {
		if name == "" || len(name) > wire.MaxMethod || !utf8.ValidString(name) || o.Methods[name] == nil {
			panic("core: Expose: the method " + quote(name) + " of " + address + " has no handler, or no name of at most wire.MaxMethod bytes")
		}
	}
	h.objects[address] = obj
}

// Connect opens a link to another host as the one that dials, for as long as its one transport lives. The first one is the
// host's parent: references go there, and over the next one once it is closed. See [Host.Dial] for a way that lasts.
func (h *Host) Connect(t link.Transport) *Conn {
	p := h.newPeer(link.Dialer, nil)
	if h.parent == nil {
		h.parent = p
	}
	return h.open(p, t)
}

// Accept takes a connection from another host, which has Reconnect.Grace to greet.
func (h *Host) Accept(t link.Transport) *Conn {
	p := h.newPeer(link.Acceptor, nil)
	p.awaitHello()
	return h.open(p, t)
}

func (h *Host) open(p *peer, t link.Transport) *Conn {
	p.conn = &Conn{peer: p}
	c := p.conn
	h.inTurnDo(func() { p.link.Open(t) })
	return c
}

func (h *Host) newPeer(role link.Role, uplink *Uplink) *peer {
	p := &peer{host: h, consumers: map[uint64]*consumer{}, uplink: uplink}
	p.link = p.newLink(role)
	p.client = newClient(p)
	h.peers = append(h.peers, p)
	return p
}

// sessionsALife is how many sessions a life of a host may have before its numbers are those of the next one.
const sessionsALife = 1 << 24

// newLink makes a link of a new session. Numbers of sessions are not used again by a later life: what a dialer asks to go on
// with is what it means.
func (p *peer) newLink(role link.Role) *link.Link {
	h := p.host
	h.session++
	cfg := link.Config{
		Role: role, Handler: p, Limits: h.cfg.Limits, Session: (h.cfg.Incarnation-1)*sessionsALife + h.session,
		Identity: wire.Identity{Host: h.cfg.Name, Incarnation: h.cfg.Incarnation, Codec: h.cfg.Codec},
	}
	if role == link.Acceptor || p.uplink != nil {
		cfg.Sessions = p
	}
	return link.New(cfg)
}

// Get makes a reference to an object of another host, reached through the parent. It is resolving until the object's
// snapshot arrives, and calls wait until then. References to one address share a hold and its replicas, unless they are got
// with [Unshared]: one who comes later finds what the others have.
func (h *Host) Get(address string, options ...GetOption) *Reference {
	h.mustTurn("Get")
	var o getOptions
	for _, option := range options {
		option(&o)
	}
	if h.parent == nil {
		return &Reference{
			host: h, address: address, state: StateFailed,
			err: base.Errorf(base.CodeUnresolved, "%s has no parent link to look %q up on", h.cfg.Name, address),
		}
	}
	return h.parent.client.get(address, !o.unshared)
}

// GetOption changes how a reference is got.
type GetOption func(*getOptions)

type getOptions struct{ unshared bool }

// Unshared gives the reference a hold and replicas of its own.
func Unshared() GetOption { return func(o *getOptions) { o.unshared = true } }

// Exposes reports whether the host has objects of its own.
func (h *Host) Exposes() bool { return len(h.objects) > 0 }

// Refers reports whether the host holds objects of others.
func (h *Host) Refers() bool {
	for _, p := range h.peers {
		if len(p.client.grips) > 0 {
			return true
		}
	}
	return false
}

// Relays reports whether a hold of a consumer goes through this host to another.
func (h *Host) Relays(src relay.Source, hold uint64) bool { return h.table.Holds(src, hold) }

// RelayedTo returns the link and the origin that a relayed hold goes out on.
func (h *Host) RelayedTo(src relay.Source, hold uint64) (*link.Link, uint64, bool) {
	return h.table.Way(src, hold)
}

func (h *Host) mustTurn(what string) {
	if !h.inTurn {
		panic("core: " + what + " outside a turn of " + h.cfg.Name + "; use Host.Do")
	}
}
