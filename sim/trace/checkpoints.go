package trace

import (
	"math"

	"chordsim/core/base"
)

// MaxCheckpoints is how many checkpoints of a run are kept. At the next one every second is dropped, and from then on half
// as many are taken.
const MaxCheckpoints = 1024

// Checkpoints keeps, of a run of any length, the state of its hash at so many events, evenly spaced: two runs that differ are
// equal up to one checkpoint and differ from the next one on. The zero value is for a whole run.
//
// The worlds of a run are one sequence of events. Their hashes are chained, so that a run that differed once differs at
// every later checkpoint.
type Checkpoints struct {
	events int64
	chain  Hash
	from   int64 // events before it have no checkpoint
	to     int64 // nor have events behind it; 0: no end
	next   int64 // event of the next checkpoint
	list   []checkpoint
	sink   Sink // takes the events of the window

	// Each is called at each event. Nil: nobody is.
	Each func()

	doubled uint // how often every second was dropped
}

// checkpoint is the state of a run after an event.
type checkpoint struct {
	event int64
	at    base.Time
	chain uint64
}

// Window returns the checkpoints of the events behind number from and up to number to, each of which a sink takes. A nil
// sink: nobody.
func Window(from, to int64, sink Sink) *Checkpoints {
	return &Checkpoints{from: from, to: to, sink: sink}
}

// Passed is told of each event, with the time and the hash of its world after it.
func (c *Checkpoints) Passed(at base.Time, sum uint64) {
	c.events++
	c.chain.mix(sum)
	if c.Each != nil {
		c.Each()
	}
	if c.events >= c.next {
		c.take(at)
	}
}

func (c *Checkpoints) take(at base.Time) {
	switch {
	case c.events <= c.from:
		c.next = c.from + 1
		return
	case c.to > 0 && c.events > c.to:
		c.next = math.MaxInt64
		return
	case len(c.list) == MaxCheckpoints:
		c.thin()
		if c.events < c.next {
			return
		}
	}
	c.list = append(c.list, checkpoint{c.events, at, c.chain.Sum()})
	c.next = c.events + c.stride()
}

// thin drops every second checkpoint.
func (c *Checkpoints) thin() {
	half := c.list[:MaxCheckpoints/2]
	for i := range half {
		half[i] = c.list[2*i+1]
	}
	c.list = half
	c.doubled++
	c.next = half[len(half)-1].event + c.stride()
}

// stride is how many events there are from one checkpoint to the next.
func (c *Checkpoints) stride() int64 { return 1 << c.doubled }

// Wanted reports whether the event that passed last is for the sink.
func (c *Checkpoints) Wanted() bool {
	return c.sink != nil && c.events > c.from && (c.to == 0 || c.events <= c.to)
}

// Event gives the sink the event that passed last.
func (c *Checkpoints) Event(e Event) {
	e.Number, e.Chain = c.events, c.chain.Sum()
	c.sink.Event(e)
}

// Events returns how many events passed.
func (c *Checkpoints) Events() int64 { return c.events }

// Chain returns the hash over all that passed.
func (c *Checkpoints) Chain() uint64 { return c.chain.Sum() }

// Divergence is where two runs differ for the first time, as far as checkpoints tell.
type Divergence struct {
	After, By int64     // equal up to event number After, no more at event number By
	AfterTime base.Time // of the checkpoint at After, in its world
}

// Diverged compares the checkpoints of two runs. It returns false if there is no difference between the runs.
func (c *Checkpoints) Diverged(other *Checkpoints) (Divergence, bool) {
	d := Divergence{After: c.from}
	rest := other.list
	for _, p := range c.list {
		for len(rest) > 0 && rest[0].event < p.event {
			rest = rest[1:]
		}
		if len(rest) == 0 {
			break
		}
		if rest[0].event > p.event {
			continue
		}
		if rest[0].chain != p.chain {
			d.By = p.event
			return d, true
		}
		d.After, d.AfterTime = p.event, p.at
	}
	d.By = min(c.events, other.events)
	if c.events != other.events {
		d.By++ // where one run has ended and the other has not
	}
	return d, c.events != other.events || c.Chain() != other.Chain()
}
