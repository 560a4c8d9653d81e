package delta

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// growthCase is a change of which what it costs must not follow the size of what it changes.
type growthCase struct {
	name   string
	text   bool // of a text, else of a list of items
	change func(d *Draft, i, n int) error
	// How many times the bytes of the smallest the largest may take: the bar of "simrun bench growth".
	most float64
	// How many new nodes one change may make beyond the height of its tree: a path, and where leaves are parted their
	// neighbours and rotations.
	nodes int
}

var growthCases = []growthCase{
	{"append an item", false, appendItem, 2.5, 2},
	{"append 4 characters", true, appendToken, 2.5, 2},
	{"change a field", false, changeField, 2.5, 1},
	{"splice in the middle", false, spliceMiddle, 2.5, 4},
}

// sizes returns the smallest and the largest size: items, or units of text.
func (c *growthCase) sizes() [2]int {
	if c.text {
		return [2]int{1_000, 10_000_000}
	}
	return [2]int{1_000, 1_000_000}
}

func (c *growthCase) base(n int) Value {
	if c.text {
		return Object(Field{"text", String(strings.Repeat("x", n))})
	}
	return growthItems(n)
}

// growthItems is a document with a list of n objects.
func growthItems(n int) Value {
	list := make([]Value, n)
	keys, err := NewKeys("id", "text", "author", "at")
	if err != nil {
		panic(err)
	}
	var b Builder
	author := String("ada")
	for i := range list {
		values := b.Values(4)
		values[0], values[1], values[2], values[3] = Int(i), b.Text(fmt.Appendf(nil, "item %d", i)), author, Int(1_700_000_000+i)
		list[i] = b.Object(keys, values)
	}
	return Object(Field{"items", ListOf(list)})
}

func newItem(i int) Value {
	return Object(Field{"id", Int(i)}, Field{"text", String("a new item")}, Field{"author", String("bob")}, Field{"at", Int(i)})
}

func appendItem(d *Draft, i, _ int) error { return d.At("items").Push(newItem(i)) }

func appendToken(d *Draft, _, _ int) error { return d.At("text").Append(" tok") }

func changeField(d *Draft, i, n int) error { return d.At("items", i*7919%n, "at").Set(-i) }

// spliceMiddle inserts, and replaces what was inserted, so that leaves become full and are parted.
func spliceMiddle(d *Draft, i, n int) error { return d.At("items").Splice(n/2, i%2, newItem(i)) }

// transact changes a document and applies the change at a replica.
func (c *growthCase) transact(doc, replica Value, i, n int) (Value, Value, error) {
	d := NewDraft(doc)
	if err := c.change(d, i, n); err != nil {
		return doc, replica, err
	}
	doc, ops := d.Commit()
	replica, err := Apply(replica, ops)
	return doc, replica, err
}

// TestGrowth holds transactions on the largest documents against those on the smallest ones: bytes and nodes, which unlike
// time are the same on every machine.
func TestGrowth(t *testing.T) {
	built := map[string]Value{} // the largest take a while
	for _, c := range growthCases {
		const changes = 100
		var bytes [2]float64
		for k, n := range c.sizes() {
			key := fmt.Sprint(c.text, n)
			if _, ok := built[key]; !ok {
				built[key] = c.base(n)
			}
			doc := built[key]
			replica := doc
			var err error
			c.wantNodes(t, doc, n)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for i := range changes {
				if doc, replica, err = c.transact(doc, replica, i, n); err != nil {
					t.Fatalf("%s: %v", c.name, err)
				}
			}
			runtime.ReadMemStats(&after)
			bytes[k] = float64(after.TotalAlloc-before.TotalAlloc) / changes
			if !doc.Equal(replica) {
				t.Fatalf("%s: the replica has something else", c.name)
			}
		}
		ratio := bytes[1] / bytes[0]
		t.Logf("%s: %.0f and %.0f bytes a transaction, %.2f times", c.name, bytes[0], bytes[1], ratio)
		if ratio > c.most {
			t.Errorf("%s: %.0f bytes with %d, %.0f with %d: %.2f times, want at most %.1f",
				c.name, bytes[0], c.sizes()[0], bytes[1], c.sizes()[1], ratio, c.most)
		}
	}
}

