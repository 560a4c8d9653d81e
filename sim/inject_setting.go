package sim

import (
	"slices"

	"chordsim/core/base"
	"chordsim/faults"
	"chordsim/sim/netsim"
)

// setting is a property of a direction or of a host that spells have changed. Of several, the one that began last counts;
// when the last is over, the property is what it was.
type setting struct {
	end  *netsim.End
	host *Host
	kind faults.Kind
	was  int64
	now  int64
	by   []*spell

	squeezed netsim.Lost // that were counted
}

// use changes a property for a spell.
func (s *spell) use(e *netsim.End, h *Host, value int64) {
	j := &s.by.world.inject
	kind := s.by.fault.Kind
	at := slices.IndexFunc(j.settings, func(o *setting) bool { return o.end == e && o.host == h && o.kind == kind })
	var x *setting
	if at >= 0 {
		x = j.settings[at]
	} else {
		x = &setting{end: e, host: h, kind: kind}
		x.was = x.get()
		x.now = x.was
	}
	before := x.now
	if err := x.set(value); err != nil {
		s.by.err = err
		return
	}
	if value == before {
		s.by.why = "it changed nothing: it is so already"
	}
	if at < 0 {
		j.settings = append(j.settings, x)
		x.squeezed = x.fullMessages()
	}
	x.settle()
	x.by = append(x.by, s)
	if value != x.was && (kind == faults.Rate || kind == faults.Latency) {
		x.add(e.Unsent()) // what waits is subject to it as well
	}
	s.uses = append(s.uses, x)
}

// drop takes a spell off a property.
func (j *injector) drop(x *setting, s *spell) {
	x.settle()
	x.by = slices.DeleteFunc(x.by, func(o *spell) bool { return o == s })
	value := x.was
	if n := len(x.by); n > 0 {
		value = x.by[n-1].by.value()
	} else {
		j.settings = slices.DeleteFunc(j.settings, func(o *setting) bool { return o == x })
	}
	if err := x.set(value); err != nil {
		s.by.err = err
	}
}

// count counts a message that is sent under the changed property, for the spell that counts.
func (x *setting) count(size int) {
	if x.now != x.was && x.kind != faults.Squeeze {
		x.add(netsim.Lost{Messages: 1, Bytes: int64(size)})
	}
}

// add counts messages for the spell that counts.
func (x *setting) add(m netsim.Lost) {
	e := &x.by[len(x.by)-1].by.effect
	e.Messages += m.Messages
	e.Bytes += m.Bytes
}

// settle counts the messages that made a squeezed direction full since it was asked last.
func (x *setting) settle() {
	if x.kind != faults.Squeeze || len(x.by) == 0 {
		return
	}
	was := x.squeezed
	x.squeezed = x.fullMessages()
	x.add(netsim.Lost{Messages: x.squeezed.Messages - was.Messages, Bytes: x.squeezed.Bytes - was.Bytes})
}

// fullMessages returns how many messages made a squeezed direction full so far.
func (x *setting) fullMessages() netsim.Lost {
	if x.kind != faults.Squeeze {
		return netsim.Lost{}
	}
	return x.end.Squeezed()
}

func (x *setting) get() int64 {
	switch x.kind {
	case faults.Latency:
		return int64(x.end.Model().Latency)
	case faults.Jitter:
		return int64(x.end.Model().Jitter)
	case faults.Rate:
		return x.end.Model().Rate
	case faults.Squeeze:
		return x.end.Buffer()
	case faults.Slow:
		return max(x.host.slow, 1)
	case faults.Drift:
		return x.host.clock.drift
	}
	return int64(x.host.jitterUpTo)
}

func (x *setting) set(value int64) error {
	if value == x.now {
		return nil
	}
	var err error
	switch x.kind {
	case faults.Latency:
		err = x.end.SetLatency(base.Duration(value))
	case faults.Jitter:
		err = x.end.SetJitter(base.Duration(value))
	case faults.Rate:
		err = x.end.SetRate(value)
	case faults.Squeeze:
		err = x.end.SetBuffer(value)
	case faults.Slow:
		err = x.host.SetSlow(value)
	case faults.Drift:
		err = x.host.SetDrift(value)
	case faults.Timers:
		err = x.host.SetTimerJitter(base.Duration(value))
	}
	if err == nil {
		x.now = value
	}
	return err
}

// darkness is a direction that is a black hole, for one spell.
type darkness struct {
	end    *netsim.End
	before netsim.Lost // what had fallen into it when the spell began
}

// darken makes a direction a black hole.
func (j *injector) darken(e *netsim.End) *darkness {
	d := &darkness{e, e.Swallowed()}
	j.dark = append(j.dark, d)
	e.BlackHole(true)
	return d
}

// lighten ends a spell of a black hole. The direction goes on being one while another spell wants it. A connection that
// lost something will be reset by what comes next.
func (i *injected) lighten(d *darkness) {
	j := &i.world.inject
	j.dark = slices.DeleteFunc(j.dark, func(o *darkness) bool { return o == d })
	if !slices.ContainsFunc(j.dark, func(o *darkness) bool { return o.end == d.end }) {
		d.end.BlackHole(false)
	}
	if c := d.end.Owner().(*side).conn; d.end.Swallowed() != d.before && c.open() {
		i.breaks(c, netsim.Fate{By: netsim.ByGap, Towards: d.end})
	}
}
