package faults

import (
	"slices"

	"chordsim/core/base"
)

// fault draws fault number i of a kind.
func (d *drawing) fault(k Kind, i int) Fault {
	f := Fault{Kind: k}
	f.When = d.trigger(k, i)
	if k.OfLinks() {
		f.Link = d.link(k, i)
	}
	if k.OfHosts() {
		f.Host = d.host(k, i)
	}
	d.quantity(&f, i)
	if k.Lasts() {
		f.For = d.length(&f, i)
	}
	if k.has(fieldAgain) {
		f.Again, f.After = true, d.scaled(d.stream(k, i, "after"), 10*base.Millisecond, d.Span/8)
	}
	return f
}

// trigger draws when the fault happens: by time mostly, in the first three quarters of the span.
func (d *drawing) trigger(k Kind, i int) (t Trigger) {
	time := func() base.Time { return base.Time(d.stream(k, i, "time").Below(uint64(d.Span/4*3) + 1)) }
	sort := d.stream(k, i, "trigger").Below(8)
	switch {
	case sort == 0:
		t.Kind, t.Time = Every, time()/2
		t.Period = d.scaled(d.stream(k, i, "period"), d.Span/100, d.Span/8)
		t.Count = 2 + int64(d.stream(k, i, "times").Below(4))
	case sort == 1:
		t.Kind, t.Count = OnEvent, 1+int64(d.scaled(d.stream(k, i, "event"), 10, 10_000))
	case sort <= 3 && len(d.Messages) > 0:
		t.Kind, t.Message = OnMessage, pick(d.stream(k, i, "message"), d.Messages)
		if d.stream(k, i, "has sender").Below(2) == 0 && len(d.Hosts) > 0 {
			t.From = d.someone(d.stream(k, i, "sender"))
		}
		t.Count = int64(d.scaled(d.stream(k, i, "number"), 1, 100))
	default:
		t.Kind, t.Time = At, time()
	}
	return t
}

// scaled draws a span between two bounds, each order of magnitude as likely as the others, rounded to two digits.
func (d *drawing) scaled(s *base.Stream, least, most base.Duration) base.Duration {
	least = max(least, 1)
	octaves := uint64(0)
	for v := least; v < most && octaves < 62; v *= 2 {
		octaves++
	}
	low := least << s.Below(max(octaves, 1))
	v := min(low+base.Duration(s.Below(uint64(low))), max(most, least))
	for unit := base.Duration(1); ; unit *= 10 {
		if v/unit < 100 {
			return v / unit * unit
		}
	}
}

// link draws a link, and one of its directions or both: the link of a drawn role, so that the few are hit as often as the
// many. Now and then it is all links.
func (d *drawing) link(k Kind, i int) (l Link) {
	if k == Swizzle || d.stream(k, i, "all links").Below(16) == 0 {
		l.All = !(k == Rate && slices.ContainsFunc(d.Links, func(l SwarmLink) bool { return l.Fixed }))
	}
	if !l.All {
		links := d.linksFor(k)
		role := d.role(pick(d.stream(k, i, "role"), d.roles(links)), links)
		l.Name = pick(d.stream(k, i, "link"), role).Name
	}
	switch k {
	case Drop, Reset, Close, HalfOpen, Swizzle:
	case Cut:
		l.Direction = pick(d.stream(k, i, "direction"), []Direction{Up, Down})
	default:
		l.Direction = pick(d.stream(k, i, "direction"), []Direction{Both, Up, Down})
	}
	return l
}

// roleOf is what a link is for: the roles of its hosts.
func (d *drawing) roleOf(l *SwarmLink) [2]string {
	return [2]string{d.hostRole(l.From), d.hostRole(l.To)}
}

func (d *drawing) hostRole(name string) string {
	i := slices.IndexFunc(d.Hosts, func(h SwarmHost) bool { return h.Name == name })
	if i < 0 {
		return ""
	}
	return d.Hosts[i].Role
}

// roles lists the roles of links, in the order of the links.
func (d *drawing) roles(links []SwarmLink) (roles [][2]string) {
	for i := range links {
		if role := d.roleOf(&links[i]); !slices.Contains(roles, role) {
			roles = append(roles, role)
		}
	}
	return roles
}

// role lists the links of a role.
func (d *drawing) role(role [2]string, links []SwarmLink) (list []SwarmLink) {
	for i := range links {
		if d.roleOf(&links[i]) == role {
			list = append(list, links[i])
		}
	}
	return list
}

