package delta

func (d *differ) list(old, new *listBox) int {
	n, m := old.len(), new.len()
	if n == 0 || m == 0 {
		return d.gap(gap{0, n, 0, m}, items(old, 0, n), items(new, 0, m))
	}
	a, b := old.tree(), new.tree()
	prefix := commonRun(a, b, min(n, m), false)
	suffix := commonRun(a, b, min(n, m)-prefix, true)
	was, is := items(old, prefix, n-suffix), items(new, prefix, m-suffix)
	size := 0
	for _, g := range gaps(len(was), len(is), func(i, j int) bool { return same(was[i], is[j]) }) {
		size += d.gap(gap{g.i, g.iEnd, g.j + prefix, g.jEnd + prefix}, was[g.i:g.iEnd], is[g.j:g.jEnd])
	}
	return size
}

// items returns the elements [i, j) of a list.
func items(l *listBox, i, j int) []Value {
	out := make([]Value, 0, j-i)
	for ; i < j; i++ {
		out = append(out, l.at(i))
	}
	return out
}

// gap leads from elements to others that stand in their place, the lists before them being equal by then: by changing
// one after the other and splicing the rest, or by one splice if that is smaller.
func (d *differ) gap(g gap, was, is []Value) int {
	whole := Op{Code: OpSplice, Path: d.path, N: g.j, Remove: len(was), Items: is}
	both := min(len(was), len(is))
	if both == 0 {
		if len(was) == len(is) {
			return 0
		}
		return d.push(whole)
	}
	from, size, most := len(d.ops), 0, whole.Size()
	for i := 0; i < both && size <= most; i++ {
		size += d.below(Index(g.j+i), was[i], is[i])
	}
	if len(was) != len(is) {
		size += d.push(Op{Code: OpSplice, N: g.j + both, Remove: len(was) - both, Items: is[both:]})
	}
	if size <= most {
		return size
	}
	d.ops = d.ops[:from]
	return d.push(whole)
}

// sideWalk goes over a list's tree from one end.
type sideWalk struct {
	stack []*listNode // what is to come, the next one last
	at    int         // elements of the next leaf that are done
	back  bool
}

func (w *sideWalk) top() *listNode { return w.stack[len(w.stack)-1] }

func (w *sideWalk) pop() { w.stack, w.at = w.stack[:len(w.stack)-1], 0 }

func (w *sideWalk) expand() {
	n := w.top()
	first, second := n.left, n.right
	if w.back {
		first, second = second, first
	}
	w.stack[len(w.stack)-1] = second
	w.stack = append(w.stack, first)
}

// next returns the next element of the leaf on top, and passes it.
func (w *sideWalk) next() Value {
	leaf := w.top().leaf
	v := leaf[w.at]
	if w.back {
		v = leaf[len(leaf)-1-w.at]
	}
	if w.at++; w.at == len(leaf) {
		w.pop()
	}
	return v
}

// commonRun returns how many elements, up to a limit, two lists have in common at their beginning, or at their end. It
// passes over the subtrees that are the same.
func commonRun(a, b *listNode, limit int, back bool) int {
	wa, wb := sideWalk{stack: []*listNode{a}, back: back}, sideWalk{stack: []*listNode{b}, back: back}
	for n := 0; ; {
		if n >= limit {
			return limit
		}
		na, nb := wa.top(), wb.top()
		switch {
		case na == nb && wa.at == 0 && wb.at == 0:
			n += na.count
			if n < limit {
				wa.pop()
				wb.pop()
			}
		case !na.isLeaf() && (nb.isLeaf() || na.count >= nb.count):
			wa.expand()
		case !nb.isLeaf():
			wb.expand()
		case !same(wa.next(), wb.next()):
			return n
		default:
			n++
		}
	}
}
