package delta

import "slices"

// Fold composes batches that were applied but not sent into one change. What it holds is bounded: once the pending ops
// would take more bytes than the value that they lead to, or are more than [MaxOps], it remembers only that the value is to
// be replaced, and holds neither ops nor value. The zero value is an empty fold.
//
// The law: for any value and batches, applying Ops to the value gives what applying the batches one after the other gives.
type Fold struct {
	entries  []foldEntry // in the order in which they are to be applied
	live     int         // entries that were not taken back
	bytes    int         // the sum of the live entries' sizes
	batches  int
	replaced bool
	lone     bool // the only entry is not in the index: most folds are sent before a second op comes
	index    foldIndex
	trims    []Path // of the batch at hand: texts whose truncates and appends are to be told apart again
}

type foldEntry struct {
	op     Op
	size   int
	dead   bool
	owned  bool // the fold made op.Items or op.Perm and may change it beyond what it gave away
	before int  // the entry that was addressed to the same place before, none if there is none
}

// compactAt is how many entries a fold has at least before it throws out the dead ones.
const compactAt = 64

// Add adds a batch. After is the value once the ops were applied to it; the fold keeps no hold of it. The cost is O(1) for
// each op and each segment of its path, amortised, and does not depend on what is pending.
func (f *Fold) Add(ops []Op, after Value) {
	f.batches++
	if f.replaced {
		return
	}
	if len(f.entries) == 0 && len(ops) == 1 && ops[0].Code != OpReplace {
		f.addLone(ops[0], after)
		return
	}
	if f.lone {
		op := f.entries[0].op
		f.drop()
		f.add(op)
		f.trims = f.trims[:0]
	} else if f.index.used == 0 {
		f.index.reset()
	}
	for i := range ops {
		if f.add(ops[i]); f.replaced {
			return
		}
	}
	for _, p := range f.trims {
		f.trim(p, after)
	}
	f.trims = f.trims[:0]
	if f.bytes > after.Size() || f.live > MaxOps {
		f.replace()
		return
	}
	if len(f.entries) > compactAt && len(f.entries) > 2*f.live {
		f.compact()
	}
}

// addLone adds the first op of all, which there is nothing to compose with.
func (f *Fold) addLone(op Op, after Value) {
	size := op.Size()
	f.entries = append(f.entries, foldEntry{op: op, size: size, before: none})
	f.lone, f.live, f.bytes = true, 1, size
	if size > after.Size() {
		f.replace()
	}
}

// Empty reports whether there is nothing to send.
func (f *Fold) Empty() bool { return f.live == 0 && !f.replaced }

// Batches returns how many batches were added since the last reset.
func (f *Fold) Batches() int { return f.batches }

// Len returns how many ops are pending: 1 if the value is to be replaced.
func (f *Fold) Len() int {
	if f.replaced {
		return 1
	}
	return f.live
}

// Size returns an estimate of the bytes of the pending ops, by the measure of [Value.Size]: 0 if the value is to be
// replaced, for then the fold holds nothing.
func (f *Fold) Size() int { return f.bytes }

// Replaced reports whether the value is to be replaced.
func (f *Fold) Replaced() bool { return f.replaced }

// Ops returns the composed change, which the fold does not touch any more. Current is the value after the last batch that
// was added.
func (f *Fold) Ops(current Value) []Op {
	if f.replaced {
		return []Op{Replace(current)}
	}
	if f.live == 0 {
		return nil
	}
	return f.AppendOps(make([]Op, 0, f.live), current)
}

// AppendOps appends what Ops returns.
func (f *Fold) AppendOps(dst []Op, current Value) []Op {
	if f.replaced {
		return append(dst, Replace(current))
	}
	for i := range f.entries {
		if !f.entries[i].dead {
			op := f.entries[i].op
			op.Items = slices.Clip(op.Items)
			dst = append(dst, op)
		}
	}
	return dst
}

// Reset empties the fold. It keeps its storage for the next use.
func (f *Fold) Reset() {
	if f.lone { // the index is as it was
		f.entries[0] = foldEntry{}
		f.entries, f.live, f.bytes, f.lone = f.entries[:0], 0, 0, false
	} else {
		f.drop()
	}
	f.batches, f.replaced = 0, false
}

// drop forgets all that is pending.
func (f *Fold) drop() {
	clear(f.entries)
	clear(f.trims)
	f.entries, f.trims, f.live, f.bytes, f.lone = f.entries[:0], f.trims[:0], 0, 0, false
	f.index.reset()
}

func (f *Fold) replace() {
	f.drop()
	f.replaced = true
}

// compact throws out the dead entries and indexes the others anew.
func (f *Fold) compact() {
	live := make([]Op, 0, f.live)
	for i := range f.entries {
		if !f.entries[i].dead {
			live = append(live, f.entries[i].op)
		}
	}
	f.drop()
	for _, op := range live {
		f.add(op)
	}
	f.trims = f.trims[:0]
}

// push puts an op at the end, addressed to a place.
func (f *Fold) push(at int, op Op) int {
	size, entry := op.Size(), len(f.entries)
	f.entries = append(f.entries, foldEntry{op: op, size: size, before: f.index.places[at].newest})
	f.index.places[at].newest = entry
	f.live++
	f.bytes += size
	return entry
}

// resize accounts for a change of an entry's op.
func (f *Fold) resize(entry, size int) {
	e := &f.entries[entry]
	f.bytes += size - e.size
	e.size = size
}

func (f *Fold) kill(entry int) {
	e := &f.entries[entry]
	f.live--
	f.bytes -= e.size
	*e = foldEntry{dead: true, before: e.before}
}
