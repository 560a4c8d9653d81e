package sim

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"chordsim/core/wire"
	"chordsim/faults"
	"chordsim/sim/check"
	"chordsim/sim/netsim"
)

// maxListed is how many names an error lists.
const maxListed = 12

// host returns the host of a name, or nil.
func (w *World) host(name string) *Host {
	i := slices.IndexFunc(w.hosts, func(h *Host) bool { return h.name == name })
	if i < 0 {
		return nil
	}
	return w.hosts[i]
}

// is reports whether a fault's link is this one: by its name, by the name that it was asked to have, by who dialed, or as
// one of all.
func (c *Connection) is(l faults.Link) bool {
	return l.All || c.Link.Name() == l.Name || c.cfg.Name == l.Name || c.from.name == l.Name
}

// open reports whether one of the hosts takes the connection for one.
func (c *Connection) open() bool { return !c.Link.Dialer().Closed() || !c.Link.Acceptor().Closed() }

// targets lists the connections that a fault's link means and that are open, in the order in which they were dialed.
func (w *World) targets(l faults.Link) (list []*Connection) {
	for _, c := range w.dialed {
		if c.open() && c.is(l) {
			list = append(list, c)
		}
	}
	return list
}

// towards lists the ends that a direction of a link leads to.
func (c *Connection) towards(d faults.Direction) []*netsim.End {
	switch d {
	case faults.Up:
		return []*netsim.End{c.Link.Acceptor()}
	case faults.Down:
		return []*netsim.End{c.Link.Dialer()}
	}
	return []*netsim.End{c.Link.Acceptor(), c.Link.Dialer()}
}

// sideOf returns the side of a connection at a host, or nil; "" is the dialer's.
func (c *Connection) sideOf(host string) *side {
	switch host {
	case "", c.from.name:
		return &c.dialed
	case c.to.name:
		return &c.accepted
	}
	return nil
}

// resolve says what is not there that the fault is about, or what there cannot honour it.
func (i *injected) resolve() error {
	if err := i.resolveTrigger(); err != nil {
		return err
	}
	w, f := i.world, &i.fault
	for _, name := range slices.Concat([]string{f.Host, f.When.From, f.When.To}, f.Left, f.Right) {
		if name != "" && w.host(name) == nil {
			return w.noHost(name)
		}
	}
	if !f.Kind.OfLinks() {
		return nil
	}
	var of []*Connection
	for _, c := range w.dialed {
		if c.is(f.Link) {
			of = append(of, c)
		}
	}
	if len(of) == 0 && !f.Link.All && w.host(f.Link.Name) == nil {
		return w.noLink(f.Link.Name)
	}
	by := len(of) == 0 || f.Host == ""
	for _, c := range of {
		by = by || c.sideOf(f.Host) != nil
		for _, e := range c.towards(f.Link.Direction) {
			if f.Kind == faults.Rate && e.Model().Trace != nil {
				return fmt.Errorf("%w: a rate of %s, which follows the trace %s", netsim.ErrUnsupported, c.Link.Name(), e.Model().Trace.Name())
			}
		}
	}
	if !by {
		return fmt.Errorf("%s is at no end of %v; those are at %s and %s", f.Host, f.Link, of[0].from.name, of[0].to.name)
	}
	return nil
}

// resolveTrigger says why the trigger can never come.
func (i *injected) resolveTrigger() error {
	w, t := i.world, &i.fault.When
	switch t.Kind {
	case faults.At, faults.Every:
		if at, _ := i.watch.Next(); at < w.Now() {
			return fmt.Errorf("its time is over: it is %v", w.Now())
		}
		if at, _ := i.watch.Next(); i.heal != 0 && at >= i.heal {
			return fmt.Errorf("the plan heals at %v, before it comes", i.heal)
		}
	case faults.OnMessage:
		if t.Message == faults.AnyMessage || slices.ContainsFunc(w.hosts, func(h *Host) bool { return h.start != nil }) {
			return nil // nodes have messages of their own
		}
		if names := messageTypes(); !slices.Contains(names, t.Message) {
			return fmt.Errorf("there are no messages of the type %q%s", t.Message, listed("types", t.Message, names))
		}
	case faults.OnViolation:
		if w.checks == nil {
			return errors.New("the world is unchecked, so that no violation is seen")
		}
		if !slices.Contains(check.IDs, t.Violation) {
			return fmt.Errorf("the world does not watch %q%s", t.Violation, listed("invariants", t.Violation, check.IDs))
		}
	}
	return nil
}

// messageTypes lists the names of the types of messages.
func messageTypes() (names []string) {
	for t := wire.TypeHello; t <= wire.TypeCallMore; t++ {
		names = append(names, t.String())
	}
	return names
}

func (w *World) noHost(name string) error {
	names := make([]string, len(w.hosts))
	for i, h := range w.hosts {
		names[i] = h.name
	}
	return fmt.Errorf("there is no host %q%s", name, listed("hosts", name, names))
}

func (w *World) noLink(name string) error {
	names := make([]string, len(w.dialed))
	for i, c := range w.dialed {
		names[i] = c.Link.Name()
	}
	hosts := make([]string, len(w.hosts))
	for i, h := range w.hosts {
		hosts[i] = h.name
	}
	near := ""
	if n := Nearest(name, slices.Concat(names, hosts)); n != "" {
		near = fmt.Sprintf("; did you mean %q?", n)
	}
	return fmt.Errorf("there is no link or host %q; there are the links %s, and the hosts %s%s", name, some(names), some(hosts), near)
}

// listed says what there is, and what may be meant.
func listed(what, name string, names []string) string {
	near := ""
	if n := Nearest(name, names); n != "" {
		near = fmt.Sprintf("; did you mean %q?", n)
	}
	return "; there are the " + what + " " + some(names) + near
}

// some lists names, and says how many more there are.
func some(names []string) string {
	switch {
	case len(names) == 0:
		return "(none)"
	case len(names) > maxListed:
		return strings.Join(names[:maxListed], ", ") + fmt.Sprintf(" and %d more", len(names)-maxListed)
	}
	return strings.Join(names, ", ")
}
