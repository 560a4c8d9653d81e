package relay

import (
	"maps"
	"slices"

	"chordsim/core/base"
	"chordsim/core/link"
	"chordsim/core/wire"
)

// Config is what a table needs of its host.
type Config struct {
	Scheduler      base.Scheduler
	Limits         base.Limits   // zero fields take their defaults
	ResolveTimeout base.Duration // how long a route may take; 0: DefaultResolveTimeout
	Turn           func(func())  // runs a function as a turn of the host; for timers
	Opened         func(Pair)    // told of each origin that is taken; may be nil
}

// Source is a consumer as the relay sees it: a link, and the origin on it where that link's other end relays too.
type Source struct {
	Link   *link.Link
	Origin uint64
}

// Pair is a consumer and the target that its requests go to, with the origin that stands for it there.
type Pair struct {
	Source Source
	Target *link.Link
	Origin uint64
}

// Table is the relay of one host.
type Table struct {
	cfg     Config
	limits  base.Limits
	routes  map[string]Route
	clients map[Source]*client
	order   []*client // the clients, in the order in which they came
	targets map[*link.Link]*target
	await   map[*link.Link][]*awaited // holds that wait for a link to come up
	dirty   []*forward                // have credit to pass on
	stuck   []*forward                // have chunks that wait for a slot
}

// client is what a relay keeps for a consumer.
type client struct {
	source   Source
	holds    map[uint64]*held
	calls    map[uint64]*forward
	forwards []*forward         // one for each target
	up       map[uint8]*forward // bulk messages under way to a target, by the slot that they came in
}

// held is a hold that was passed on, or that waits for its route.
type held struct {
	fwd    *forward   // nil while the route is asked
	timer  base.Timer // gives up on the route
	awaits *link.Link // that the route led to and that is not up yet
}

// target is what a relay keeps for a link that requests go to.
type target struct {
	origins map[uint64]*forward
	free    []uint64 // origins that the other end has released
	next    uint64
}

// NewTable makes a table without routes.
func NewTable(cfg Config) *Table {
	if cfg.ResolveTimeout <= 0 {
		cfg.ResolveTimeout = DefaultResolveTimeout
	}
	return &Table{
		cfg: cfg, limits: cfg.Limits.WithDefaults(),
		routes: map[string]Route{}, clients: map[Source]*client{}, targets: map[*link.Link]*target{},
		await: map[*link.Link][]*awaited{},
	}
}

// Handle adds the route for addresses that begin with a name. A second route of one name replaces the first for holds
// that come later.
func (t *Table) Handle(name string, route Route) { t.routes[name] = route }

// Hold passes a hold on if a route is there for its address. It reports whether one is.
func (t *Table) Hold(src Source, m wire.Hold) bool {
	name, key, rest, ok := Split(m.Address)
	route := t.routes[name]
	if !ok || route == nil {
		return false
	}
	c := t.client(src)
	if len(c.holds) >= t.limits.Holds {
		c.refuse(m.ID, base.Errorf(base.CodeLimit, "over the limit on holds that a relay forwards"))
		return true
	}
	h := &held{}
	c.holds[m.ID] = h
	req := &Request{Address: m.Address, Key: key, Rest: rest}
	h.timer = t.cfg.Scheduler.NewTimer(func() {
		t.cfg.Turn(func() {
			req.Fail(base.Errorf(base.CodeTimeout, "the route %q did not answer for %q", name, m.Address))
		})
	})
	m.Params = slices.Clone(m.Params) // the route may answer after the chunk is gone
	req.done = func(l *link.Link, err error) {
		h.timer.Stop()
		t.resolved(c, h, m, rest, l, err)
	}
	h.timer.Set(t.cfg.Scheduler.Now().Add(t.cfg.ResolveTimeout))
	route(req)
	return true
}

