package scenarios

import (
	_ "embed"
	"strconv"
	"strings"

	"chordsim/core/base"
	"chordsim/core/delta"
)

// proseWords is what prose is made of: 95 words as people who build things write them to each other, some with numbers.
// Their number and lengths decide how far prose compresses, and with it what scenarios measure.
var proseWords = strings.Fields(`
	the a to of and in that is was for on with as it by from at this which not we tab link host call text commit
	repository deployment function transaction connection migration directory benchmark variable performance state
	frame stream worker server session document entry message window revision snapshot reference provider consumer
	request response branch config cache index retry timeout should would could because however while without
	between after before again always already now changed removed compiled measured released restarted returned
	waits sends keeps fails v2 v0.87.1 port-8080 #1024 500ms 64KiB 99.5% x86-64 utf-8 sha256
`)

// prose returns at most so many characters of prose-like text: words of a small vocabulary in an order that is drawn from
// the seed under a label, one space between two. The last word is whole. All characters are ASCII.
func prose(seed uint64, label string, characters int) string {
	draws := base.NewRand(seed).Stream("prose", label)
	var text strings.Builder
	for {
		word := proseWords[draws.Below(uint64(len(proseWords)))]
		space := min(text.Len(), 1)
		if text.Len()+space+len(word) > characters {
			return text.String()
		}
		text.WriteString(" "[:space])
		text.WriteString(word)
	}
}

// proseEntries is entries with a text of prose each instead of one letter. 500 of 960 characters under seed 1 are 506,701
// bytes of JSON, of which deflate at level 1 leaves 27.6 %; of the seed document's 506,778 it leaves 27.8 %.
func proseEntries(seed uint64, n, characters int) delta.Value {
	draft := delta.NewDraft(entries(n, 0))
	for i := range n {
		if err := draft.At(i, "text").Set(prose(seed, strconv.Itoa(i), characters)); err != nil {
			panic("scenarios: " + err.Error())
		}
	}
	value, _ := draft.Commit()
	return value
}

// englishText is Lewis Carroll, "Alice's Adventures in Wonderland" (London 1865), which is in the public domain: the text
// alice29.txt of the Canterbury corpus for compressors, as google/brotli has it among its test data, with plain line ends.
//
//go:embed testdata/english.txt
var englishText string

// english returns 148,480 characters of English, all ASCII.
func english() string { return englishText }
