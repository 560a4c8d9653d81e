package delta

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// TestObjectModel runs one object against a list of fields, small and large, with old versions kept.
func TestObjectModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := Object()
		var fields []Field
		type version struct {
			value Value
			json  string
		}
		var old []version
		keys := rapid.IntRange(3, 120).Draw(t, "keys")
		key := func(t *rapid.T) string { return "k" + strconv.Itoa(rapid.IntRange(0, keys).Draw(t, "key")) }
		find := func(key string) int {
			return slices.IndexFunc(fields, func(f Field) bool { return f.Key == key })
		}
		set := func(k string, v Value) {
			o = o.object().with(k, v)
			if i := find(k); i >= 0 {
				fields = slices.Clone(fields)
				fields[i].Value = v
				return
			}
			fields = append(slices.Clip(fields), Field{k, v})
		}
		t.Repeat(map[string]func(*rapid.T){
			"set": func(t *rapid.T) {
				set(key(t), Int(rapid.IntRange(0, 9).Draw(t, "value")))
			},
			"set many": func(t *rapid.T) {
				for i := range rapid.IntRange(0, keys).Draw(t, "many") {
					set("k"+strconv.Itoa(i*7%(keys+1)), Int(i))
				}
			},
			"delete": func(t *rapid.T) {
				k := key(t)
				out, ok := o.object().without(k)
				i := find(k)
				if ok != (i >= 0) {
					t.Fatalf("delete of %s: %v", k, ok)
				}
				if ok {
					o, fields = out, slices.Delete(slices.Clone(fields), i, i+1)
				}
			},
			"delete many": func(t *rapid.T) {
				for range rapid.IntRange(0, len(fields)).Draw(t, "many") {
					i := len(fields) / 3
					o, _ = o.object().without(fields[i].Key)
					fields = slices.Delete(slices.Clone(fields), i, i+1)
				}
			},
			"": func(t *rapid.T) {
				wantObject(t, o, fields)
				old = append(old, version{o, o.String()})
				for _, v := range old[max(0, len(old)-5):] {
					if v.value.String() != v.json {
						t.Fatalf("an old version changed")
					}
				}
			},
		})
	})
}

// wantObject checks an object against its fields in their order.
func wantObject(t *rapid.T, got Value, fields []Field) {
	t.Helper()
	want := Object(fields...)
	if got.String() != want.String() || got.Len() != len(fields) {
		t.Fatalf("\n got %v\nwant %v", got, want)
	}
	reversed := slices.Clone(fields)
	slices.Reverse(reversed)
	for _, w := range []Value{want, Object(reversed...)} {
		if !got.Equal(w) || !w.Equal(got) || got.Hash() != w.Hash() || got.Size() != w.Size() {
			t.Fatalf("not equal to what has the same fields: %v and %v", got, w)
		}
	}
	for _, f := range fields {
		if v, ok := got.Get(f.Key); !ok || !v.Equal(f.Value) {
			t.Fatalf("field %s is %v", f.Key, v)
		}
	}
	if tree := got.object().tree; tree != nil {
		checkTree(t, tree.fields)
		checkTree(t, tree.index)
	}
}

func TestObjectDuplicates(t *testing.T) {
	o := Object(Field{"a", Int(1)}, Field{"b", Int(2)}, Field{"a", Int(3)})
	if o.String() != `{"a":3,"b":2}` {
		t.Errorf("got %v", o)
	}
	if v := mustParse(t, `{"a":1,"b":2,"a":3}`); v.String() != `{"a":3,"b":2}` {
		t.Errorf("parsed %v", v)
	}
}

func TestShapes(t *testing.T) {
	list := mustParse(t, `[{"a":1,"b":2},{"a":3,"b":4},{"b":1,"a":2}]`)
	one, _ := list.Index(0)
	two, _ := list.Index(1)
	three, _ := list.Index(2)
	if one.Shape() == nil || one.Shape() != two.Shape() || one.Shape() == three.Shape() {
		t.Errorf("objects of one shape do not share it")
	}
	changed, err := Apply(one, mustOps(t, `[["s",["b"],7]]`))
	if err != nil || changed.Shape() != one.Shape() {
		t.Errorf("a changed field changes the shape (%v)", err)
	}
	grown1, _ := Apply(one, mustOps(t, `[["s",["c"],7]]`))
	grown2, _ := Apply(two, mustOps(t, `[["s",["c"],8]]`))
	if grown1.Shape() != grown2.Shape() || grown1.Shape().Len() != 3 {
		t.Errorf("objects that grow alike do not share their shape")
	}
	if other, err := Apply(two, mustOps(t, `[["s",["d"],8]]`)); err != nil || other.String() != `{"a":3,"b":4,"d":8}` {
		t.Errorf("an object that grows otherwise is %v (%v)", other, err)
	}
	var fields []Field
	for i := range flatLimit + 1 {
		fields = append(fields, Field{fmt.Sprint(i), Int(i)})
	}
	if Object(fields...).Shape() != nil {
		t.Errorf("a large object has a shape")
	}
	if _, err := NewKeys("a", "b", "a"); err == nil {
		t.Errorf("a key may be there twice")
	}
	k, err := NewKeys("x", "y")
	if err != nil || ObjectOf(k, []Value{Int(1), Int(2)}).String() != `{"x":1,"y":2}` || k.At(1) != "y" {
		t.Errorf("keys: %v", err)
	}
}
