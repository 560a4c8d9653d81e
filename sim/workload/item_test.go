package workload

import (
	"fmt"
	"strings"
	"testing"

	"chordsim/core/base"
)

// TestValidate wants each thing that cannot be to be named.
func TestValidate(t *testing.T) {
	item := func(change func(*Item)) Set {
		it := Item{At: 5, Host: "tab", Verb: "st", Operands: []uint64{1}}
		change(&it)
		return Set{{"churn", List{it}}}
	}
	good := item(func(*Item) {})
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	many := make(Set, MaxSets+1)
	for i := range many {
		many[i].Name = fmt.Sprint("w", i)
	}
	for _, c := range []struct {
		set  Set
		want string
	}{
		{item(func(it *Item) { it.At = -1 }), "item 0: the time -1ns, want 0s to 1000000s"},
		{item(func(it *Item) { it.At = MaxTime + 1 }), "item 0: the time 1000000.000000001s, want"},
		{item(func(it *Item) { it.Host = "" }), `the host "", want a name`},
		{item(func(it *Item) { it.Host = "\xff" }), `the host "\xff", want a name`},
		{item(func(it *Item) { it.Verb = "3x" }), `the verb "3x", want`},
		{item(func(it *Item) { it.Verb = "a:b" }), `the verb "a:b", want`},
		{item(func(it *Item) { it.Operands = make([]uint64, MaxOperands+1) }), "9 operands, want at most 8"},
		{Set{{"a b", nil}}, `the name "a b", want`},
		{Set{{"a", nil}, {"a", nil}}, "two of the name a"},
		{Set{{"a", List{{At: 2, Host: "x", Verb: "v"}, {At: 1, Host: "x", Verb: "v"}}}}, "item 1, of x at 1ns, is out of order"},
		{Set{{"a", List{{At: 1, Host: "y", Verb: "v"}, {At: 1, Host: "x", Verb: "v"}}}}, "item 1, of x at 1ns, is out of order"},
		{many, "65 workloads, want at most 64"},
		{Set{{"a", make(List, MaxItems+1)}}, "131073 items, want at most 131072"},
		{Set{{"a", longList(MaxItems)}}, "bytes as text, want at most 1048576"},
	} {
		if err := c.set.Validate(); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// longList has so many items that their text is long.
func longList(n int) List {
	list := make(List, n)
	for i := range list {
		list[i] = Item{At: base.Time(i), Host: "tab", Verb: strings.Repeat("v", 20)}
	}
	return list
}

func TestItem(t *testing.T) {
	it := Item{Operands: []uint64{1<<64 - 1, 7}}
	if it.Operand(1) != 7 || it.Operand(2) != 0 || it.Operand(99) != 0 {
		t.Errorf("operands %d, %d, %d", it.Operand(1), it.Operand(2), it.Operand(99))
	}
	if it.Index(0, 4) != 3 || it.Index(1, 4) != 3 || it.Index(2, 4) != 0 || it.Index(0, 0) != 0 || it.Index(0, -1) != 0 {
		t.Errorf("indexes %d, %d, %d, %d", it.Index(0, 4), it.Index(1, 4), it.Index(2, 4), it.Index(0, 0))
	}
}

// TestSort wants items of one host at one time to stay as they were put.
func TestSort(t *testing.T) {
	list := List{{3, "b", "x", nil}, {1, "b", "z", nil}, {1, "a", "x", nil}, {1, "b", "a", nil}, {1, "b", "m", nil}}
	list.Sort()
	got := ""
	for _, it := range list {
		got += fmt.Sprint(int64(it.At), it.Host, it.Verb, " ")
	}
	if want := "1ax 1bz 1ba 1bm 3bx "; strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(want, " ", "") {
		t.Errorf("%s, want %s", got, want)
	}
}
