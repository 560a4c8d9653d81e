package delta

import "sync/atomic"

// tree.go holds the persistent sequence that texts, lists and large objects are built of: a binary tree with leaves of
// up to a few hundred elements, balanced by height (AVL), whose nodes are never changed once they are made. Joining two
// trees costs O(difference of their heights), splitting one O(log n), and both share all that they do not cut.

// sum is what a node knows about all its elements together.
type sum[S any] interface {
	plus(S) S
}

// leaf is a run of elements. A leaf is immutable; cut and merge return new ones.
type leaf[L, S any] interface {
	len() int
	// cut returns a copy of elements [i, j), which keeps nothing else alive.
	cut(i, j int) L
	// merge returns the elements of the receiver and then those of the argument.
	merge(L) L
	// limit returns how many elements a leaf may have.
	limit() int
	sum() S
}

// node is a subtree. A nil node is an empty one.
type node[L leaf[L, S], S sum[S]] struct {
	left, right *node[L, S] // both nil in a leaf
	count       int         // elements; Invariant: at least 1
	height      int         // 0 in a leaf
	sum         S
	leaf        L
	// The memo of what is computed lazily over the elements: 0 while it is not known.
	hash atomic.Uint64
}

func leafNode[L leaf[L, S], S sum[S]](l L) *node[L, S] {
	if l.len() == 0 {
		return nil
	}
	return &node[L, S]{count: l.len(), sum: l.sum(), leaf: l}
}

func (n *node[L, S]) size() int {
	if n == nil {
		return 0
	}
	return n.count
}

// total returns the sum over all elements, the zero sum for an empty tree.
func (n *node[L, S]) total() S {
	if n == nil {
		var none S
		return none
	}
	return n.sum
}

func (n *node[L, S]) isLeaf() bool { return n.left == nil }

// pair makes a node of two subtrees whose heights differ by at most one.
func pair[L leaf[L, S], S sum[S]](a, b *node[L, S]) *node[L, S] {
	return &node[L, S]{
		left: a, right: b,
		count:  a.count + b.count,
		height: max(a.height, b.height) + 1,
		sum:    a.sum.plus(b.sum),
	}
}

// balance makes a node of two subtrees whose heights differ by at most two.
func balance[L leaf[L, S], S sum[S]](a, b *node[L, S]) *node[L, S] {
	switch {
	case a.height > b.height+1:
		if a.left.height >= a.right.height {
			return pair(a.left, pair(a.right, b))
		}
		return pair(pair(a.left, a.right.left), pair(a.right.right, b))
	case b.height > a.height+1:
		if b.right.height >= b.left.height {
			return pair(pair(a, b.left), b.right)
		}
		return pair(pair(a, b.left.left), pair(b.left.right, b.right))
	}
	return pair(a, b)
}

// join returns the elements of a and then those of b.
func join[L leaf[L, S], S sum[S]](a, b *node[L, S]) *node[L, S] {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	case a.height > b.height+1:
		return balance(a.left, join(a.right, b))
	case b.height > a.height+1:
		return balance(join(a, b.left), b.right)
	}
	return pair(a, b)
}

// concat is join for two trees that were not cut from one place: it merges small leaves where they meet, so that many
// small concatenations do not end as many small leaves.
func concat[L leaf[L, S], S sum[S]](a, b *node[L, S]) *node[L, S] {
	for a != nil && b != nil {
		last, first := a.last(), b.first()
		if last.len()+first.len() > first.limit() {
			break
		}
		a, b = a.withLast(last.merge(first)), b.withoutFirst()
	}
	return join(a, b)
}

func (n *node[L, S]) first() L {
	for !n.isLeaf() {
		n = n.left
	}
	return n.leaf
}

func (n *node[L, S]) last() L {
	for !n.isLeaf() {
		n = n.right
	}
	return n.leaf
}

func (n *node[L, S]) withLast(l L) *node[L, S] {
	if n.isLeaf() {
		return leafNode[L, S](l)
	}
	return pair(n.left, n.right.withLast(l))
}

func (n *node[L, S]) withoutFirst() *node[L, S] {
	if n.isLeaf() {
		return nil
	}
	return join(n.left.withoutFirst(), n.right)
}

