package delta

import (
	"math"
	"slices"
)

// fold_merge.go decides where a new op goes. An op may join an earlier entry only if it could as well have been applied
// right after it, that is if nothing in between tells the two orders apart:
//
//   - ops at places of which neither is above the other never do, unless one moves a list's elements that the other is
//     addressed through;
//   - what moved a list's elements is a barrier for what is addressed through the moved ones: an entry from before it is
//     addressed to another element, and is not looked at (the floor below);
//   - a set takes everything that comes after it, at its place or below, into its value.

// spot is where a path leads in the index.
type spot struct {
	at     int // the place
	parent int // of it; 0 for the root
	floor  int // entries before this one are addressed to something else
	set    int // a set at the place or above it, none if there is none
	depth  int // segments down to that set
}

// locate walks the index along a path, as far as to a set that is pending.
func (f *Fold) locate(p Path) spot {
	s := spot{floor: none, set: none}
	for i, seg := range p {
		seg = seg.normal()
		if seg.IsIndex() {
			list := &f.index.places[s.at]
			s.floor = max(s.floor, list.since(seg.Index()))
			list.touched = max(list.touched, seg.Index())
		}
		s.parent, s.at = s.at, f.index.child(s.at, seg)
		if newest := f.newest(s); newest != none && f.entries[newest].op.Code == OpSet {
			s.set, s.depth = newest, i+1
			return s
		}
	}
	return s
}

// newest returns the last live entry that is addressed to the place, none if there is none.
func (f *Fold) newest(s spot) int {
	entry := f.index.places[s.at].newest
	if entry < s.floor || entry == none || f.entries[entry].dead {
		return none
	}
	return entry
}

func (f *Fold) add(op Op) {
	if op.Code == OpReplace {
		f.replace()
		return
	}
	s := f.locate(op.Path)
	if s.set != none && !(op.Code == OpDelete && s.depth == len(op.Path)) {
		f.addToSet(s, op)
		return
	}
	switch op.Code {
	case OpSet:
		f.addSet(s, op)
	case OpDelete:
		f.addDelete(s, op)
	case OpAppend:
		f.addAppend(s, op)
	case OpTruncate:
		f.addTruncate(s, op)
	case OpSplice:
		f.addSplice(s, op)
	case OpPermute:
		f.addPermute(s, op)
	}
}

// addToSet applies an op to the value of a set that is pending above or at its place.
func (f *Fold) addToSet(s spot, op Op) {
	e := &f.entries[s.set]
	rest := op.Path[s.depth:]
	v := op.Value
	if op.Code != OpSet || len(rest) > 0 {
		var err error
		if v, err = applyAt(e.op.Value, rest, &op); err != nil {
			// The ops were not those that led to the value. Its replacement is right whatever they were.
			f.replace()
			return
		}
	}
	old := e.op.Value.Size()
	e.op.Value = v
	f.resize(s.set, e.size+v.Size()-old)
}

// addSet takes back what is pending at the place and below. A delete stays, so that the field still moves to the end.
func (f *Fold) addSet(s spot, op Op) {
	f.killBelow(s.at, s.floor)
	f.killAt(s, func(code Code) bool { return code != OpDelete })
	entry := f.push(s.at, op)
	if lastSegment(op.Path).normal().IsIndex() {
		f.index.places[s.parent].reshaped(entry) // it may have appended
		f.index.places[s.parent].touched = math.MaxInt
	}
}

// addDelete takes back what is pending at the place and below. Where the place may be in a list a set stays, since it may
// have appended the element, and so does a delete, which removed another one.
func (f *Fold) addDelete(s spot, op Op) {
	f.killBelow(s.at, s.floor)
	seg := lastSegment(op.Path).normal()
	f.killAt(s, func(code Code) bool { return !seg.IsIndex() || code != OpSet && code != OpDelete })
	entry := f.push(s.at, op)
	if seg.IsIndex() {
		f.index.places[s.parent].moved(entry, seg.Index())
	}
}

// addSplice joins a splice to one before it on the same list, if it starts where the other's items end and nothing in between
// was addressed to an element from there on.
func (f *Fold) addSplice(s spot, op Op) {
	list := &f.index.places[s.at]
	entry := f.newest(s)
	if entry == none || entry != list.shaped || list.touched >= op.N {
		f.index.places[s.at].moved(f.push(s.at, op), op.N)
		return
	}
	e := &f.entries[entry]
	if e.op.Code != OpSplice || op.N != addNatural(e.op.N, len(e.op.Items)) {
		f.index.places[s.at].moved(f.push(s.at, op), op.N)
		return
	}
	if !e.owned {
		e.op.Items, e.owned = slices.Clone(e.op.Items), true
	}
	e.op.Items = append(e.op.Items, op.Items...)
	e.op.Remove = addNatural(e.op.Remove, op.Remove)
	f.resize(entry, e.size+listLeaf(op.Items).sum().size)
}

// addPermute joins a permutation to one before it on the same list, if nothing in between was addressed below.
func (f *Fold) addPermute(s spot, op Op) {
	list := &f.index.places[s.at]
	entry := f.newest(s)
	if entry == none || entry != list.shaped || list.touched >= 0 || f.entries[entry].op.Code != OpPermute ||
		len(f.entries[entry].op.Perm) != len(op.Perm) {
		entry := f.push(s.at, op)
		f.index.places[s.at].moved(entry, 0)
		return
	}
	e := &f.entries[entry]
	perm := make([]int, len(op.Perm))
	for i, n := range op.Perm {
		perm[i] = e.op.Perm[n]
	}
	e.op.Perm = perm
}

// killAt takes back the entries at a place whose code the caller names.
func (f *Fold) killAt(s spot, which func(Code) bool) {
	for entry := f.index.places[s.at].newest; entry > none && entry >= s.floor; entry = f.entries[entry].before {
		if e := &f.entries[entry]; !e.dead && which(e.op.Code) {
			f.kill(entry)
		}
	}
}

// killBelow takes back the entries strictly below a place that are not before the floor.
func (f *Fold) killBelow(at, floor int) {
	if f.index.places[at].first != 0 && f.killChildren(at, floor) {
		f.index.orphan(at)
	}
}

// killChildren reports whether no live entry is left below.
func (f *Fold) killChildren(at, floor int) (clean bool) {
	clean = true
	for child := f.index.places[at].first; child != 0; child = f.index.places[child].beside {
		for entry := f.index.places[child].newest; entry != none; entry = f.entries[entry].before {
			switch {
			case f.entries[entry].dead:
			case entry >= floor:
				f.kill(entry)
			default:
				clean = false
			}
		}
		clean = f.killChildren(child, floor) && clean
	}
	return clean
}

func lastSegment(p Path) Segment { return p[len(p)-1] }
