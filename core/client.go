package core

import (
	"unicode/utf8"

	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/link"
	"chordsim/core/part"
	"chordsim/core/wire"
)

// client is what a host keeps for the references that go over one link.
type client struct {
	host     *Host
	peer     *peer
	grips    map[uint64]*grip // by hold id, until Released or Refused
	shared   map[string]*grip // by address, of those that others may join
	holdIDs  ids
	calls    map[uint64]*PendingCall // sent and not answered, by call id
	callIDs  ids
	waiting  []*PendingCall // wait for a call to be answered, or for a large one before them to be written
	pumps    uint64         // counts looks through waiting
	parked   int            // calls that wait anywhere here
	bytes    int            // and their arguments
	credit   wire.Credit    // to be given: with the next that is due
	credits  bool           // is in Host.credits: some is due at the end of the turn
	assembly link.Assembly
	frames   []pendingFrame
	changes  inflation // the deflated changes of the state message that is being read
	messages uint64    // state messages read

	// While a message is inflated beside the turns, the chunk that completed it is not credited and those that come after
	// it wait.
	uplink *Uplink    // that the client goes over; nil: it ends with its link
	wanted []*grip    // without a hold, in the order made; over an uplink only
	made   uint64     // grips
	retry  base.Timer // of when the next of those wanted is held, if it is armed
	armed  bool
	next   base.Time

	job      *inflating
	pending  wire.Header
	backlog  base.Ring[arrived]
	behind   int // bytes in the backlog
	inflater *part.Inflater
}

// ids hands out the smallest numbers that were put back or never taken: those that came back, newest first, then the next one.
type ids struct {
	next uint64
	free []uint64
}

func (i *ids) take() uint64 {
	if n := len(i.free); n > 0 {
		id := i.free[n-1]
		i.free = i.free[:n-1]
		return id
	}
	i.next++
	return i.next - 1
}

func (i *ids) put(id uint64) { i.free = append(i.free, id) }

// pendingFrame is a section that was decoded and applied to a copy. The message as a whole takes effect once all of its
// sections were.
type pendingFrame struct {
	grip    *grip
	replica *replica
	frame   Frame
}

func newClient(p *peer) *client {
	return &client{uplink: p.uplink, host: p.host, peer: p, grips: map[uint64]*grip{}, shared: map[string]*grip{}, calls: map[uint64]*PendingCall{}}
}

func (c *client) codec() wire.Codec { return c.peer.link.Codec() }

func (c *client) get(address string, shared bool) *Reference {
	r := &Reference{host: c.host, client: c, address: address}
	if g := c.shared[address]; shared && g != nil {
		g.join(r)
		c.host.probe.wanted(r)
		return r
	}
	c.host.probe.wanted(r)
	if len(address) > c.host.limits.AddressBytes || !utf8.ValidString(address) {
		r.state = StateFailed
		r.err = base.Errorf(base.CodeLimit, "an address of %d bytes: at most %d bytes of UTF-8", len(address), c.host.limits.AddressBytes)
		return r
	}
	c.made++
	g := &grip{client: c, address: address, shared: shared, number: c.made}
	g.join(r)
	if shared {
		c.shared[address] = g
	}
	c.hold(g)
	return r
}

// hold asks for an object.
func (c *client) hold(g *grip) {
	l := c.peer.link
	id := c.holdIDs.take()
	m := wire.Hold{ID: id, Address: g.address, Known: g.known()}
	buf := m.Append(l.Codec(), l.BufferFor(holdRoom(&m)))
	if len(m.Known) > 0 && len(l.Body(buf)) > wire.MaxChunk {
		m.Known = nil // all or nothing: the rest would come whole in any case
		buf = m.Append(l.Codec(), l.BufferFor(holdRoom(&m)))
	}
	g.named = len(m.Known) > 0
	if n := len(l.Body(buf)); n > wire.MaxChunk { // in text a control character takes six bytes
		c.holdIDs.put(id)
		g.fail(base.Errorf(base.CodeLimit, "a hold of %d bytes, at most %d", n, wire.MaxChunk))
		return
	}
	g.id, g.bound, g.entries = id, false, 0
	g.use = &holdUse{client: c, id: id}
	for _, r := range g.refs {
		r.order = &callOrder{use: g.use}
	}
	c.grips[id] = g
	l.SendControl(wire.TypeHold, 0, buf)
}

// letGo gives up the hold of an object that nobody wants any more.
func (c *client) letGo(g *grip) {
	c.unshare(g)
	if g.use == nil || c.grips[g.id] != g {
		c.unwant(g)
		return
	}
	l := c.peer.link
	l.SendControl(wire.TypeRelease, 0, wire.AppendHoldID(l.Codec(), l.Buffer(), g.id))
}

// unshare has the next one who gets the address hold the object anew.
func (c *client) unshare(g *grip) {
	if c.shared[g.address] == g {
		delete(c.shared, g.address)
	}
}

// holdRoom is about what a hold's message takes, in bytes.
func holdRoom(m *wire.Hold) int {
	n := holdHead + len(m.Address)
	for i := range m.Known {
		n += holdHead + len(m.Known[i].Member)
	}
	return n
}

