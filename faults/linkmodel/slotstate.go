package linkmodel

import (
	"math"
	"math/bits"

	"chordsim/core/base"
)

// slotState is the budget of a direction that delivers at slots, and the slot at which the first queued message goes. It is
// worked out once for each message, not slot by slot: the budget at slot s is rest + (s − anchor)*grant, and a stall moves
// the planned slot on by the slots that it takes.
//
//	         open                         next (at the slot at which the one ahead went)
//	idle ───────────▶ head planned ──────────────────────────▶ head planned
//	  ▲                    │
//	  └────────────────────┘ close (its slot, the queue is empty then)
type slotState struct {
	grid

	anchor int64  // the slot at which the budget was rest, when the head was planned or the queue ran empty
	rest   uint64 // in 1/unit bytes; at most 2*grant
	spent  int64  // slots up to this one serve nobody who comes later

	// While something is queued: where its first message goes, and what it leaves of the budget.
	headSlot int64
	headTime base.Time
	headLeft uint64

	stallBase int64 // in a stall: the last slot that is not stalled
}

func newSlotState(c Config) slotState {
	return slotState{grid: newGrid(c), spent: -1}
}

// open plans the first message of a queue that was empty. Quantum mode keeps what the last tick left, if no tick has found
// the queue empty since.
func (s *slotState) open(now base.Time, stalled bool, size int64) {
	if s.trace != nil {
		s.anchor, s.rest = max(s.spent, s.lastBefore(now)), 0
	} else if last := s.lastThrough(now); last > s.anchor {
		s.anchor, s.rest = last, 0
	}
	if stalled {
		s.stallBase = s.anchor
	}
	s.plan(size, 1)
}

// next plans the message that became the first one when the one ahead went.
func (s *slotState) next(size int64) {
	s.anchor, s.rest = s.headSlot, s.headLeft
	s.plan(size, 0)
}

// close ends a busy period at the slot of its last message. A tick leaves at most its own budget to what comes before the
// next tick: else a trickle of small messages would bank what it does not use.
func (s *slotState) close() {
	s.anchor, s.rest = s.headSlot, min(s.headLeft, s.grant)
	s.spent = s.lastThrough(s.headTime)
}

// plan sets the head's slot: the first, at least minimum slots after the anchor, at which the budget covers it.
func (s *slotState) plan(size, minimum int64) {
	slots, left := s.cover(s.rest, size, minimum)
	s.headSlot, s.headLeft = saturatedSum(s.anchor, slots), left
	s.headTime = s.timeOf(s.headSlot)
}

// stall notes the last slot before a stall that begins at now. The slots of now itself have passed.
func (s *slotState) stall(now base.Time) { s.stallBase = s.lastThrough(now) }

// resume leaves the slots out that a stall which ends at now took from whoever is queued, a slot at exactly now with them.
func (s *slotState) resume(now base.Time, queued bool) {
	s.spent = s.lastThrough(now)
	taken := s.spent - s.stallBase
	if !queued || taken <= 0 {
		return
	}
	s.anchor = saturatedSum(s.anchor, taken)
	s.headSlot = saturatedSum(s.headSlot, taken)
	s.headTime = s.timeOf(s.headSlot)
}

// setGrant has a slot add another grant from now on. What is queued keeps what was gathered for it, in vain as it may be: a
// budget saturates at 2^64-1, with which a quantum's ticks have gathered 18 GB for one message.
func (s *slotState) setGrant(now base.Time, grant uint64, stalled, queued bool, size int64) {
	if !queued {
		s.grant, s.rest = grant, min(s.rest, grant)
		return
	}
	last := s.lastThrough(now)
	if stalled {
		last = s.stallBase
	}
	hi, gathered := bits.Mul64(uint64(last-s.anchor), s.grant)
	gathered, carry := bits.Add64(gathered, s.rest, 0)
	if hi+carry > 0 {
		gathered = math.MaxUint64
	}
	s.anchor, s.rest, s.grant = last, gathered, grant
	s.plan(size, 1)
}

// drop forgets the budget. Marks up to now are spent if the queue was on them.
func (s *slotState) drop(now base.Time, queued bool) {
	if queued {
		s.spent = s.lastThrough(now)
	}
	s.rest = 0
}