// split returns the first i elements and the others.
func split[L leaf[L, S], S sum[S]](n *node[L, S], i int) (a, b *node[L, S]) {
	switch {
	case i <= 0:
		return nil, n
	case i >= n.size():
		return n, nil
	case n.isLeaf():
		return leafNode[L, S](n.leaf.cut(0, i)), leafNode[L, S](n.leaf.cut(i, n.count))
	case i < n.left.count:
		a, b = split(n.left, i)
		return a, join(b, n.right)
	case i > n.left.count:
		a, b = split(n.right, i-n.left.count)
		return join(n.left, a), b
	}
	return n.left, n.right
}

// slice returns elements [i, j).
func slice[L leaf[L, S], S sum[S]](n *node[L, S], i, j int) *node[L, S] {
	n, _ = split(n, j)
	_, n = split(n, i)
	return n
}

// find returns the leaf that holds element i and the element's place in it.
func (n *node[L, S]) find(i int) (l L, at int) {
	for !n.isLeaf() {
		if i < n.left.count {
			n = n.left
		} else {
			i, n = i-n.left.count, n.right
		}
	}
	return n.leaf, i
}

// edit replaces the leaf at element i (the last leaf, if i is the count) by the one or two leaves that change returns for
// it. An empty leaf vanishes.
func edit[L leaf[L, S], S sum[S]](n *node[L, S], i int, change func(l L, at int) (a, b L)) *node[L, S] {
	if n.isLeaf() {
		a, b := change(n.leaf, i)
		return join(leafNode[L, S](a), leafNode[L, S](b))
	}
	if i < n.left.count {
		return join(edit(n.left, i, change), n.right)
	}
	return join(n.left, edit(n.right, i-n.left.count, change))
}

// grow builds a tree of leaves.
func grow[L leaf[L, S], S sum[S]](leaves []L) *node[L, S] {
	switch len(leaves) {
	case 0:
		return nil
	case 1:
		return leafNode[L, S](leaves[0])
	}
	half := len(leaves) / 2
	return join(grow[L, S](leaves[:half]), grow[L, S](leaves[half:]))
}

// each calls yield for every leaf in order until it returns false, and reports whether it went through.
func (n *node[L, S]) each(yield func(L) bool) bool {
	switch {
	case n == nil:
		return true
	case n.isLeaf():
		return yield(n.leaf)
	}
	return n.left.each(yield) && n.right.each(yield)
}

// walker goes over a tree by subtrees.
type walker[L leaf[L, S], S sum[S]] struct {
	stack []*node[L, S] // what is to come, the next one last
	at    int           // elements of the next leaf that are done
}

// walkerRoom is how high a tree may be, about, that is walked without an allocation.
const walkerRoom = 16

func (w *walker[L, S]) top() *node[L, S] { return w.stack[len(w.stack)-1] }

func (w *walker[L, S]) pop() { w.stack = w.stack[:len(w.stack)-1] }

func (w *walker[L, S]) expand() {
	n := w.top()
	w.pop()
	w.stack = append(w.stack, n.right, n.left)
}

func (w *walker[L, S]) advance(n int) {
	w.at += n
	if w.at == w.top().count {
		w.at = 0
		w.pop()
	}
}

// compare walks two trees with as many elements side by side, skips what they share and calls same for every pair of
// runs of n elements, until it returns false. It reports whether it went through.
func compare[L leaf[L, S], S sum[S]](a, b *node[L, S], same func(la L, ia int, lb L, ib, n int) bool) bool {
	if a == b {
		return true
	}
	var roomA, roomB [walkerRoom]*node[L, S]
	wa, wb := walker[L, S]{stack: append(roomA[:0], a)}, walker[L, S]{stack: append(roomB[:0], b)}
	for len(wa.stack) > 0 && len(wb.stack) > 0 {
		na, nb := wa.top(), wb.top()
		switch {
		case na == nb && wa.at == 0 && wb.at == 0:
			wa.pop()
			wb.pop()
		case !na.isLeaf() && (nb.isLeaf() || na.count >= nb.count):
			wa.expand()
		case !nb.isLeaf():
			wb.expand()
		default:
			n := min(na.count-wa.at, nb.count-wb.at)
			if !same(na.leaf, wa.at, nb.leaf, wb.at, n) {
				return false
			}
			wa.advance(n)
			wb.advance(n)
		}
	}
	return true
}
