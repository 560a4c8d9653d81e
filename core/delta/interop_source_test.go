package delta_test

import (
	"errors"
	"testing"

	"chordsim/core/delta"
)

// source is a document and the batches that change it.
type source struct {
	draws
	t       *testing.T
	value   delta.Value
	encoder delta.WireEncoder
}

func newSource(t *testing.T, d draws) *source { return &source{draws: d, t: t, value: d.document()} }

const (
	largeDocument = 4096 // bytes, above which a document gives way to a new one
	// A JSON text that nests as deep as values may could not stand in a message.
	deepDocument = delta.MaxDepth - 10
)

// batch changes the document and returns the ops: of a draft, of ops as they come, or of some of those folded.
func (s *source) batch() []delta.Op {
	if s.value.Size() > largeDocument {
		s.value = s.document()
		return append([]delta.Op{delta.Replace(s.value)}, s.raw(s.below(3))...)
	}
	switch s.below(3) {
	case 0:
		return s.draft(s.below(6))
	case 1:
		return s.raw(s.below(9))
	}
	var fold delta.Fold
	for range 2 + s.below(4) {
		if s.oneIn(2) {
			fold.Add(s.raw(s.below(4)), s.value)
		} else {
			fold.Add(s.draft(s.below(4)), s.value)
		}
	}
	return fold.Ops(s.value)
}

// raw applies n ops one by one.
func (s *source) raw(n int) (ops []delta.Op) {
	for range n {
		op := s.op(s.value)
		next, err := delta.Apply(s.value, []delta.Op{op})
		if errors.Is(err, delta.ErrDepth) || next.Depth() > deepDocument {
			continue
		}
		if err != nil {
			s.t.Fatalf("%v on %v: %v", op, s.value, err)
		}
		s.value = next
		ops = append(ops, op)
	}
	return ops
}

// draft makes n changes through the cursors of a draft.
func (s *source) draft(n int) []delta.Op {
	d := delta.NewDraft(s.value)
	for range n {
		op := s.op(d.Value())
		if len(op.Path)+op.Value.Depth() > deepDocument/2 {
			continue
		}
		if err := change(d, op); err != nil {
			s.t.Fatalf("%v on %v: %v", op, d.Value(), err)
		}
	}
	var ops []delta.Op
	s.value, ops = d.Commit()
	return ops
}

// change does to a draft what an op says.
func change(d *delta.Draft, op delta.Op) error {
	var path []any
	for _, s := range op.Path {
		path = append(path, s)
	}
	at := d.At(path...)
	switch op.Code {
	case delta.OpDelete:
		return at.Delete()
	case delta.OpAppend:
		return at.Append(op.Text.String())
	case delta.OpTruncate:
		return at.Truncate(op.N)
	case delta.OpSplice:
		var items []any
		for _, v := range op.Items {
			items = append(items, v)
		}
		return at.Splice(op.N, op.Remove, items...)
	case delta.OpPermute:
		return at.Permute(op.Perm)
	}
	return at.Set(op.Value)
}
