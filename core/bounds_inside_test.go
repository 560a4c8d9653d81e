package core

import (
	"reflect"
	"slices"
)

// HoldBooks counts what a provider's lists have of holds: the order in which they were asked for, and those that wait to be
// bound.
func HoldBooks(h *Host) (order, toBind int) {
	for _, p := range h.peers {
		for _, c := range p.consumers {
			order += len(c.order)
			toBind += len(c.toBind)
		}
	}
	return order, toBind
}

// Backlog returns how many chunks wait behind a message that is inflated beside the turns, and what they count for in bytes.
func Backlog(r *Reference) (chunks, bytes int) { return r.client.backlog.Len(), r.client.behind }

// FrameRoom returns for how many frames the reference's client keeps room.
func FrameRoom(r *Reference) int { return cap(r.client.frames) }

// EncodingRoom returns how many bytes a document keeps of its last encoding.
func EncodingRoom(d *Document) int { return cap(d.cache.raw) + cap(d.cache.ops) }

// ScratchRoom returns how many bytes a host keeps for values that it encodes.
func ScratchRoom(h *Host) int { return cap(h.scratch) }

// LeftAtClient lists what is kept behind a reference whose link is closed, besides numbers.
func LeftAtClient(r *Reference) (left []string) {
	c := r.client
	for name, kept := range map[string]bool{
		"a message that is inflated":  c.job != nil,
		"room for chunks that wait":   !reflect.ValueOf(c.backlog).IsZero() || c.behind != 0,
		"messages of several chunks":  !reflect.ValueOf(c.assembly).IsZero(),
		"room for frames":             c.frames != nil,
		"an inflater":                 c.inflater != nil,
		"references":                  len(c.grips)+len(c.wanted)+len(c.shared) > 0,
		"calls":                       len(c.calls)+len(c.waiting) > 0,
		"calls that count as waiting": c.parked != 0 || c.bytes != 0,
		"calls of the reference":      len(r.parked) > 0 || r.grip != nil && len(r.grip.held) > 0,
	} {
		if kept {
			left = append(left, name)
		}
	}
	slices.Sort(left)
	return left
}
