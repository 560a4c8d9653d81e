package wire

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"chordsim/core/delta"
)

// notes returns a list of entries with texts of a length: 1,000 of 80 characters are the notes list, 136,891 bytes of JSON,
// and 500 of 960 the 500 KB document, 508,391 bytes.
func notes(entries, characters int) delta.Value {
	return notesOf(entries, strings.Repeat("x", characters))
}

func notesOf(entries int, text string) delta.Value {
	keys, err := delta.NewKeys("id", "text", "author", "at")
	if err != nil {
		panic(err)
	}
	items := make([]delta.Value, entries)
	for i := range items {
		items[i] = delta.ObjectOf(keys, []delta.Value{
			delta.String(fmt.Sprint("e", i)), delta.String(text), delta.String("jo"),
			delta.Number(1_700_000_000_000 + float64(i)),
		})
	}
	return delta.ListOf(items)
}

// codecPair is one payload in both codecs.
type codecPair struct {
	name   string
	value  delta.Value
	asAny  any
	binary []byte
	json   []byte
}

func codecPairs(tb testing.TB) []codecPair {
	tb.Helper()
	pairs := []codecPair{
		{name: "notes", value: notes(1000, 80)},
		{name: "500KB", value: notes(500, 960)},
		{name: "umlauts", value: notesOf(1000, strings.Repeat("Äpfel und Birnen. ", 5)[:80])},
	}
	for i := range pairs {
		p := &pairs[i]
		p.binary = AppendValue(nil, p.value)
		p.json = delta.AppendJSON(nil, p.value)
		if err := json.Unmarshal(p.json, &p.asAny); err != nil {
			tb.Fatal(err)
		}
	}
	return pairs
}

func (p *codecPair) encodeBinary(b *testing.B) {
	b.ReportAllocs()
	b.SetBytes(int64(len(p.json)))
	var dst []byte
	for b.Loop() {
		dst = AppendValue(dst[:0], p.value)
	}
}

func (p *codecPair) encodeJSON(b *testing.B) {
	b.ReportAllocs()
	b.SetBytes(int64(len(p.json)))
	for b.Loop() {
		if _, err := json.Marshal(p.asAny); err != nil {
			b.Fatal(err)
		}
	}
}

func (p *codecPair) decodeBinary(b *testing.B) {
	b.ReportAllocs()
	b.SetBytes(int64(len(p.json)))
	for b.Loop() {
		if _, err := ParseValue(p.binary); err != nil {
			b.Fatal(err)
		}
	}
}

func (p *codecPair) decodeJSON(b *testing.B) {
	b.ReportAllocs()
	b.SetBytes(int64(len(p.json)))
	for b.Loop() {
		var v any
		if err := json.Unmarshal(p.json, &v); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNotesEncode(b *testing.B) {
	for _, p := range codecPairs(b) {
		b.Run(p.name+"/binary", p.encodeBinary)
		b.Run(p.name+"/encoding-json", p.encodeJSON)
	}
}

func BenchmarkNotesDecode(b *testing.B) {
	for _, p := range codecPairs(b) {
		b.Run(p.name+"/binary", p.decodeBinary)
		b.Run(p.name+"/encoding-json", p.decodeJSON)
	}
}

// BenchmarkNotesRatio runs both codecs in turns, some milliseconds each, and reports the median of how many times as long
// encoding/json takes: what else the machine does falls on both.
func BenchmarkNotesRatio(b *testing.B) {
	for _, p := range codecPairs(b) {
		var dst []byte
		b.Run(p.name+"/encode", func(b *testing.B) {
			ratio(b, func() { dst = AppendValue(dst[:0], p.value) }, func() { json.Marshal(p.asAny) })
		})
		b.Run(p.name+"/decode", func(b *testing.B) {
			ratio(b, func() { ParseValue(p.binary) }, func() {
				var v any
				json.Unmarshal(p.json, &v)
			})
		})
	}
}

func ratio(b *testing.B, ours, theirs func()) {
	const turn = 8 // runs of encoding/json in a turn
	spent := func(n int, run func()) time.Duration {
		from := time.Now()
		for range n {
			run()
		}
		return time.Since(from)
	}
	var ratios []float64
	for b.Loop() {
		a, z := spent(turn*6, ours), spent(turn, theirs)
		ratios = append(ratios, float64(z)/turn/(float64(a)/(turn*6)))
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "times")
	b.ReportMetric(0, "ns/op")
}
