package delta

import "math"

// fold_text.go joins what is appended to a text and what is dropped from its front. A text that is kept at a length by both
// in turn has at most one truncate and one append pending, or a set once nothing of its beginning is left.

func (f *Fold) addAppend(s spot, op Op) {
	if entry := f.newest(s); entry != none && f.entries[entry].op.Code == OpAppend {
		e := &f.entries[entry]
		before := e.op.Text.EncodedLen()
		e.op.Text = e.op.Text.Append(op.Text) // where halves of a pair may join
		f.resize(entry, e.size+e.op.Text.EncodedLen()-before)
		return
	}
	f.push(s.at, op)
}

func (f *Fold) addTruncate(s spot, op Op) {
	entry := f.newest(s)
	switch {
	case entry == none:
	case f.entries[entry].op.Code == OpTruncate:
		e := &f.entries[entry]
		e.op.N = addNatural(e.op.N, op.N)
		return
	case f.entries[entry].op.Code == OpAppend:
		f.trims = append(f.trims, op.Path)
	}
	f.push(s.at, op)
}

// addNatural adds two numbers of units. It stays at the largest that JSON can carry, which is more than any text has.
func addNatural(a, b int) int { return min(a+b, maxNatural) }

// maxNatural is that number, or the largest int where ints have 32 bits.
const maxNatural = min(1<<53-1, math.MaxInt)

// trim joins the truncates and appends that are pending for one text. Whether a truncate reached into what was appended before
// it cannot be told from the ops, only from the length that the text has in the end: all that was appended is still there if and
// only if the text is that long.
func (f *Fold) trim(p Path, after Value) {
	s := f.locate(p)
	at, ok := after.Lookup(p)
	if s.set != none || !ok || at.Kind() != KindText {
		return
	}
	var appended Text
	dropped := 0
	entry := f.index.places[s.at].newest
	for ; entry > none && entry >= s.floor && f.entries[entry].isText(); entry = f.entries[entry].before {
		op := &f.entries[entry].op
		if op.Code == OpAppend {
			appended = op.Text.Append(appended)
		} else {
			dropped = addNatural(dropped, op.N)
		}
	}
	if appended.Len() > at.Len() {
		f.addSet(s, Op{Code: OpSet, Path: p, Value: at})
		return
	}
	f.killAt(s, func(code Code) bool { return code == OpAppend || code == OpTruncate })
	if dropped > 0 {
		f.push(s.at, Op{Code: OpTruncate, Path: p, N: dropped})
	}
	f.push(s.at, Op{Code: OpAppend, Path: p, Text: appended})
}

func (e *foldEntry) isText() bool {
	return !e.dead && (e.op.Code == OpAppend || e.op.Code == OpTruncate)
}
