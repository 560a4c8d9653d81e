package delta

import (
	"slices"
	"sync/atomic"
	"unsafe"
)

// listLeafLimit is how many elements a leaf of a list may have: 1 KiB.
const listLeafLimit = 64

type listNode = node[listLeaf, listSum]

// listLeaf is a run of elements.
type listLeaf []Value

// listSum is what a run of values knows of itself.
type listSum struct {
	size  int    // bytes, as Value.Size estimates them
	depth uint32 // of the deepest element
}

func (s listSum) plus(t listSum) listSum {
	return listSum{s.size + t.size, max(s.depth, t.depth)}
}

func (s listSum) with(v Value) listSum {
	size, depth := v.measure()
	return listSum{s.size + size, max(s.depth, depth)}
}

// swapped returns the sum of a leaf that had the sum s before v took the place of old in it.
func (s listSum) swapped(leaf listLeaf, old, v Value) listSum {
	was, wasDepth := old.measure()
	is, depth := v.measure()
	if wasDepth == s.depth && depth < wasDepth {
		return leaf.sum() // it may have been the deepest
	}
	return listSum{s.size - was + is, max(s.depth, depth)}
}

func (l listLeaf) len() int { return len(l) }

func (l listLeaf) limit() int { return listLeafLimit }

func (l listLeaf) cut(i, j int) listLeaf { return slices.Clone(l[i:j]) }

func (l listLeaf) merge(m listLeaf) listLeaf {
	return append(append(make(listLeaf, 0, len(l)+len(m)), l...), m...)
}

func (l listLeaf) sum() listSum {
	var s listSum
	for _, v := range l {
		s = s.with(v)
	}
	return s
}

// listBox is a list.
type listBox struct {
	header
	hash atomic.Uint64 // memo of the value's hash, 0 while it is not known
	rows
}

// rows are the elements of a tree and then those of a tail, which grows in place while it is the newest.
type rows struct {
	root    *listNode
	tail    listLeaf
	tailSum listSum
	own     *listTail // what the tail is a part of; nil if it cannot grow in place
}

// listTail is the storage of a tail. Every version of a list sees a beginning of it; only the version that sees all that
// is used may use more.
type listTail struct {
	items []Value // all of the storage, used or not
	used  atomic.Int64
}

var emptyList = &listBox{header: header{kind: KindList, depth: 1}}

// List returns a list of the items.
func List(items ...Value) Value {
	if len(items) <= listLeafLimit {
		items = slices.Clone(items)
	}
	return ListOf(items) // which copies a longer slice
}

// ListOf returns a list of the items and takes the slice over: the caller must not change it any more.
func ListOf(items []Value) Value {
	if len(items) == 0 {
		return Value{ref: unsafe.Pointer(emptyList)}
	}
	if len(items) <= listLeafLimit {
		return listValue(rows{tail: items, tailSum: listLeaf(items).sum()})
	}
	return listValue(rows{root: listTree(items)})
}

// listTree copies the items into a tree.
func listTree(items []Value) *listNode {
	leaves := make([]listLeaf, 0, len(items)/listLeafLimit+1)
	for part := range slices.Chunk(items, listLeafLimit) {
		leaves = append(leaves, slices.Clone(listLeaf(part)))
	}
	return grow[listLeaf, listSum](leaves)
}

func listValue(r rows) Value {
	return Value{ref: unsafe.Pointer(&listBox{header: header{kind: KindList, depth: r.sum().depth + 1}, rows: r})}
}

func (l *rows) len() int { return l.root.size() + len(l.tail) }

func (l *rows) sum() listSum { return l.root.total().plus(l.tailSum) }

func (l *rows) at(i int) Value {
	if head := l.root.size(); i >= head {
		return l.tail[i-head]
	}
	leaf, at := l.root.find(i)
	return leaf[at]
}

// tree returns all elements as a tree.
func (l *rows) tree() *listNode {
	return concat(l.root, leafNode[listLeaf, listSum](l.tail))
}

