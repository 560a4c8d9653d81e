package delta

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func Example() {
	doc, _ := ParseJSON([]byte(`{"entries":[],"reply":"","note":"a note that is long enough"}`))

	d := NewDraft(doc)
	d.At("reply").Append("one")
	d.At("entries").Push("hello")
	d.At("reply").Append(" two")
	next, ops := d.Commit()

	fmt.Println(next)
	fmt.Println(string(AppendOpsJSON(nil, ops)))
	replica, err := Apply(doc, ops)
	fmt.Println(replica.Equal(next), err)
	// Output:
	// {"entries":["hello"],"reply":"one two","note":"a note that is long enough"}
	// [["a",["reply"],"one two"],["p",["entries"],0,0,["hello"]]]
	// true <nil>
}

func TestDraft(t *testing.T) {
	base := mustParse(t, `{"n":1,"s":"ab","xs":[1,2],"o":{"k":1},"pad":"`+strings.Repeat("x", 300)+`"}`)
	d := NewDraft(base)
	steps := []struct {
		why string
		do  func() error
		ops string // recorded so far
	}{
		{"set", func() error { return d.At("n").Set(2) }, `[["s",["n"],2]]`},
		{"set to what is there", func() error { return d.At("n").Set(2) }, `[["s",["n"],2]]`},
		{"append", func() error { return d.At("s").Append("c") }, `[["s",["n"],2],["a",["s"],"c"]]`},
		{"set to what it always was", func() error { return d.At("o").Set(map[string]any{"k": 1}) }, `[["s",["n"],2],["a",["s"],"c"]]`},
		{"append nothing", func() error { return d.At("s").Append("") }, `[["s",["n"],2],["a",["s"],"c"]]`},
		{"back", func() error { return d.At("n").Set(1.0) }, `[["a",["s"],"c"]]`},
		{"delete", func() error { return d.At("n").Delete() }, `[["a",["s"],"c"],["d",["n"]]]`},
		{"delete again", func() error { return d.At("n").Delete() }, `[["a",["s"],"c"],["d",["n"]]]`},
		{"push", func() error { return d.At("xs").Push(3, "x") }, `[["a",["s"],"c"],["d",["n"]],["p",["xs"],2,0,[3,"x"]]]`},
		{"splice is clamped", func() error { return d.At("xs").Splice(3, 9) }, `[["a",["s"],"c"],["d",["n"]],["p",["xs"],2,0,[3,"x"]],["p",["xs"],3,1,[]]]`},
		{"replace", func() error { return d.At().Set([]any{1}) }, `[["r",[1]]]`},
	}
	for _, s := range steps {
		if err := s.do(); err != nil {
			t.Errorf("%s: %v", s.why, err)
		}
		if got := string(AppendOpsJSON(nil, d.Ops())); got != s.ops {
			t.Errorf("%s:\n got %s\nwant %s", s.why, got, s.ops)
		}
	}
}

func TestDraftTruncatePermute(t *testing.T) {
	base := mustParse(t, `{"s":"abcdef","xs":[1,2],"pad":"`+strings.Repeat("x", 100)+`"}`)
	d := NewDraft(base)
	if err := errors.Join(d.At("s").Truncate(2), d.At("xs").Permute([]int{1, 0}), d.At("s").Truncate(99)); err != nil {
		t.Fatal(err)
	}
	if got := string(AppendOpsJSON(nil, d.Ops())); got != `[["t",["s"],6],["m",["xs"],[1,0]]]` {
		t.Errorf("got %s", got)
	}
	if c := d.At("xs"); c.Len() != 2 || d.At("s").Text() != "" {
		t.Errorf("got %v", d.Value())
	}
	if err := errors.Join(d.At("xs").Permute([]int{1, 0}), d.At("s").Append("abcdef")); err != nil {
		t.Fatal(err)
	}
	if v, ops := d.Commit(); len(ops) != 0 || !v.Equal(base) {
		t.Errorf("a draft that is back where it began has ops %v", ops)
	}
}

func TestDraftRefuses(t *testing.T) {
	base := mustParse(t, `{"n":1,"s":"ab","xs":[1,2]}`)
	d := NewDraft(base)
	cases := []struct {
		why  string
		err  error
		want error
	}{
		{"no Go value", d.At("n").Set(func() {}), ErrGoType},
		{"no Go item", d.At("xs").Push(1, make(chan int)), ErrGoType},
		{"no parent", d.At("x", "y").Set(1), ErrNoParent},
		{"delete without parent", d.At("x", "y").Delete(), ErrNoParent},
		{"delete of the root", d.At().Delete(), ErrPath},
		{"delete past the end", d.At("xs", 2).Delete(), ErrRange},
		{"append to a number", d.At("n").Append("x"), ErrType},
		{"append nothing to a number", d.At("n").Append(""), ErrType},
		{"truncate a list", d.At("xs").Truncate(1), ErrType},
		{"a negative truncate", d.At("s").Truncate(-1), ErrRange},
		{"push to a text", d.At("s").Push(1), ErrType},
		{"a negative splice", d.At("xs").Splice(-1, 0, 1), ErrRange},
		{"no permutation", d.At("xs").Permute([]int{0}), ErrPerm},
		{"reserved", d.At("__proto__").Set(1), ErrReserved},
		{"a negative index", d.At("xs", -1).Set(1), ErrRange},
		{"a segment of another type", d.At(1.5).Set(1), ErrType},
	}
	for _, c := range cases {
		if !errors.Is(c.err, c.want) {
			t.Errorf("%s: got %v, want %v", c.why, c.err, c.want)
		}
	}
	if d.Value() != base || d.Ops() != nil {
		t.Errorf("a refused call is recorded: %v", d.Ops())
	}
	if err := d.At("n").Set(2); err != nil {
		t.Errorf("the draft is of no more use: %v", err)
	}
	cursor := d.At("n")
	v, _ := d.Commit()
	if err := cursor.Set(3); !errors.Is(err, ErrClosed) || !d.Value().Equal(v) {
		t.Errorf("a closed draft can be changed: %v", err)
	}
	if err := errors.Join(cursor.Delete(), cursor.Append("x"), cursor.Push(1)); !errors.Is(err, ErrClosed) {
		t.Errorf("a closed draft can be changed: %v", err)
	}
}