// holdHead is about what a hold's message, or a revision that it names, takes besides the address or the name, in bytes.
const holdHead = 16

// linkClosed tells references and calls. All references are down before the first call settles: what a caller does when
// it is told finds the link gone.
func (c *client) linkClosed(err error) {
	c.finishReading()
	err = lostBy(err)
	grips, calls, waiting := sortedGrips(c.grips), c.calls, c.waiting
	c.grips, c.calls, c.waiting = map[uint64]*grip{}, map[uint64]*PendingCall{}, nil
	c.shared = map[string]*grip{}
	c.assembly, c.frames, c.inflater = link.Assembly{}, nil, nil // references may be kept for long, and keep the client
	for _, g := range grips {
		g.lose(err)
	}
	for _, g := range grips {
		g.down(err)
	}
	for _, id := range sortedKeys(calls) {
		calls[id].settle(delta.Null(), base.Errorf(base.CodeUnknown, "the link closed before the result"))
	}
	for _, pc := range waiting {
		pc.settle(delta.Null(), base.Errorf(base.CodeDown, "the link closed before the call was sent"))
	}
	c.giveUp(err)
}

// lostBy gives an error of a transport, which has no code, the one of what is down.
func lostBy(err error) error {
	if base.CodeOf(err) == base.CodeApp {
		return base.Errorf(base.CodeDown, "the link was lost: %v", err)
	}
	return err
}

// reply takes a chunk of an answer.
func (c *client) reply(h wire.Header, body []byte) error {
	if c.job != nil {
		return c.wait(h, body)
	}
	typ, message, done := h.Type, body, true
	if h.HasSlot() {
		var err error
		if typ, message, done, err = c.assembly.Add(h, body, c.host.limits.MessageBytes); err != nil {
			return err
		}
	}
	if done {
		if err := c.message(typ, message); err != nil {
			return err
		}
	}
	if c.job != nil {
		c.pending = h
		return nil
	}
	c.credited(h)
	return nil
}

// credited notes that a chunk was taken in. Each chunk of a snapshot is a turn of its own and would have a credit of its
// own. But nobody waits for that in the midst of a message before its sender says that it is due.
func (c *client) credited(h wire.Header) {
	lane, credited := h.Type.Credited()
	switch {
	case !credited:
		return
	case lane == wire.LaneState:
		c.credit.State++
	default:
		if c.credit.Bulk++; h.More && !h.Due {
			return
		}
	}
	if !c.credits {
		c.credits = true
		c.host.credits = append(c.host.credits, c)
	}
}

func (c *client) message(typ wire.Type, body []byte) error {
	switch typ {
	case wire.TypeBound:
		return c.bound(body)
	case wire.TypeState:
		return c.state(body)
	case wire.TypeResult, wire.TypeResultOrdered, wire.TypeResultBulk:
		return c.result(body)
	case wire.TypeRefused:
		m, err := wire.ParseRefused(c.codec(), body)
		if err != nil {
			return err
		}
		if g := c.grips[m.ID]; g != nil && g.bound {
			return base.Errorf(base.CodeProtocol, "hold %d is refused after it was bound", m.ID)
		}
		g, err := c.forget(m.ID, "refused")
		if err == nil {
			c.refused(g, &base.PeerError{Code: m.Code, Detail: m.Detail})
		}
		return err
	case wire.TypeReleased:
		id, err := wire.ParseHoldID(c.codec(), "released", body)
		if err != nil {
			return err
		}
		if g := c.grips[id]; g != nil && !g.over() {
			return base.Errorf(base.CodeProtocol, "hold %d released without a release", id)
		}
		_, err = c.forget(id, "released")
		return err
	case wire.TypeDown:
		return c.down(body)
	}
	return base.Errorf(base.CodeProtocol, "%v is no answer", typ)
}

// forget takes a hold out. Its id is free again once no call that names it is under way: one on the bulk lane
// could come to the provider behind the next hold of the same id.
func (c *client) forget(id uint64, what string) (*grip, error) {
	g := c.grips[id]
	if g == nil {
		return nil, base.Errorf(base.CodeProtocol, "%s for hold %d, which is not held", what, id)
	}
	delete(c.grips, id)
	if g.use.gone = true; g.use.open == 0 {
		c.holdIDs.put(id)
	}
	return g, nil
}

func (c *client) down(body []byte) error {
	m, err := wire.ParseDown(c.codec(), body)
	if err != nil {
		return err
	}
	for _, id := range m.Holds {
		g, err := c.forget(id, "down")
		if err != nil {
			return err
		}
		c.lost(g, &base.PeerError{Code: m.Code, Detail: "the hold is down at the provider or on the way"})
	}
	return nil
}