// each calls yield for every element in order until it returns false.
func (l *rows) each(yield func(int, Value) bool) {
	i := 0
	run := func(leaf listLeaf) bool {
		for _, v := range leaf {
			if !yield(i, v) {
				return false
			}
			i++
		}
		return true
	}
	if l.root.each(run) {
		run(l.tail)
	}
}

// with returns the list with element i changed.
func (l *rows) with(i int, v Value) Value {
	out := *l
	if head := l.root.size(); i >= head {
		out.tail = slices.Clone(l.tail)
		out.tail[i-head] = v
		out.tailSum, out.own = l.tailSum.swapped(out.tail, l.tail[i-head], v), nil
		return listValue(out)
	}
	out.root = withElement(l.root, i, v)
	return listValue(out)
}

// withElement returns the tree with element i changed. It costs little more than what is copied: what a leaf knows of itself
// is not summed up anew.
func withElement(n *listNode, i int, v Value) *listNode {
	switch {
	case n.isLeaf():
		leaf := slices.Clone(n.leaf)
		leaf[i] = v
		return &listNode{count: n.count, sum: n.sum.swapped(leaf, n.leaf[i], v), leaf: leaf}
	case i < n.left.count:
		return pair(withElement(n.left, i, v), n.right)
	}
	return pair(n.left, withElement(n.right, i-n.left.count, v))
}

// push returns the list with the items at its end.
func (l *rows) push(items ...Value) Value {
	if len(items) > listLeafLimit {
		return listValue(rows{root: concat(l.tree(), listTree(items))})
	}
	out := *l
	for len(items) > 0 {
		have := len(out.tail)
		if have >= listLeafLimit {
			out.root, out.tail, out.tailSum, out.own = out.tree(), nil, listSum{}, nil
			have = 0
		}
		n := min(len(items), listLeafLimit-have)
		out.reserve(n)
		copy(out.own.items[have:], items[:n])
		out.tail = out.own.items[: have+n : have+n]
		out.tailSum = out.tailSum.plus(listLeaf(items[:n]).sum())
		items = items[n:]
	}
	return listValue(out)
}

// reserve makes the tail one that has n more elements of storage which are this list's alone.
func (l *rows) reserve(n int) {
	have := len(l.tail)
	if l.own != nil && have+n <= len(l.own.items) && l.own.used.CompareAndSwap(int64(have), int64(have+n)) {
		return
	}
	room := 4
	for room < have+n {
		room *= 2
	}
	own := &listTail{items: make([]Value, room)}
	copy(own.items, l.tail)
	own.used.Store(int64(have + n))
	l.own = own
}

// splice returns the list with remove elements at i replaced by the items. Invariant: 0 ≤ i ≤ i+remove ≤ length.
func (l *rows) splice(i, remove int, items []Value) Value {
	n := l.len()
	switch {
	case i == n:
		return l.push(items...)
	case n-remove+len(items) <= listLeafLimit:
		out := make([]Value, 0, n-remove+len(items))
		l.each(func(at int, v Value) bool {
			if at == i {
				out = append(out, items...)
			}
			if at < i || at >= i+remove {
				out = append(out, v)
			}
			return true
		})
		return ListOf(out)
	}
	head := l.root.size()
	if i+remove <= head && i < head {
		// The tail stays as it is, and goes on growing in place.
		return listValue(rows{
			root: spliceTree(l.root, i, remove, items),
			tail: l.tail, tailSum: l.tailSum, own: l.own,
		})
	}
	return listValue(rows{root: spliceTree(l.tree(), i, remove, items)})
}

func spliceTree(root *listNode, i, remove int, items []Value) *listNode {
	if leaf, at := root.find(i); at+remove <= len(leaf) && len(items) <= listLeafLimit {
		return edit(root, i, func(leaf listLeaf, at int) (a, b listLeaf) {
			out := make(listLeaf, 0, len(leaf)-remove+len(items))
			out = append(append(append(out, leaf[:at]...), items...), leaf[at+remove:]...)
			if len(out) <= listLeafLimit {
				return out, nil
			}
			half := len(out) / 2
			return out.cut(0, half), out.cut(half, len(out))
		})
	}
	a, b := split(root, i)
	_, b = split(b, remove)
	return concat(concat(a, listTree(items)), b)
}