// host draws the host that a fault happens to.
func (d *drawing) host(k Kind, i int) string { return d.someone(d.stream(k, i, "host")) }

// someone draws a role, and a host of it.
func (d *drawing) someone(s *base.Stream) string {
	var roles []string
	for i := range d.Hosts {
		if !slices.Contains(roles, d.Hosts[i].Role) {
			roles = append(roles, d.Hosts[i].Role)
		}
	}
	role := pick(s, roles)
	var names []string
	for i := range d.Hosts {
		if d.Hosts[i].Role == role {
			names = append(names, d.Hosts[i].Name)
		}
	}
	return pick(s, names)
}

// quantity draws the numbers of a fault, and what else only its kind has.
func (d *drawing) quantity(f *Fault, i int) {
	draw := func(property string) *base.Stream { return d.stream(f.Kind, i, property) }
	number := func(least, most base.Duration) int64 { return int64(d.scaled(draw("amount"), least, most)) }
	switch f.Kind {
	case Drop:
		f.Amount = int64(draw("amount").Below(6))
	case Cut:
		f.Amount = int64(draw("amount").Below(2)) * number(1, 8192)
	case Rate:
		f.Amount = number(1*base.KiB, 1*base.MiB)
	case Squeeze:
		f.Amount = number(1, 16*base.KiB)
	case Crash:
		f.Amount = pick(draw("amount"), []int64{0, 40, 100})
	case Drift:
		f.Amount = number(10, 50_000)
		if draw("sign").Below(2) == 0 {
			f.Amount = -f.Amount
		}
	case Slow:
		f.Amount = number(2, 1000)
	case Latency, Jitter, Timers:
		f.Span = d.scaled(draw("span"), base.Millisecond, max(d.Span/60, base.Millisecond))
	case Skew:
		if f.Span = d.scaled(draw("span"), base.Millisecond, base.Hour); draw("sign").Below(2) == 0 {
			f.Span = -f.Span
		}
	case Partition:
		d.partition(f, i)
	case Close, HalfOpen:
		if acceptor := d.acceptor(f.Link); acceptor != "" && draw("by").Below(2) == 0 {
			f.Host = acceptor
		}
	}
}

// acceptor returns who accepts a link, or "" if that is not one host.
func (d *drawing) acceptor(l Link) string {
	i := slices.IndexFunc(d.Links, func(s SwarmLink) bool { return !l.All && s.Name == l.Name })
	if i < 0 {
		return ""
	}
	return d.Links[i].To
}

// partition draws two sides that are not empty; some hosts are on neither.
func (d *drawing) partition(f *Fault, i int) {
	for _, h := range d.Hosts {
		switch side := d.rand.Stream("plan", "fault", "partition", h.Name, "side").At(uint64(i)) % 3; {
		case side == 0 && len(f.Left) < MaxSide:
			f.Left = append(f.Left, h.Name)
		case side == 1 && len(f.Right) < MaxSide:
			f.Right = append(f.Right, h.Name)
		}
	}
	first := int(d.stream(Partition, i, "first").Below(uint64(len(d.Hosts))))
	second := (first + 1 + int(d.stream(Partition, i, "second").Below(uint64(len(d.Hosts)-1)))) % len(d.Hosts)
	if len(f.Left) == 0 {
		f.Right = slices.DeleteFunc(f.Right, func(name string) bool { return name == d.Hosts[first].Name })
		f.Left = []string{d.Hosts[first].Name}
	}
	if len(f.Right) == 0 {
		f.Left = slices.DeleteFunc(f.Left, func(name string) bool { return name == d.Hosts[second].Name })
		f.Right = []string{d.Hosts[second].Name}
	}
	if len(f.Left) == 0 { // the second was all there was
		f.Left = []string{d.Hosts[first].Name}
	}
	f.OneWay = d.stream(Partition, i, "one way").Below(3) == 0
}

// length draws how long a fault lasts. By a trigger of time it is over before nine tenths of the span are; whatever began
// otherwise ends with the heal.
func (d *drawing) length(f *Fault, i int) base.Duration {
	most := d.Span / 4
	if f.When.Kind == At {
		most = min(most, base.Time(0).Add(d.Span/10*9).Sub(f.When.Time))
	}
	return d.scaled(d.stream(f.Kind, i, "for"), max(d.Span/1000, 1), max(most, 1))
}
