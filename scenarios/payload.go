package scenarios

import (
	"strconv"
	"strings"

	"chordsim/core/delta"
)

// firstAt is the time stamp of the first entry: 13 digits, as a clock in milliseconds has for centuries.
const firstAt = 1_700_000_000_000

// entries makes a list of notes {id, text, author, at} whose texts are one letter, repeated. 1,000 of 80 characters are
// the notes list, 136,891 bytes of JSON; 500 of 960 the 500 KB document, 508,391 bytes.
func entries(n, characters int) delta.Value {
	author := delta.String("jo") // two letters: with three, each entry is a byte over the figures' size
	text := delta.String(strings.Repeat("x", characters))
	keys, err := delta.NewKeys("id", "text", "author", "at")
	if err != nil {
		panic("scenarios: " + err.Error())
	}
	items := make([]delta.Value, n)
	for i := range items {
		items[i] = delta.ObjectOf(keys, []delta.Value{
			delta.String("e" + strconv.Itoa(i)), text, author, delta.Number(float64(firstAt + int64(i))),
		})
	}
	return delta.ListOf(items)
}
