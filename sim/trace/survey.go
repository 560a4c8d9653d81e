package trace

import (
	"slices"

	"chordsim/core/base"
)

// maxSurvey is how many names of a sort a survey keeps.
const maxSurvey = 4096

// Survey is what is in a trace, with names in the order in which they come.
type Survey struct {
	Events  int64
	Worlds  []string
	Hosts   []string
	Links   []string
	Objects []string
	Types   []string    // of messages
	Last    []base.Time // of the worlds: when their last events were

	index map[surveyed]int
	near  map[string][]string // hosts that sent one another messages
}

type surveyed struct {
	sort byte
	name string
}

// Event takes an event in.
func (s *Survey) Event(e *Event) {
	if e.Kind.Hashed() {
		s.Events++
	}
	world := s.add(&s.Worlds, 'w', e.World)
	if world >= 0 {
		if world == len(s.Last) {
			s.Last = append(s.Last, e.At)
		}
		s.Last[world] = max(s.Last[world], e.At)
	}
	for _, host := range []string{e.From, e.To} {
		if host != "" {
			s.add(&s.Hosts, 'h', host)
		}
	}
	if e.Kind == KindDeliver && e.From != e.To {
		s.neighbours(e.From, e.To)
		s.neighbours(e.To, e.From)
	}
	if e.Link != "" {
		s.add(&s.Links, 'l', e.Link)
	}
	if e.Kind == KindDeliver {
		s.add(&s.Types, 't', e.What)
	}
	for _, h := range e.Holds {
		if h.Object != "" {
			s.add(&s.Objects, 'o', h.Object)
		}
	}
}

// add notes a name and returns its place, or -1 if there are too many.
func (s *Survey) add(list *[]string, sort byte, name string) int {
	key := surveyed{sort, name}
	if at, ok := s.index[key]; ok {
		return at
	}
	if len(*list) == maxSurvey {
		return -1
	}
	if s.index == nil {
		s.index = map[surveyed]int{}
	}
	s.index[key] = len(*list)
	*list = append(*list, name)
	return len(*list) - 1
}

// LastOf returns the time of the last event of a world.
func (s *Survey) LastOf(world string) base.Time {
	if at, ok := s.index[surveyed{'w', world}]; ok {
		return s.Last[at]
	}
	return 0
}

func (s *Survey) neighbours(host, other string) {
	if s.near == nil {
		s.near = map[string][]string{}
	}
	if list := s.near[host]; !slices.Contains(list, other) && len(list) < maxNear && len(s.near) <= maxSurvey {
		s.near[host] = append(list, other)
	}
}

// maxNear is how many neighbours of a host a survey keeps.
const maxNear = 64

// Path returns the hosts in an order in which those that send one another messages are side by side, as far as can be: from
// a host with one neighbour along its messages, and again from there.
func (s *Survey) Path() []string {
	var path []string
	seen := map[string]bool{}
	var visit func(host string)
	visit = func(host string) {
		if seen[host] {
			return
		}
		seen[host] = true
		path = append(path, host)
		for _, next := range s.near[host] {
			visit(next)
		}
	}
	for _, host := range s.Hosts {
		if len(s.near[host]) == 1 {
			visit(host)
		}
	}
	for _, host := range s.Hosts {
		visit(host)
	}
	return path
}
