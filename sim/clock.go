package sim

import (
	"fmt"
	"math"

	"chordsim/core/base"
)

// MaxDrift is by how many millionths a host's clock may be fast or slow.
const MaxDrift = 500_000

const million = 1_000_000

// clock says what a host's clock shows at each time of the world. The zero value shows the world's time. All of it is
// integer arithmetic, so that a time has one answer on any machine.
type clock struct {
	wrong bool      // it was set, or drifts; else the rest is zero
	from  base.Time // the world's time at which it was changed last
	shown base.Time // what it would have shown then
	drift int64     // millionths that it gains
	least base.Time // what it shows at least: a clock that was set back stands still until it is there again
}

// at returns what the clock shows at a time of the world that is not before its last change.
func (c *clock) at(now base.Time) base.Time {
	if !c.wrong {
		return now
	}
	return max(c.least, c.running(now))
}

// running is what the clock would show if it might go back.
func (c *clock) running(now base.Time) base.Time {
	passed, _ := base.MulDiv(uint64(now-c.from), uint64(million+c.drift), million)
	return c.shown.Add(span(passed))
}

// when returns the first time of the world, from its last change on, at which the clock shows a time or a later one.
func (c *clock) when(shown base.Time) base.Time {
	switch {
	case !c.wrong:
		return shown
	case shown <= c.least || shown <= c.shown:
		return c.from
	}
	// The first x with x·(10⁶+drift)/10⁶ ≥ y, both rounded down, is y·10⁶/(10⁶+drift), rounded up.
	passed, rest := base.MulDiv(uint64(shown.Sub(c.shown)), million, uint64(million+c.drift))
	if rest > 0 {
		passed++
	}
	return c.from.Add(span(passed))
}

// span is a number of nanoseconds as a Duration, or Forever.
func span(n uint64) base.Duration {
	if n > math.MaxInt64 {
		return base.Forever
	}
	return base.Duration(n)
}

// change starts a new stretch of the clock, which shows at least what it showed.
func (c *clock) change(now base.Time, by base.Duration, drift int64) {
	c.least = c.at(now)
	if c.wrong {
		c.shown = c.running(now)
	} else {
		c.shown = now
	}
	c.wrong, c.from, c.drift = true, now, drift
	c.shown = c.shown.Add(by)
	if c.shown == now && drift == 0 && c.least <= now {
		*c = clock{}
	}
}

// Now returns what the host's clock shows: the world's time, unless [Host.Skew] or [Host.SetDrift] changed the clock.
func (h *Host) Now() base.Time {
	if !h.clock.wrong {
		return h.world.Now()
	}
	shown := h.look()
	if h.read.off != 0 {
		h.read.times++
	}
	return shown
}

// reading is what the host has read of a clock that is wrong in its present turn, and what came of it.
type reading struct {
	off          base.Duration // by how much it was fast when it was read last; 0: it was right, or not read
	times        int64         // that the host's program read it, and it was wrong
	acted, timed bool          // and then it sent or wrote; it set a timer
}

// look reads a clock that is wrong.
func (h *Host) look() base.Time {
	now := h.world.Now()
	shown := h.clock.at(now)
	h.read.off = shown.Sub(now)
	return shown
}

// settleReads ends a turn's reading. What was read counts, but where all that came of it is timers: they count if they come
// at other times.
func (h *Host) settleReads() {
	if r := &h.read; r.acted || !r.timed {
		h.toll.ClockReads += r.times
	}
	h.read = reading{}
}

// ClockOff returns by how much the host's clock is fast; negative: slow.
func (h *Host) ClockOff() base.Duration {
	now := h.world.Now()
	return h.clock.at(now).Sub(now)
}

// Skew sets the host's clock forward, or back by a negative span. Its clock never goes back: one that is set back stands
// still until it is there again. Timers fire by the host's clock, so that those that are set come earlier or later from
// now on. A crash leaves clocks alone.
//
// What came of it is in [Toll]: each timer that came due at another time than it would have by a clock that is right, where
// what it was set to is taken to be reckoned from the clock if the turn that set it had read that; and each reading by
// [Host.Now] of another time than the world's, unless the turn that read it only set timers then. What a chord host reads for
// itself is no reading.
func (h *Host) Skew(d base.Duration) {
	h.clock.change(h.world.Now(), d, h.clock.drift)
	h.clockChanged("clock set by " + d.String())
}

// SkewRight sets the host's clock to the world's time, whatever it was set to and keeps catching up with. One that is fast stands
// still until the world's time is there.
func (h *Host) SkewRight() {
	if !h.clock.wrong {
		return
	}
	now := h.world.Now()
	if by := now.Sub(h.clock.running(now)); by != 0 {
		h.Skew(by)
	}
}

// StandsStill returns by how much the host's clock was set back and has to catch up with what it showed, which it stands still for.
// Zero: it runs.
func (h *Host) StandsStill() base.Duration {
	if !h.clock.wrong {
		return 0
	}
	return max(0, h.clock.least.Sub(h.clock.running(h.world.Now())))
}

// SetDrift has the host's clock gain that many millionths of the time that passes, or lose them if it is negative, from
// now on; 0 has it run as the world's, from where it is. More than [MaxDrift] is an error, and changes nothing.
func (h *Host) SetDrift(millionths int64) error {
	if millionths < -MaxDrift || millionths > MaxDrift {
		return fmt.Errorf("sim: %s: a drift of %d millionths; want -%d to %d", h.name, millionths, int64(MaxDrift), int64(MaxDrift))
	}
	h.clock.change(h.world.Now(), 0, millionths)
	h.clockChanged(fmt.Sprintf("clock drifts by %d millionths", millionths))
	return nil
}

// clockChanged records a change, and moves the events of the host's timers to where the clock now has them.
func (h *Host) clockChanged(what string) {
	h.settleReads()
	h.world.fault(h, what)
	now := h.world.Now()
	for _, t := range h.life.timers {
		if t.late || !t.set {
			continue
		}
		// Later is left alone: the event that is in the queue finds out and schedules itself again.
		if due := max(h.clock.when(t.due), now); due < t.queued {
			t.schedule(due)
		}
	}
}

// SetTimerJitter has each of the host's timers fire up to d late, drawn from the world's seed under the host's name. Zero
// ends it; a timer that is late already stays so. Negative is an error.
func (h *Host) SetTimerJitter(d base.Duration) error {
	if d < 0 {
		return fmt.Errorf("sim: %s: a timer jitter of %v; want 0 (none) or more", h.name, d)
	}
	if h.jitter == nil {
		h.jitter = h.world.rand.Stream("timers", h.name)
	}
	h.jitterUpTo = d
	h.world.fault(h, "timers up to "+d.String()+" late")
	return nil
}

// lateness draws by how much a timer that came due fires late, and counts it.
func (h *Host) lateness() base.Duration {
	if h.jitterUpTo == 0 {
		return 0
	}
	d := base.Duration(h.jitter.Below(uint64(h.jitterUpTo) + 1))
	if d > 0 {
		h.toll.TimersLate++
		h.toll.LateBy += d
	}
	return d
}