// wantNodes counts the nodes that each change adds to the trees.
func (c *growthCase) wantNodes(t *testing.T, doc Value, n int) {
	t.Helper()
	lists, texts := nodeSet[listLeaf, listSum]{}, nodeSet[textLeaf, textSum]{}
	list, text := roots(doc)
	lists.add(list)
	texts.add(text)
	replica, worst, all := doc, 0, 0
	const changes = 600 // more than a leaf of a list has room for, and of a text
	for i := range changes {
		var err error
		if doc, replica, err = c.transact(doc, replica, i, n); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		list, text = roots(doc)
		fresh := lists.add(list) + texts.add(text)
		worst, all = max(worst, fresh), all+fresh
		if height := max(list.heightOf(), text.heightOf()); fresh > height+c.nodes {
			t.Errorf("%s: change %d of %d made %d nodes in a tree of height %d, want at most %d", c.name, i, n, fresh, height, height+c.nodes)
		}
	}
	if worst == 0 {
		t.Errorf("%s: %d changes with %d made no node", c.name, changes, n)
	}
	t.Logf("%s: with %d at most %d new nodes, %.1f on average", c.name, n, worst, float64(all)/changes)
}

// roots returns the trees of the document's list and text, nil if it has none.
func roots(doc Value) (list *listNode, text *textNode) {
	if v, ok := doc.Get("items"); ok {
		list = v.list().root
	}
	if v, ok := doc.Get("text"); ok && v.Text().box.rope != nil {
		text = v.Text().box.rope.root
	}
	return list, text
}

func (n *node[L, S]) heightOf() int {
	if n == nil {
		return 0
	}
	return n.height
}

// nodeSet holds the nodes that were there. Invariant: with a node it holds all that are below it.
type nodeSet[L leaf[L, S], S sum[S]] map[*node[L, S]]struct{}

// add takes in a tree and returns how many of its nodes are new.
func (s nodeSet[L, S]) add(n *node[L, S]) int {
	if n == nil {
		return 0
	}
	if _, ok := s[n]; ok {
		return 0
	}
	s[n] = struct{}{}
	return 1 + s.add(n.left) + s.add(n.right)
}

// TestFoldGrowth checks that a batch costs what it puts in, whatever pends and however large the value is; a text that is
// appended to all the time stays one append of what was appended.
func TestFoldGrowth(t *testing.T) {
	perBatch := func(n int) float64 {
		v := wideObject(4000)
		var f Fold
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for i := range n {
			f.Add([]Op{{Code: OpSet, Path: Path{Key(fmt.Sprintf("key%07d", i))}, Value: Int(i)}}, v)
		}
		runtime.ReadMemStats(&after)
		if f.Len() != n {
			t.Fatalf("%d ops pend, want %d", f.Len(), n)
		}
		return float64(after.TotalAlloc-before.TotalAlloc) / float64(n)
	}
	if few, many := perBatch(200), perBatch(3200); many > 2.5*few {
		t.Errorf("%.0f bytes a batch while 200 are added, %.0f while 3,200 are", few, many)
	} else {
		t.Logf("%.0f bytes a batch while 200 are added, %.0f while 3,200 are", few, many)
	}

	for _, n := range []int{10_000, 10_000_000} {
		v := (&growthCase{text: true}).base(n)
		ops := []Op{{Code: OpAppend, Path: PathOf("text"), Text: NewText(" tok")}}
		var f Fold
		for range 1000 {
			v, _ = Apply(v, ops)
			f.Add(ops, v)
		}
		if got := f.Ops(v); len(got) != 1 || got[0].Code != OpAppend || got[0].Text.Len() != 4000 || f.Size() > 4100 {
			t.Errorf("a text of %d: %d ops in %d bytes pend, want one append of 4,000 units", n, len(got), f.Size())
		}
	}
	v, ops := (&growthCase{text: true}).base(1000), []Op{{Code: OpAppend, Path: PathOf("text"), Text: NewText("y")}, {Code: OpTruncate, Path: PathOf("text"), N: 1}}
	var f Fold
	for range 3000 {
		v, _ = Apply(v, ops)
		f.Add(ops, v)
		if f.Size() > v.Size() {
			t.Fatalf("%d bytes pend for a value of %d", f.Size(), v.Size())
		}
	}
	if got := f.Ops(v); !f.Replaced() || len(got) != 1 || got[0].Code != OpReplace || f.Size() != 0 {
		t.Errorf("of a text that was replaced three times over %d ops of %d bytes pend, want a replace mark", len(got), f.Size())
	}
}
