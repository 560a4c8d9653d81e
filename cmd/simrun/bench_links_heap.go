package main

import (
	"math"
	"runtime"

	"chordsim/core"
	"chordsim/core/wire"
)

// heapInUse returns the bytes of what is reachable.
func heapInUse() float64 {
	var m runtime.MemStats
	for range 3 { // what pools and finalizers keep goes with the later ones
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// holdsOfTen is how many holds of one link are measured together.
const holdsOfTen = 10

// measureHeap measures what the heap keeps of a hold of 1,000 items once it is live, of both ends together: of the only one
// of a link; of ten of one link, each of an object of its own, although the objects have the same document, so that nobody
// may share them; and of a second reference to an object that is held already.
func (plan *linksPlan) measureHeap(c wire.Codec, into linksValues) error {
	one, err := plan.keptOfHolds(c, 1, plan.sessions)
	if err != nil {
		return err
	}
	into.set("holds1.heap", c, one.first)
	if one.shared {
		into.set("holds.shared.heap", c, one.second)
	} else {
		into.lack("holds.shared.heap", c, "references to one object do not share a hold")
	}
	ten, err := plan.keptOfHolds(c, holdsOfTen, max(1, plan.sessions/holdsOfTen))
	into.set("holds10.heap", c, ten.first)
	return err
}

// keptHolds is what the heap keeps, in bytes.
type keptHolds struct {
	first  float64 // for each object that is held
	second float64 // for each that is held once more
	shared bool    // whether the second hold is that of the first
}

// keptOfHolds holds so many objects in each of so many sessions, and then all of them once more.
func (plan *linksPlan) keptOfHolds(c wire.Codec, holds, sessions int) (kept keptHolds, err error) {
	docs := make([]*core.Document, sessions)
	list := make([]*linksSession, sessions)
	for i := range list {
		docs[i] = core.NewDocument(notesList())
		list[i] = newLinksSession(c, nil, sameDocument(docs[i], holds)...)
	}
	views := make([]*core.Reference, 0, 2*sessions*holds)
	all := func() error {
		for i, s := range list {
			for j := range holds {
				view, err := s.hold(j, nil)
				if err != nil {
					return err
				}
				views = append(views, view)
				if err := s.converged(view, docs[i]); err != nil {
					return err
				}
			}
		}
		return nil
	}
	n := float64(sessions * holds)
	empty := heapInUse()
	if err := all(); err != nil {
		return kept, err
	}
	first := heapInUse()
	snapshots := list[0].worker.Stats().Snapshots
	if err := all(); err != nil {
		return kept, err
	}
	second := heapInUse()
	kept = keptHolds{
		first:  math.Round((first - empty) / n),
		second: math.Round((second - first) / n),
		shared: list[0].worker.Stats().Snapshots == snapshots,
	}
	runtime.KeepAlive(list)
	runtime.KeepAlive(views)
	return kept, nil
}