// TestDraftReplay checks that a draft's ops lead from its base to its value.
func TestDraftReplay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		model := any(padded(drawModel(t, 3)))
		base := modelValue(model)
		d := NewDraft(base)
		for range rapid.IntRange(0, 15).Draw(t, "calls") {
			op, items := drawOp(t, model.(map[string]any)["doc"])
			if op.Code == OpReplace {
				continue
			}
			op.Path = append(Path{Key("doc")}, op.Path...)
			next, ok := modelApply(model, op.Path, op, items)
			ok = ok && op.check() == nil
			segments := make([]any, len(op.Path))
			for i, s := range op.Path {
				segments[i] = s
			}
			var anys []any
			for _, v := range op.Items {
				anys = append(anys, v)
			}
			c := d.At(segments...)
			var err error
			switch op.Code {
			case OpSet:
				err = c.Set(op.Value)
			case OpDelete:
				err = c.Delete()
			case OpAppend:
				err = c.Append(op.Text.String())
			case OpTruncate:
				err = c.Truncate(op.N)
			case OpSplice:
				err = c.Splice(op.N, op.Remove, anys...)
			case OpPermute:
				err = c.Permute(op.Perm)
			}
			if (err == nil) != ok {
				t.Fatalf("%v: error %v, the model accepts: %v", op, err, ok)
			}
			if ok {
				model = next
			}
			if want := modelValue(model); !d.Value().Equal(want) {
				t.Fatalf("after %v\n got %v\nwant %v", op, d.Value(), want)
			}
		}
		v, ops := d.Commit()
		if got, err := Apply(base, ops); err != nil || !got.Equal(v) {
			t.Fatalf("%v lead to %v (%v), not to %v", ops, got, err, v)
		}
		if len(ops) == 0 != v.Equal(base) {
			t.Fatalf("%d ops for a draft that changed: %v", len(ops), !v.Equal(base))
		}
	})
}

// A place that ends where it began is not in the change, whatever else is.
func TestDraftLeavesOutWhatIsBackWhereItBegan(t *testing.T) {
	base, err := ParseJSON([]byte(`{"a":1,"b":2,"c":{"d":3},"l":[1,2]}`))
	if err != nil {
		t.Fatal(err)
	}
	for why, c := range map[string]struct {
		change func(d *Draft) error
		want   string
	}{
		"set and set back":                    {func(d *Draft) error { return errors.Join(d.At("a").Set(5), d.At("a").Set(1), d.At("b").Set(3)) }, `[["s",["b"],3]]`},
		"set and deleted":                     {func(d *Draft) error { return errors.Join(d.At("n").Set(5), d.At("b").Set(3), d.At("n").Delete()) }, `[["s",["b"],3]]`},
		"set by an index, deleted by its key": {func(d *Draft) error { return errors.Join(d.At("b").Set(3), d.At(0).Set(1), d.At("0").Delete()) }, ``},
		"set by a key, deleted by its index":  {func(d *Draft) error { return errors.Join(d.At("b").Set(3), d.At("0").Set(1), d.At(0).Delete()) }, ``},
		"set back within what was set anew": {func(d *Draft) error {
			return errors.Join(d.At("c").Set(map[string]any{}), d.At("b").Set(3), d.At("c", "d").Set(3))
		}, ``},
		"an element, while the list moves": {func(d *Draft) error { return errors.Join(d.At("l", 0).Delete(), d.At("l", 0).Set(1), d.At("b").Set(3)) }, ``},
	} {
		d := NewDraft(base)
		if err := c.change(d); err != nil {
			t.Fatalf("%s: %v", why, err)
		}
		value, ops := d.Commit()
		if got := string(AppendOpsJSON(nil, ops)); c.want != "" && got != c.want {
			t.Errorf("%s: %s, want %s", why, got, c.want)
		}
		if after, err := Apply(base, ops); err != nil || !after.Equal(value) {
			t.Errorf("%s: %s leads to %v (%v), want %v", why, AppendOpsJSON(nil, ops), after, err, value)
		}
	}
}
