package sim

import (
	"fmt"
	"slices"

	"chordsim/faults"
	"chordsim/sim/netsim"
)

// account is of a fault whose effect goes on: what is under way to an end that is gone is lost when it arrives, and a clock
// that jumped stays where it is. It counts what the fault did itself, and not what something else did meanwhile.
type account struct {
	end           *netsim.End // that was closed, died or is gone
	towards, from netsim.Lost // by arriving there, and by waiting to leave there, before
	breakage      *breakage   // a connection that is to be cut, or to drop messages
	dropped       netsim.Lost // from that before
	host          *Host       // whose clock is another one
	toll          Toll        // of that before
}

// leavesAccount is of an end that is about to close, to die or to be gone.
func leavesAccount(e *netsim.End) *account {
	return &account{end: e, towards: e.LostBy(netsim.ByArrival), from: e.Other().LostBy(netsim.ByUnsent)}
}

// addTo adds what was lost since.
func (a *account) addTo(e *faults.Effect) {
	lose := func(l, before netsim.Lost) {
		e.Messages += l.Messages - before.Messages
		e.Bytes += l.Bytes - before.Bytes
	}
	switch b := a.breakage; {
	case a.host != nil:
		toll := a.host.Toll()
		e.Turns += toll.TimersMoved - a.toll.TimersMoved
		e.Clock += toll.ClockReads - a.toll.ClockReads
	case a.end != nil:
		lose(a.end.LostBy(netsim.ByArrival), a.towards)
		lose(a.end.Other().LostBy(netsim.ByUnsent), a.from)
	case b.fell():
		up, down := b.conn.Link.Acceptor().LostBy(b.fate.By), b.conn.Link.Dialer().LostBy(b.fate.By)
		lose(up, a.dropped)
		lose(down, netsim.Lost{})
	case b.fate.By == netsim.ByDrop:
		lose(b.conn.Link.Dropped(), a.dropped)
	}
}

// Effects returns what each injected fault has done so far, in the order of the plans and their faults. Two faults that did
// something to the same message both count it.
func (w *World) Effects() []faults.Effect {
	list := make([]faults.Effect, len(w.inject.list))
	for n, i := range w.inject.list {
		list[n] = i.effects()
	}
	return list
}

func (i *injected) effects() faults.Effect {
	for _, s := range i.spells {
		for _, x := range s.uses {
			x.settle()
		}
	}
	e := i.effect
	e.Fault, e.Kind, e.Fired = i.text, i.fault.Kind.String(), i.fired
	for _, s := range i.spells {
		s.addTo(&e)
	}
	for _, a := range i.accounts {
		a.addTo(&e)
	}
	if e.None() {
		e.Why = i.reason()
	}
	return e
}

// reason says why the fault did nothing.
func (i *injected) reason() string {
	switch {
	case i.err != nil:
		return i.err.Error()
	case i.fired == 0:
		return i.notYet()
	case i.why != "":
		return i.why
	}
	switch f := &i.fault; {
	case f.Kind == faults.Skew || f.Kind == faults.Drift:
		return f.Host + " read its clock for nothing but timers, if at all, and they came when they would have"
	case f.Kind == faults.Timers:
		return "no timer of " + f.Host + " came due that it could touch"
	case f.Kind.OfHosts():
		return f.Host + " took no turn that it could touch"
	case f.Kind == faults.Partition:
		return "nothing crossed between the two sides while it was on"
	default:
		return fmt.Sprintf("nothing crossed on %v that it could touch", f.Link)
	}
}

// notYet says what the trigger still waits for, or waited for.
func (i *injected) notYet() string {
	t := &i.fault.When
	end := ""
	if i.healed {
		end = " before the heal"
	}
	switch t.Kind {
	case faults.OnMessage:
		return fmt.Sprintf("of the %d messages that it waits for, %d were sent%s", t.Count, i.watch.Seen(), end)
	case faults.OnEvent:
		return fmt.Sprintf("the world had %d events%s", i.world.queue.Stats().Events, end)
	case faults.OnViolation:
		return fmt.Sprintf("%s was not violated%s", t.Violation, end)
	}
	return fmt.Sprintf("its time did not come%s: it is %v", end, i.world.Now())
}

// AddEffects takes in what the faults of a world did, and the knobs and plans that it was given. What a fault could not do
// is a failure. So is a fault that had no effect (D3) if the plan was written by hand, which says what was meant to happen; a
// plan that says of itself that it was drawn was not, whoever asks. Worlds of one run that have the same plan have it once in the
// report.
func (r *Report) AddEffects(w *World, byHand bool) {
	for _, p := range w.inject.plans {
		if text := p.String(); r.Plan != text {
			r.Plan += text
		}
		for _, k := range p.Knobs {
			if text := k.Name + "=" + k.Value; !slices.Contains(r.Knobs, text) {
				r.Knobs = append(r.Knobs, text)
			}
		}
	}
	for n, e := range w.Effects() {
		r.Effects = append(r.Effects, e)
		switch i := w.inject.list[n]; {
		case i.err != nil:
			r.Failures = append(r.Failures, fmt.Sprintf("D3: the fault `%s` could not be carried out: %v", e.Fault, i.err))
		case byHand && !i.drawn && e.None():
			r.Failures = append(r.Failures, fmt.Sprintf("D3: the fault `%s` had no effect: %s", e.Fault, e.Why))
		}
	}
}
