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
		i.accounts = append(i.accounts, &account{host: h, toll: h.Toll()})
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
	for _, s := range h.life.sides {
		if !s.end().Closed() {
			i.accounts = append(i.accounts, leavesAccount(s.end()))
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
	switch f := &i.fault; f.Kind {
	case faults.Reset:
		lost := c.Link.Reset()
		i.effect.Messages += lost.Messages
		i.effect.Bytes += lost.Bytes
		i.over(c)
	case faults.Close, faults.HalfOpen:
		i.leave(c)
	case faults.Drop:
		b := i.breaks(c, netsim.Fate{By: netsim.ByDrop})
		i.accounts = append(i.accounts, &account{breakage: b, dropped: c.Link.Dropped()})
		b.fate.Place = c.Link.DropAfter(f.Amount)
	case faults.Cut:
		e := c.towards(f.Link.Direction)[0]
		b := i.breaks(c, netsim.Fate{By: netsim.ByCut, Towards: e})
		i.accounts = append(i.accounts, &account{breakage: b})
		b.fate.Place = e.CutAfter(f.Amount)
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
	i.accounts = append(i.accounts, leavesAccount(s.end()))
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
	conn *Connection
	fate netsim.Fate // that the fault has for it; what has another one was ended by something else
}

// fell reports whether the fault has ended the connection.
func (b *breakage) fell() bool { return b.conn.Link.Fate() == b.fate }

// breaks waits for the end of a connection.
func (i *injected) breaks(c *Connection, fate netsim.Fate) *breakage {
	b := &breakage{c, fate}
	i.breaking = append(i.breaking, b)
	return b
}

// spare takes back a cut or a drop that has not come to its end.
func (i *injected) spare() {
	if i.fault.Kind != faults.Cut && i.fault.Kind != faults.Drop {
		return
	}
	for _, b := range i.breaking {
		b.conn.Link.Spare()
	}
	waiting := len(i.breaking)
	i.breaking = slices.DeleteFunc(i.breaking, func(b *breakage) bool { return !b.fell() })
	if spared := waiting - len(i.breaking); spared > 0 && i.why == "" {
		i.why = fmt.Sprintf("the heal came at %v, before enough had crossed", i.world.Now())
	}
}

// broke is told of a connection that is over.
func (i *injected) broke(c *Connection) {
	at := slices.IndexFunc(i.breaking, func(b *breakage) bool { return b.conn == c })
	if at < 0 {
		return
	}
	b := i.breaking[at]
	i.breaking = slices.Delete(i.breaking, at, at+1)
	if b.fell() {
		i.over(c)
	}
}

// over counts a connection that the fault ended.
func (i *injected) over(c *Connection) {
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