func (t *Table) resolved(c *client, h *held, m wire.Hold, rest string, l *link.Link, err error) {
	if t.clients[c.source] != c || c.holds[m.ID] != h || h.fwd != nil {
		return // the consumer let go of it, or went away, meanwhile
	}
	if err == nil && (l == nil || l.Closed()) {
		err = base.Errorf(base.CodeRoute, "the route led to a closed link")
	}
	if err == nil && !l.Up() && !l.Dialed() {
		t.awaitLink(c, h, m, rest, l)
		return
	}
	if from := c.source.Link.Codec(); err == nil && l.Codec() != from {
		// What is forwarded stays as it is, so both sides must read it.
		err = base.Errorf(base.CodeRoute, "the route led to a link of the %v codec, the hold came over one of the %v codec", l.Codec(), from)
	}
	if err == nil && !t.mayForward(c, l) {
		err = base.Errorf(base.CodeLimit, "over the limit on origins of a link that the route led to")
	}
	if err != nil {
		delete(c.holds, m.ID)
		c.refuse(m.ID, err)
		return
	}
	m.Address = rest
	h.fwd = t.forward(c, l)
	l.SendControl(wire.TypeHold, h.fwd.origin, m.Append(l.Codec(), l.Buffer()))
}

// awaitLink keeps a hold until hands were shaken on the link that its route led to, which says how it is written.
func (t *Table) awaitLink(c *client, h *held, m wire.Hold, rest string, l *link.Link) {
	h.timer = t.cfg.Scheduler.NewTimer(func() {
		t.cfg.Turn(func() {
			t.leave(h)
			t.resolved(c, h, m, rest, nil, base.Errorf(base.CodeTimeout, "the link that the route led to for %q did not come up", m.Address))
		})
	})
	h.timer.Set(t.cfg.Scheduler.Now().Add(t.cfg.ResolveTimeout))
	h.awaits = l
	t.await[l] = append(t.await[l], &awaited{c, h, m, rest})
}

// awaited is a hold that waits for a link to come up.
type awaited struct {
	client *client
	held   *held
	m      wire.Hold
	rest   string
}

// leave forgets that a hold waits for a link, if it does.
func (t *Table) leave(h *held) {
	l := h.awaits
	if l == nil {
		return
	}
	h.awaits = nil
	waiting := slices.DeleteFunc(t.await[l], func(a *awaited) bool { return a.held == h })
	if len(waiting) == 0 {
		delete(t.await, l)
		return
	}
	t.await[l] = waiting
}

// LinkUp goes on with the holds that waited for a link.
func (t *Table) LinkUp(l *link.Link) { t.LinkMoved(l, l) }

// LinkMoved goes on with the holds that waited for a link whose transport another one, of an older session, has taken over.
func (t *Table) LinkMoved(from, to *link.Link) {
	waiting := t.await[from]
	delete(t.await, from)
	for _, a := range waiting {
		a.held.awaits = nil
		a.held.timer.Stop()
		t.resolved(a.client, a.held, a.m, a.rest, to, nil)
	}
}

// mayForward reports whether holds of a consumer may go to a target: an origin of its own is taken for it there, of which
// there are not more than a provider takes.
func (t *Table) mayForward(c *client, l *link.Link) bool {
	for _, f := range c.forwards {
		if f.target == l {
			return true
		}
	}
	tg := t.targets[l]
	return tg == nil || len(tg.origins) < t.limits.Origins
}

// refuse tells the consumer that a hold failed. An error without a code is the route's.
func (c *client) refuse(hold uint64, err error) {
	code := base.CodeOf(err)
	if code == base.CodeApp || code == base.CodeNone {
		code = base.CodeRoute
	}
	m := wire.Refused{ID: hold, Failure: wire.Failure{Code: code, Detail: err.Error()}}
	l := c.source.Link
	l.SendControl(wire.TypeRefused, c.source.Origin, m.Append(l.Codec(), l.Buffer()))
}

func (t *Table) client(src Source) *client {
	c := t.clients[src]
	if c == nil {
		c = &client{
			source: src, holds: map[uint64]*held{}, calls: map[uint64]*forward{},
			up: map[uint8]*forward{},
		}
		t.clients[src] = c
		t.order = append(t.order, c)
	}
	return c
}

