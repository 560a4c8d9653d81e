package delta

import "strconv"

// foldIndex finds pending ops by where they are addressed: a tree of places, in which every op stands at the place of its
// path. Places and their lists of moves are kept from one use to the next.
//
// An index on an object means the key with that decimal form, and an index of a list is never a key; so a key that is a
// decimal number and the index of that number are one place.
type foldIndex struct {
	places []place
	used   int // how many of the places are in use; place 0 is the root
	edges  map[edge]int
	spaces int // how many sets of children there are
}

// place is what the fold knows of one path.
type place struct {
	space  int // names the set of children in edges
	first  int // child, 0 if none
	beside int // the next child of the same parent, 0 if none
	newest int // the entry that was addressed to this place last, none if there is none

	// For a list: what changes its elements' indexes. Invariant: both entry and from increase.
	moves []move
	// For a list: the newest entry that changed which elements there are, and the largest index through which an entry
	// went since then (-1 if none did).
	shaped, touched int
}

// move says that an entry changed the elements' indexes from one on.
type move struct{ entry, from int }

type edge struct {
	space int
	seg   Segment
}

// none is the number of no entry, before all that there are.
const none = -1

func (x *foldIndex) reset() {
	clear(x.edges)
	x.used, x.spaces = 0, 0
	x.add()
}

// add returns a new place.
func (x *foldIndex) add() int {
	if x.used == len(x.places) {
		x.places = append(x.places, place{})
	}
	p := &x.places[x.used]
	x.spaces++
	*p = place{space: x.spaces, newest: none, moves: p.moves[:0], shaped: none, touched: -1}
	x.used++
	return x.used - 1
}

// child returns the place that a segment leads to. Invariant: the segment is normal.
func (x *foldIndex) child(at int, s Segment) int {
	e := edge{x.places[at].space, s}
	if to, ok := x.edges[e]; ok {
		return to
	}
	to := x.add()
	if x.edges == nil {
		x.edges = make(map[edge]int)
	}
	x.edges[e] = to
	x.places[to].beside = x.places[at].first
	x.places[at].first = to
	return to
}

// orphan forgets all children of a place, of which no entry is live.
func (x *foldIndex) orphan(at int) {
	p := &x.places[at]
	x.spaces++
	p.space, p.first, p.moves, p.touched = x.spaces, 0, p.moves[:0], -1
}

// moved records that an entry moved a list's elements from an index on.
func (p *place) moved(entry, from int) {
	n := len(p.moves)
	for n > 0 && p.moves[n-1].from >= from {
		n--
	}
	p.moves = append(p.moves[:n], move{entry, from})
	p.reshaped(entry)
}

// reshaped records that an entry changed which elements a list has.
func (p *place) reshaped(entry int) { p.shaped, p.touched = entry, -1 }

// since returns the newest entry that moved element i: what was addressed to it before meant another one.
func (p *place) since(i int) int {
	lo, hi := 0, len(p.moves) // the first move from beyond i
	for lo < hi {
		if mid := (lo + hi) / 2; p.moves[mid].from <= i {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == 0 {
		return none
	}
	return p.moves[lo-1].entry
}

// normal returns the segment with a decimal key as the index.
func (s Segment) normal() Segment {
	if s.IsIndex() || s.key == "" || s.key[0] < '0' || s.key[0] > '9' || len(s.key) > 16 {
		return s
	}
	n, err := strconv.Atoi(s.key)
	if err != nil || s.key[0] == '0' && len(s.key) > 1 {
		return s
	}
	return Index(n)
}
