package sim

import (
	"fmt"

	"chordsim/core"
	"chordsim/sim/netsim"
)

// Way is a chord host's lasting way to another one, over one connection of a kind after another: see [core.Host.Dial]. It
// ends with the life of the host that dials.
type Way struct {
	uplink   *core.Uplink
	world    *World
	from, to *Host
	cfg      netsim.Config
	newest   *Connection
	down     bool // dialing leads nowhere
	dialed   func(*Connection)
	onChange func()
	err      error // of the newest attempt to dial; the host is told of it too
}

// Dial gives a chord host a lasting way to another one, over links like those that [World.Connect] makes. Dialed, if it is not nil,
// is told of each connection as it is dialed, within a turn of the host.
func (w *World) Dial(from, to *Host, cfg netsim.Config, dialed func(*Connection)) (*Way, error) {
	if from.core == nil {
		return nil, fmt.Errorf("sim: %s is down, or no chord host, and cannot dial for good", from.name)
	}
	y := &Way{world: w, from: from, to: to, cfg: cfg, dialed: dialed}
	y.uplink = from.core.Dial(y)
	y.uplink.OnChange(y.changed)
	if y.err != nil {
		y.uplink.Close()
		return nil, y.err
	}
	return y, nil
}

// changed tells the checkers which links are the two sides of a session.
func (y *Way) changed() {
	if c := y.newest; y.world.checks != nil && y.uplink.Connected() && c.accepted.core != nil {
		if c.accepted.life.over || c.accepted.core.Link().Closed() {
			y.world.checks.Alone(y.from.core, y.uplink.Link()) // who greeted is gone, with what it knew of the session
		} else {
			y.world.checks.Linked(y.uplink.Link(), c.accepted.core.Link())
		}
	}
	if y.onChange != nil {
		y.onChange()
	}
}

// OnChange is [core.Uplink.OnChange], which the world needs itself.
func (y *Way) OnChange(fn func()) { y.onChange = fn }

// SetDown has attempts to dial fail at once from now on, or lead to the other host again, which the host that dials finds out
// when it does. What is connected stays.
func (y *Way) SetDown(down bool) { y.down = down }

// Uplink returns the way as its host has it.
func (y *Way) Uplink() *core.Uplink { return y.uplink }

// Connection returns the newest connection, which may be over.
func (y *Way) Connection() *Connection { return y.newest }

var _ core.Dialer = (*Way)(nil)

// Dial begins the next connection.
func (y *Way) Dial(conn *core.Conn) {
	if y.down {
		conn.Closed(ErrRefused)
		return
	}
	c, err := y.world.Connect(y.from, y.to, y.cfg)
	if y.err = err; err != nil {
		conn.Closed(err)
		return
	}
	c.way, c.dialed.core = y, conn
	y.newest = c
	if y.dialed != nil {
		y.dialed(c)
	}
}

// receive has a chord host take a chunk, in a turn of its own, which the checkers see first. What waited for its CPU while the
// session went on over another transport is thrown away: it goes again.
func (s *side) receive(chunk []byte) {
	if w := s.host.world; w.checks != nil && s.core.Heard() {
		w.checks.Arrived(s.core.Host(), s.core.Link(), chunk)
	}
	s.core.Receive(chunk)
}
