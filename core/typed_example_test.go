package core_test

import (
	"fmt"

	"chordsim/core"
	"chordsim/core/delta"
)

type Entry struct {
	ID   int    `json:"id"`
	Text string `json:"text"`
}

type Notes struct {
	Entries []Entry `json:"entries"`
	Reply   string  `json:"reply"`
}

func ExampleTyped() {
	doc, err := core.NewTyped(Notes{Entries: []Entry{{1, "hello"}}})
	if err != nil {
		panic(err)
	}
	rev, err := doc.Update(nil, func(n *Notes) error {
		n.Entries = append(n.Entries, Entry{2, "world"})
		return nil
	})
	fmt.Println(rev, err)

	// What grows token by token is said as an op.
	rev, err = doc.Change(nil, func(d *delta.Draft) error { return d.At("reply").Append(" tok") })
	fmt.Println(rev, err)

	// A consumer does the same with the value of a frame.
	notes, err := delta.To[Notes](doc.Document().Value())
	fmt.Println(notes.Entries[1].Text, notes.Reply, err)
	// Output:
	// 1 <nil>
	// 2 <nil>
	// world  tok <nil>
}