func (c *client) bound(body []byte) error {
	m, err := wire.ParseBound(c.codec(), body, &c.host.limits)
	if err != nil {
		return err
	}
	g := c.grips[m.ID]
	switch {
	case g == nil:
		return base.Errorf(base.CodeProtocol, "bound for hold %d, which is not held", m.ID)
	case g.bound:
		return base.Errorf(base.CodeProtocol, "hold %d is bound twice", m.ID)
	case g.over():
		g.bound = true
		return nil // released before it came: thrown away
	}
	var in inflation
	for i := range m.Members {
		member := &m.Members[i]
		if member.Form == wire.MemberOps {
			if err := g.mayLead(member); err != nil {
				return err
			}
		}
		if err := c.host.admit(member.Part); err != nil {
			return err
		}
		if member.Deflated {
			if err := in.add(&member.Part, &c.host.limits); err != nil {
				return err
			}
		}
	}
	return c.inflate(&in, func() error { return c.bind(g, &m) })
}

// bind makes the replicas of an object. Those that there were stay as they are until all are made.
func (c *client) bind(g *grip, m *wire.Bound) error {
	if g.over() { // while its snapshot was inflated
		g.bound = true
		return nil
	}
	members := make([]boundMember, len(m.Members))
	for i := range m.Members {
		c.host.stats.PartsParsed++
		var err error
		if members[i], err = c.boundMember(g, &m.Members[i]); err != nil {
			return err
		}
	}
	g.bind(m.Methods, members)
	return nil
}

// state applies a state message. Nothing of it takes effect unless all of it is good.
func (c *client) state(body []byte) error {
	s := wire.ReadState(c.codec(), body)
	c.frames = c.frames[:0]
	c.messages++
	c.changes = inflation{parts: c.changes.parts[:0]}
	for {
		id, ok := s.Entry()
		if !ok {
			break
		}
		g := c.grips[id]
		if g == nil || !g.bound {
			return base.Errorf(base.CodeProtocol, "state for hold %d, which is not bound", id)
		}
		g.entries++
		for more := true; more; {
			var sec wire.Section
			if sec, more = s.Section(); s.Err() != nil {
				return s.Err()
			}
			if !g.live() {
				continue // released: thrown away, and credited all the same
			}
			if err := c.section(g, &sec); err != nil {
				return err
			}
		}
	}
	if s.Err() != nil {
		return s.Err()
	}
	c.deliver()
	return nil
}

// section decodes a section and applies it to a copy.
func (c *client) section(g *grip, sec *wire.Section) error {
	if sec.Member >= len(g.members) {
		return base.Errorf(base.CodeProtocol, "state of member %d, the object has %d", sec.Member, len(g.members))
	}
	p := g.members[sec.Member]
	value, rev := p.value, p.rev
	if p.message == c.messages {
		return base.Errorf(base.CodeProtocol, "two changes of %s in one message", p.name)
	}
	p.message = c.messages
	if byte(rev.Number) != byte(sec.Base) {
		return base.Errorf(base.CodeProtocol, "state of %s leads from revision ..%d, this replica is at %d (C2)",
			p.name, sec.Base, rev.Number)
	}
	if sec.Retired || sec.NewEpoch {
		return base.Errorf(base.CodeProtocol, "a new epoch or a retirement was not agreed on")
	}
	if rev.Number+sec.Span <= rev.Number {
		return base.Errorf(base.CodeProtocol, "state of %s leads from revision %d no further (C2)", p.name, rev.Number)
	}
	if err := c.host.admit(sec.Ops); err != nil {
		return err
	}
	if sec.Deflated { // a large change is rare, and not worth a turn of its own
		part := sec.Ops // the section itself stays off the heap
		if err := c.changes.add(&part, &c.host.limits); err != nil {
			return err
		}
		if err := c.changes.run(c.host); err != nil {
			return err
		}
		sec.Ops = part
		clear(c.changes.parts)
		c.changes.parts = c.changes.parts[:0] // the size counts for all sections
	}
	c.host.stats.PartsParsed++
	ops, err := c.codec().ParseOps(&p.names, sec.Ops)
	if err != nil {
		return err
	}
	next, err := delta.Apply(value, ops)
	if err != nil {
		return base.Errorf(base.CodeProtocol, "state of %s does not apply: %v", p.name, err)
	}
	to := wire.Revision{Epoch: rev.Epoch, Number: rev.Number + sec.Span}
	c.frames = append(c.frames, pendingFrame{g, p, Frame{
		Member: p.name, Base: rev, Revision: to, Value: next, Ops: ops,
	}})
	return nil
}

// deliver makes the frames of a message visible: all replicas first, then the watches.
func (c *client) deliver() {
	frames := c.frames
	c.frames = nil
	for i := range frames {
		f := &frames[i]
		f.replica.value, f.replica.rev = f.frame.Value, f.frame.Revision
	}
	for i := range frames {
		frames[i].grip.notify(frames[i].frame)
	}
	for i := range frames {
		frames[i].grip.settleWaiting()
		frames[i] = pendingFrame{}
	}
	if len(frames) <= keptFrames {
		c.frames = frames[:0]
	}
}

// keptFrames is how many frames of a message a client keeps the room of.
const keptFrames = 256

func (c *client) flushCredit() {
	if c.credit != (wire.Credit{}) && !c.peer.link.Closed() {
		c.peer.link.SendCredit(0, c.credit)
	}
	c.credit, c.credits = wire.Credit{}, false
}
