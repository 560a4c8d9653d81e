package core

import (
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/wire"
)

// replica is a reference's copy of a member.
type replica struct {
	name  string
	value delta.Value
	rev   wire.Revision
	names wire.Names

	message uint64 // the last one that changed it, as the client counts them
}

// boundMember is what a bind brought of a member: a replica that is to be seen, and the frame that tells of it.
type boundMember struct {
	replica *replica
	frame   Frame
}

func (p *replica) snapshot() Frame {
	return Frame{
		Member: p.name, Base: p.rev, Revision: p.rev, Value: p.value, Snapshot: true,
		Ops: []delta.Op{{Code: delta.OpReplace, Value: p.value}},
	}
}

// known lists what the replicas have, for a hold to name. Replicas are there from the first bind to the release, whether or
// not there is a way to the object. A host that keeps no history asks for none.
func (g *grip) known() []wire.Known {
	if g.whole || g.client.host.limits.HistoryBytes < 0 || len(g.members) == 0 {
		return nil
	}
	list := make([]wire.Known, len(g.members))
	for i, p := range g.members {
		list[i] = wire.Known{Member: p.name, Revision: p.rev}
	}
	return list
}

// doubt has the next hold name nothing if this one did, and came to a broken protocol or a limit before it was bound.
func (g *grip) doubt(err error) {
	if code := base.CodeOf(err); g.named && !g.bound && (code == base.CodeProtocol || code == base.CodeLimit) {
		g.whole = true
	}
}

// mayLead refuses a change of what the hold did not name, or one that leads back.
func (g *grip) mayLead(m *wire.BoundMember) error {
	p := g.member(m.Name)
	if p == nil || !g.named {
		return base.Errorf(base.CodeProtocol, "member %q is given as a change of nothing known", m.Name)
	}
	if m.Epoch != p.rev.Epoch || m.Number < p.rev.Number {
		return base.Errorf(base.CodeProtocol, "member %q is given as a change to revision %d of epoch %d, this replica is at %d of %d (C2)",
			m.Name, m.Number, m.Epoch, p.rev.Number, p.rev.Epoch)
	}
	return nil
}

// boundMember reads what a bind brings of a member. The names that are told for it are new: those of the session before are
// of no meaning to this one.
func (c *client) boundMember(g *grip, m *wire.BoundMember) (boundMember, error) {
	p := &replica{name: m.Name, rev: m.Revision}
	var err error
	if m.Form == wire.MemberValue {
		p.value, err = c.codec().ParseSnapshot(&p.names, m.Part)
		return boundMember{p, p.snapshot()}, err
	}
	old := g.member(m.Name)
	since, err := c.codec().ParseSince(&p.names, m.Part)
	if err != nil {
		return boundMember{}, err
	}
	if len(since.Ops) > 0 && p.rev == old.rev {
		return boundMember{}, base.Errorf(base.CodeProtocol, "a change of %s leads from revision %d no further (C2)", p.name, p.rev.Number)
	}
	if p.value, err = delta.Apply(old.value, since.Ops); err != nil {
		return boundMember{}, base.Errorf(base.CodeProtocol, "a change of %s since revision %d does not apply: %v", p.name, old.rev.Number, err)
	}
	if !since.LeadsTo(p.value) {
		return boundMember{}, base.Errorf(base.CodeProtocol, "a change of %s since revision %d of epoch %d is of another history (C2)",
			p.name, old.rev.Number, old.rev.Epoch)
	}
	return boundMember{p, Frame{Member: p.name, Base: old.rev, Revision: p.rev, Value: p.value, Ops: since.Ops}}, nil
}
