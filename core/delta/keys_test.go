package delta

import "testing"

func TestKeysOf(t *testing.T) {
	if k, err := KeysOf([]string{"a", "\xff", "b"}); err != nil || k.Find("\ufffd") != 1 || k.bytes != 5 {
		t.Errorf("%v (%v)", k, err)
	}
	if _, err := KeysOf([]string{"a", "b", "a"}); err == nil {
		t.Error("a key that is there twice is taken")
	}
	names := []string{"a", "b"}
	k, _ := NewKeys(names...)
	if names[0] = "c"; k.At(0) != "a" {
		t.Error("NewKeys keeps its arguments")
	}
}

func TestKeysEqual(t *testing.T) {
	keys := func(names ...string) *Keys {
		k, err := NewKeys(names...)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	ab := keys("a", "b")
	for _, c := range []struct {
		k, l *Keys
		want bool
	}{
		{ab, ab, true}, {ab, keys("a", "b"), true}, {ab, keys("b", "a"), false}, {ab, keys("a"), false}, {ab, keys("a", "c"), false},
		{nil, keys(), true}, {nil, nil, true}, {nil, ab, false},
	} {
		if c.k.Equal(c.l) != c.want || c.l.Equal(c.k) != c.want {
			t.Errorf("%v and %v: equal is not %v", c.k, c.l, c.want)
		}
	}
}

func TestFieldAtOfNoObject(t *testing.T) {
	for _, v := range []Value{Null(), Int(1), String("a"), List(Int(1)), wideObject(flatLimit + 1), Object()} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%v has a field 0", v.Kind())
				}
			}()
			v.FieldAt(0)
		}()
	}
}
