package core_test

import (
	"chordsim/core"
	"chordsim/core/link"
	"chordsim/core/wire"
)

// rawDialer gives a host that dials a transport to the test each time.
type rawDialer struct {
	host  *rawHost
	peers []*rawPeer
}

var _ core.Dialer = (*rawDialer)(nil)

func (d *rawDialer) Dial(c *core.Conn) {
	p := &rawPeer{host: d.host, conn: c}
	d.peers = append(d.peers, p)
	c.Opened(p)
}

func (d *rawDialer) newest() *rawPeer { return d.peers[len(d.peers)-1] }

// welcomed answers the newest transport with a session of its own.
func (d *rawDialer) welcomed(session uint64) *rawPeer {
	p := d.newest()
	p.welcome(session)
	return p
}

// welcome begins a session, as a side that keeps its sessions.
func (p *rawPeer) welcome(session uint64) {
	who := rawIdentity
	who.Features |= link.FeatureResume
	p.say(wire.TypeWelcome, wire.Welcome{Identity: who, Session: session}.Append(wire.Binary, nil))
}
