package sim

import (
	"fmt"

	"chordsim/core/base"
	"chordsim/core/wire"
	"chordsim/faults"
	"chordsim/sim/netsim"
	"chordsim/sim/trace"
)

// injector carries out plans in a world. The zero value has none, and costs a look at a flag where it hooks in.
type injector struct {
	list     []*injected // in the order of the plans and of their faults
	plans    []faults.Plan
	settings []*setting // that are changed
	dark     []*darkness
	takes    []string // knobs that the scenario has
	seen     int      // violations that triggers were told of

	messages   bool // somebody is to be told of what is sent
	watching   bool // somebody is to be told of events
	lasting    bool // something is on that new connections are subject to as well
	ends       bool // somebody is to be told of connections that end
	violations bool // of invariants are waited for
}

// injected is one fault of a plan in a world.
type injected struct {
	world  *World
	fault  faults.Fault
	text   string
	number int // among all of the world
	watch  *faults.Watch
	fired  int64 // how often it was carried out
	healed bool
	heal   base.Time // of its plan; 0: none
	drawn  bool      // its plan was

	effect    faults.Effect // of what is over
	why       string        // the last reason for which it did nothing
	err       error         // what could not be done
	spells    []*spell      // that are on
	accounts  []*account    // of what may still be lost
	breaking  []*breakage   // connections that it will end
	comebacks []*comeback   // that are due
}

// Inject carries out a plan from now on: each fault when its trigger comes, and the heal of all of them. The plan must be
// valid, its knobs the world's (see [Config.Apply]), and whom its faults are about must be there: hosts, and links that were
// dialed or whose dialing host is there. Links that come later are subject to what is on. An error names the fault and what
// there is, and means that nothing of the plan is carried out.
func (w *World) Inject(p faults.Plan) error {
	if err := p.Validate(); err != nil {
		return fmt.Errorf("sim: %w", err)
	}
	if err := w.hasKnobs(p.Knobs); err != nil {
		return err
	}
	if p.Heal != 0 && p.Heal < w.Now() {
		return fmt.Errorf("sim: the plan heals at %v, and it is %v", p.Heal, w.Now())
	}
	list := make([]*injected, 0, len(p.Faults))
	for _, f := range p.Faults {
		i := &injected{
			world: w, fault: f, text: f.String(), number: len(w.inject.list) + len(list), watch: f.When.Watch(), heal: p.Heal, drawn: p.Drawn,
		}
		if err := i.resolve(); err != nil {
			return fmt.Errorf("sim: the fault `%s`: %w", i.text, err)
		}
		list = append(list, i)
	}
	w.inject.list = append(w.inject.list, list...)
	w.inject.plans = append(w.inject.plans, p)
	for _, i := range list {
		i.arm()
	}
	if p.Heal != 0 {
		w.At(p.Heal, func() { heal(list) })
	}
	w.inject.look()
	return nil
}

// Heal ends every fault that is on, takes back the cuts and drops that wait for something to cross, brings back what is to come back, starts the hosts that crashed, and has triggers come
// no more. The liveness phase begins.
func (w *World) Heal() { heal(w.inject.list) }

func heal(list []*injected) {
	for _, i := range list {
		i.watch.Stop()
		i.healed = true
		for len(i.spells) > 0 {
			i.spells[0].end()
		}
		i.spare()
		for len(i.comebacks) > 0 {
			i.comebacks[0].Fire(0)
		}
	}
	for _, i := range list {
		if h := i.world.host(i.fault.Host); i.fault.Kind == faults.Crash && i.effect.Hosts > 0 && !h.Up() {
			i.world.Restart(h)
		}
		i.world.inject.look()
	}
}

// The arguments of a fault's events.
const (
	fireDue  = iota // a time of the trigger
	fireSeen        // something that the trigger waited for came
)

// arm schedules the next time of the trigger, if it has one.
func (i *injected) arm() {
	if at, ok := i.watch.Next(); ok && at < base.Never {
		i.world.queue.Schedule(at, i, fireDue)
	}
}

// Fire carries the fault out, if its trigger came.
func (i *injected) Fire(arg uint64) {
	if i.healed || arg == fireDue && !i.watch.Reached(i.world.Now()) {
		return
	}
	i.why = ""
	i.fired++
	i.note(i.text)
	i.carryOut()
	if arg == fireDue {
		i.arm()
	}
	i.world.inject.look()
}

// note records what became of the fault.
func (i *injected) note(what string) {
	w := i.world
	if w.record(trace.KindFault, uint64(i.number), trace.Bytes([]byte(what))) {
		w.tell(trace.Event{Kind: trace.KindFault, To: i.fault.Host, Link: i.fault.Link.Name, What: what})
	}
}

// look finds out who is to be told of what.
func (j *injector) look() {
	j.messages, j.watching, j.lasting, j.ends, j.violations = false, false, false, false, false
	for _, i := range j.list {
		if !i.watch.Done() {
			switch i.fault.When.Kind {
			case faults.OnMessage:
				j.messages = true
			case faults.OnEvent:
				j.watching = true
			case faults.OnViolation:
				j.watching, j.violations = true, true
			}
		}
		j.lasting = j.lasting || len(i.spells) > 0
		j.ends = j.ends || len(i.breaking) > 0
	}
	j.messages = j.messages || len(j.settings) > 0
}

// wrote is told of each chunk as it is sent. It only schedules what follows: it is called in the midst of a turn.
func (j *injector) wrote(e *netsim.End, chunk []byte) {
	for _, s := range j.settings {
		if s.end == e.Other() {
			s.count(len(chunk))
		}
	}
	from := e.Owner().(*side)
	what := ""
	for _, i := range j.list {
		if i.watch.Done() || i.fault.When.Kind != faults.OnMessage {
			continue
		}
		if what == "" {
			what = from.typeOf(chunk)
		}
		if i.watch.Message(what, from.host.name, from.other().host.name) {
			i.world.queue.Schedule(i.world.Now(), i, fireSeen)
		}
	}
}

// typeOf names the type of what a side sends.
func (s *side) typeOf(chunk []byte) string {
	if s.host.start != nil {
		return s.describe(chunk)
	}
	codec := wire.CodecOf(chunk)
	if s.core != nil {
		codec = s.core.Link().CodecFor(chunk)
	}
	h, _, err := wire.ParseHeader(codec, chunk)
	if err != nil {
		return "unknown"
	}
	return h.Type.String()
}

// stepped is told that an event ran.
func (j *injector) stepped(w *World) {
	events := w.queue.Stats().Events
	for _, i := range j.list {
		if i.watch.Events(events) {
			w.queue.Schedule(w.Now(), i, fireSeen)
		}
	}
	if !j.violations || w.checks == nil {
		return
	}
	list := w.checks.Violations()
	for ; j.seen < len(list); j.seen++ {
		for _, i := range j.list {
			if i.watch.Violation(list[j.seen].ID) {
				w.queue.Schedule(w.Now(), i, fireSeen)
			}
		}
	}
}

// connected subjects a connection that is being dialed to what is on.
func (j *injector) connected(c *Connection) {
	for _, i := range j.list {
		for _, s := range i.spells {
			s.reach(c)
		}
	}
	j.look()
}

// ended is told of a connection that is over.
func (j *injector) ended(c *Connection) {
	for _, i := range j.list {
		i.broke(c)
	}
	j.look()
}
