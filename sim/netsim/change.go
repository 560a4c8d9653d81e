package netsim

import (
	"fmt"

	"chordsim/core/base"
	"chordsim/faults/linkmodel"
)

// ErrUnsupported is what the error of a change wraps that the kind of link cannot honour.
var ErrUnsupported = linkmodel.ErrUnsupported

// Model returns what the direction towards the end is like now, Buffer how many bytes it takes before it is full; 0: any
// number.
func (e *End) Model() linkmodel.Config { return e.inbound().model.Config() }
func (e *End) Buffer() int64           { return e.inbound().buffer }

// SetRate has the direction towards the end carry so many bytes per second from now on; 0 is without limit. What is queued
// goes on at the new rate, to the last fraction of a byte. A direction whose buffer is the default one gets that of
// its new kind. On a recorded trace it is an error that wraps ErrUnsupported.
func (e *End) SetRate(bytesPerSecond int64) error {
	return e.change(func(d *direction, now base.Time) error {
		if err := d.model.SetRate(now, bytesPerSecond); err != nil {
			return err
		}
		d.buffer = d.bound(d.asked)
		return nil
	})
}

// SetLatency gives what leaves for the end from now on another latency. What has left arrives when it would have, and
// nothing overtakes it.
func (e *End) SetLatency(latency base.Duration) error {
	return e.change(func(d *direction, now base.Time) error { return d.model.SetLatency(now, latency) })
}

// SetJitter gives what is written towards the end from now on another jitter.
func (e *End) SetJitter(jitter base.Duration) error {
	return e.change(func(d *direction, now base.Time) error { return d.model.SetJitter(now, jitter) })
}

// SetBuffer has the direction towards the end take n bytes before it is full; 0 is the default of its kind. What was taken
// stays taken. A sender that waits is told once there is room by the new measure.
func (e *End) SetBuffer(n int64) error {
	return e.change(func(d *direction, _ base.Time) error {
		if n < 0 {
			return fmt.Errorf("a buffer of %d bytes; want 0 (the default) or more", n)
		}
		d.asked = n
		d.buffer = d.bound(d.asked)
		return nil
	})
}

// Squeezed returns how many messages, of how many bytes, made the direction towards the end full by the buffer that it has by
// SetBuffer, and would not have by the one that it was made with.
func (e *End) Squeezed() Lost { return e.inbound().squeezed }

// Unsent returns how many messages, of how many bytes, were written towards the end and had not left the other one, or not
// whole, at the latest call.
func (e *End) Unsent() (sum Lost) {
	d := e.inbound()
	if s := d.stream; s != nil {
		left := s.sent - d.model.QueuedBytes()
		for i := s.frames.end; i != s.frames.first && s.frames.at(i-1).end > left; i-- {
			sum.add(s.frames.at(i - 1).size)
		}
		return sum
	}
	for i := d.parcels.end - uint64(d.model.Queued()); i != d.parcels.end; i++ {
		if p := d.parcels.at(i); p.kind == kindData {
			sum.add(len(p.chunk))
		}
	}
	return sum
}

// change changes the direction towards the end, and names it if that cannot be.
func (e *End) change(by func(d *direction, now base.Time) error) error {
	d := e.inbound()
	if err := by(d, e.link.queue.Now()); err != nil {
		return fmt.Errorf("netsim: link %s %s: %w", e.link.name, d.name(), err)
	}
	if !e.link.dead {
		d.reschedule()
	}
	return nil
}

// name says which direction it is.
func (d *direction) name() string {
	if d.to.dialer {
		return "down"
	}
	return "up"
}
