package delta

import (
	"testing"

	"pgregory.net/rapid"
)

// follower is a replica that gets what a fold holds whenever there is room, through one stream of the text codec.
type follower struct {
	model         any
	value, behind Value // of the authority, and of the replica
	fold          Fold
	replaced      bool // a replace is among what pends
	batches       int  // that pend
	enc           WireEncoder
	dec           WireDecoder
	given         []givenOps
}

// givenOps are ops that a fold gave away, and what they were then.
type givenOps struct {
	ops  []Op
	json string
}

// commit applies a batch of a few ops one by one and folds it.
func (f *follower) commit(t *rapid.T) {
	var ops []Op
	for range rapid.IntRange(0, 4).Draw(t, "ops") {
		op, items := drawOp(t, f.model)
		if op.check() != nil {
			continue
		}
		next, ok := modelApply(f.model, op.Path, op, items)
		if !ok {
			continue
		}
		f.model, ops = next, append(ops, op)
		f.replaced = f.replaced || op.Code == OpReplace
	}
	var err error
	if f.value, err = Apply(f.value, ops); err != nil {
		t.Fatalf("%v", err)
	}
	f.fold.Add(ops, f.value)
	f.batches++
	f.check(t)
}

// check looks at what the fold promises of itself.
func (f *follower) check(t *rapid.T) {
	size := f.value.Size()
	switch {
	case f.fold.Batches() != f.batches:
		t.Fatalf("%d batches of %d", f.fold.Batches(), f.batches)
	case f.replaced && !f.fold.Replaced():
		t.Fatalf("a replace pends as %v", f.fold.Ops(f.value))
	case f.fold.Size() > size || f.fold.Len() > MaxOps:
		t.Fatalf("%d bytes in %d ops pend for a value of %d", f.fold.Size(), f.fold.Len(), size)
	case f.fold.Replaced() && (f.fold.Size() != 0 || f.fold.Len() != 1 || f.fold.Empty()):
		t.Fatalf("a replace mark holds %d bytes", f.fold.Size())
	case f.fold.Empty() && f.behind.String() != f.value.String():
		t.Fatalf("an empty fold for a replica that is behind: %v and %v", f.behind, f.value)
	}
}

// send gives the replica all that pends as one change.
func (f *follower) send(t *rapid.T) {
	ops := f.fold.Ops(f.value)
	f.given = append(f.given, givenOps{ops, string(AppendOpsJSON(nil, ops))})
	wire := f.enc.AppendJSON(nil, ops)
	read, err := f.dec.ParseJSON(wire)
	if err != nil {
		t.Fatalf("%s: %v", wire, err)
	}
	if f.behind, err = Apply(f.behind, read); err != nil || f.behind.String() != f.value.String() {
		t.Fatalf("%v lead to %v (%v), not to %v", ops, f.behind, err, f.value)
	}
	f.fold.Reset()
	f.replaced, f.batches = false, 0
	f.check(t)
}

// TestFoldModel checks folds in use: commits with replaces among them, ops at the root, values of all sizes, any number of
// batches between two sends, one fold for all.
func TestFoldModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		model := drawModel(t, 3)
		if rapid.IntRange(0, 3).Draw(t, "padded") > 0 {
			model = padded(model)
		}
		f := &follower{model: model, value: maybePacked(t, modelValue(model)), behind: maybePacked(t, modelValue(model))}
		t.Repeat(map[string]func(*rapid.T){
			"commit": f.commit, "commit again": f.commit, "commit once more": f.commit, "send": f.send,
			"": func(t *rapid.T) {
				if want := modelValue(f.model); !f.value.Equal(want) {
					t.Fatalf("the authority has %v, want %v", f.value, want)
				}
			},
		})
		f.send(t)
		for _, g := range f.given {
			if now := string(AppendOpsJSON(nil, g.ops)); now != g.json {
				t.Fatalf("ops that were given away changed\nfrom %s\n  to %s", g.json, now)
			}
		}
	})
}
