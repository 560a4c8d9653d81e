package linkmodel

import "chordsim/core/base"

// Stall stops the direction at now, after what happens at that very instant: until Resume nothing departs and nothing
// arrives. It drops nothing. It returns false, and does nothing, if the direction is stalled already.
//
// Whatever is under way arrives later by the time for which the stall and its way overlap. In quantum mode the ticks after
// the stall's first instant and up to its last one pass without adding to the budget or, if nothing is queued at them, set
// it to 0 as ever. In trace mode, where time is absolute, the same marks pass unused and arrivals in between are put off
// to the end of the stall.
func (d *Direction) Stall(now base.Time) bool {
	d.settle(now, false)
	if d.stalled {
		return false
	}
	d.stalled, d.stalledAt = true, d.now
	if d.slotted {
		d.slots.stall(d.now)
	}
	d.share()
	return true
}

// Resume ends a stall at now. A tick or a mark at exactly now is the last one that the stall takes. It returns false, and
// does nothing, if there is none.
func (d *Direction) Resume(now base.Time) bool {
	d.settle(now, false)
	if !d.stalled {
		return false
	}
	d.delayed, d.counted = d.delayedNow()
	d.stalled = false
	if d.slotted {
		d.slots.resume(d.now, d.messages.hasQueued())
	}
	if d.slots.trace == nil {
		d.lost += d.now.Sub(d.stalledAt)
	}
	d.share()
	return true
}

// Stalled tells whether the direction is between Stall and Resume.
func (d *Direction) Stalled() bool { return d.stalled }

// Delayed returns how many messages stalls have made later, each counted once. In a stall they are those that it would
// have made later if it ended now.
func (d *Direction) Delayed(now base.Time) int64 {
	d.settle(now, false)
	delayed := d.delayed
	if d.stalled {
		delayed, _ = d.delayedNow()
	}
	return delayed
}

// delayedNow returns what Delayed is when a stall ends now, and the message up to which all are counted.
func (d *Direction) delayedNow() (delayed int64, counted uint64) {
	r := &d.messages
	delayed, counted = d.delayed, d.counted
	if d.now == d.stalledAt {
		return delayed, counted
	}
	reach := r.end // the messages before this one are late
	if d.slotted && d.slots.lastThrough(d.now) <= d.slots.stallBase {
		reach = r.queued
	}
	if d.slots.trace != nil && reach == r.queued {
		reach = r.first
		for reach != r.queued && r.at(reach).arrive < d.now {
			reach++
		}
	}
	if d.sentAt == d.now && d.sentFrom < reach {
		reach = d.sentFrom
	}
	if from := max(counted, r.first); reach > from {
		delayed, counted = delayed+int64(reach-from), reach
	}
	return delayed, counted
}
