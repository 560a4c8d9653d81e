package main

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"chordsim/core"
	"chordsim/core/delta"
	"chordsim/core/wire"
)

// linksTimed is one thing whose time is measured. Every round has a session of its own, in which laps are timed one by one:
// a lap is a block of the median, and shorter than a busy machine's time slice where it can be.
type linksTimed struct {
	id        string
	laps, ops int // laps of a round and operations of a lap, in a full run
	round     func(plan *linksPlan, c wire.Codec) (linksRound, error)
}

// linksRound is a session in which something is timed.
type linksRound struct {
	lap   func(ops int) (time.Duration, error) // does so many operations and returns the time of them alone
	check func() error                         // looks at what all laps came to; nil: there is nothing to look at
}

// measureTimes times things in turns, each in every round, so that what else the machine does falls on all of them.
func (plan *linksPlan) measureTimes(list []linksTimed, into linksValues, step func(string)) error {
	warmHeap(plan.warm)
	blocks := map[wireKey][]benchBlock{}
	for range plan.rounds {
		step(list[0].id)
		for _, t := range list {
			for _, c := range linksCodecs {
				key := wireKey{t.id, c.String()}
				laps, err := plan.laps(&t, c)
				if err != nil {
					return fmt.Errorf("%s, %s: %w", t.id, c, err)
				}
				blocks[key] = append(blocks[key], laps...)
			}
		}
	}
	for key, list := range blocks {
		into.setTime(key, list)
	}
	return nil
}

// laps times a round.
func (plan *linksPlan) laps(t *linksTimed, c wire.Codec) ([]benchBlock, error) {
	r, err := t.round(plan, c)
	if err != nil {
		return nil, err
	}
	blocks := make([]benchBlock, max(1, t.laps/plan.share))
	for i := range blocks {
		took, err := r.lap(t.ops)
		if err != nil {
			return nil, err
		}
		blocks[i] = benchBlock{ns: float64(took) / float64(t.ops)}
	}
	if r.check != nil {
		err = r.check()
	}
	return blocks, err
}

// wholeLap times operations together.
func wholeLap(run func() error) func(int) (time.Duration, error) {
	return func(ops int) (time.Duration, error) {
		start := time.Now()
		err := repeated(run)(ops)
		return time.Since(start), err
	}
}

// holdTimes are those of a hold: the first of a new pair of hosts and of a document that nobody held before, and then of one
// after the other, each released before the next, which is not timed.
func holdTimes(id string, value func() delta.Value) []linksTimed {
	first := func(_ *linksPlan, c wire.Codec) (linksRound, error) {
		return linksRound{lap: func(ops int) (took time.Duration, err error) {
			for range ops {
				doc := core.NewDocument(value())
				if took, err = addHold(took, newLinksSession(c, nil, doc), doc); err != nil {
					break
				}
			}
			return took, err
		}}, nil
	}
	again := func(_ *linksPlan, c wire.Codec) (linksRound, error) {
		doc := core.NewDocument(value())
		s := newLinksSession(c, nil, doc)
		_, err := addHold(0, s, doc)
		return linksRound{lap: func(ops int) (took time.Duration, err error) {
			for range ops {
				if took, err = addHold(took, s, doc); err != nil {
					break
				}
			}
			return took, err
		}}, err
	}
	return []linksTimed{{id + ".first", 5, 1, first}, {id, 10, 10, again}}
}

// addHold adds to a time that of a hold until it is live, and releases it.
func addHold(took time.Duration, s *linksSession, doc *core.Document) (time.Duration, error) {
	start := time.Now()
	view, err := s.hold(0, nil)
	took += time.Since(start)
	if err == nil {
		err = s.converged(view, doc)
	}
	if err == nil {
		s.release(view)
	}
	return took, err
}

// frameTimes are those of a commit until the consumer's watch has its frame, and of the same with the credit that goes back.
func frameTimes(id string, laps, ops int) []linksTimed {
	frame := func(_ *linksPlan, c wire.Codec) (linksRound, error) {
		var at time.Time
		e, err := newLinksEdits(c, id, func(core.Frame) { at = time.Now() })
		if err != nil {
			return linksRound{}, err
		}
		return linksRound{check: e.check, lap: func(ops int) (took time.Duration, err error) {
			for range ops {
				start := time.Now()
				if err := e.next(); err != nil {
					return 0, err
				}
				took += at.Sub(start)
			}
			return took, nil
		}}, nil
	}
	turn := func(_ *linksPlan, c wire.Codec) (linksRound, error) {
		e, err := newLinksEdits(c, id, func(core.Frame) {})
		if err != nil {
			return linksRound{}, err
		}
		return linksRound{check: e.check, lap: wholeLap(e.next)}, nil
	}
	whole := id + ".turn"
	if id == "stream" {
		whole = "stream.append" // a reply is timed as a whole
	}
	return []linksTimed{{id + ".frame", laps, ops, frame}, {whole, laps, ops, turn}}
}

// callTimes are those of a call until its result is there.
func callTimes(id string, laps, ops int, call func(wire.Codec) (*linksCaller, error)) []linksTimed {
	return []linksTimed{{id + ".rtt", laps, ops, func(_ *linksPlan, c wire.Codec) (linksRound, error) {
		caller, err := call(c)
		if err != nil {
			return linksRound{}, err
		}
		return linksRound{lap: wholeLap(caller.next)}, nil
	}}}
}

// copied is where copies end, so that they are made.
var copied []byte

// copyTimes are those of what a message costs this machine's memory before any work is done on it: to allocate its bytes and
// copy them, as often as they are on the way between two hosts that keep what is not acknowledged. A heap that gives memory back
// and takes it again pays for its pages each time.
func copyTimes(id string, laps, ops, times int, size func(wire.Codec) int) linksTimed {
	return linksTimed{id + ".copies", laps, ops, func(_ *linksPlan, c wire.Codec) (linksRound, error) {
		message := bytes.Repeat([]byte{'x'}, size(c))
		return linksRound{lap: wholeLap(func() error {
			for range times {
				copied = slices.Clone(message)
			}
			return nil
		})}, nil
	}}
}

// sizeOfMebibyte is that of the bytes beside the argument of a large call.
func sizeOfMebibyte(wire.Codec) int { return mebibyte }

// sizeOf500KB is that of the snapshot of the 500 KB document.
func sizeOf500KB(c wire.Codec) int {
	return len(c.AppendSnapshot(nil, notes500KB(), &wire.Dict{}, &wire.Told{}, &wire.Used{}))
}

// setTime sets the median of blocks in microseconds, the least of them, and how far their middle half is apart.
func (v linksValues) setTime(key wireKey, blocks []benchBlock) {
	ns := make([]float64, len(blocks))
	for i, b := range blocks {
		ns[i] = nanoseconds(b)
	}
	slices.Sort(ns)
	quarter := len(ns) / 4
	middle := median(blocks, nanoseconds)
	v[key] = linksValue{
		value:  thousandths(middle / float64(time.Microsecond)),
		best:   thousandths(ns[0] / float64(time.Microsecond)),
		spread: thousandths((ns[len(ns)-1-quarter] - ns[quarter]) / middle),
		timed:  true,
	}
}