func (t *Table) forward(c *client, l *link.Link) *forward {
	for _, f := range c.forwards {
		if f.target == l {
			return f
		}
	}
	tg := t.targets[l]
	if tg == nil {
		tg = &target{origins: map[uint64]*forward{}, next: 1}
		t.targets[l] = tg
	}
	f := &forward{table: t, client: c, target: l}
	if n := len(tg.free); n > 0 {
		f.origin = tg.free[n-1]
		tg.free = tg.free[:n-1]
	} else {
		f.origin = tg.next
		tg.next++
	}
	tg.origins[f.origin] = f
	c.forwards = append(c.forwards, f)
	if t.cfg.Opened != nil {
		t.cfg.Opened(Pair{Source: c.source, Target: l, Origin: f.origin})
	}
	return f
}

// Knows reports whether a consumer has, or had, holds that go through this relay.
func (t *Table) Knows(src Source) bool { return t.clients[src] != nil }

// Holds reports whether the hold of a consumer goes through this relay.
func (t *Table) Holds(src Source, id uint64) bool {
	c := t.clients[src]
	return c != nil && c.holds[id] != nil
}

// Way returns the link and the origin that the hold of a consumer goes out on. It returns false while its route is asked.
func (t *Table) Way(src Source, id uint64) (*link.Link, uint64, bool) {
	if c := t.clients[src]; c != nil && c.holds[id] != nil && c.holds[id].fwd != nil {
		f := c.holds[id].fwd
		return f.target, f.origin, true
	}
	return nil, 0, false
}

// LinkClosed drops what went over a link, and tells those at the other ends.
func (t *Table) LinkClosed(l *link.Link) {
	t.LinkUp(l) // which it is not: what waited for it is refused
	if tg := t.targets[l]; tg != nil {
		delete(t.targets, l)
		for _, origin := range slices.Sorted(maps.Keys(tg.origins)) {
			tg.origins[origin].lost()
		}
	}
	for _, c := range t.sources(l) {
		t.drop(c)
	}
}

// sources lists the consumers on a link, by origin.
func (t *Table) sources(l *link.Link) []*client {
	var list []*client
	for _, c := range t.order {
		if c.source.Link == l {
			list = append(list, c)
		}
	}
	return list
}

// drop forgets a consumer and tells its targets that the origin is closed. The numbers stay taken until they answer.
func (t *Table) drop(c *client) {
	delete(t.clients, c.source)
	t.order = slices.DeleteFunc(t.order, func(o *client) bool { return o == c })
	c.leaveRoutes(t)
	for _, f := range c.forwards {
		f.lanes[0].stuck, f.lanes[1].stuck, f.downs, f.cutOff = nil, nil, nil, nil
	}
	c.closeOrigins()
}

// leaveRoutes gives up on the routes that the consumer's holds wait for.
func (c *client) leaveRoutes(t *Table) {
	for _, id := range slices.Sorted(maps.Keys(c.holds)) {
		if h := c.holds[id]; h.fwd == nil {
			h.timer.Stop()
			t.leave(h)
		}
	}
}

// closeOrigins tells the consumer's targets that it is gone.
func (c *client) closeOrigins() {
	for _, f := range c.forwards {
		f.gone = true
		if !f.target.Closed() {
			f.target.Forget(f.origin, true) // what waits would come behind the word that nothing does
			f.target.SendControl(wire.TypeOriginClosed, f.origin, f.target.Buffer())
		}
	}
}

// Flush passes on the credit that came in during the turn: one message for each origin.
func (t *Table) Flush() {
	for i, f := range t.dirty {
		f.dirty = false
		if !f.gone && !f.target.Closed() {
			f.target.SendCredit(f.origin, f.credit)
		}
		f.credit = wire.Credit{}
		t.dirty[i] = nil
	}
	t.dirty = t.dirty[:0]
}
