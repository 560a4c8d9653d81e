package linkmodel

import (
	"errors"
	"fmt"

	"chordsim/core/base"
)

// ErrUnsupported is what the error of a change wraps that a direction of this kind cannot honour.
var ErrUnsupported = errors.New("linkmodel: unsupported")

// Config returns what the direction is like now.
func (d *Direction) Config() Config { return d.config }

// SetRate has the direction carry rate bytes per second from now on; 0 is without limit. What is left of the message
// that is leaving, to the last fraction of a byte, and what is behind it go at the new rate. What has departed
// arrives when it would have. In quantum mode the budget that was gathered stays, and the ticks after now add what
// the new rate gives. At a [Bottleneck] the rate is the bound of the direction's share.
//
// It changes nothing and returns an error that wraps [ErrUnsupported] if the direction follows a recorded trace, and
// one that wraps [ErrConfig] if there is no such rate.
func (d *Direction) SetRate(now base.Time, rate int64) error {
	d.settle(now, false)
	if d.config.Trace != nil {
		return fmt.Errorf("%w: a rate of %s on the trace %s, which sets the rate", ErrUnsupported, FormatRate(rate), d.config.Trace.Name())
	}
	c := d.config
	c.Rate = rate
	if err := c.Validate(); err != nil {
		return err
	}
	d.config = c
	switch {
	case d.via != nil:
		d.via.resize(d)
	case d.slotted:
		d.slots.setGrant(d.now, newGrid(c).grant, d.stalled, d.messages.hasQueued(), d.headSize())
	default:
		d.setFlow(uint64(rate))
	}
	return nil
}

// SetLatency gives what departs from now on another latency. What has departed arrives when it would have, and nothing
// overtakes it. It changes nothing and returns an error that wraps [ErrConfig] if the latency is negative.
func (d *Direction) SetLatency(now base.Time, latency base.Duration) error {
	d.settle(now, false)
	c := d.config
	c.Latency = latency
	if err := c.Validate(); err != nil {
		return err
	}
	d.config = c
	return nil
}

// SetJitter gives what is handed over from now on another jitter. It changes nothing and returns an error that wraps
// [ErrConfig] if the jitter is negative, or if there is no stream to draw it from.
func (d *Direction) SetJitter(now base.Time, jitter base.Duration) error {
	d.settle(now, false)
	c := d.config
	c.Jitter = jitter
	if err := c.validateFor(d.draws); err != nil {
		return err
	}
	d.config = c
	return nil
}

// setFlow has a continuous direction go at another rate, in work per nanosecond.
func (d *Direction) setFlow(rate uint64) {
	if d.messages.hasQueued() {
		d.flow.setRate(d.linkTime(), rate, d.headSize())
	} else {
		d.flow.idle(rate)
	}
}

// headSize returns the bytes of the first queued message, or 0.
func (d *Direction) headSize() int64 {
	if !d.messages.hasQueued() {
		return 0
	}
	return d.messages.at(d.messages.queued).size
}
