package main

import (
	"strconv"
	"strings"

	"chordsim/core/base"
	"chordsim/core/delta"
)

// Sizes of the payloads: those that the figures are of.
const (
	notesEntries, notesText       = 1000, 80 // the notes list
	documentEntries, documentText = 500, 960 // the 500 KB document
	mebibyte                      = base.MiB
)

// firstEntryAt is the time stamp of the first entry, in milliseconds: 13 digits.
const firstEntryAt = 1_700_000_000_000

// wireEntries makes a list of n entries {id, text, author, at}. The text is given for each.
func wireEntries(n int, text func(i int) string) delta.Value {
	keys, err := delta.NewKeys("id", "text", "author", "at")
	if err != nil {
		panic("bench wire: " + err.Error())
	}
	author := delta.String("jo")
	items := make([]delta.Value, n)
	for i := range items {
		items[i] = delta.ObjectOf(keys, []delta.Value{
			delta.String("e" + strconv.Itoa(i)), delta.String(text(i)), author, delta.Int(firstEntryAt + i),
		})
	}
	return delta.ListOf(items)
}

// letters is a text of one letter, which is never deflated in what is measured here.
func letters(n int) func(int) string {
	text := strings.Repeat("x", n)
	return func(int) string { return text }
}

func notesList() delta.Value  { return wireEntries(notesEntries, letters(notesText)) }
func notes500KB() delta.Value { return wireEntries(documentEntries, letters(documentText)) }
func prose500KB() delta.Value { return wireEntries(documentEntries, proseEntry) }
func proseMebibyte() string   { return wireProse("result", mebibyte) }
func proseEntry(i int) string { return wireProse(strconv.Itoa(i), documentText) }

// wireWords is the vocabulary of the prose that scenarios have.
var wireWords = strings.Fields(`
	the a to of and in that is was for on with as it by from at this which not we tab link host call text commit
	repository deployment function transaction connection migration directory benchmark variable performance state
	frame stream worker server session document entry message window revision snapshot reference provider consumer
	request response branch config cache index retry timeout should would could because however while without
	between after before again always already now changed removed compiled measured released restarted returned
	waits sends keeps fails v2 v0.87.1 port-8080 #1024 500ms 64KiB 99.5% x86-64 utf-8 sha256
`)

// wireProse returns at most so many characters of prose, of words in an order that is drawn under a label.
func wireProse(label string, characters int) string {
	draws := base.NewRand(1).Stream("prose", label)
	var text strings.Builder
	for {
		word := wireWords[draws.Below(uint64(len(wireWords)))]
		space := min(text.Len(), 1)
		if text.Len()+space+len(word) > characters {
			return text.String()
		}
		text.WriteString(" "[:space])
		text.WriteString(word)
	}
}
