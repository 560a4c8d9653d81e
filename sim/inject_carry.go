package sim

import (
	"fmt"
	"slices"

	"chordsim/faults"
	"chordsim/sim/netsim"
)

// carryOut does what the fault is.
func (i *injected) carryOut() {
	f := &i.fault
	switch {
	case f.Kind == faults.Crash:
		i.crash(i.world.host(f.Host))
	case f.Kind == faults.Skew:
		h := i.world.host(f.Host)
		i.accounts = append(i.accounts, &account{host: h, toll: h.toll})
		h.Skew(f.Span)
	case f.Kind.Lasts():
		i.begin()
	default:
		list := i.world.targets(f.Link)
		if len(list) == 0 {
			i.why = i.nobody()
		}
		for _, c := range list {
			i.cut(c)
		}
	}
}

// nobody says that there was no connection to touch.
func (i *injected) nobody() string {
	what := fmt.Sprintf("of %v", i.fault.Link)
	if i.fault.Kind == faults.Partition {
		what = "between the two sides"
	}
	return fmt.Sprintf("at %v no connection %s was there", i.world.Now(), what)
}

// crash ends a host's life.
func (i *injected) crash(h *Host) {
	if !h.Up() {
		i.why = fmt.Sprintf("%s was down already at %v", h.name, i.world.Now())
		return
	}
	for _, c := range i.world.dialed {
		if c.open() && (c.from == h || c.to == h) {
			i.accounts = append(i.accounts, newAccount(c))
			i.world.inject.forget(c)
		}
	}
	loss := i.world.Crash(h, int(i.fault.Amount))
	i.effect.Hosts++
	i.effect.Turns += loss.Turns + loss.Timers
	i.effect.Connections += loss.Connections
	i.effect.Writes += loss.Writes
	if i.fault.Again {
		i.comesBack(&comeback{by: i, host: h})
	}
}

// cut ends a connection, now or soon.
func (i *injected) cut(c *Connection) {
	a := newAccount(c)
	if i.fault.Kind == faults.Drop {
		a.drops = i.fault.Amount
	}
	a.waits = i.fault.Kind == faults.Cut || a.drops > 0
	i.accounts = append(i.accounts, a)
	switch f := &i.fault; f.Kind {
	case faults.Reset:
		c.Link.Reset()
		i.over(c)
	case faults.Close, faults.HalfOpen:
		i.leave(c)
	case faults.Drop:
		if f.Amount == 0 {
			c.Link.Reset()
			i.over(c)
			return
		}
		i.breaks(c, true)
		c.Link.DropAfter(f.Amount)
	case faults.Cut:
		i.breaks(c, true)
		for _, e := range c.towards(f.Link.Direction) {
			e.CutAfter(f.Amount)
		}
	}
}

// leave has one side give the connection up: by closing it, or without a word.
func (i *injected) leave(c *Connection) {
	s := c.sideOf(i.fault.Host)
	switch {
	case s == nil:
		i.why = fmt.Sprintf("%s is at no end of %s", i.fault.Host, c.Link.Name())
		return
	case s.end().Closed():
		i.why = fmt.Sprintf("%s had ended %s already", s.host.name, c.Link.Name())
		return
	}
	var err error
	if i.fault.Kind == faults.HalfOpen {
		s.end().Vanish()
		err = netsim.ErrReset
	} else {
		s.end().Close()
		if !s.up {
			err = netsim.ErrReset
		}
	}
	i.over(c)
	s.Closed(err)
}

// breakage is a connection that the fault will end.
type breakage struct {
	conn  *Connection
	again bool // it is dialed again then, if the fault says so
}

// breaks waits for the end of a connection.
func (i *injected) breaks(c *Connection, again bool) {
	i.breaking = append(i.breaking, &breakage{c, again})
}

// broke is told of a connection that is over.
func (i *injected) broke(c *Connection, err error) {
	at := slices.IndexFunc(i.breaking, func(b *breakage) bool { return b.conn == c })
	if at < 0 {
		return
	}
	b := i.breaking[at]
	i.breaking = slices.Delete(i.breaking, at, at+1)
	if kind := i.fault.Kind; kind == faults.Cut || kind == faults.Drop {
		if fell, _ := c.Link.Fell(); !fell {
			return // something else ended it before
		}
	}
	if err == nil {
		return // in good order: something else ended it
	}
	i.effect.Connections++
	if b.again && i.fault.Again {
		i.redials(c)
	}
}

// forget has no fault wait any more for the end of a connection, which another one ended.
func (j *injector) forget(c *Connection) {
	for _, i := range j.list {
		i.breaking = slices.DeleteFunc(i.breaking, func(b *breakage) bool { return b.conn == c })
	}
}

// over counts a connection that the fault ended.
func (i *injected) over(c *Connection) {
	i.world.inject.forget(c)
	i.effect.Connections++
	if i.fault.Again {
		i.redials(c)
	}
}

func (i *injected) redials(c *Connection) {
	i.comesBack(&comeback{by: i, conn: c, life: c.dialed.life})
}

// comeback is what is there again after a fault.
type comeback struct {
	by   *injected
	conn *Connection // is dialed again by the same life of its host
	life *life
	host *Host // is started again
}

func (i *injected) comesBack(b *comeback) {
	i.comebacks = append(i.comebacks, b)
	i.world.queue.Schedule(i.world.Now().Add(i.fault.After), b, 0)
}

// Fire dials or starts, once. A dialer that crashed since does not dial: its next life knows nothing of the connection.
func (b *comeback) Fire(uint64) {
	at := slices.Index(b.by.comebacks, b)
	if at < 0 {
		return
	}
	b.by.comebacks = slices.Delete(b.by.comebacks, at, at+1)
	switch {
	case b.host != nil:
		b.by.world.Restart(b.host)
	case !b.life.over:
		b.by.note("again: " + b.conn.cfg.Name)
		if _, err := b.conn.Redial(); err != nil {
			b.by.err = err
		}
	}
}
