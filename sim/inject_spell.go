package sim

import (
	"slices"
	"strconv"

	"chordsim/core/base"
	"chordsim/faults"
	"chordsim/sim/netsim"
)

// SwizzleRound is how long a round of a swizzle takes that goes on to the heal.
const SwizzleRound = 10 * base.Second

// spell is one time that a lasting fault is on.
type spell struct {
	by    *injected
	until base.Time // Never: to the heal
	over  bool

	reached []*Connection
	stalls  []stalled
	dark    []*darkness
	uses    []*setting
	toll    Toll // of the host, when it began
	round   int
}

// stalled is a direction that a spell stalls.
type stalled struct {
	end    *netsim.End
	before int64 // messages that had been delayed
}

// begin turns a lasting fault on.
func (i *injected) begin() {
	w, f := i.world, &i.fault
	s := &spell{by: i, until: base.Never}
	if f.For != 0 {
		s.until = w.Now().Add(f.For)
	}
	i.spells = append(i.spells, s)
	switch {
	case f.Host != "":
		h := w.host(f.Host)
		s.toll = h.Toll()
		s.use(nil, h, i.value())
	case f.Kind == faults.Swizzle:
		s.swizzle()
	default:
		for _, c := range w.dialed {
			if c.open() {
				s.reach(c)
			}
		}
		if len(s.reached) == 0 {
			i.why = i.nobody()
		}
	}
	if s.until < base.Never && !s.over {
		w.queue.Schedule(s.until, s, 0)
	}
}

// value is what a fault changes a setting to.
func (i *injected) value() int64 {
	switch i.fault.Kind {
	case faults.Latency, faults.Jitter, faults.Timers:
		return int64(i.fault.Span)
	}
	return i.fault.Amount
}

// Fire ends the spell, when its time is over.
func (s *spell) Fire(uint64) {
	if !s.over {
		s.end()
		s.by.world.inject.look()
	}
}

// reach subjects a connection to the spell, if it is one that is meant.
func (s *spell) reach(c *Connection) {
	f := &s.by.fault
	var ends []*netsim.End
	switch {
	case f.Kind == faults.Partition:
		ends = c.between(f)
	case f.Kind == faults.Swizzle || !f.Kind.OfLinks() || !c.is(f.Link):
		return
	default:
		ends = c.towards(f.Link.Direction)
	}
	if len(ends) == 0 {
		return
	}
	s.reached = append(s.reached, c)
	for _, e := range ends {
		switch f.Kind {
		case faults.Stall, faults.Partition:
			s.stall(e, s.until)
		case faults.BlackHole:
			s.dark = append(s.dark, s.by.world.inject.darken(e))
		default:
			s.use(e, nil, s.by.value())
		}
	}
}

// between lists the ends of a connection that a partition cuts off.
func (c *Connection) between(f *faults.Fault) []*netsim.End {
	left, right := slices.Contains(f.Left, c.from.name), slices.Contains(f.Right, c.from.name)
	switch {
	case left && slices.Contains(f.Right, c.to.name):
		if f.OneWay {
			return c.towards(faults.Up)
		}
	case right && slices.Contains(f.Left, c.to.name):
		if f.OneWay {
			return c.towards(faults.Down)
		}
	default:
		return nil
	}
	return c.towards(faults.Both)
}

// stall stalls a direction until a time.
func (s *spell) stall(e *netsim.End, until base.Time) {
	s.stalls = append(s.stalls, stalled{e, e.Delayed()})
	if until == base.Never {
		e.Stall()
		return
	}
	e.StallUntil(until)
}

// swizzle draws when each link stalls, in the first half of the time, and when it goes on, in the second.
func (s *spell) swizzle() {
	w := s.by.world
	span := SwizzleRound
	if s.until != base.Never {
		span = s.until.Sub(w.Now())
	}
	links := w.targets(s.by.fault.Link)
	if len(links) == 0 {
		s.by.why = s.by.nobody()
	}
	half := uint64(span/2) + 1
	for _, c := range links {
		draws := w.rand.Stream("swizzle", strconv.Itoa(s.by.number), strconv.FormatInt(s.by.fired, 10), strconv.Itoa(s.round), c.Link.Name())
		from := base.Duration(draws.Below(half))
		until := w.Now().Add(min(span/2+1+base.Duration(draws.Below(half)), span))
		w.queue.Schedule(w.Now().Add(from), &swizzled{s, c, until}, 0)
	}
	s.round++
	if s.until == base.Never {
		w.queue.Schedule(w.Now().Add(span), &swizzled{spell: s}, 0)
	}
}

// swizzled is a link whose turn it is to stall; none: the next round.
type swizzled struct {
	spell *spell
	conn  *Connection
	until base.Time
}

// Fire stalls the link, or begins the next round.
func (z *swizzled) Fire(uint64) {
	switch {
	case z.spell.over:
	case z.conn == nil:
		z.spell.collect()
		z.spell.swizzle()
	case z.conn.open():
		for _, e := range z.conn.towards(faults.Both) {
			z.spell.stall(e, z.until)
		}
	}
}

// collect takes what stalls have delayed into the effect.
func (s *spell) collect() {
	s.by.effect.Messages += s.delayed()
	s.stalls = s.stalls[:0]
}

func (s *spell) delayed() (n int64) {
	for i := range s.stalls {
		n += s.stalls[i].end.Delayed() - s.stalls[i].before
	}
	return n
}

// end turns the fault off and settles its account.
func (s *spell) end() {
	i, w := s.by, s.by.world
	s.over = true
	i.spells = slices.DeleteFunc(i.spells, func(o *spell) bool { return o == s })
	s.addTo(&i.effect)
	if i.fault.Kind == faults.Drift { // what it put between the clock and the world's time stays
		i.accounts = append(i.accounts, &account{host: w.host(i.fault.Host), toll: w.host(i.fault.Host).Toll()})
	}
	early := s.until > w.Now()
	for _, st := range s.stalls {
		if early {
			st.end.Resume()
		}
	}
	s.stalls = nil
	for _, d := range s.dark {
		i.lighten(d)
	}
	for _, u := range s.uses {
		w.inject.drop(u, s)
	}
	i.note("over: " + i.text)
}

// addTo adds what the spell did so far.
func (s *spell) addTo(e *faults.Effect) {
	e.Messages += s.delayed()
	for _, d := range s.dark {
		lost := d.end.Swallowed()
		e.Messages += lost.Messages - d.before.Messages
		e.Bytes += lost.Bytes - d.before.Bytes
	}
	if s.by.fault.Host == "" {
		return
	}
	toll := s.by.world.host(s.by.fault.Host).Toll()
	switch s.by.fault.Kind {
	case faults.Slow:
		e.Turns += toll.TurnsSlowed - s.toll.TurnsSlowed
	case faults.Timers:
		e.Turns += toll.TimersLate - s.toll.TimersLate
	case faults.Drift:
		e.Turns += toll.TimersMoved - s.toll.TimersMoved
		e.Clock += toll.ClockReads - s.toll.ClockReads
	}
}
