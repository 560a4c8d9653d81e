package trace

import (
	"slices"
	"strings"

	"chordsim/core/base"
)

// Filter chooses events. An empty list lets all through; of several names in a list any will do. The zero value lets
// through what happens at instant 0; [Everything] lets through all.
type Filter struct {
	Worlds  []string
	Hosts   []string // that the event is about, or its message came from
	Links   []string
	Objects []string // addresses, or what an address ends with, from a slash on: "View" takes "Session/42/View"
	Kinds   []string // of events, or types of messages
	From    base.Time
	To      base.Time // the last instant
	First   int64     // number of the first event
}

// Everything lets all events through.
func Everything() Filter { return Filter{To: base.Never} }

// Match reports whether the filter lets an event through.
func (f *Filter) Match(e *Event) bool {
	return e.At >= f.From && e.At <= f.To && e.Number >= f.First &&
		has(f.Worlds, e.World) && (has(f.Hosts, e.To) || has(f.Hosts, e.From)) && has(f.Links, e.Link) &&
		(has(f.Kinds, e.Kind.String()) || (e.Kind == KindDeliver || e.Kind == KindLost) && has(f.Kinds, e.What)) && f.object(e)
}

func (f *Filter) object(e *Event) bool {
	return len(f.Objects) == 0 || slices.ContainsFunc(e.Holds, func(h Hold) bool {
		return slices.ContainsFunc(f.Objects, func(name string) bool { return IsObject(h.Object, name) })
	})
}

// IsObject reports whether an address is what a name of an object stands for in a filter.
func IsObject(address, name string) bool {
	return address == name || strings.HasSuffix(address, "/"+name)
}

func has(list []string, name string) bool { return len(list) == 0 || slices.Contains(list, name) }
