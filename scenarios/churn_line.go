package scenarios

import (
	"chordsim/core"
	"chordsim/core/base"
	"chordsim/sim"
	"chordsim/sim/netsim"
)

// churnPatience is how long a host waits for an answer at first, from a half to the whole of it, before it gives up on a
// connection. Each time that this leads to nothing it waits twice as long, up to churnMostPatience.
const (
	churnPatience     = 3 * base.Second
	churnMostPatience = 16 * base.Second
)

// churnLine is a host's way to the one that it dials: one connection after another.
type churnLine struct {
	w    *churnWorld
	host *sim.Host
	to   *sim.Host
	link churnLink
	draw *base.Stream // of when it dials again

	lasting  bool            // by ways that last: the core dials again and goes on
	way      *sim.Way        // of the present life
	conn     *sim.Connection // the newest
	life     uint64          // of the host, that dialed it
	since    base.Time       // when it was dialed
	due      bool            // it will be dialed again, or the host started
	patience base.Duration
	onAccept func(*core.Conn)
}

func (w *churnWorld) line(host, to *sim.Host) *churnLine {
	l := &churnLine{w: w, host: host, to: to, draw: w.draws(host.Name(), "again")}
	switch w.run.Values.Text("ways") {
	case "lasting":
		l.lasting = true
	case "drawn":
		l.lasting = w.draws(host.Name(), "ways").Below(2) == 0
	}
	l.patience = between(w.draws(host.Name(), "patience"), churnPatience/2, churnPatience)
	w.lines = append(w.lines, l)
	return l
}

// choose draws what the link is like.
func (l *churnLine) choose(shared *netsim.Bottleneck) error {
	l.link = l.w.drawLink(l.host.Name(), shared)
	l.w.links = append(l.w.links, l.link)
	return nil
}

// connect dials. The host must be up.
func (l *churnLine) connect() {
	if l.lasting {
		l.keep()
		return
	}
	if l.conn != nil {
		if _, err := l.conn.Redial(); err != nil {
			l.w.fault("%s could not dial: %v", l.host.Name(), err)
		}
		return
	}
	c, err := l.w.world.Connect(l.host, l.to, l.link.cfg)
	if err != nil {
		l.w.fault("%s could not dial: %v", l.host.Name(), err)
		return
	}
	c.OnRedial(l.redialed)
	if l.onAccept != nil {
		c.OnAccept(l.onAccept)
	}
	l.dialed(c)
}

// keep dials for good.
func (l *churnLine) keep() {
	way, err := l.w.world.Dial(l.host, l.to, l.link.cfg, func(c *sim.Connection) {
		if l.mine() {
			l.w.tally.redials++
		}
		if l.onAccept != nil {
			c.OnAccept(l.onAccept)
		}
		l.dialed(c)
	})
	if err != nil {
		l.w.fault("%s could not dial: %v", l.host.Name(), err)
		return
	}
	l.way = way
}

// redialed is told of a further connection, which a fault may have dialed. The host gives up the one before, if it still
// takes that for one: references go over the first link that a host has.
func (l *churnLine) redialed(c *sim.Connection) {
	if old := l.conn; l.mine() && old.Dialed() != nil {
		old.Dialed().Close()
	}
	l.w.tally.redials++
	l.dialed(c)
}

func (l *churnLine) dialed(c *sim.Connection) {
	l.conn, l.life, l.since, l.due = c, l.host.Incarnation(), l.w.world.Now(), false
}

// mine reports whether the newest connection was dialed in the present life of the host.
func (l *churnLine) mine() bool {
	return l.conn != nil && l.host.Up() && l.life == l.host.Incarnation()
}

// up reports whether the host can use the connection, as far as it knows.
func (l *churnLine) up() bool {
	if l.lasting {
		return l.mine() && l.way.Uplink().Connected()
	}
	return l.mine() && l.conn.Dialed() != nil && l.conn.Dialed().Link().Up()
}

// lost reports whether the host knows that the connection is over, or could not be made.
func (l *churnLine) lost() bool {
	if l.lasting || !l.mine() {
		return !l.mine()
	}
	if d := l.conn.Dialed(); d != nil {
		return d.Link().Closed()
	}
	return l.conn.Link.Dialer().Closed()
}

// orphaned reports whether a reference failed since the host has no parent: of two connections that were dialed at once it
// took the one that came up first, which is over. The other one is of no use then, and is closed.
func (l *churnLine) orphaned(ref *core.Reference) bool {
	if ref == nil || ref.State() != core.StateFailed || base.CodeOf(ref.Err()) != base.CodeUnresolved {
		return false
	}
	l.conn.Dialed().Close()
	return true
}

// late reports whether the host has waited for too long for something that it asked for then.
func (l *churnLine) late(asked base.Time) bool { return l.w.world.Now().Sub(asked) > l.patience }

// wait has the host wait for longer the next time.
func (l *churnLine) wait() { l.patience = min(2*l.patience, churnMostPatience) }

// again dials once more, soon, unless somebody else has by then.
func (l *churnLine) again() {
	l.due = true
	was := l.conn
	l.w.after(between(l.draw, 0, 100*base.Millisecond), func() {
		l.due = false
		if l.conn == was && l.host.Up() && !l.w.over {
			l.connect()
		}
	})
}

// restart ends the host's life and begins another, soon. Some hosts close their connections first.
func (l *churnLine) restart() {
	l.due = true
	w := l.w
	if l.draw.Below(2) == 0 && l.up() {
		l.conn.Dialed().Close()
	}
	w.world.Crash(l.host, int(l.draw.Below(3))*50)
	w.tally.reloads++
	w.after(between(l.draw, 0, 100*base.Millisecond), func() {
		l.due = false
		w.world.Restart(l.host)
	})
}
