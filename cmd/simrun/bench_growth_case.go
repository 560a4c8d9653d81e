package main

import (
	"errors"
	"fmt"
	"strings"

	"chordsim/core/delta"
)

// growthCase is a transaction of which what it costs must not follow the size of its document.
type growthCase struct {
	name, unit  string
	time, bytes float64 // how many times what the smallest document takes the largest may take
	change      func(d *delta.Draft, i, n int) error
}

var growthCases = []growthCase{
	{"append an item", "items", 3, 2.5, func(d *delta.Draft, i, _ int) error { return d.At("items").Push(newItem(i)) }},
	{"change a field", "items", 6, 2.5, func(d *delta.Draft, i, n int) error { return d.At("items", scattered(i, n), "at").Set(-1 - i) }},
	{"splice in the middle", "items", 6, 2.5, func(d *delta.Draft, i, n int) error { return d.At("items").Splice(n/2, i%2, newItem(i)) }},
	{"append 4 characters", "units", 3, 2.5, func(d *delta.Draft, _, _ int) error { return d.At("text").Append(" tok") }},
}

// scattered returns an index that is seldom near the one before.
func scattered(i, n int) int { return i * 7919 % n }

// errReplica says that a replica came to another value than its authority.
var errReplica = errors.New("the replica has another value")

// check does as run does, and compares the two values as a whole.
func (c *growthCase) check(s *growthSide, i, ops int) error {
	document, replica, err := c.commit(s, i, ops)
	if err == nil && !document.Equal(replica) {
		return errReplica
	}
	return err
}

// run does ops transactions, from number i on. Every block starts from the same document, so that a small one stays small.
func (c *growthCase) run(s *growthSide, i, ops int) error {
	_, _, err := c.commit(s, i, ops)
	return err
}

func (c *growthCase) commit(s *growthSide, i, ops int) (document, replica delta.Value, err error) {
	document, replica = s.document, s.replica
	for n := range ops {
		d := delta.NewDraft(document)
		if err := c.change(d, i+n, s.size); err != nil {
			return document, replica, err
		}
		next, change := d.Commit()
		if replica, err = delta.Apply(replica, change); err != nil {
			return document, replica, err
		}
		document = next
	}
	return document, replica, nil
}

// listDocument returns a document with a list of n objects. Every object has texts of its own.
func listDocument(n int) delta.Value {
	keys, err := delta.NewKeys("id", "text", "author", "at")
	if err != nil {
		panic("bench growth: " + err.Error())
	}
	var b delta.Builder
	items := make([]delta.Value, n)
	var text []byte
	for i := range items {
		values := b.Values(4)
		text = fmt.Appendf(text[:0], "item %d", i)
		values[0], values[1] = delta.Int(i), b.Text(text)
		values[2], values[3] = b.Text([]byte("author ada")), delta.Int(1_700_000_000+i)
		items[i] = b.Object(keys, values)
	}
	return delta.Object(delta.Field{Key: "items", Value: delta.ListOf(items)})
}

// textDocument returns a document with a text of n units.
func textDocument(n int) delta.Value {
	return delta.Object(delta.Field{Key: "text", Value: delta.String(strings.Repeat("x", n))})
}

func newItem(i int) delta.Value {
	return delta.Object(
		delta.Field{Key: "id", Value: delta.Int(i)}, delta.Field{Key: "text", Value: delta.String("a new item")},
		delta.Field{Key: "author", Value: delta.String("bob")}, delta.Field{Key: "at", Value: delta.Int(i)},
	)
}
