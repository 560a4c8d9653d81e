package core

import (
	"cmp"
	"slices"

	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/link"
	"chordsim/core/wire"
)

// lasting reports whether references of the client are held again when the way to their objects is lost.
func (c *client) lasting() bool { return c != nil && c.uplink != nil && !c.uplink.closed }

// cold takes in that a session is lost and that there will be another one. References are down, calls of which a byte was
// written have no known outcome, and the others wait, in order, for the references to be live again.
func (c *client) cold(unsent []link.Unsent, err error) {
	c.finishReading()
	err = lostBy(err)
	lost, calls := sortedGrips(c.grips), c.calls
	c.grips, c.calls = map[uint64]*grip{}, map[uint64]*PendingCall{}
	c.holdIDs, c.callIDs = ids{}, ids{}
	c.assembly, c.frames, c.inflater, c.credit = link.Assembly{}, nil, nil, wire.Credit{}

	var parked []*PendingCall
	for _, u := range unsent {
		if pc := c.untransmit(calls, u); pc != nil {
			parked = append(parked, pc)
		}
	}
	for _, pc := range c.waiting {
		if !pc.settled {
			pc.leaveQueue()
			parked = append(parked, pc)
		}
	}
	c.waiting = nil
	slices.SortStableFunc(parked, func(a, b *PendingCall) int { return cmp.Compare(a.number, b.number) })
	var over []*PendingCall // whose references were released behind them
	for _, pc := range parked {
		if r := pc.ref; r.state == StateReleased {
			over = append(over, pc)
		} else {
			// Before what was made since the way to the object was lost.
			at, _ := slices.BinarySearchFunc(r.parked, pc.number, func(o *PendingCall, n uint64) int { return cmp.Compare(o.number, n) })
			r.parked = slices.Insert(r.parked, at, pc)
		}
	}
	for _, g := range lost {
		g.use = nil
		if !g.over() {
			g.doubt(err)
			g.lose(err)
			c.want(g, 0)
		}
	}
	for _, g := range lost {
		g.showHeld()
	}
	for _, pc := range over {
		pc.settle(delta.Null(), base.Errorf(base.CodeReleased, "the reference to %q was released before %s was sent", pc.ref.address, pc.method))
	}
	for _, id := range sortedKeys(calls) {
		calls[id].settle(delta.Null(), base.Errorf(base.CodeUnknown, "the session was lost before the result"))
	}
}

// sortedGrips lists grips in the order in which they were made.
func sortedGrips(grips map[uint64]*grip) []*grip {
	list := make([]*grip, 0, len(grips))
	for _, id := range sortedKeys(grips) {
		list = append(list, grips[id])
	}
	slices.SortStableFunc(list, func(a, b *grip) int { return cmp.Compare(a.number, b.number) })
	return list
}

// untransmit takes back a call of which no byte was written. It returns nil if nobody waits for it.
func (c *client) untransmit(calls map[uint64]*PendingCall, u link.Unsent) *PendingCall {
	m, err := wire.ParseCall(c.codec(), u.Body)
	if err != nil {
		return nil
	}
	pc := calls[m.ID]
	if pc == nil || pc.settled {
		return nil
	}
	delete(calls, m.ID)
	pc.arg, pc.bytes, pc.sent, pc.order = m.Args, m.Bytes, false, nil
	pc.count(1)
	return pc
}

// want has an object held again: with the next session, or once the timer comes after a while.
func (c *client) want(g *grip, wait base.Duration) {
	g.due = c.host.Now().Add(wait)
	at, _ := slices.BinarySearchFunc(c.wanted, g.number, func(o *grip, n uint64) int { return cmp.Compare(o.number, n) })
	c.wanted = slices.Insert(c.wanted, at, g)
}

// unwant forgets an object that has no hold.
func (c *client) unwant(g *grip) {
	if i := slices.Index(c.wanted, g); i >= 0 {
		c.wanted = slices.Delete(c.wanted, i, i+1)
	}
}

// linkUp holds what is wanted, in the order in which it was got. What was got since the session was lost waits in the link's lanes.
func (c *client) linkUp() {
	wanted := c.wanted
	c.wanted = nil
	for _, g := range wanted {
		c.hold(g)
	}
}

// arm sees to it that the timer comes by then.
func (c *client) arm(due base.Time) {
	if c.retry == nil {
		c.retry = c.host.sched.NewTimer(func() { c.host.turn(c.holdDue) })
	}
	if !c.armed || due < c.next {
		c.armed, c.next = true, due
		c.retry.Set(due)
	}
}

// holdDue holds what is due. Without a session everything waits for the next one.
func (c *client) holdDue() {
	c.armed = false
	if !c.peer.link.Up() {
		return
	}
	now, next := c.host.Now(), base.Never
	var due []*grip
	c.wanted = slices.DeleteFunc(c.wanted, func(g *grip) bool {
		if g.due <= now {
			due = append(due, g)
		} else {
			next = min(next, g.due)
		}
		return g.due <= now
	})
	if next < base.Never {
		c.arm(next)
	}
	for _, g := range due {
		c.hold(g)
	}
}

// refused takes in that a hold was refused. Over an uplink a reason that may pass has it asked for again in a while; that no
// route leads there may be one once the object has been seen.
func (c *client) refused(g *grip, err error) {
	code := base.CodeOf(err)
	passes := code == base.CodeDown || code == base.CodeTimeout || code == base.CodeRoute && g.seen()
	switch {
	case g.over():
	case !passes || !c.lasting():
		g.fail(err)
	default:
		for _, r := range g.refs {
			r.err = err
		}
		c.holdAgain(g, c.uplink.backoff(g.tries))
	}
}

// lost takes in that the way to an object is lost behind the link.
func (c *client) lost(g *grip, err error) {
	switch {
	case g.over():
	case !c.lasting():
		g.down(err)
	default:
		g.doubt(err)
		g.lose(err)
		for _, r := range g.refs {
			r.err = err
			c.park(r)
		}
		c.holdAgain(g, c.afterLoss(g))
	}
	g.showHeld()
}

// afterLoss is how long an object waits to be held again of which it was said that the way there is lost: not at all the first time,
// since another way may be there already. Each loss that follows before it was live for as long as anybody waits has it wait
// for longer, so that a provider is not asked without end that binds and loses what it bound.
func (c *client) afterLoss(g *grip) base.Duration {
	if g.tries == 0 {
		return 0
	}
	return c.uplink.backoff(g.tries - 1)
}

// holdAgain asks for the object after a while.
func (c *client) holdAgain(g *grip, wait base.Duration) {
	g.use = nil
	g.tries++
	c.want(g, wait)
	c.arm(g.due)
}

// park has the calls of a reference that wait to be sent wait for it to be live again.
func (c *client) park(r *Reference) {
	if r.waiting == 0 {
		return
	}
	c.waiting = slices.DeleteFunc(c.waiting, func(pc *PendingCall) bool {
		if pc.ref == r && !pc.settled {
			pc.leaveQueue()
			r.parked = append(r.parked, pc)
		}
		return pc.ref == r
	})
}

// giveUp ends what waits for a session that will not come.
func (c *client) giveUp(err error) {
	wanted := c.wanted
	c.wanted = nil
	if c.retry != nil {
		c.retry.Stop()
		c.armed = false
	}
	for _, g := range wanted {
		g.lose(err)
	}
	for _, g := range wanted {
		g.down(err)
	}
}
