package faults

import (
	"fmt"
	"slices"
	"strings"

	"chordsim/core/base"
)

// The bounds of a plan. Parse and Validate refuse what is over them.
const (
	MaxText   = 64 * base.KiB // bytes of a plan's text
	MaxFaults = 1024          // faults of a plan
	MaxName   = 255           // bytes of a name of a host, a link, a message type or an invariant
	MaxSide   = 256           // hosts on one side of a partition
	MaxCount  = 1 << 40       // messages, events, bytes or times that anything may be counted up to
)

// Plan is what a run is subjected to: the knobs that its world is made with, and the faults that happen in it. The zero
// value is a run with nothing of either.
type Plan struct {
	// Drawn says that the plan was drawn, so that not every fault of it is meant to have an effect. One that a person wrote
	// says what is to happen, and a fault that then did nothing is a failure (D3).
	Drawn  bool
	Knobs  []Knob
	Faults []Fault
	// Heal is when every fault ends that is still on, and when triggers come no more: the safety phase is over, the liveness
	// phase begins. Zero: never, but for what the faults say themselves.
	Heal base.Time
}

// String prints the plan, a line each: that it was drawn, the knobs, the faults in order, the heal. [Parse] reads it back if the plan is valid.
func (p Plan) String() string {
	var out strings.Builder
	if p.Drawn {
		out.WriteString("drawn\n")
	}
	for _, k := range p.Knobs {
		out.WriteString(k.String())
		out.WriteByte('\n')
	}
	for i := range p.Faults {
		out.WriteString(p.Faults[i].String())
		out.WriteByte('\n')
	}
	if p.Heal != 0 {
		out.WriteString("heal at " + p.Heal.String() + "\n")
	}
	return out.String()
}

// Empty reports whether the plan asks for nothing, drawn or not.
func (p Plan) Empty() bool { return len(p.Knobs) == 0 && len(p.Faults) == 0 && p.Heal == 0 }

// Knob returns the value that the plan gives a knob.
func (p Plan) Knob(name string) (value string, ok bool) {
	i := slices.IndexFunc(p.Knobs, func(k Knob) bool { return k.Name == name })
	if i < 0 {
		return "", false
	}
	return p.Knobs[i].Value, true
}

// Validate returns nil, or an error that names the first knob or fault that is not one, and why.
func (p Plan) Validate() error {
	for i, k := range p.Knobs {
		if err := k.Validate(); err != nil {
			return err
		}
		if slices.ContainsFunc(p.Knobs[:i], func(other Knob) bool { return other.Name == k.Name }) {
			return fmt.Errorf("faults: the knob %s is set twice", k.Name)
		}
	}
	for i := range p.Faults {
		if err := p.Faults[i].Validate(); err != nil {
			return err
		}
	}
	if p.Heal < 0 || p.Heal == base.Never {
		return fmt.Errorf("faults: the plan heals at %v; want a time, or 0 for never", p.Heal)
	}
	if len(p.Faults) > MaxFaults {
		return fmt.Errorf("faults: %d faults; want at most %d", len(p.Faults), MaxFaults)
	}
	if size := len(p.String()); size > MaxText {
		return fmt.Errorf("faults: the plan has %d bytes of text; want at most %d", size, MaxText)
	}
	return nil
}
