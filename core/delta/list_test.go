package delta

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestListModel runs lists against slices: many versions at once, long enough to have trees.
func TestListModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lists, models := []Value{List()}, [][]float64{nil}
		next := 0.0
		fresh := func(n int) ([]Value, []float64) {
			vs, fs := make([]Value, n), make([]float64, n)
			for i := range vs {
				next++
				vs[i], fs[i] = Number(next), next
			}
			return vs, fs
		}
		draw := func(t *rapid.T) int {
			return rapid.OneOf(rapid.IntRange(0, 3), rapid.IntRange(0, 400)).Draw(t, "items")
		}
		t.Repeat(map[string]func(*rapid.T){
			"splice": func(t *rapid.T) {
				i := rapid.IntRange(0, len(lists)-1).Draw(t, "of")
				at := rapid.IntRange(0, len(models[i])).Draw(t, "at")
				remove := min(draw(t), len(models[i])-at)
				vs, fs := fresh(draw(t))
				lists = append(lists, lists[i].list().splice(at, remove, vs))
				models = append(models, slices.Concat(models[i][:at], fs, models[i][at+remove:]))
			},
			"push": func(t *rapid.T) {
				i := rapid.IntRange(0, len(lists)-1).Draw(t, "to")
				for range draw(t) {
					vs, fs := fresh(1)
					lists[i] = lists[i].list().push(vs...)
					models[i] = slices.Concat(models[i], fs)
				}
			},
			"set": func(t *rapid.T) {
				i := rapid.IntRange(0, len(lists)-1).Draw(t, "of")
				if len(models[i]) == 0 {
					return
				}
				at := rapid.IntRange(0, len(models[i])-1).Draw(t, "at")
				vs, fs := fresh(1)
				lists = append(lists, lists[i].list().with(at, vs[0]))
				models = append(models, slices.Concat(models[i][:at], fs, models[i][at+1:]))
			},
			"": func(t *rapid.T) {
				i := rapid.IntRange(0, len(lists)-1).Draw(t, "check")
				wantList(t, lists[i], models[i])
				if len(lists) > 12 {
					lists, models = lists[6:], models[6:]
				}
			},
		})
		for i := range lists {
			wantList(t, lists[i], models[i])
		}
	})
}

func wantList(t *rapid.T, got Value, want []float64) {
	t.Helper()
	all := make([]Value, len(want))
	for i, f := range want {
		all[i] = Number(f)
	}
	for i, v := range got.Elements() {
		if i >= len(want) || v.Number() != want[i] {
			t.Fatalf("element %d of %d is %v", i, len(want), v)
		}
	}
	if n := len(want); n > 0 {
		if v, ok := got.Index(n / 2); !ok || v.Number() != want[n/2] {
			t.Fatalf("element %d is %v", n/2, v)
		}
	}
	if other := ListOf(all); got.Len() != len(want) || !got.Equal(other) || got.Hash() != other.Hash() || got.Size() != other.Size() {
		t.Fatalf("not equal to what has the same elements")
	}
	checkTree(t, got.list().root)
}

// checkTree checks the invariants of a tree.
func checkTree[L leaf[L, S], S sum[S]](t *rapid.T, n *node[L, S]) {
	t.Helper()
	switch {
	case n == nil:
	case n.isLeaf():
		if n.count != n.leaf.len() || n.count < 1 || n.count > n.leaf.limit() || n.height != 0 {
			t.Fatalf("a leaf of %d that says %d", n.leaf.len(), n.count)
		}
	default:
		if d := n.left.height - n.right.height; d < -1 || d > 1 || n.height != max(n.left.height, n.right.height)+1 {
			t.Fatalf("unbalanced: heights %d and %d under %d", n.left.height, n.right.height, n.height)
		}
		if n.count != n.left.count+n.right.count {
			t.Fatalf("count %d of %d and %d", n.count, n.left.count, n.right.count)
		}
		checkTree(t, n.left)
		checkTree(t, n.right)
	}
}

// TestListBranches pushes to one list twice: the second must not see what the first wrote.
func TestListBranches(t *testing.T) {
	base := List(Int(1)).list().push(Int(2))
	one, two := base.list().push(Int(3)), base.list().push(Int(4))
	if base.String() != "[1,2]" || one.String() != "[1,2,3]" || two.String() != "[1,2,4]" {
		t.Errorf("got %v, %v and %v", base, one, two)
	}
}
