package delta_test

import (
	"testing"

	"chordsim/core/delta"
)

// TestLoneChangeIsWhatAFoldMakesOfIt: a draft with one change does without a fold, and nobody can tell.
func TestLoneChangeIsWhatAFoldMakesOfIt(t *testing.T) {
	base := delta.Object(
		delta.Field{Key: "s", Value: delta.String("some text")},
		delta.Field{Key: "xs", Value: delta.List(delta.Int(1), delta.Int(1), delta.Int(2))},
	)
	for _, c := range []struct {
		why    string
		change func(d *delta.Draft) error
		ops    string
	}{
		{"append", func(d *delta.Draft) error { return d.At("s").Append("!") }, `[["a",["s"],"!"]]`},
		{"truncate", func(d *delta.Draft) error { return d.At("s").Truncate(2) }, `[["t",["s"],2]]`},
		{"set", func(d *delta.Draft) error { return d.At("xs", 1).Set(3) }, `[["s",["xs",1],3]]`},
		{"delete", func(d *delta.Draft) error { return d.At("s").Delete() }, `[["d",["s"]]]`},
		{"replace", func(d *delta.Draft) error { return d.At().Set(1) }, `[["r",1]]`},
		{"splice", func(d *delta.Draft) error { return d.At("xs").Splice(0, 1, 7) }, `[["p",["xs"],0,1,[7]]]`},
		{"splice of what is there", func(d *delta.Draft) error { return d.At("xs").Splice(0, 1, 1) }, `[]`},
		{"permute", func(d *delta.Draft) error { return d.At("xs").Permute([]int{2, 1, 0}) }, `[["m",["xs"],[2,1,0]]]`},
		{"permute of equal ones", func(d *delta.Draft) error { return d.At("xs").Permute([]int{1, 0, 2}) }, `[]`},
		{"truncate all of it", func(d *delta.Draft) error { return d.At("s").Truncate(9) }, `[["t",["s"],9]]`},
	} {
		d := delta.NewDraft(base)
		if err := c.change(d); err != nil {
			t.Fatalf("%s: %v", c.why, err)
		}
		open := d.Ops()
		for i := range open {
			open[i] = delta.Replace(delta.Null()) // the caller's to change
		}
		value, ops := d.Commit()
		if got := string(delta.AppendOpsJSON(nil, ops)); got != c.ops {
			t.Errorf("%s: %s, want %s", c.why, got, c.ops)
		}
		if next, err := delta.Apply(base, ops); err != nil || !next.Equal(value) {
			t.Errorf("%s: the ops lead to %s (%v), the value is %s", c.why, next, err, value)
		}
		if again, ops := d.Commit(); again != value || string(delta.AppendOpsJSON(nil, ops)) != c.ops {
			t.Errorf("%s: committed twice, it is another change", c.why)
		}
	}
}

// TestLoneChangeOverItsValue: a change that takes more bytes than the value that it leads to is the value.
func TestLoneChangeOverItsValue(t *testing.T) {
	d := delta.NewDraft(delta.List(delta.Int(1), delta.Int(2)))
	if err := d.At().Permute([]int{1, 0}); err != nil {
		t.Fatal(err)
	}
	_, lone := d.Commit()
	var fold delta.Fold
	fold.Add([]delta.Op{{Code: delta.OpPermute, Perm: []int{1, 0}}}, d.Value())
	got, want := string(delta.AppendOpsJSON(nil, lone)), string(delta.AppendOpsJSON(nil, fold.Ops(d.Value())))
	if got != want || got != `[["r",[2,1]]]` {
		t.Errorf("%s, a fold gives %s", got, want)
	}
}

// TestElementsKnowTheirDepth: a list knows how deep it is when its deepest element goes, in the middle of it and at its end.
func TestElementsKnowTheirDepth(t *testing.T) {
	const n = 300
	deep := delta.List(delta.List(delta.Int(1)))
	for _, at := range []int{0, 70, n - 1} {
		for _, push := range []bool{false, true} {
			d := delta.NewDraft(delta.ListOf(make([]delta.Value, n)))
			if push { // the last elements are in a tail
				d = delta.NewDraft(delta.List())
				for i := range n {
					if err := d.At().Push(i); err != nil {
						t.Fatal(err)
					}
				}
			}
			flat, size := d.Value().Depth(), d.Value().Size()
			before, _ := d.At(at).Value()
			for _, v := range []delta.Value{deep, delta.List(), before} {
				if err := d.At(at).Set(v); err != nil {
					t.Fatal(err)
				}
				if got, want := d.Value().Depth(), 1+v.Depth(); got != want {
					t.Errorf("element %d is %s: depth %d, want %d", at, v, got, want)
				}
				if got, want := d.Value().Size(), size-before.Size()+v.Size(); got != want {
					t.Errorf("element %d is %s: size %d, want %d", at, v, got, want)
				}
			}
			if d.Value().Depth() != flat || d.Value().Size() != size {
				t.Errorf("set back: depth %d and size %d, want %d and %d", d.Value().Depth(), d.Value().Size(), flat, size)
			}
		}
	}
}
